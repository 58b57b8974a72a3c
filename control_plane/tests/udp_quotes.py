# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Source quenches about a packet of a flow, true ones and forged ones."""

import struct
from collections.abc import Callable
from ipaddress import IPv4Address

from quench.isq import source_quench
from quench.isq.message import internet_checksum
from quench.udp.quenches import Refusal

ROUTER = IPv4Address("10.0.0.254")
ETHERNET = bytes(12) + b"\x08\x00"


def about(packet: bytes, *, marked: bool = True, level: int = 0) -> bytes:
    """The controller's ISQ about a packet, both from their IPv4 headers on."""
    return source_quench(ETHERNET + packet, marked=marked, router=ROUTER, level=level)[14:]


def finished(quench: bytes) -> bytes:
    """A source quench with right checksums and total length."""
    header = bytearray(quench[:20])
    header[2:4] = len(quench).to_bytes(2, "big")
    header[10:12] = bytes(2)
    header[10:12] = internet_checksum(bytes(header)).to_bytes(2, "big")
    icmp = bytearray(quench[20:])
    if len(icmp) >= 4:
        icmp[2:4] = bytes(2)
        icmp[2:4] = internet_checksum(bytes(icmp)).to_bytes(2, "big")
    return bytes(header + icmp)


def changed(quench: bytes, offset: int, new: bytes) -> bytes:
    """With other bytes at an offset, and right checksums."""
    return finished(quench[:offset] + new + quench[offset + len(new) :])


QUOTE = 28
"""The place at which the quoted IPv4 header starts."""
QUOTED_UDP = QUOTE + 20


def other(value: bytes) -> bytes:
    return (int.from_bytes(value, "big") ^ 1).to_bytes(len(value), "big")


def flipped(offset: int, length: int) -> Callable[[bytes], bytes]:
    """A forgery with one field wrong."""
    return lambda quench: changed(quench, offset, other(quench[offset : offset + length]))


FORGERIES: dict[str, tuple[Refusal, Callable[[bytes], bytes]]] = {
    "cut behind the ICMP header": (Refusal.TRUNCATED, lambda quench: finished(quench[:28])),
    "cut in the UDP header": (Refusal.TRUNCATED, lambda quench: finished(quench[:-1])),
    "longer than an ICMP error": (Refusal.TOO_LONG, lambda quench: finished(quench + bytes(521))),
    "wrong ICMP checksum": (Refusal.BAD_CHECKSUM, lambda quench: quench[:22] + other(quench[22:24]) + quench[24:]),
    "from no router": (Refusal.UNKNOWN_ROUTER, lambda quench: changed(quench, 12, bytes([192, 0, 2, 1]))),
    "another code": (Refusal.BAD_CODE, flipped(21, 1)),
    "quote of IPv6": (Refusal.BAD_QUOTE, lambda quench: changed(quench, QUOTE, b"\x65")),
    "quote with a short header": (Refusal.BAD_QUOTE, lambda quench: changed(quench, QUOTE, b"\x44")),
    "quote of a later fragment": (Refusal.BAD_QUOTE, lambda quench: changed(quench, QUOTE + 6, b"\x00\x01")),
    "quote of TCP": (Refusal.NOT_UDP, lambda quench: changed(quench, QUOTE + 9, b"\x06")),
    "quote from another source": (Refusal.WRONG_SOURCE, flipped(QUOTE + 12, 4)),
    "quote to another destination": (Refusal.OTHER_FLOW, flipped(QUOTE + 16, 4)),
    "another source port": (Refusal.OTHER_FLOW, flipped(QUOTED_UDP, 2)),
    "another destination port": (Refusal.OTHER_FLOW, flipped(QUOTED_UDP + 2, 2)),
    "another UDP length": (Refusal.BAD_QUOTE, flipped(QUOTED_UDP + 4, 2)),
    "another length in both headers": (
        Refusal.BAD_QUOTE,
        lambda quench: flipped(QUOTED_UDP + 4, 2)(flipped(QUOTE + 2, 2)(quench)),
    ),
    "another total length": (Refusal.BAD_QUOTE, flipped(QUOTE + 2, 2)),
    "another identification": (Refusal.NOT_IN_FLIGHT, flipped(QUOTE + 4, 2)),
    "another UDP checksum": (Refusal.NOT_IN_FLIGHT, flipped(QUOTED_UDP + 6, 2)),
}
"""A fault, the reason of its refusal, and the change that makes it of a right source quench."""

UNDELIVERABLE: dict[str, tuple[Refusal, Callable[[bytes], bytes]]] = {
    "to another host, as the quote says": (
        Refusal.WRONG_SOURCE,
        lambda quench: flipped(16, 4)(flipped(QUOTE + 12, 4)(quench)),
    ),
    "to another host, not as the quote says": (Refusal.WRONG_SOURCE, flipped(16, 4)),
    "shorter than it says": (Refusal.TRUNCATED, lambda quench: finished(quench + bytes(8))[:-8]),
}
"""The same for what the kernel keeps away from a socket."""


def guess(quench: bytes, number: int) -> bytes:
    """Right but for what cannot be known: the identification and the checksum of a packet that was sent."""
    forged = bytearray(quench)
    forged[QUOTE + 4 : QUOTE + 6] = struct.pack("!H", number * 40_503 & 0xFFFF)
    forged[QUOTED_UDP + 6 : QUOTED_UDP + 8] = struct.pack("!H", number * 30_011 & 0xFFFF)
    return finished(bytes(forged))
