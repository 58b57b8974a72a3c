# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""The parts of Ethernet, IP, TCP and ICMP needed to read packets on a wire and to craft source quenches."""

from __future__ import annotations

import struct
from dataclasses import dataclass

ETH_BYTES = 14
ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_VLAN = 0x8100
ETHERTYPE_SERVICE_VLAN = 0x88A8
# EtherTypes of CSIG's tags, and the bytes of a tag with its EtherType.
CSIG_TAG_BYTES = {0x9900: 4, 0x88B5: 8}
IPV6_BYTES = 40
PROTO_ICMP = 1
PROTO_TCP = 6
ICMP_SOURCE_QUENCH = 4

NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR, AE = (1 << bit for bit in range(9))

ROUTER = bytes([10, 9, 0, 254])


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071) of ``data``."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _with_checksum(header: bytes, offset: int) -> bytes:
    header = header[:offset] + b"\0\0" + header[offset + 2 :]
    return header[:offset] + struct.pack("!H", checksum(header)) + header[offset + 2 :]


@dataclass(frozen=True)
class Segment:
    """A TCP segment as it was seen on the wire."""

    time_s: float
    frame: bytes
    ecn: int
    flags: int
    seq: int
    ack: int
    payload_bytes: int
    options: bytes
    # A tag of CSIG, from its EtherType on. The properties below are for segments without one.
    tag: bytes = b""

    @property
    def identification(self) -> int:
        """The identification of IPv4."""
        return int.from_bytes(self.frame[ETH_BYTES + 4 : ETH_BYTES + 6], "big")

    @property
    def destination_port(self) -> int:
        """The destination port of TCP, behind an IPv4 header without options."""
        return int.from_bytes(self.frame[ETH_BYTES + 22 : ETH_BYTES + 24], "big")

    @property
    def ace(self) -> int:
        """AE, CWR and ECE as a number."""
        return self.flags // ECE & 7

    @property
    def end_seq(self) -> int:
        return (self.seq + self.payload_bytes) & 0xFFFFFFFF


def _tcp_bounds(frame: bytes) -> tuple[int, int] | None:
    """Return where the TCP header begins and where the packet ends; None if the frame holds no TCP."""
    if len(frame) >= ETH_BYTES + 40 and frame[12:14] == b"\x08\x00" and frame[ETH_BYTES + 9] == PROTO_TCP:
        total_bytes = struct.unpack_from("!H", frame, ETH_BYTES + 2)[0]
        return ETH_BYTES + (frame[ETH_BYTES] & 15) * 4, ETH_BYTES + total_bytes
    if len(frame) >= ETH_BYTES + 60 and frame[12:14] == b"\x86\xdd" and frame[ETH_BYTES + 6] == PROTO_TCP:
        payload_bytes = struct.unpack_from("!H", frame, ETH_BYTES + 4)[0]
        return ETH_BYTES + IPV6_BYTES, ETH_BYTES + IPV6_BYTES + payload_bytes
    return None


def split_tag(frame: bytes) -> tuple[bytes, bytes]:
    """The tag of CSIG in front of the IP packet, which may be empty, and the frame without it."""
    tag_bytes = CSIG_TAG_BYTES.get(struct.unpack_from("!H", frame, 12)[0], 0)
    return frame[12 : 12 + tag_bytes], frame[:12] + frame[12 + tag_bytes :]


def parse_segment(tagged: bytes, time_s: float) -> Segment | None:
    """Read a frame; None if it holds no TCP over IPv4 or IPv6."""
    tag, frame = split_tag(tagged)
    bounds = _tcp_bounds(frame)
    if bounds is None:
        return None
    tcp, end = bounds
    seq, ack = struct.unpack_from("!II", frame, tcp + 4)
    tcp_bytes = (frame[tcp + 12] >> 4) * 4
    is_ipv6 = frame[ETH_BYTES] >> 4 == 6
    return Segment(
        time_s=time_s,
        frame=tagged,
        ecn=(frame[ETH_BYTES + 1] >> 4 if is_ipv6 else frame[ETH_BYTES + 1]) & 3,
        flags=int.from_bytes(frame[tcp + 12 : tcp + 14], "big") & 0x1FF,
        seq=seq,
        ack=ack,
        payload_bytes=end - tcp - tcp_bytes,
        options=frame[tcp + 20 : tcp + tcp_bytes],
        tag=tag,
    )


