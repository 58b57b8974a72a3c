# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs in virtual switches, their entries as bytes, and packets for them."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import Any

from quench_switch import VirtualSwitch, compile_p4

P4SRC = Path(__file__).parents[1]
ETHERNET_BYTES, IPV4_BYTES = 14, 20
MAX_IP_BYTES = 65535
PROBABILITY_ONE = 1 << 40
FRACTION_ONE = 1 << 32
ECT0, CE = 2, 3


@cache
def compiled(program: str, *defines: str) -> str:
    arch = "tna" if program.endswith("tna") else "v1model"
    return compile_p4(str(P4SRC / f"{program}.p4"), defines=defines, arch=arch).json


def switch_with_route(program: str) -> VirtualSwitch:
    switch = VirtualSwitch(cpu_port=320 if program.endswith("tna") else 510, seed=1)
    switch.load(compiled(program))
    add(switch, "routing.ipv4_route", [("lpm", bytes([10, 0, 2, 0]), 24)], "routing.forward", port=2)
    return switch


def add(switch: VirtualSwitch, table: str, key: list[Any], action: str, **arguments: int) -> None:
    """Insert an entry; arguments that are not given are 0."""
    program = switch.program()
    names = {each["name"]: each for each in program["tables"] if each["name"].endswith(table)}
    (whole,) = (each for each in program["actions"] if each["name"].endswith(action))
    assert arguments.keys() <= {each["name"] for each in whole["params"]}
    values = [
        arguments.get(each["name"], 0).to_bytes((each["bits"] + 7) // 8, "big").lstrip(b"\0") or b"\0"
        for each in whole["params"]
    ]
    (name,) = names
    priority = int(any(kind in ("range", "ternary") for kind, *_ in key))
    switch.table_insert(name, key, priority, ("action", whole["name"], values))


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(total_length: int, *, header_bytes: int = IPV4_BYTES, payload_bytes: int = 60, tos: int = 0) -> bytes:
    """From 10.0.1.1 to 10.0.2.2, with a checksum that is right."""
    fields = [0x40 | header_bytes // 4, tos, total_length, 0, 0, 64, 17, 0, bytes([10, 0, 1, 1]), bytes([10, 0, 2, 2])]
    options = bytes(header_bytes - IPV4_BYTES)
    fields[7] = checksum(struct.pack("!BBHHHBBH4s4s", *fields))
    return bytes(12) + b"\x08\x00" + struct.pack("!BBHHHBBH4s4s", *fields) + options + bytes(payload_bytes)
