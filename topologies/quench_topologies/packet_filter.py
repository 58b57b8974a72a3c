# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packet sockets that take only what a filter of classic BPF lets through (linux/filter.h)."""

import ctypes
import socket
import struct
from collections.abc import Sequence

LOAD_BYTE, LOAD_HALF, AND, EQUALS = 0x30, 0x28, 0x54, 0x15
"""EQUALS goes on where the accumulator has the value; otherwise the packet is not taken."""
_RETURN = 0x06
_SO_ATTACH_FILTER = 26
_ETH_P_IP = 0x0800
_PACKET_OUTGOING = 4
_TYPE_OF_PACKET = 0xFFFFF000 + 4
"""SKF_AD_OFF + SKF_AD_PKTTYPE of linux/filter.h."""
_ETHERTYPE_OFFSET = 12
_WHOLE = 0x40000


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def received_ipv4(steps: Sequence[tuple[int, int]]) -> bytes:
    """The filter for IPv4 packets that an interface received and for which all steps (operation, value) hold."""
    steps = ((LOAD_HALF, _ETHERTYPE_OFFSET), (EQUALS, _ETH_P_IP), *steps)
    instructions = [
        (LOAD_BYTE, 0, 0, _TYPE_OF_PACKET),
        (EQUALS, len(steps) + 1, 0, _PACKET_OUTGOING),
    ]
    for number, (operation, value) in enumerate(steps):
        to_the_end = len(steps) - number
        instructions.append((operation, 0, to_the_end if operation == EQUALS else 0, value))
    instructions += [(_RETURN, 0, 0, _WHOLE), (_RETURN, 0, 0, 0)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


def filtered_socket(interface: str, program: bytes) -> socket.socket:
    """A packet socket on an interface of this namespace that has taken nothing before its filter. Raises OSError."""
    # Protocol 0: deaf until the filter is in place and bind() names the protocol.
    each = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    try:
        instructions = ctypes.create_string_buffer(program, len(program))
        attached = _Program(len(program) // 8, ctypes.addressof(instructions))
        each.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, bytes(attached))
        each.bind((interface, _ETH_P_IP))
    except OSError:
        each.close()
        raise
    return each
