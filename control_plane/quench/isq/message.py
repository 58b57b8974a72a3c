# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ICMP source quench (ISQ): RFC 792 type 4, with the marked/dropped bit of Akujobi et al. (Globecom 2002)."""

import struct
from enum import StrEnum
from ipaddress import IPv4Address

ETHERTYPE_IPV4 = 0x0800
PROTOCOL_ICMP = 1
ICMP_SOURCE_QUENCH = 4
MARKED_BIT = 0x80
"""The bit in the fifth octet of the ICMP header: 1, the packet was marked; 0, it was dropped."""
LEVEL_MASK = 0x7F
"""The other bits of that octet: the level of congestion, 0 where it is not used."""
MAX_ADVICE = 0xFFFF
"""The last two octets of the ICMP header are advice (``advice_t`` of p4src/common/types.p4), 0 where there is none."""

ETHERNET = struct.Struct("!6s6sH")
IPV4 = struct.Struct("!BBHHHBBH4s4s")
_ICMP_ERRORS = frozenset({3, 4, 5, 11, 12})
_QUOTED_PAYLOAD_BYTES = 8
TTL = 255
"""The largest TTL, from which a host computes how many hops away the ISQ was made (RFC 5082)."""
_DONT_FRAGMENT = 0x4000


class Ineligible(StrEnum):
    """Reasons for which no ISQ may be sent about a packet (RFC 1122 section 3.2.2, RFC 1812 section 4.3.2.7).

    The last three are of the domain and of RoCEv2: packets without data of a connection have no CNP.
    """

    NOT_IPV4 = "not_ipv4"
    MALFORMED = "malformed"
    ICMP_ERROR = "icmp_error"
    FRAGMENT = "fragment"
    MULTICAST_DESTINATION = "multicast_destination"
    LINK_BROADCAST = "link_broadcast"
    SOURCE_NOT_A_HOST = "source_not_a_host"
    NOT_DATA = "not_data"
    OUTSIDE_DOMAIN = "outside_domain"
    NO_IPV6_ADDRESS = "no_ipv6_address"


class NotEligibleError(Exception):
    """No ISQ may be sent about this packet; ``reason`` says why."""

    def __init__(self, reason: Ineligible) -> None:
        super().__init__(f"no source quench may be sent about this packet: {reason.value.replace('_', ' ')}")
        self.reason = reason


def internet_checksum(data: bytes) -> int:
    """The 16-bit one's complement checksum (RFC 1071) of an even or odd number of bytes."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def source_quench(frame: bytes, *, marked: bool, router: IPv4Address, level: int = 0, advice: int = 0) -> bytes:
    """The ISQ about a packet, as an Ethernet frame that a router can route to the packet's source.

    ``frame`` is the packet from its Ethernet header on; it may be cut behind the first 8 bytes of IPv4 payload.
    The ISQ comes from ``router``. For an IPv4 header without options its IP packet has 56 bytes.
    Raises NotEligibleError, and ValueError for a level outside 0..127 or advice of more than 16 bits.
    """
    word = signal_word(marked=marked, level=level, advice=advice)
    header_bytes, source = check_ipv4(frame)
    quoted = frame[ETHERNET.size :][: header_bytes + _QUOTED_PAYLOAD_BYTES]

    icmp = struct.pack("!BBHI", ICMP_SOURCE_QUENCH, 0, 0, word) + quoted
    icmp = icmp[:2] + internet_checksum(icmp).to_bytes(2, "big") + icmp[4:]

    # RFC 1812 section 4.3.2.5: the precedence is that of the packet that provoked it.
    precedence = frame[ETHERNET.size + 1] & 0xE0
    header = ipv4_header(precedence, len(icmp), PROTOCOL_ICMP, router.packed, source)
    destination_mac, source_mac = frame[0:6], frame[6:12]
    return ETHERNET.pack(source_mac, destination_mac, ETHERTYPE_IPV4) + header + icmp


def signal_word(*, marked: bool, level: int, advice: int) -> int:
    """The last word of a source quench's ICMP header. Raises ValueError for a level or advice that it cannot say."""
    if not 0 <= level <= LEVEL_MASK:
        raise ValueError(f"level {level} is outside 0..{LEVEL_MASK}")
    if not 0 <= advice <= MAX_ADVICE:
        raise ValueError(f"advice {advice} is outside 0..{MAX_ADVICE}")
    return ((MARKED_BIT if marked else 0) | level) << 24 | advice


def ipv4_header(tos: int, payload_bytes: int, protocol: int, source: bytes, destination: bytes) -> bytes:
    """The IPv4 header of an ISQ, which is not fragmented and has the largest time to live."""
    total_bytes = IPV4.size + payload_bytes
    header = IPV4.pack(0x45, tos, total_bytes, 0, _DONT_FRAGMENT, TTL, protocol, 0, source, destination)
    return header[:10] + internet_checksum(header).to_bytes(2, "big") + header[12:]


def source_of(frame: bytes) -> IPv4Address:
    """The source of a packet that is IPv4. Raises NotEligibleError for any other."""
    _ipv4_start(frame)
    return IPv4Address(IPV4.unpack_from(frame, ETHERNET.size)[8])


def _ipv4_start(frame: bytes) -> None:
    if len(frame) < ETHERNET.size + IPV4.size:
        raise NotEligibleError(Ineligible.MALFORMED)
    if ETHERNET.unpack_from(frame)[2] != ETHERTYPE_IPV4:
        raise NotEligibleError(Ineligible.NOT_IPV4)


def check_ipv4(frame: bytes) -> tuple[int, bytes]:
    """Length of the IPv4 header in bytes and the source address, of a packet that an ISQ may be sent about.

    Raises NotEligibleError for any other.
    """
    _ipv4_start(frame)
    destination_mac = frame[:6]
    version_ihl, _, total_bytes, _, fragment, _, protocol, _, source, destination = IPV4.unpack_from(
        frame, ETHERNET.size
    )
    header_bytes = (version_ihl & 0xF) * 4
    payload = frame[ETHERNET.size + header_bytes :]
    if (
        version_ihl >> 4 != 4
        or header_bytes < IPV4.size
        or total_bytes < header_bytes
        or len(payload) < min(_QUOTED_PAYLOAD_BYTES, total_bytes - header_bytes)
    ):
        raise NotEligibleError(Ineligible.MALFORMED)
    if destination_mac[0] & 1:
        raise NotEligibleError(Ineligible.LINK_BROADCAST)
    if fragment & 0x1FFF:
        raise NotEligibleError(Ineligible.FRAGMENT)
    if destination[0] >= 224:
        raise NotEligibleError(Ineligible.MULTICAST_DESTINATION)
    if source[0] in (0, 127) or source[0] >= 224:
        raise NotEligibleError(Ineligible.SOURCE_NOT_A_HOST)
    if protocol == PROTOCOL_ICMP and (not payload or payload[0] in _ICMP_ERRORS):
        raise NotEligibleError(Ineligible.ICMP_ERROR)
    return header_bytes, source
