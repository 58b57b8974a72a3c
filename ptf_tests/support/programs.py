# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that the tests can run: what a test has to do differently, because the target works differently.

Rows come from the controller's own seam. The differences that there may be are in docs/reference/tofino.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, ClassVar

import finsy as fy
from finsy.proto import p4r
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.struct_pb2 import Struct
from quench.client.entries import queue_index
from quench.client.packet_in import Copy
from quench.client.pipelines import TNA, V1MODEL, Pipeline
from quench.client.pipelines.filters import LPF
from quench.client.pipelines.tna import QUEUE_AVERAGE
from quench.config.model import TnaConfig
from quench.profiles import parse_settings
from quench.profiles.tna import (
    ABSOLUTE_TOLERANCE,
    ALWAYS,
    BY_DRAW,
    CELL_BYTES,
    COUNTS_PER_PACKET,
    RELATIVE_TOLERANCE,
    TIME_UNIT_NS,
    CurveRow,
    cells_of_packet,
)

from support.bench import Bench
from support.targets import SLOWDOWN

FROZEN_WQ = 6e-8
"""The smallest weight that the tables of v1model can hold: rounding leaves the average where it is."""
STATE_INTERVAL_S = TIME_UNIT_NS * 1e-9 * SLOWDOWN
"""The shortest time between two states that egress tells ingress on Tofino."""
HELD_PKTS = 4
"""Packets that keep a held port busy on BMv2, which cannot stop a port but only slow it to 1 packet/s."""


class Program(ABC):
    """One of Quench's programs under test."""

    pipeline: ClassVar[Pipeline[Any]]
    file: ClassVar[str]
    """The name of the JSON and the P4Info without their ends."""
    rate_bps: ClassVar[int]
    slowdown: ClassVar[int] = 1
    forgets_s: ClassVar[float]
    """The longest time that the average of an idle queue lasts, if packets follow each other with the weight 0.02."""
    average_lasts_s: ClassVar[float] = inf
    """The time for which an average that is to stay keeps its value."""
    forwards_cut_transport: ClassVar[bool]
    """Whether a packet is forwarded that ends less than 8 bytes behind its IPv4 header."""
    levels_count_alike: ClassVar[bool]
    """Whether the first mark level counts the packets that the second selects, too."""
    most_profiles: ClassVar[int]
    """The number of profiles that the tables have room for, with all that the tests do."""

    def sessions(self) -> list[fy.P4CloneSessionEntry]:
        """The sessions by which the program copies packets."""
        return self.pipeline.sessions()

    def prepare(self, test: Bench) -> None:  # noqa: B027 - nothing to do for most
        """Fill what all profiles share."""

    def rows(self, settings: dict[str, Any], *, isq_in_dataplane: bool) -> Any:
        """The rows of a profile of the queue."""
        return self.pipeline.compile(parse_settings(settings), self.rate_bps, isq_in_dataplane=isq_in_dataplane)

    def before_use(self, test: Bench, queue: int, settings: dict[str, Any], rows: Any) -> None:  # noqa: B027
        """Prepare a queue for a profile, beyond its rows."""

    def forget_idle_queues(self, test: Bench) -> None:  # noqa: B027
        """Let the average of a queue without packets be gone soon, if it is not by itself."""

    @abstractmethod
    def fill(self, test: Bench, average_pkts: int) -> None:
        """Set the average, and let profiles with the weight FROZEN_WQ keep it."""

    def probability(self, exact: float, rows: Any, average_pkts: int, level: int, ip_bytes: int) -> float:
        """The probability that packets get where the schemes' formulas say ``exact``.

        Raises AssertionError where it is further off than docs/reference/tofino.md allows.
        """
        return exact

    def rounding(self, probability: float) -> float:
        """Standard deviation of what the target's numbers add to a number of selected packets, as a part of it."""
        return 0.0

    def copy(self, found: Copy) -> Copy:
        """A packet-in with depths in packets of the tests, and real time."""
        return found