def checksums_ok(frame: bytes) -> bool:
    """Are the checksums of a TCP packet right?"""
    bounds = _tcp_bounds(frame)
    assert bounds is not None
    tcp, end = bounds
    is_ipv6 = frame[ETH_BYTES] >> 4 == 6
    addresses = frame[ETH_BYTES + 8 : ETH_BYTES + 40] if is_ipv6 else frame[ETH_BYTES + 12 : ETH_BYTES + 20]
    pseudo_header = addresses + struct.pack("!II", end - tcp, PROTO_TCP)
    return checksum(pseudo_header + frame[tcp:end]) == 0 and (is_ipv6 or checksum(frame[ETH_BYTES:tcp]) == 0)


def rewrite_tcp(frame: bytes, *, ack: int, flags: int, options: bytes | None = None) -> bytes:
    """Return a TCP packet over IPv4 with another acknowledgement number and other flags, and the right checksum.

    Other ``options``, whose length is a multiple of 4, take the place of the packet's, and of its payload.
    """
    bounds = _tcp_bounds(frame)
    assert bounds is not None
    tcp, end = bounds
    if options is not None:
        frame = frame[: tcp + 20] + options
        end = len(frame)
        ip = frame[ETH_BYTES : ETH_BYTES + 2] + struct.pack("!H", end - ETH_BYTES) + frame[ETH_BYTES + 4 : tcp]
        frame = frame[:ETH_BYTES] + _with_checksum(ip, 10) + frame[tcp:]
    header = bytearray(frame[tcp:end])
    if options is not None:
        header[12] = (20 + len(options)) // 4 << 4
    struct.pack_into("!I", header, 8, ack & 0xFFFFFFFF)
    header[12:14] = ((header[12] >> 4) << 12 | flags).to_bytes(2, "big")
    header[16:18] = b"\0\0"
    pseudo_header = frame[ETH_BYTES + 12 : ETH_BYTES + 20] + struct.pack("!II", end - tcp, PROTO_TCP)
    struct.pack_into("!H", header, 16, checksum(pseudo_header + bytes(header)))
    return frame[:tcp] + bytes(header)


def forged_syn_ack(syn: Segment) -> bytes:
    """Return a forged SYN-ACK with a guessed acknowledgement number and without ECN."""
    frame = syn.frame
    bounds = _tcp_bounds(frame)
    assert bounds is not None
    tcp = bounds[0]
    source, destination = struct.unpack_from("!HH", frame, tcp)
    header = struct.pack("!HHIIBBHHH", destination, source, 1, 0, 5 << 4, 0, 65535, 0, 0)
    packet = ipv4(frame[ETH_BYTES + 16 : ETH_BYTES + 20], frame[ETH_BYTES + 12 : ETH_BYTES + 16], PROTO_TCP, header)
    return rewrite_tcp(frame[6:12] + frame[:6] + b"\x08\x00" + packet, ack=syn.seq + 1000, flags=SYN | ACK)


def set_ecn(frame: bytes, ecn: int) -> bytes:
    """Return the packet with another ECN codepoint, as a router marks it."""
    changed = bytearray(frame)
    if frame[ETH_BYTES] >> 4 == 6:
        changed[ETH_BYTES + 1] = frame[ETH_BYTES + 1] & 0xCF | ecn << 4
        return bytes(changed)
    ip_bytes = (frame[ETH_BYTES] & 15) * 4
    changed[ETH_BYTES + 1] = frame[ETH_BYTES + 1] & 0xFC | ecn
    header = _with_checksum(bytes(changed[ETH_BYTES : ETH_BYTES + ip_bytes]), 10)
    return frame[:ETH_BYTES] + header + frame[ETH_BYTES + ip_bytes :]


def set_ce(frame: bytes) -> bytes:
    """Mark the packet as a router of RFC 3168 does."""
    return set_ecn(frame, CE)


