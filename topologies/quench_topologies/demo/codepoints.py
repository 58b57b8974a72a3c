# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of packets that come into an interface with ECT(1) and with CE: marks by level, on any target.

The P4 program counts marks, but not by level. The kernel counts here: a packet socket with a filter (classic BPF)
that nobody reads still counts what it would have got.
"""

import socket
import struct
from typing import Self

from quench_topologies.packet_filter import AND, EQUALS, LOAD_BYTE, filtered_socket, received_ipv4

ECT1, CE = 0b01, 0b11
_SOL_PACKET = 263
_PACKET_STATISTICS = 6
_TOS_OFFSET = 15


class CodepointCounter:
    """Counts IPv4 packets that an interface of this namespace receives, from when it was made."""

    def __init__(self, interface: str) -> None:
        self._counts = {ECT1: 0, CE: 0}
        self._sockets: dict[int, socket.socket] = {}
        try:
            for codepoint in self._counts:
                self._sockets[codepoint] = filtered_socket(interface, _filter(codepoint))
        except OSError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop counting."""
        for each in self._sockets.values():
            each.close()

    def counts(self) -> tuple[int, int]:
        """Packets with ECT(1) and with CE so far."""
        for codepoint, each in self._sockets.items():
            # struct tpacket_stats: packets, those without room among them; reading it sets it to 0.
            packets, _ = struct.unpack("=II", each.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
            self._counts[codepoint] += packets
        return self._counts[ECT1], self._counts[CE]


def _filter(codepoint: int) -> bytes:
    """Received, IPv4, and with this codepoint in the two low bits of the TOS octet (RFC 3168)."""
    return received_ipv4(((LOAD_BYTE, _TOS_OFFSET), (AND, 0b11), (EQUALS, codepoint)))