class V1Model(Program):
    """quench.p4."""

    pipeline = V1MODEL
    file = "quench"
    levels_count_alike = False
    most_profiles = 1000
    forgets_s = 0.5
    forwards_cut_transport = True
    rate_bps = 10_000_000

    def fill(self, test: Bench, average_pkts: int) -> None:
        """On a held port one packet has weight 1 and ``average_pkts`` packets behind it.

        All others have a weight that changes nothing.
        """
        before = test.seen()
        test.switch.ports.hold(test.queue_port)
        test.set_profile(scheme="taildrop", wq=FROZEN_WQ)
        test.send(test.plain(), HELD_PKTS)
        test.set_profile(scheme="taildrop", wq=1)
        test.send(test.plain())
        test.settle(before + HELD_PKTS + 1)
        test.set_profile(scheme="taildrop", wq=FROZEN_WQ)
        test.switch.ports.follow(test.queue_port)
        test.send(test.plain(), average_pkts)
        test.settle(before + HELD_PKTS + 1 + average_pkts)
        test.switch.ports.release(test.queue_port)
        came = test.collect(HELD_PKTS + 1 + average_pkts, timeout_s=HELD_PKTS + 5)
        test.assertEqual(len(came), HELD_PKTS + 1 + average_pkts, "packets were lost while the queue was filled")


class Tna(Program):
    """quench_tna.p4, on a chip whose clock is as much slower as the queue's rate is below one that fits the chip."""

    pipeline = TNA
    file = "quench_tna"
    levels_count_alike = True
    most_profiles = 6
    # The lifetime, and that of a state which the packet before sent, each rounded up to 0.66 s.
    forgets_s = 2.0
    average_lasts_s = 60.0
    forwards_cut_transport = False
    rate_bps = V1Model.rate_bps * SLOWDOWN
    slowdown = SLOWDOWN

    LIFETIME = "3ms"
    """The lifetime of states in ingress, on the chip: half a minute of the tests."""
    SHORTEST_LIFETIME = "50us"

    def __init__(self) -> None:
        self._constants: Sequence[Sequence[_Encoded]] = ()

    def prepare(self, test: Bench) -> None:
        """Tables of sizes and random numbers, and how long states count."""
        if not self._constants:
            schema = test.switch.schema
            constants = self.pipeline.constants().values()
            self._constants = [[_Encoded((+entry).encode_update(schema)) for entry in table] for table in constants]
        for table in self._constants:
            test.switch.write(table)
        self.set_lifetime(test, self.LIFETIME)

    def forget_idle_queues(self, test: Bench) -> None:
        """Let ingress forget a queue after half a second."""
        self.set_lifetime(test, self.SHORTEST_LIFETIME)

    def set_lifetime(self, test: Bench, lifetime: str) -> None:
        """Let states in ingress count so long, on the chip."""
        options = TnaConfig.model_validate({"state_lifetime": lifetime})
        test.switch.write(~default.entry for default in self.pipeline.shared((), options))

    def rows(self, settings: dict[str, Any], *, isq_in_dataplane: bool) -> Any:
        """With a frozen average the weight only says how often egress tells ingress: as often as it can."""
        if settings.get("wq") == FROZEN_WQ:
            settings = {**settings, "wq": 1}
        parsed = parse_settings(settings)
        parsed = parsed.model_copy(update={"report_interval": parsed.report_interval / self.slowdown})
        return self.pipeline.compile(parsed, self.rate_bps, isq_in_dataplane=isq_in_dataplane)

    def before_use(self, test: Bench, queue: int, settings: dict[str, Any], rows: Any) -> None:
        """Set the filter, which forgets its average, unless the average is to stay."""
        if settings.get("wq") != FROZEN_WQ:
            wanted = self.pipeline.filter(test.queue_port, queue, rows)
            assert wanted is not None
            test.switch.write([~wanted.entry()])

    def fill(self, test: Bench, average_pkts: int) -> None:
        """The filter adds up samples, and nearly nothing decays: each packet adds the cells that it leaves behind.

        When packets leave together, the last one leaves none behind, the one before it one, and so on. So the average
        is the sum 1 + 2 + ..., and a packet of twice the length adds the rest.
        """
        test.set_profile(scheme="taildrop", wq=FROZEN_WQ)
        test.switch.write([~_adding_up(test.queue_port, _lasting_ns(test.switch.now_s()))])
        behind, left = 0, average_pkts
        while left > behind:
            behind += 1
            left -= behind
        cells = cells_of_packet(test.packet_bytes)
        twice = (2 * cells - 1) * CELL_BYTES
        before = test.seen()
        test.switch.ports.hold(test.queue_port)
        test.send(test.plain())
        for place in range(1, behind + 1):
            test.send(test.plain(twice) if place == left else test.plain())
        test.settle(before + 1 + behind)
        test.switch.ports.release(test.queue_port)
        test.assertEqual(len(test.collect(behind + 1)), behind + 1, "packets were lost while the queue was filled")
        # Ingress got the state of one of the first packets. It gets another when the interval of states is over.
        test.switch.sleep(2 * STATE_INTERVAL_S)
        test.send(test.plain())
        test.assertEqual(len(test.collect(1)), 1)

    def probability(self, exact: float, rows: Any, average_pkts: int, level: int, ip_bytes: int) -> float:
        """The probability of the step of the average."""
        cells = average_pkts * cells_of_packet(PACKET_BYTES)
        (row,) = (row for row in rows.curve if row.low <= cells <= row.high)
        selection = getattr(row, f"level{level}_selection")
        if selection != BY_DRAW:
            found = float(selection == ALWAYS)
        else:
            found = min(ip_bytes, rows.parameters.size_limit) / _gap(row, level)
        mean = min(PACKET_BYTES, rows.parameters.size_limit)
        steepest = max(
            mean / _gap(each, level) for each in rows.curve if getattr(each, f"level{level}_selection") == BY_DRAW
        )
        # A count is rounded to one, of the 16 that a packet counts in packet mode.
        most = max(exact * RELATIVE_TOLERANCE, steepest * ABSOLUTE_TOLERANCE) + exact**2 / mean
        assert abs(found - exact) <= most, f"{found} is not within {most} of {exact}"
        return found

    def rounding(self, probability: float) -> float:
        """In packet mode, what a packet needs to be selected is rounded to one of the 16 that it counts."""
        return probability / (COUNTS_PER_PACKET * sqrt(12))

    def copy(self, found: Copy) -> Copy:
        """A packet-in with depths in packets of the tests, and real time."""
        copy = self.pipeline.in_packets(found, PACKET_BYTES)
        return replace(copy, time_us=copy.time_us * self.slowdown)


