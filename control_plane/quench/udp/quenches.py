# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of a sender on ICMP source quenches: for UDP those that host_stack/bpf/q_isq.bpf.c makes for TCP.

RFC 6633 deprecates source quench because anybody can forge one. A quote of UDP has no sequence number; in its place
the identification and the checksum of the quoted packet must be those of a packet that was sent a short time ago
(see :mod:`quench.udp.wire`). A guess hits one of n recent packets with probability n / 2^32, where TCP's
tests of sequence number and identification give a window of n bytes n / 2^48.
"""

import struct
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from quench.isq.message import ICMP_SOURCE_QUENCH, LEVEL_MASK, MARKED_BIT, PROTOCOL_ICMP, internet_checksum
from quench.udp.wire import IPV4, PROTOCOL_UDP, UDP, Endpoints

PRIVATE_NETWORKS: Final = tuple(
    map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"))
)
"""The routers that may send source quenches by default, as for quench-host: RFC 1918, RFC 6598, RFC 2544."""
MAX_ICMP_BYTES = 556
"""RFC 1812 section 4.3.2.3: an ICMP error quotes as much as fits into a datagram of 576 bytes."""

_ICMP = struct.Struct("!BBHB3x")
_OFFSET_MASK = 0x1FFF


class Refusal(StrEnum):
    """Reasons to reject a source quench."""

    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    BAD_CHECKSUM = "bad_checksum"
    BAD_CODE = "bad_code"
    BAD_QUOTE = "bad_quote"
    UNKNOWN_ROUTER = "unknown_router"
    NOT_UDP = "not_udp"
    WRONG_SOURCE = "wrong_source"
    OTHER_FLOW = "other_flow"
    NOT_IN_FLIGHT = "not_in_flight"
    REPEATED = "repeated"


class RefusedError(Exception):
    """A source quench that is rejected, with its ``reason``."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Quench:
    """A source quench that is accepted."""

    marked: bool
    level: int


class SentPackets:
    """The packets of the last seconds, by the fields that a quote holds. Each can be quoted once."""

    def __init__(self, window_s: float) -> None:
        self._window_s = window_s
        self._quoted: dict[tuple[int, int], bool] = {}
        self._order: deque[tuple[float, tuple[int, int]]] = deque()

    def add(self, now_s: float, identification: int, checksum: int) -> None:
        """A packet is sent."""
        self._forget(now_s)
        key = (identification, checksum)
        if key not in self._quoted:
            self._quoted[key] = False
            self._order.append((now_s, key))

    def take(self, now_s: float, identification: int, checksum: int) -> None:
        """A packet is quoted. Raises RefusedError."""
        self._forget(now_s)
        key = (identification, checksum)
        if key not in self._quoted:
            raise RefusedError(Refusal.NOT_IN_FLIGHT)
        if self._quoted[key]:
            raise RefusedError(Refusal.REPEATED)
        self._quoted[key] = True

    def __len__(self) -> int:
        return len(self._quoted)

    def _forget(self, now_s: float) -> None:
        while self._order and self._order[0][0] < now_s - self._window_s:
            del self._quoted[self._order.popleft()[1]]


class QuenchChecker:
    """Checks the source quenches about one flow."""

    def __init__(
        self,
        endpoints: Endpoints,
        udp_bytes: int,
        sent: SentPackets,
        isq_from: Collection[IPv4Network] = PRIVATE_NETWORKS,
    ) -> None:
        self._endpoints = endpoints
        self._udp_bytes = udp_bytes
        self._sent = sent
        self._isq_from = isq_from

    def check(self, packet: bytes, now_s: float) -> Quench:
        """Parse and check an ICMP source quench, given from its IPv4 header on. Raises RefusedError."""
        router, destination, icmp = _icmp_of(packet)
        if not any(router in network for network in self._isq_from):
            raise RefusedError(Refusal.UNKNOWN_ROUTER)
        if len(icmp) > MAX_ICMP_BYTES:
            raise RefusedError(Refusal.TOO_LONG)
        if len(icmp) < _ICMP.size + IPV4.size + UDP.size:
            raise RefusedError(Refusal.TRUNCATED)
        if internet_checksum(icmp) != 0:
            raise RefusedError(Refusal.BAD_CHECKSUM)
        _, code, _, signal = _ICMP.unpack_from(icmp)
        if code != 0:
            raise RefusedError(Refusal.BAD_CODE)
        self._check_quote(icmp[_ICMP.size :], destination, now_s)
        return Quench(marked=bool(signal & MARKED_BIT), level=signal & LEVEL_MASK)

    def _check_quote(self, quote: bytes, destination: bytes, now_s: float) -> None:
        version_ihl, _, total_bytes, identification, fragment, _, protocol, _, source, peer = IPV4.unpack_from(quote)
        header_bytes = (version_ihl & 0xF) * 4
        if version_ihl >> 4 != 4 or header_bytes < IPV4.size or fragment & _OFFSET_MASK:
            raise RefusedError(Refusal.BAD_QUOTE)
        if protocol != PROTOCOL_UDP:
            raise RefusedError(Refusal.NOT_UDP)
        ends = self._endpoints
        if source != destination or source != ends.source.packed:
            raise RefusedError(Refusal.WRONG_SOURCE)
        if len(quote) < header_bytes + UDP.size:
            raise RefusedError(Refusal.TRUNCATED)
        source_port, destination_port, udp_bytes, checksum = UDP.unpack_from(quote, header_bytes)
        if (peer, source_port, destination_port) != (ends.destination.packed, ends.source_port, ends.destination_port):
            raise RefusedError(Refusal.OTHER_FLOW)
        # We send no IP options, and packets of one length.
        if udp_bytes != self._udp_bytes or total_bytes != IPV4.size + udp_bytes or header_bytes != IPV4.size:
            raise RefusedError(Refusal.BAD_QUOTE)
        self._sent.take(now_s, identification, checksum)


def _icmp_of(packet: bytes) -> tuple[IPv4Address, bytes, bytes]:
    """The source, the destination and the ICMP message of a packet that is a source quench."""
    if len(packet) < IPV4.size:
        raise RefusedError(Refusal.TRUNCATED)
    version_ihl, _, total_bytes, *_, protocol, _, source, destination = IPV4.unpack_from(packet)
    header_bytes = (version_ihl & 0xF) * 4
    icmp = packet[header_bytes:total_bytes]
    if len(packet) < total_bytes or len(icmp) < 1:
        raise RefusedError(Refusal.TRUNCATED)
    if protocol != PROTOCOL_ICMP or icmp[0] != ICMP_SOURCE_QUENCH:
        raise RefusedError(Refusal.BAD_QUOTE)
    return IPv4Address(source), destination, icmp
