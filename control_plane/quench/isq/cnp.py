# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Congestion notification packets (CNP) of RoCEv2, as a switch sends them to the sender of a data packet.

A CNP of a receiver (InfiniBand Architecture, annex A17.9) names the queue pair of the sender. A switch knows only that
of the data packet, the receiver's. So the sender finds its own by that number and the destination of the data packet. A
Fast CNP (draft-xiao-rtgwg-rocev2-fast-cnp) carries it in an IPv6 destination option; the plain CNP of a switch, which
is an extension of ours, in the 16 bytes that InfiniBand reserves. Advice is in the sequence number, which a CNP does
not need.
"""

import struct
import zlib
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from quench.isq.message import (
    ETHERNET,
    ETHERTYPE_IPV4,
    IPV4,
    TTL,
    Ineligible,
    NotEligibleError,
    check_ipv4,
    ipv4_header,
)

ETHERTYPE_IPV6 = 0x86DD
PROTOCOL_UDP = 17
ROCE_PORT = 4791
CNP_OPCODE = 0x81
CNP_DSCP = 48
"""The DSCP of CNPs that network cards have by default."""
FAST_CNP_OPTION = 0x1E
"""The type of the option: one for experiments (RFC 4727), which hosts skip that do not know it. None is assigned."""

IPV6 = struct.Struct("!IHBB16s16s")
_UDP = struct.Struct("!HHHH")
_BTH = struct.Struct("!BBHII")
_DESTINATION_OPTIONS = 60
_OPTIONS_START = bytes((PROTOCOL_UDP, 2, 1, 2, 0, 0, FAST_CNP_OPTION, 16))
"""Next header, 24 bytes, PadN with 2 bytes, and an option of 16, whose data are so aligned to 8 bytes."""
_BECN = 0x40
_RESERVED = bytes(16)
_ICRC_BYTES = 4
QUOTED_BYTES = IPV6.size + _UDP.size + _BTH.size
"""The headers of a data packet over IPv6, as far as the queue pair."""
_MORE_FRAGMENTS = 0x2000
_DATA_OPERATIONS = frozenset({*range(0x0C), *range(0x0D, 0x11), 0x16, 0x17})
"""The lower five bits of opcodes of packets with data of their sender."""
_CONNECTED = frozenset({0b000, 0b001, 0b010, 0b101})
"""The upper three bits of opcodes of services with connections: RC, UC, RD and XRC."""


Address = IPv4Address | IPv6Address


class DataPacket(NamedTuple):
    """The fields of a RoCEv2 packet that a CNP about it repeats."""

    source: Address
    destination: Address
    udp_source: int
    opcode: int
    partition: int
    destination_qp: int


def roce_packet(frame: bytes) -> DataPacket | None:
    """A frame that carries RoCEv2, whether with data or not; None for any other, and for one that is cut short."""
    if len(frame) < ETHERNET.size:
        return None
    (ether_type,) = struct.unpack_from("!H", frame, 12)
    if ether_type == ETHERTYPE_IPV4 and len(frame) >= ETHERNET.size + IPV4.size:
        version_ihl, _, _, _, fragment, _, protocol, _, source, destination = IPV4.unpack_from(frame, ETHERNET.size)
        if version_ihl >> 4 != 4 or fragment & (_MORE_FRAGMENTS | 0x1FFF):
            return None
        start = ETHERNET.size + (version_ihl & 0xF) * 4
        ends: tuple[Address, Address] = IPv4Address(source), IPv4Address(destination)
    elif ether_type == ETHERTYPE_IPV6 and len(frame) >= ETHERNET.size + IPV6.size:
        first, _, protocol, _, source, destination = IPV6.unpack_from(frame, ETHERNET.size)
        if first >> 28 != 6:
            return None
        start = ETHERNET.size + IPV6.size
        ends = IPv6Address(source), IPv6Address(destination)
    else:
        return None
    if protocol != PROTOCOL_UDP or len(frame) < start + _UDP.size + _BTH.size:
        return None
    udp_source, udp_destination, udp_bytes, _ = _UDP.unpack_from(frame, start)
    # Behind a shorter datagram is Ethernet's padding.
    if udp_destination != ROCE_PORT or udp_bytes < _UDP.size + _BTH.size:
        return None
    opcode, _, partition, qp, _ = _BTH.unpack_from(frame, start + _UDP.size)
    return DataPacket(ends[0], ends[1], udp_source, opcode, partition, qp & 0xFFFFFF)


def congestion_notification(frame: bytes, packet: DataPacket, *, source: Address, fast: bool, advice: int = 0) -> bytes:
    """The CNP about a packet, as an Ethernet frame that a router can route to the packet's source.

    ``frame`` is that packet from its Ethernet header on. The CNP comes from ``source``, an address of the packet's IP
    version. ``fast``: a Fast CNP, which is for IPv6 alone. ``advice`` has the bits of ``advice_t``. Raises
    NotEligibleError.
    """
    check_data(frame, packet)
    original = packet.destination
    if isinstance(original, IPv4Address):
        original = IPv6Address(f"::ffff:{original}")
    bth = _BTH.pack(CNP_OPCODE, 0, packet.partition, _BECN << 24 | packet.destination_qp, advice)
    udp_bytes = _UDP.size + _BTH.size + len(_RESERVED) + _ICRC_BYTES
    udp = _UDP.pack(packet.udp_source, ROCE_PORT, udp_bytes, 0)
    options = _OPTIONS_START + original.packed if fast else b""
    rest = bth + (_RESERVED if fast else original.packed)

    if isinstance(packet.source, IPv4Address):
        if fast:
            raise ValueError("there is no Fast CNP for IPv4")
        ether_type = ETHERTYPE_IPV4
        ip = ipv4_header(CNP_DSCP << 2, udp_bytes, PROTOCOL_UDP, source.packed, packet.source.packed)
        masked_ip = ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    else:
        ether_type = ETHERTYPE_IPV6
        next_header = _DESTINATION_OPTIONS if fast else PROTOCOL_UDP
        payload_bytes = len(options) + udp_bytes
        ends = source.packed, packet.source.packed
        ip = IPV6.pack(6 << 28 | CNP_DSCP << 22, payload_bytes, next_header, TTL, *ends)
        masked_ip = IPV6.pack(0x6FFFFFFF, payload_bytes, next_header, 0xFF, *ends)
    # Ones stand for what switches may change, and for a header that RoCEv2 does not have.
    masked_rest = rest[:4] + b"\xff" + rest[5:]
    crc = zlib.crc32(b"\xff" * 8 + masked_ip + options + udp[:6] + b"\xff\xff" + masked_rest)
    ethernet = ETHERNET.pack(frame[6:12], frame[0:6], ether_type)
    return ethernet + ip + options + udp + rest + crc.to_bytes(_ICRC_BYTES, "little")


def check_data(frame: bytes, packet: DataPacket) -> None:
    """Raises NotEligibleError unless the packet is data of a connection about which its sender may be told."""
    if packet.opcode >> 5 not in _CONNECTED or packet.opcode & 0x1F not in _DATA_OPERATIONS:
        raise NotEligibleError(Ineligible.NOT_DATA)
    if isinstance(packet.source, IPv4Address):
        check_ipv4(frame)
        return
    # As RFC 4443 section 2.4 (e) has it for errors of ICMPv6.
    source, destination = packet.source, packet.destination
    if frame[0] & 1:
        raise NotEligibleError(Ineligible.LINK_BROADCAST)
    if destination.is_multicast:
        raise NotEligibleError(Ineligible.MULTICAST_DESTINATION)
    if source.is_multicast or source.is_unspecified or source.is_loopback or source.is_link_local:
        raise NotEligibleError(Ineligible.SOURCE_NOT_A_HOST)
