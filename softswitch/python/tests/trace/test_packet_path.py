# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The whole way of a packet in its trace, from its parser to its port, and the source line of each event."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.offline import run
from quench_switch.trace.setup import Setup

DRAWN = 1 << 24
"""Numbers that are drawn are below it."""
CHANCE = 838_860
INDEX = 1
"""The index of port 1 in registers."""


@pytest.fixture(scope="module")
def traces(sampling_json: str, sampling_inputs: tuple[Path, Path]) -> list[pb.PacketTrace]:
    entries, capture = sampling_inputs
    found: list[pb.PacketTrace] = []
    assert run(Setup(json=sampling_json, entries=[entries]), capture, 2, None, found.append) == 0
    return found


def primitives(trace: pb.PacketTrace) -> list[pb.PrimitiveEvent]:
    return [event.primitive for event in trace.root.events if event.HasField("primitive")]


def array(trace: pb.PacketTrace, primitive: str, name: str) -> pb.ArrayAccess:
    (cell,) = [each.array for each in primitives(trace) if (each.name, each.array.name) == (primitive, name)]
    assert cell.index == INDEX
    return cell


def test_each_value_of_a_random_choice_is_shown(traces: Sequence[pb.PacketTrace]) -> None:
    """The average, the row, the draw and the count: they say why a packet is chosen and another is not."""
    assert len(traces) == 40
    since, tagged = 0, 0
    for trace in traces:
        (draw,) = [each for each in primitives(trace) if each.HasField("range")]
        assert (draw.range.low, draw.range.high) == (0, DRAWN - 1)
        assert array(trace, "register_read", "Sample.averages").before == "0xa0"
        (curve,) = [event.table for event in trace.root.events if event.table.table == "Sample.curve"]
        assert curve.hit
        assert [key.row for key in curve.key] == ["0x1", "0x50..0xef"]
        assert {each.name: int(each.value, 16) for each in curve.parameters} == {"chance": CHANCE}
        assert int(array(trace, "register_read", "Sample.draw.count").before, 16) == since
        chosen = int(draw.changes[0].after, 16) < CHANCE * since
        since = 0 if chosen else since + 1
        assert int(array(trace, "register_write", "Sample.draw.count").after, 16) == since
        changes = [change for each in primitives(trace) for change in each.changes]
        assert chosen == any((change.name, change.after) == ("ipv4.tag", "0xff") for change in changes)
        tagged += chosen
    assert 0 < tagged < len(traces)


def test_events_have_their_source_lines(traces: Sequence[pb.PacketTrace]) -> None:
    trace = traces[0]
    draw = next(event for event in trace.root.events if event.primitive.HasField("range"))
    source = Path(draw.source.file)
    assert source.name == "draw.p4"
    line = source.read_text().splitlines()[draw.source.line - 1]
    assert "random" in line
    assert draw.source.fragment in line
    states = [event for event in trace.root.events if event.HasField("parser_state")]
    lines = [Path(event.source.file).read_text().splitlines()[event.source.line - 1] for event in states]
    names = [event.parser_state.name for event in states]
    assert names == ["start", "parse_ethernet", "parse_ipv4", "parse_transport"]
    assert all(f"state {name} " in line for name, line in zip(names, lines, strict=True))
    extracts = [event for event in trace.root.events if event.HasField("extract")]
    assert all("extract" in event.source.fragment for event in extracts)
    conditions = [event.source for event in trace.root.events if event.HasField("condition")]
    assert [(Path(source.file).name, source.fragment) for source in conditions] == [
        ("sampling.p4", "if (!hdr.ipv4.isValid()) { ..."),
        ("sampling.p4", "if (hdr.ipv4.ttl <= 1) { ..."),
        ("draw.p4", "if (chosen) { ..."),
        ("sampling.p4", "if (chosen) { ..."),
    ]
    sources = [Path(source.file).read_text().splitlines()[source.line - 1] for source in conditions]
    assert all(source.fragment.removesuffix(" ...") in line for source, line in zip(conditions, sources, strict=True))


def test_a_packet_runs_from_its_parser_to_its_port(traces: Sequence[pb.PacketTrace]) -> None:
    trace = traces[0]
    stages = [event.pipeline_stage for event in trace.root.events if event.HasField("pipeline_stage")]
    entered = [stage.stage_name for stage in stages if stage.direction == pb.PipelineStageEvent.ENTER]
    assert entered == ["parser", "ingress", "egress", "deparser"]
    assert len(stages) == 8
    headers = [event.extract.name for event in trace.root.events if event.HasField("extract")]
    assert headers == ["ethernet", "ipv4", "transport"]
    queue = next(event.queue for event in trace.root.events if event.HasField("queue"))
    assert (queue.port, queue.queue, queue.enqueue_depth_pkts) == (1, 0, 0)
    deparse = next(event.deparse for event in trace.root.events if event.HasField("deparse"))
    assert deparse.headers == headers
    assert deparse.checksums[0].before != deparse.checksums[0].after
    assert trace.root.transmit.egress_port == 1
    assert trace.root.transmit.packet_size == trace.input.packet_bytes == 54
