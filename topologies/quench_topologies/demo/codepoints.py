# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How many packets come into an interface with ECT(1) and with CE: marks by level, on whichever target.

The P4 program counts marks, but not by level. The kernel counts here: a packet socket with a filter (classic BPF)
that nobody reads still counts what it would have got.
"""

import ctypes
import socket
import struct
from typing import Self

ECT1, CE = 0b01, 0b11
_SOL_PACKET = 263
_PACKET_STATISTICS = 6
_SO_ATTACH_FILTER = 26
_ETH_P_IP = 0x0800
_PACKET_OUTGOING = 4
_TYPE_OF_PACKET = 0xFFFFF000 + 4
"""SKF_AD_OFF + SKF_AD_PKTTYPE of linux/filter.h."""
_LOAD_BYTE, _LOAD_HALF, _JUMP_IF_EQUAL, _AND, _RETURN = 0x30, 0x28, 0x15, 0x54, 0x06
_ETHERTYPE_OFFSET, _TOS_OFFSET = 12, 15


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


class CodepointCounter:
    """Counts IPv4 packets that an interface of this namespace receives, from when it was made."""

    def __init__(self, interface: str) -> None:
        self._counts = {ECT1: 0, CE: 0}
        self._sockets: dict[int, socket.socket] = {}
        try:
            for codepoint in self._counts:
                self._sockets[codepoint] = _counting_socket(interface, codepoint)
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


def _counting_socket(interface: str, codepoint: int) -> socket.socket:
    # Protocol 0: deaf until the filter is in place and bind() names the protocol.
    each = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    try:
        program = _filter(codepoint)
        instructions = ctypes.create_string_buffer(program, len(program))
        attached = _Program(len(program) // 8, ctypes.addressof(instructions))
        each.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, bytes(attached))
        each.bind((interface, _ETH_P_IP))
    except OSError:
        each.close()
        raise
    return each


def _filter(codepoint: int) -> bytes:
    """Received, IPv4, and with this codepoint in the two low bits of the TOS octet (RFC 3168)."""
    instructions = (
        (_LOAD_BYTE, 0, 0, _TYPE_OF_PACKET),
        (_JUMP_IF_EQUAL, 6, 0, _PACKET_OUTGOING),
        (_LOAD_HALF, 0, 0, _ETHERTYPE_OFFSET),
        (_JUMP_IF_EQUAL, 0, 4, _ETH_P_IP),
        (_LOAD_BYTE, 0, 0, _TOS_OFFSET),
        (_AND, 0, 0, 0b11),
        (_JUMP_IF_EQUAL, 0, 1, codepoint),
        (_RETURN, 0, 0, 1),
        (_RETURN, 0, 0, 0),
    )
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
