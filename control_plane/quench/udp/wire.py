# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The packets of a flow, as the sender writes and the receiver reads them.

A payload starts with 32 bytes: "QUDP", the version, a nonce, the flow, the sequence number, and the time of
sending; zeros follow. The nonce makes the UDP checksum of each packet a random number that the sender knows. So is
the identification in the IPv4 header, which RFC 6864 section 4.1 leaves to the sender of packets that are not to be
fragmented. A router quotes both in an ICMP error (RFC 792): 32 bits that a blind forger must guess.
"""

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address

from quench.isq.message import internet_checksum

IPV4 = struct.Struct("!BBHHHBBH4s4s")
UDP = struct.Struct("!HHHH")
HEADER = struct.Struct("!4sBxHQQQ")
MAGIC = b"QUDP"
VERSION = 1
PROTOCOL_UDP = 17
DONT_FRAGMENT = 0x4000
TTL = 64

HEADERS_BYTES = IPV4.size + UDP.size
LEAST_PACKET_BYTES = HEADERS_BYTES + HEADER.size
MOST_PACKET_BYTES = 65_535


@dataclass(frozen=True, slots=True)
class Endpoints:
    """A flow's addresses and ports, its source first."""

    source: IPv4Address
    source_port: int
    destination: IPv4Address
    destination_port: int


@dataclass(frozen=True, slots=True)
class DataHeader:
    """The fields of a payload."""

    flow: int
    sequence: int
    sent_ns: int
    """``CLOCK_REALTIME`` of the sender."""


class PacketMaker:
    """Writes the packets of one flow, of the same length, from the IPv4 header on."""

    def __init__(self, endpoints: Endpoints, packet_bytes: int, tos: int, flow: int) -> None:
        self.packet_bytes = packet_bytes
        self.udp_bytes = packet_bytes - IPV4.size
        self._endpoints = endpoints
        self._tos = tos
        self._flow = flow
        self._padding = bytes(packet_bytes - LEAST_PACKET_BYTES)
        pseudo = struct.pack(
            "!4s4sxBH", endpoints.source.packed, endpoints.destination.packed, PROTOCOL_UDP, self.udp_bytes
        )
        ports = UDP.pack(endpoints.source_port, endpoints.destination_port, self.udp_bytes, 0)
        # Zeros do not change a sum, so the padding need not be looked at for every packet.
        self._checked = pseudo + ports

    def make(self, sequence: int, sent_ns: int, identification: int, nonce: int) -> tuple[bytes, int]:
        """A packet and its UDP checksum. An identification of 0 would be replaced by the kernel."""
        header = HEADER.pack(MAGIC, VERSION, nonce, self._flow, sequence, sent_ns)
        # RFC 768: a checksum of 0 means none and is sent as its other representation.
        checksum = internet_checksum(self._checked + header) or 0xFFFF
        ends = self._endpoints
        ip = IPV4.pack(
            0x45,
            self._tos,
            self.packet_bytes,
            identification,
            DONT_FRAGMENT,
            TTL,
            PROTOCOL_UDP,
            0,
            ends.source.packed,
            ends.destination.packed,
        )
        udp = UDP.pack(ends.source_port, ends.destination_port, self.udp_bytes, checksum)
        return b"".join((ip, udp, header, self._padding)), checksum


def read_payload(payload: bytes) -> DataHeader | None:
    """The fields of a UDP payload; None for a payload of another program."""
    if len(payload) < HEADER.size:
        return None
    magic, version, _, flow, sequence, sent_ns = HEADER.unpack_from(payload)
    if magic != MAGIC or version != VERSION:
        return None
    return DataHeader(flow, sequence, sent_ns)
