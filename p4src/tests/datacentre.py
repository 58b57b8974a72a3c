# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""bolt.p4, hpcc.p4, dualpi2.p4, csig.p4 and csig_tna.p4 in virtual time: packets, and a switch with a slow port."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from quench_switch import VirtualSwitch, compile_p4

P4SRC = Path(__file__).parents[1]
SENDER, RECEIVER = 1, 2
"""The ports where they are, and the last octets of their addresses."""
SENDER_ADDRESS, RECEIVER_ADDRESS = bytes([10, 0, 1, 1]), bytes([10, 0, 2, 2])
ETHERNET_BYTES, IPV4_BYTES, OWN_BYTES = 14, 20, 21
CPU_PORT, TOFINO_CPU_PORT, CLONE_SESSION = 510, 320, 100
RATE_BPS = 100_000_000_000
BOLT, HPCC = 196, 254
DATA, ACK, NACK, CHOP, SRC, FIN, LAST, FIRST, INC, DEC, AI = (1 << bit for bit in range(11))
RATES = {10: 1 << 11, 25: 1 << 12, 40: 1 << 13, 100: 1 << 14, 400: 1 << 15}
"""Bits of the flags by Gb/s."""
FEEDBACK = ACK | NACK | CHOP | SRC
SETTINGS = {
    "bolt": ("port_settings.bolt", "port_settings.use_bolt"),
    "hpcc": ("hpcc", "use_hpcc"),
    "csig": ("csig_departures", "update_csig"),
    "csig_tna": ("csig_departures", "update_csig"),
    "dualpi2": ("dualpi2", "use_dualpi2"),
}
"""The table and the action of a port's settings."""


