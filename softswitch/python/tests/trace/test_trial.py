# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Trials: an edited program with its packets, in a process with limits."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from quench_switch.trace.trial import MOST_SENT, Trial, run

SOURCE = """
#include <core.p4>
#include <v1model.p4>
#include "port.p4"
header first_t { bit<4> high; bit<12> low; bit<8> next; }
header second_t { bit<3> a; bit<5> b; }
struct headers { first_t first; second_t[2] rest; }
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.first); transition select(h.first.next) { 0: accept; 9: skip; default: more; } }
    state more { p.extract(h.rest.next); p.extract(h.rest.next); transition accept; }
    state skip { p.advance(8); p.extract(h.rest.next); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    action send(bit<9> port) { s.egress_spec = port; h.first.low = 1; }
    action spread() { s.mcast_grp = 1; }
    table out_port { key = { h.first.high: exact; } actions = { send; spread; } default_action = send(DEFAULT_PORT); }
    apply { out_port.apply(); }
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.first); p.emit(h.rest); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
PROCESS = (sys.executable, "-m", "quench_switch.trace.trial")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a trial, and one with what the program includes."""
    included = tmp_path / "included"
    included.mkdir()
    (included / "port.p4").write_text("const bit<9> DEFAULT_PORT = 7;\n")
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    return included


def trial(folder: Path, *packets: str, source: str = SOURCE, entries: str = "") -> Trial:
    return Trial("folder/a.p4", source, entries, [(1, packet, 1_000_000) for packet in packets], include=[str(folder)])


def lines(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(line for below in node["nodes"] for line in lines(below))]


def test_each_packet_has_its_tree_its_fields_and_what_left(folder: Path) -> None:
    packets = ["a12305ff80", "512300", "5123098f41"]
    outcome = run(trial(folder, *packets, entries="add out_port h.first.high:5 send(port:3)"))
    assert (outcome.diagnostics, outcome.error, outcome.omitted) == ([], None, None)
    assert outcome.sent == [(7, "a00105ff80"), (3, "500100"), (3, "50010941")]
    assert [len(packet.fields) for packet in outcome.packets] == [7, 3, 3], (
        "after bytes that are skipped no place is known"
    )
    for octets, packet in zip(packets, outcome.packets, strict=True):
        assert packet.outcome.startswith("sent on port ")
        for place in packet.fields:
            value = int(octets, 16) >> (len(octets) * 4 - place.offset_bits - place.bits) & ((1 << place.bits) - 1)
            assert int(place.value, 16) == value, place
    assert [tree["nodes"][-1]["text"].split(" at ")[0] for tree in outcome.trees] == [
        "sent on port 7",
        "sent on port 3",
        "sent on port 3",
    ]
    assigned = next(line for line in lines(outcome.trees[1]) if "first.low" in line["text"])
    assert (assigned["file"], SOURCE.splitlines()[assigned["line"] - 1].strip()[:12]) == ("a.p4", "action send(")


def test_faults_name_the_line_of_the_program_or_of_the_entries(folder: Path) -> None:
    outcome = run(trial(folder, "00", source=SOURCE.replace("apply { out_port", "apply { no_port")))
    assert outcome.diagnostics[0].startswith("a.p4:19:13: error: ")
    assert outcome.trees == []
    outcome = run(trial(folder, "00", entries="\nadd out_port h.first.high:99 send(port:3)"))
    assert outcome.error is not None
    assert outcome.error.startswith("entries.stf:2: ")


def test_what_has_no_room_is_counted(folder: Path) -> None:
    nodes, packets = 60, 5
    entries = "mc_mgrp_create 1\nadd out_port h.first.high:5 spread()\n"
    entries += "".join(f"mc_node_create {rid} 3\nmc_node_associate 1 {rid}\n" for rid in range(nodes))
    outcome = run(trial(folder, *packets * ["512300"], entries=entries))
    assert outcome.error is None
    assert len(outcome.sent) == MOST_SENT
    left_out = nodes * packets - MOST_SENT
    assert outcome.omitted == f"There was no room for {left_out} traces and {left_out} packets that left."


def test_packets_that_overtake_each_other_keep_their_own_outcomes(folder: Path) -> None:
    rows = ("add out_port h.first.high:5 send(port:3)", "add out_port h.first.high:6 send(port:511)")
    entries = "\n".join(("set_queue_rate 10 7", *rows))
    queued, direct, dropped = "a12300", "512300", "612300"
    outcome = run(trial(folder, queued, queued, direct, dropped, entries=entries))
    assert outcome.error is None
    words = [packet.outcome.split(" at ")[0] for packet in outcome.packets]
    assert words[:3] == ["sent on port 7", "sent on port 7", "sent on port 3"]
    assert words[3].startswith("dropped")
    assert [int(packet.fields[0].value, 16) for packet in outcome.packets] == [0xA, 0xA, 5, 6]


def test_a_process_tells_the_same(folder: Path, tmp_path: Path) -> None:
    given = trial(folder, "512300")
    outcome = subprocess.run(
        [*PROCESS, "60"], input=json.dumps(asdict(given)).encode(), capture_output=True, cwd=tmp_path, check=True
    )
    assert json.loads(outcome.stdout) == json.loads(json.dumps(asdict(run(given))))


def test_a_process_ends_itself_when_its_time_is_over(tmp_path: Path) -> None:
    with subprocess.Popen([*PROCESS, "1"], stdin=subprocess.PIPE, cwd=tmp_path) as process:
        # Nothing is sent, so the process would wait for ever.
        assert process.wait(60) == -signal.SIGALRM


@pytest.mark.usefixtures("folder")
def test_metadata_in_front_of_a_packet_of_tofino_are_no_fields_of_it() -> None:
    program = Path(__file__).parents[1] / "native/programs/generated.p4"
    outcome = run(Trial(program.name, program.read_text(), "", [(1, "aa" * 64, 0)], include=[str(program.parent)]))
    assert (outcome.diagnostics, outcome.error) == ([], None)
    [packet] = outcome.packets
    assert packet.outcome
    assert packet.fields == []
    assert "ingress_intrinsic_metadata" in json.dumps(outcome.trees)
