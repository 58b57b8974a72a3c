# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The record of what packets reach of a program, and its report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from quench_switch import VirtualSwitch, compile_p4
from quench_switch._native import Program
from quench_switch.reached import VARIABLE, parts
from quench_switch.reached_report import merge, report, unreached, with_places_of_states

PATH = Path(__file__).parent / "programs/reached.p4"
HERE = str(PATH)


@pytest.fixture(scope="module")
def compiled() -> str:
    return compile_p4(HERE).json


def reached(compiled: str, *packets: str) -> dict[tuple[str, str], int]:
    """Counts by kind and name, after the packets."""
    program = Program(compiled, recorded=True)
    switch = VirtualSwitch()
    switch.load(program)
    assert not switch.is_compiled
    for now_ns, packet in enumerate(packets):
        switch.receive(0, bytes.fromhex(packet), now_ns)
        switch.advance(now_ns)
    found = program.reached()
    assert found is not None
    return {(part.kind, part.name): count for part, count in parts(json.loads(compiled), found)}


def test_nothing_is_reached_without_packets(compiled: str) -> None:
    assert reached(compiled) == {
        ("state", "start"): 0,
        ("state", "parse_more"): 0,
        ("branch", "egress: true"): 0,
        ("branch", "egress: false"): 0,
        ("entry", "Classify.classes: entry 0"): 0,
        ("entry", "Classify.classes: entry 1"): 0,
        ("entry", "Classify.classes: no entry"): 0,
        ("action", "Classify.classes: send"): 0,
        ("action", "Classify.classes: discard"): 0,
    }


@pytest.mark.parametrize(
    ("packet", "names"),
    [
        ("01", {"start", "Classify.classes: entry 0", "Classify.classes: send", "egress: false"}),
        ("8100", {"start", "parse_more", "Classify.classes: entry 1", "Classify.classes: send", "egress: true"}),
        ("02", {"start", "Classify.classes: no entry", "Classify.classes: discard"}),
    ],
)
def test_each_packet_counts_where_it_comes_by(compiled: str, packet: str, names: set[str]) -> None:
    counts = reached(compiled, packet, packet)
    assert {name for (_, name), count in counts.items() if count} == names
    assert set(counts.values()) == {0, 2}


def test_nothing_is_recorded_unless_asked(compiled: str) -> None:
    assert Program(compiled).reached() is None
    assert Program(compiled, interpreted=True).reached() is None


def test_processes_append_to_one_file_and_the_report_adds_up(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    record = tmp_path / "record"
    for packet, port in [("01", 1), ("8100", 2)]:
        test = tmp_path / "t.stf"
        test.write_text(f"packet 0 {packet}\nexpect {port} {packet} $\n")
        command = [sys.executable, "-m", "quench_switch.stf.cli", HERE, str(test)]
        subprocess.run(command, env={**os.environ, VARIABLE: str(record)}, check=True, capture_output=True)
    (counts,) = merge(record.read_text().splitlines()).values()
    lines = PATH.read_text().splitlines()
    table = next(number for number, line in enumerate(lines, start=1) if "table classes" in line)
    missed = [
        f"{HERE}:{table}: action Classify.classes: discard",
        f"{HERE}:{table}: entry Classify.classes: no entry",
    ]
    assert unreached(with_places_of_states(HERE, counts)) == missed
    report(record, tmp_path / "out", listed=str(PATH.parent))
    assert (tmp_path / "out/unreached.txt").read_text() == "\n".join([f"# {HERE}", *missed, ""])
    output = capsys.readouterr().out
    assert output.splitlines()[1].split()[1:] == ["2/2", "2/2", "2/3", "1/2"]
    assert missed[0] in output


def test_places_of_states_are_those_of_the_source(compiled: str) -> None:
    reached_parts = Program(compiled, recorded=True).reached()
    assert reached_parts is not None
    found = with_places_of_states(HERE, dict(parts(json.loads(compiled), reached_parts)))
    lines = PATH.read_text().splitlines()
    for part in found:
        assert part.file == HERE
        if part.kind == "state":
            assert lines[part.line - 1].split()[:2] == ["state", part.name]