@dataclass(frozen=True)
class Own:
    """The header that both have behind IPv4."""

    flags: int
    seq: int = 0
    message: int = 0
    queue: int = 0
    sent_ns: int = 0
    hops: int = 0
    ports: tuple[int, int] = (1000, 2000)

    def encode(self) -> bytes:
        return struct.pack(
            "!HHIHHIIB", *self.ports, self.seq, self.flags, self.message, self.queue, self.sent_ns, self.hops
        )

    @staticmethod
    def decode(data: bytes) -> Own:
        source, destination, seq, flags, message, queue, sent_ns, hops = struct.unpack_from("!HHIHHIIB", data)
        return Own(flags, seq, message, queue, sent_ns, hops, (source, destination))


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(
    body: bytes,
    protocol: int,
    *,
    source: bytes = SENDER_ADDRESS,
    destination: bytes = RECEIVER_ADDRESS,
    **fields: Any,
) -> bytes:
    """An Ethernet frame with an IPv4 packet whose checksum is right; ``fields`` of the header that are not as usual."""
    options = fields.get("options", b"")
    total = fields.get("total_length", IPV4_BYTES + len(options) + len(body))
    ihl = fields.get("ihl", 5 + len(options) // 4)
    words = [fields.get("version", 4) << 4 | ihl, fields.get("tos", 0), total, 7, fields.get("fragment", 0)]
    words += [fields.get("ttl", 64), protocol, 0, source, destination]
    words[7] = checksum(struct.pack("!BBHHHBBH4s4s", *words) + options)
    macs = fields.get("macs", bytes.fromhex("020000000101020000000001"))
    return bytes(macs) + b"\x08\x00" + struct.pack("!BBHHHBBH4s4s", *words) + options + body


def bolt(own: Own, ip_bytes: int = IPV4_BYTES + OWN_BYTES, **fields: Any) -> bytes:
    """A frame of Bolt's."""
    payload = bytes(ip_bytes - IPV4_BYTES - OWN_BYTES)
    return frame(own.encode() + payload, BOLT, **fields)


@dataclass(frozen=True)
class Seen:
    """A packet that left the switch."""

    port: int
    time_ns: int
    data: bytes

    @property
    def ip(self) -> bytes:
        return self.data[ETHERNET_BYTES:]

    @property
    def own(self) -> Own:
        return Own.decode(self.ip[IPV4_BYTES:])

    @property
    def is_right(self) -> bool:
        """The IPv4 header's checksum is right, and its length that of the frame."""
        return checksum(self.ip[:IPV4_BYTES]) == 0 and int.from_bytes(self.ip[2:4], "big") == len(self.ip)


@cache
def compiled(program: str, extended: bool) -> str:
    arch = "tna" if program.endswith("tna") else "v1model"
    undefines = [] if extended else ["__V1MODEL_EXTENDED__"]
    return compile_p4(str(P4SRC / f"{program}.p4"), arch=arch, undefines=undefines).json


class Switch:
    """A switch between sender and receiver; the receiver's link has settings."""

    def __init__(self, program: str, settings: Mapping[str, int], *, extended: bool, interpreted: bool = False) -> None:
        cpu_port = TOFINO_CPU_PORT if program.endswith("tna") else CPU_PORT
        self.switch = VirtualSwitch(cpu_port=cpu_port, priority_queues=2, seed=1, interpreted=interpreted)
        self.switch.load(compiled(program, extended))
        self.program = program
        self._names: dict[tuple[str, str], str] = {}
        for port, address in ((SENDER, SENDER_ADDRESS), (RECEIVER, RECEIVER_ADDRESS)):
            mac = [bytes([port]), bytes([2, 0, 0, 0, port, 1]), bytes([2, 0, 0, 0, port, 2])]
            self.add("routing.ipv4_route", [("lpm", address[:3] + b"\0", 24)], "routing.forward", mac)
        self.switch.clone_session_set(CLONE_SESSION, [(cpu_port, 0)])
        self.switch.port_set(RECEIVER, {"rate_bps": RATE_BPS, "capacity_pkts": 0, "overhead_bytes": -ETHERNET_BYTES})
        self.set(settings)
        self.now_ns = 0
        self.seen: list[Seen] = []

    def name(self, kind: str, end: str) -> str:
        """The one table, action, counter or filter whose name ends so."""
        if (kind, end) not in self._names:
            names = {each["name"] if isinstance(each, dict) else each for each in self.switch.program()[kind]}
            (self._names[kind, end],) = (each for each in names if f".{each}".endswith(f".{end}"))
        return self._names[kind, end]

    def add(self, table: str, key: list[Any], action: str, arguments: list[bytes], priority: int = 0) -> None:
        row = ("action", self.name("actions", action), arguments)
        self.switch.table_insert(self.name("tables", table), key, priority, row)

    def remove(self, table: str, key: list[Any], priority: int = 0) -> None:
        self.switch.table_delete(self.name("tables", table), key, priority)

    def set(self, settings: Mapping[str, int], port: int = RECEIVER) -> None:
        """A port's settings; those that are not given are 0."""
        table, action = SETTINGS[self.program]
        whole_name = self.name("actions", action)
        (whole,) = (each for each in self.switch.program()["actions"] if each["name"] == whole_name)
        names = [each["name"] for each in whole["params"]]
        assert settings.keys() <= set(names)
        values = [
            settings.get(name, 0).to_bytes((each["bits"] + 7) // 8, "big").lstrip(b"\0") or b"\0"
            for name, each in zip(names, whole["params"], strict=True)
        ]
        self.add(table, [("exact", bytes([port]))], action, values)

    def receive(self, data: bytes, after_ns: int = 0, port: int = SENDER) -> None:
        """A packet arrives so long after the last one."""
        self.wait(after_ns)
        self.switch.receive(port, data, self.now_ns)

    def wait(self, after_ns: int) -> list[Seen]:
        """The packets that leave until then."""
        self.now_ns += after_ns
        found = [Seen(port, time_ns, data) for port, data, time_ns in self.switch.advance(self.now_ns)]
        self.seen += found
        return found

    def waiting_bytes(self, port: int = RECEIVER) -> int:
        """The bytes in the port's queues, as the link counts them."""
        return sum(each["bytes"] for each in self.switch.port_get(port)["queue_stats"])

    def register(self, name: str, port: int = RECEIVER) -> int:
        return int.from_bytes(self.switch.register_read(name, port), "big")

    def counter(self, name: str, port: int = RECEIVER) -> int:
        return self.switch.counter_read(self.name("counters", name), port)[0]

    @property
    def supply_bits(self) -> int:
        """Supply tokens, of which the register has 32 bits with a sign."""
        value = self.register("supply_bits")
        return value - (1 << 32) if value >> 31 else value


def changed(own: Own, **fields: Any) -> Own:
    """The header with other fields."""
    return replace(own, **fields)
