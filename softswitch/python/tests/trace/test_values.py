# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a trace that show unions, stacks, fields of variable length, counters and meters."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from quench_switch import VirtualSwitch, compile_p4
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.offline import collect
from quench_switch.trace.tree import show, trees
from rich.console import Console

if TYPE_CHECKING:
    from quench_switch._native import Key

PROGRAM = Path(__file__).parent / "programs" / "values.p4"
PACKET = bytes.fromhex("10 1234 aa bb 00 07 00c8".replace(" ", ""))
"""An option's length of 16 bits, a number, a stack of two, a byte that is skipped, a tag and the option."""


@pytest.fixture(scope="module")
def program() -> str:
    return compile_p4(str(PROGRAM)).json


@pytest.fixture
def switch(program: str) -> VirtualSwitch:
    switch = VirtualSwitch()
    switch.load(program)
    return switch


def traced(switch: VirtualSwitch, packet: bytes) -> pb.PacketTrace:
    """The trace of a packet. All packets of a test arrive at one time."""
    session = switch.trace()
    switch.receive(1, packet, 0)
    switch.advance(0)
    traces: list[pb.PacketTrace] = []
    collect(session, traces.append)
    (trace,) = traces
    return trace


def primitives(trace: pb.PacketTrace, name: str) -> list[pb.PrimitiveEvent]:
    events = [event.primitive for event in trace.root.events if event.HasField("primitive")]
    return [event for event in events if event.name == name]


def changes(event: pb.PrimitiveEvent) -> dict[str, tuple[str, str]]:
    return {change.name: (change.before, change.after) for change in event.changes}


def test_a_union_shows_the_member_that_it_gets(switch: VirtualSwitch) -> None:
    (copied,) = primitives(traced(switch, PACKET), "assign_union")
    assert list(copied.headers) == ["second", "first"]
    assert changes(copied) == {"second.l.$valid$": ("0x0", "0x1"), "second.l.value": ("0x0", "0x1234")}


def test_stacks_show_what_moves(switch: VirtualSwitch) -> None:
    trace = traced(switch, PACKET)
    (pushed,) = primitives(trace, "push")
    assert list(pushed.headers) == ["stack"]
    assert changes(pushed) == {
        "stack[0].$valid$": ("0x1", "0x0"),
        "stack[1].value": ("0xbb", "0xaa"),
        "stack[2].$valid$": ("0x0", "0x1"),
        "stack[2].value": ("0x0", "0xbb"),
    }
    (copied,) = primitives(trace, "assign_header_stack")
    assert list(copied.headers) == ["other", "stack"]
    assert set(changes(copied)) == {
        "other[1].$valid$",
        "other[1].value",
        "other[2].$valid$",
        "other[2].value",
    }
    (popped,) = primitives(trace, "pop")
    assert changes(popped)["stack[0].$valid$"] == ("0x0", "0x1")
    assert changes(popped)["stack[2].$valid$"] == ("0x1", "0x0")


def test_fields_of_variable_length_show_all_of_their_bytes(switch: VirtualSwitch) -> None:
    trace = traced(switch, PACKET)
    extracts = [event.extract for event in trace.root.events if event.HasField("extract")]
    options = next(header for header in extracts if header.name == "options")
    assert {field.name: field.value for field in options.fields} == {"tag": "0x7", "data": "0x00c8"}
    (copied,) = primitives(trace, "assign_header")
    assert changes(copied)["copy.data"] == ("0x", "0x00c8")
    empty = traced(switch, bytes.fromhex("00 1234 aa bb 00 07".replace(" ", "")))
    options = next(e.extract for e in empty.root.events if e.HasField("extract") and e.extract.name == "options")
    assert options.fields[1].value == "0x"
    assert "data=0x," in drawn(empty) or "data=0x " in drawn(empty)
    (skipped,) = primitives(trace, "advance")
    assert not skipped.changes


def test_counters_and_meters_show_their_values(switch: VirtualSwitch) -> None:
    first, second = traced(switch, PACKET), traced(switch, PACKET)
    cells = [[event.array for event in primitives(trace, "count")] for trace in (first, second)]
    assert [cell[0].name for cell in cells] == ["Change.counted"] * 2
    before, after = (cell[0].counter for cell in cells)
    assert (after.packets - before.packets, after.bytes - before.bytes) == (1, len(PACKET))
    # There are four cells, and the second index is 16.
    assert [cell[1].out_of_range for cell in cells] == [True, True]
    assert not cells[0][1].HasField("counter")
    (metered,) = primitives(first, "execute_meter")
    assert (metered.array.name, metered.array.index, metered.array.out_of_range) == ("Change.metered", 2, False)
    assert "Change.counted[3] = " in drawn(first)


def test_direct_counters_and_meters_are_part_of_the_table(switch: VirtualSwitch) -> None:
    missed = next(event.table for event in traced(switch, PACKET).root.events if event.table.table == "Change.look")
    assert missed.HasField("counter")
    assert not missed.HasField("meter")
    key: Key = [("exact", b"\x10")]
    switch.table_insert("Change.look", key, 0, ("action", "Change.note", []))
    switch.direct_meter_write("Change.look", key, 0, (1, 1, 1, 1, 0))
    colours = []
    for number in range(1, 4):
        trace = traced(switch, PACKET)
        table = next(event.table for event in trace.root.events if event.table.table == "Change.look")
        assert (table.counter.packets, table.counter.bytes) == (number, number * len(PACKET))
        colours.append(int(table.meter.after, 16))
    assert colours[-1] == 2
    assert "meter " in drawn(trace)


def drawn(trace: pb.PacketTrace) -> str:
    text = io.StringIO()
    show(trees([trace]), Console(file=text, highlight=False))
    return text.getvalue()
