# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets of the tests of public programs, as the digits that STF has."""

from typing import Final

ETHERNET: Final = "0200000000020200000000010800"
SOURCE: Final = bytes((10, 0, 0, 1))
DESTINATION: Final = bytes((10, 0, 0, 2))


def internet_sum(data: bytes) -> int:
    """The Internet checksum of an even number of bytes."""
    total = sum(int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ipv4(payload: bytes, protocol: int, tos: int = 0, ttl: int = 64) -> bytes:
    """An IPv4 packet of h1 to h2."""
    head = bytes((0x45, tos)) + (20 + len(payload)).to_bytes(2) + bytes((0, 0, 0, 0, ttl, protocol, 0, 0))
    head += SOURCE + DESTINATION
    return head[:10] + internet_sum(head).to_bytes(2) + head[12:] + payload


def udp_frame(port: int, data: bytes, tos: int = 0, ttl: int = 64, ethernet: str = ETHERNET) -> str:
    """A UDP packet without a checksum to a port."""
    segment = (1234).to_bytes(2) + port.to_bytes(2) + (8 + len(data)).to_bytes(2) + bytes(2) + data
    return ethernet + ipv4(segment, 17, tos, ttl).hex()


def tcp_frame(source_port: int, number: int) -> str:
    """A TCP segment to port 80 with a sequence number, and no data."""
    segment = source_port.to_bytes(2) + (80).to_bytes(2) + number.to_bytes(4) + bytes(4) + bytes((0x50, 0x10, 255, 255))
    return ETHERNET + ipv4(segment + bytes(4), 6).hex()


def numbered(number: int, tos: int = 0) -> str:
    """A UDP packet whose payload is its number."""
    return udp_frame(9, number.to_bytes(4), tos)


def arrives(port: int, number: int) -> str:
    """The statement that a numbered packet leaves a port next, whatever became of its headers."""
    return f"expect {port} {'*' * (len(numbered(number)) - 8)}{number:08x}$"
