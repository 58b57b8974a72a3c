# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller of the simulated routers: the control plane's own answer to a packet-in."""

import random
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Literal

import finsy as fy
from quench.client.packet_in import Reason, decode
from quench.client.quencher import Quencher
from quench.isq import Ineligible

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.install import router_address, router_ipv6_address
from quench_experiments.simulation.program import Program
from quench_experiments.simulation.scenario import Scenario

_NS_PER_S = 1e9


@dataclass(slots=True)
class Tally:
    """Counts of a router's controller since the warm-up; an observer of its quencher."""

    packet_ins: Counter[str] = field(default_factory=Counter)
    """Counted by reason: marked, dropped_early, dropped_forced, queue_report."""
    isqs_sent: Counter[str] = field(default_factory=Counter)
    """Counted by kind: marked, dropped."""
    isqs_limited: Counter[str] = field(default_factory=Counter)
    """Counted by limit: source, total."""
    isqs_refused: Counter[str] = field(default_factory=Counter)
    """Counted by reason."""
    isqs_lost: Counter[str] = field(default_factory=Counter)
    """Sent, and lost, by cause: isq_loss."""
    isqs_by_port: Counter[int] = field(default_factory=Counter)
    """Sent, by the port that the packet left by, or would have."""

    def sent(self, *, marked: bool) -> None:
        """A source quench goes out."""
        self.isqs_sent["marked" if marked else "dropped"] += 1

    def limited(self, limit: Literal["source", "total"]) -> None:
        """A limit forbade one."""
        self.isqs_limited[limit] += 1

    def refused(self, reason: Ineligible) -> None:
        """The packet may not be answered."""
        self.isqs_refused[reason.value] += 1

    def clear(self) -> None:
        """Count from 0 again."""
        for each in fields(self):
            getattr(self, each.name).clear()


class Unpacker:
    """Packet-ins from the bytes that leave by the CPU port, as the P4Runtime server and finsy would make them.

    By way of their messages one takes thirty times as long, and a run has tens of thousands.
    """

    def __init__(self, program: Program) -> None:
        header = program.pipeline.packet_in
        if header is None:
            raise SimulationError(f"{program.path}: the program has no packet_in header")
        names = {each.id: each.name for each in program.schema.controller_packet_metadata["packet_in"].metadata}
        left = sum(value.bits for _, value, _ in header.fields)
        self.header_bytes = left // 8
        self._fields: list[tuple[str, int, int]] = []
        for number, value, _ in header.fields:
            left -= value.bits
            self._fields.append((names[number], left, value.max_value))

    def unpack(self, packet: bytes) -> fy.P4PacketIn:
        """Raises ValueError for what is shorter than the header."""
        if len(packet) < self.header_bytes:
            raise ValueError(f"a packet-in of {len(packet)} bytes, its header alone has {self.header_bytes}")
        header = int.from_bytes(packet[: self.header_bytes], "big")
        metadata = {name: header >> shift & mask for name, shift, mask in self._fields}
        return fy.P4PacketIn(packet[self.header_bytes :], metadata=metadata)


def packet_out_header(program: Program) -> bytes:
    """The header of a packet-out that the router routes as any other packet, such as a source quench."""
    header = program.pipeline.packet_out
    if header is None:
        raise SimulationError(f"{program.path}: the program has no packet_out header")
    names = {each.id: each.name for each in program.schema.controller_packet_metadata["packet_out"].metadata}
    packed = bits = 0
    for number, value, _ in header.fields:
        packed = packed << value.bits | (names[number] == "submit_to_ingress")
        bits += value.bits
    return packed.to_bytes(bits // 8, "big")


class Controller:
    """Answers the packet-ins of all routers of a scenario."""

    def __init__(self, scenario: Scenario, program: Program) -> None:
        self._unpack = Unpacker(program).unpack
        self._header = packet_out_header(program)
        self._warmup_s = scenario.warmup_s
        self._losses = [router.isq_loss for router in scenario.routers]
        self._chance = random.Random(f"{scenario.seed}/isq-loss")
        self._answers = [router.isq.mode != "off" for router in scenario.routers]
        self.tallies = [Tally() for _ in scenario.routers]
        self._quenchers = [
            Quencher(
                router.isq.origin(router_address(scenario, router), router_ipv6_address(scenario, router)),
                router.isq.limiter(str(scenario.seed).encode()),
                tally,
            )
            for router, tally in zip(scenario.routers, self.tallies, strict=True)
        ]
        self._warm = False

    def answer(self, router: int, *, answers: bool) -> None:
        """Answer the packet-ins of the router with this number from now on, or not."""
        self._answers[router] = answers

    def packet_in(self, router: int, now_ns: int, packet: bytes) -> bytes | None:
        """The packet-out that answers a packet-in of the router with this number, or None. Raises ValueError."""
        now_s = now_ns / _NS_PER_S
        self.reached(now_s)
        copy = decode(self._unpack(packet))
        self.tallies[router].packet_ins[_REASONS[copy.reason]] += 1
        if not self._answers[router]:
            return None
        frame = self._quenchers[router].answer(copy, now_s)
        if frame is None:
            return None
        self.tallies[router].isqs_by_port[copy.egress_port] += 1
        if self._losses[router] > 0 and self._chance.random() < self._losses[router]:
            self.tallies[router].isqs_lost["isq_loss"] += 1
            return None
        return self._header + frame

    def reached(self, now_s: float) -> None:
        """The simulation has come to this time: count anew once the warm-up is over."""
        if not self._warm and now_s >= self._warmup_s:
            self._warm = True
            for tally in self.tallies:
                tally.clear()


class Silent:
    """The controller of a program of one's own, which answers nothing."""

    def __init__(self, scenario: Scenario) -> None:
        self.tallies = [Tally() for _ in scenario.routers]

    def packet_in(self, _router: int, _now_ns: int, _packet: bytes) -> None:
        """No answer."""

    def reached(self, _now_s: float) -> None:
        """No count."""


_REASONS = {reason: reason.name.lower() for reason in Reason}
