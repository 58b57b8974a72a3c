# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces say why one packet is marked and another is not: they have the average, the row, the draw and the count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from quench_switch import compile_p4
from quench_switch.stf.runner import run_test
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.offline import collect

HERE = Path(__file__).parent
DRAW = "QuenchEgress.departure_decision.level1_draw"
AVERAGE_PKTS = 10
ONE = 1 << 40
"""A probability of 1."""
DRAWN = 1 << 48
"""Numbers that are drawn are below it."""
COUNT_ONE = 1 << 12
"""One packet of the count."""
INDEX = 8
"""Port 1, queue 0."""


@dataclass(frozen=True)
class Decision:
    """The values that a decision of RED depends on."""

    average: int
    row: str
    start: int
    slope: int
    draw: int
    count: int
    probability: int
    marked: bool


def number(value: str) -> int:
    return int(value, 16)


def decision(trace: pb.PacketTrace) -> Decision:
    events = trace.root.events
    primitives = [event.primitive for event in events if event.HasField("primitive")]
    arrays = [each for each in primitives if each.HasField("array")]
    average = [each for each in arrays if (each.name, each.array.name) == ("register_write", "queue_average")]
    counts = [each for each in arrays if (each.name, each.array.name) == ("register_read", f"{DRAW}.count")]
    draws = [each for each in primitives if each.HasField("range")]
    curve = [event.table for event in events if event.table.table == "QuenchEgress.departure_decision.curve"]
    changes = [change for each in primitives for change in each.changes]
    probability = [change for change in changes if change.name.startswith("scalars.segment.level1")]
    (average,), (counts,), (draws,), (curve,) = average, counts, draws, curve
    assert average.array.index == counts.array.index == INDEX
    assert (draws.range.low, draws.range.high) == (0, DRAWN - 1)
    assert curve.hit
    parameters = {parameter.name: number(parameter.value) for parameter in curve.parameters}
    return Decision(
        average=number(average.array.after),
        row=curve.key[1].row,
        start=parameters["start"],
        slope=parameters["level1_slope"],
        draw=number(draws.changes[0].after),
        count=number(counts.array.before),
        probability=number(probability[-1].after),
        marked=any(change.name == "ipv4.ecn" and change.after == "0x3" for change in changes),
    )


@pytest.fixture(scope="module")
def traces() -> list[pb.PacketTrace]:
    found: list[pb.PacketTrace] = []
    quench = compile_p4(str(HERE.parent / "quench.p4")).json
    assert run_test(quench, HERE / "marking.stf", on_traces=lambda session: collect(session, found.append)) is None
    return found


def test_a_marked_and_an_unmarked_packet_say_why(traces: list[pb.PacketTrace]) -> None:
    decisions = [decision(trace) for trace in traces]
    assert len(decisions) == 40
    marked = [each for each in decisions if each.marked]
    assert 0 < len(marked) < len(decisions)
    since = 0
    for each in decisions:
        assert each.average == AVERAGE_PKTS << 28
        assert each.row == "0x50..0xef"
        assert each.start == 5 << 28
        # 56 bits of fraction in the slope, 28 in the average, 40 in the probability.
        assert each.probability == ((each.average - each.start) * each.slope) >> 44
        assert each.count == since
        # RED: mark where the draw times what is left of the interval is below the probability.
        count = each.count // COUNT_ONE
        selected = each is not decisions[0] and (
            (count + 1) * each.probability >= 2 * ONE
            or each.draw * (ONE - count * each.probability) < each.probability * DRAWN
        )
        assert each.marked == selected, each
        since = 0 if each.marked else since + COUNT_ONE