def ipv4(
    src: bytes, dst: bytes, proto: int, payload: bytes, *, options: bytes = b"", fragment: int = 0, ttl: int = 64
) -> bytes:
    """Build an IPv4 packet; ``options`` is a multiple of 4 bytes, ``fragment`` the flags and offset word."""
    ihl = 5 + len(options) // 4
    header = struct.pack("!BBHHHBBH4s4s", 0x40 | ihl, 0, ihl * 4 + len(payload), 1, fragment, ttl, proto, 0, src, dst)
    return _with_checksum(header + options, 10) + payload


@dataclass(frozen=True)
class Quench:
    """A source quench about a packet; each field that is set makes it deviate from a correct one."""

    marked: bool
    level: int = 0
    code: int = 0
    quoted_bytes: int | None = None
    seq: int | None = None
    source_port: int | None = None
    destination_port: int | None = None
    quoted_version: int | None = None
    quoted_source: bytes | None = None
    quoted_destination: bytes | None = None
    quoted_proto: int | None = None
    quoted_total_bytes: int | None = None
    quoted_fragment: int | None = None
    identification: int | None = None
    ack: int | None = None
    quoted_tcp_bytes: int = 8
    router: bytes = ROUTER
    ttl: int = 255
    destination: bytes | None = None
    # The EtherType and the control information of each tag, the outermost first.
    vlan_tags: tuple[tuple[int, int], ...] = ()
    outer_options: bytes = b""
    quoted_options: bytes = b""
    padding: bytes = b""
    fragment: int = 0
    corrupt: bool = False
    corrupt_outer: bool = False
    cut_frame_bytes: int = 0

    def about(self, frame: bytes) -> bytes:
        """Return the frame, addressed to the sender of ``frame``, that a router would send about it."""
        ip_bytes = (frame[ETH_BYTES] & 15) * 4
        ip = bytearray(frame[ETH_BYTES : ETH_BYTES + ip_bytes])
        transport = bytearray(frame[ETH_BYTES + ip_bytes : ETH_BYTES + ip_bytes + self.quoted_tcp_bytes])
        source = bytes(ip[12:16])
        if self.seq is not None:
            transport[4:8] = struct.pack("!I", self.seq & 0xFFFFFFFF)
        if self.identification is not None:
            ip[4:6] = struct.pack("!H", self.identification & 0xFFFF)
        if self.ack is not None:
            transport[8:12] = struct.pack("!I", self.ack & 0xFFFFFFFF)
        if self.source_port is not None:
            transport[0:2] = struct.pack("!H", self.source_port)
        if self.destination_port is not None:
            transport[2:4] = struct.pack("!H", self.destination_port)
        if self.quoted_version is not None:
            ip[0] = self.quoted_version << 4 | ip[0] & 15
        if self.quoted_total_bytes is not None:
            ip[2:4] = struct.pack("!H", self.quoted_total_bytes)
        if self.quoted_fragment is not None:
            ip[6:8] = struct.pack("!H", self.quoted_fragment)
        if self.quoted_source is not None:
            ip[12:16] = self.quoted_source
        if self.quoted_destination is not None:
            ip[16:20] = self.quoted_destination
        if self.quoted_proto is not None:
            ip[9] = self.quoted_proto
        if self.quoted_options:
            ip[0] = 0x40 | (5 + len(self.quoted_options) // 4)
            ip += self.quoted_options
        quote = bytes(ip + transport)[: self.quoted_bytes] + self.padding
        fifth = (0x80 if self.marked else 0) | self.level
        icmp = _with_checksum(struct.pack("!BBHB3x", ICMP_SOURCE_QUENCH, self.code, 0, fifth) + quote, 2)
        if self.corrupt:
            icmp = icmp[:-1] + bytes([icmp[-1] ^ 1])
        packet = ipv4(
            *(self.router, self.destination or source, PROTO_ICMP, icmp),
            options=self.outer_options,
            fragment=self.fragment,
            ttl=self.ttl,
        )
        if self.corrupt_outer:
            packet = packet[:8] + bytes([packet[8] ^ 1]) + packet[9:]
        tags = b"".join(struct.pack("!HH", *tag) for tag in self.vlan_tags)
        whole = frame[6:12] + frame[0:6] + tags + struct.pack("!H", ETHERTYPE_IPV4) + packet
        return whole[: len(whole) - self.cut_frame_bytes]
