# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The source quench of ICMPv6 about a data packet of RoCEv2, which is an extension of ours.

It is an error for experiments (RFC 4443 section 2.1) with the last word of ICMP's source quench. It quotes the headers
as far as the queue pair.
"""

import struct
from ipaddress import IPv6Address

from quench.isq.cnp import CNP_DSCP, ETHERTYPE_IPV6, IPV6, QUOTED_BYTES, DataPacket, check_data
from quench.isq.message import ETHERNET, TTL, internet_checksum, signal_word

PROTOCOL_ICMPV6 = 58
ICMPV6_SOURCE_QUENCH = 100
"""The type: none is assigned."""


def ipv6_source_quench(
    frame: bytes, packet: DataPacket, *, marked: bool, router: IPv6Address, level: int = 0, advice: int = 0
) -> bytes:
    """The message about a packet of IPv6, as an Ethernet frame that a router can route to the packet's source.

    ``frame`` is that packet from its Ethernet header on. ``level`` and ``advice`` are those of ICMP's source quench.
    Raises NotEligibleError, and ValueError for a level or advice out of range.
    """
    check_data(frame, packet)
    word = signal_word(marked=marked, level=level, advice=advice)
    message = struct.pack("!BBHI", ICMPV6_SOURCE_QUENCH, 0, 0, word) + frame[ETHERNET.size :][:QUOTED_BYTES]
    ends = router.packed + packet.source.packed
    checksum = internet_checksum(ends + struct.pack("!II", len(message), PROTOCOL_ICMPV6) + message)
    message = message[:2] + checksum.to_bytes(2, "big") + message[4:]
    header = IPV6.pack(6 << 28 | CNP_DSCP << 22, len(message), PROTOCOL_ICMPV6, TTL, ends[:16], ends[16:])
    return ETHERNET.pack(frame[6:12], frame[0:6], ETHERTYPE_IPV6) + header + message