@dataclass(frozen=True, slots=True)
class _Encoded:
    """An update that many tests write: these take longer to encode than most tests to run."""

    message: p4r.Update

    def encode_update(self, _schema: fy.P4Schema) -> p4r.Update:
        return self.message


PACKET_BYTES = 1000
FILTER_PERIOD_NS = 2**28 / 1.22
LONGEST_CONSTANT_NS = 3.4e9


def _gap(row: CurveRow, level: int) -> int:
    """1 / probability, as a count."""
    return int(getattr(row, f"level{level}_most") - getattr(row, f"level{level}_least"))


def _lasting_ns(now_s: float) -> float:
    """A time constant of the chip with which a sum that is begun now stays as it is for two minutes of the tests.

    A filter decays by 1/128 whenever 1/128 of its time constant has passed, and takes the time since 0 on the chip's
    clock, of 28 bits, for time that has passed when it is set. So that time should be less than the first such part, or
    with the first packet nothing should be left of it.
    """
    passed_ns = now_s * 1e9 / SLOWDOWN % FILTER_PERIOD_NS
    constant_ns = LONGEST_CONSTANT_NS
    if passed_ns > constant_ns / 256:
        constant_ns = passed_ns
        while 2 * constant_ns <= LONGEST_CONSTANT_NS:
            constant_ns *= 2
    return constant_ns


def _adding_up(port: int, constant_ns: float) -> fy.P4ExternEntry:
    """The filter of a port's first queue as one that adds up its samples."""
    fields = Struct()
    fields.update(
        {
            "index": queue_index(port, 0),
            "type": "RATE",
            "gain_time_constant_ns": constant_ns,
            "decay_time_constant_ns": constant_ns,
            "out_scale_down_factor": 0,
        }
    )
    packed = AnyMessage()
    packed.Pack(fields)
    return fy.P4ExternEntry(extern_type_id=LPF, extern_id=QUEUE_AVERAGE, entry=packed)


PROGRAMS: dict[str, Program] = {each.pipeline.arch: each for each in (V1Model(), Tna())}
"""The program for each architecture."""


def names_of(schema: fy.P4Schema, counter: str) -> Iterable[str]:
    """The counters of a name: pipelines that share none have one each, and their sum counts."""
    return [each.alias for each in schema.counters if each.name.rpartition(".")[2] == counter]
