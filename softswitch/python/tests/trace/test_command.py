# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""`quench trace` with captures, and `quench stf --trace`."""

from __future__ import annotations

import json
import os
import re
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from google.protobuf import text_format
from quench_switch import compile_p4
from quench_switch._native import read_pcap
from quench_switch.stf.cli import app as stf
from quench_switch.stf.runner import run_test
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.cli import app
from quench_switch.trace.offline import collect
from quench_switch.trace.tree import short_names, trees
from typer.testing import CliRunner

ENTITIES = Path(__file__).parents[1] / "p4runtime" / "programs" / "entities.p4"
DROPS = Path(__file__).parent / "programs" / "drops.p4"
CLONES = Path(__file__).parents[3] / "tests" / "programs" / "packet_path" / "clones.p4"
CUSTOM_CRCS = CLONES.parents[1] / "externs" / "custom_crcs.p4"
DESTINATIONS = Path(__file__).parents[3] / "tests" / "tna" / "packet_path" / "destinations.p4"


@pytest.fixture(scope="module")
def program(sampling_json: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "sampling.json"
    path.write_text(sampling_json)
    return path


def trace(*words: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_a_tree_shows_tables_values_and_lines(program: Path, sampling_inputs: tuple[Path, Path]) -> None:
    entries, capture = sampling_inputs
    status, out, _ = trace(program, capture, "--ingress-port", "2", "--entries", entries, "--packets", "2")
    assert status == 0
    assert out.count("packet ") >= 2
    assert "packet 1 into port 2 at 0.000000 ms, 54 bytes" in out
    assert "packet 2 into port 2 at 1.000000 ms, 54 bytes" in out
    assert "key average = 0xa0 (160) in 0x50..0xef (range)" in out
    assert "draw.p4:" in out
    assert "sent on port 1 at" in out
    assert "packet 3" not in out


def test_a_program_for_tofino_needs_no_options(
    capture_of: Callable[[Path, Sequence[bytes]], Path], tmp_path: Path
) -> None:
    """Neither for its architecture nor for its CPU port."""
    to_port_and_cpu = bytes.fromhex("09000000000000000001")
    status, out, _ = trace(DESTINATIONS, capture_of(tmp_path / "x.pcap", [to_port_and_cpu]))
    assert status == 0
    assert re.findall(r"sent on port (\d+)", out) == ["2", "320"]


def test_a_pipe_is_read_until_its_writer_closes_it(
    capture_of: Callable[[Path, Sequence[bytes]], Path], tmp_path: Path
) -> None:
    """However late the writer comes, and in however many pieces it writes."""
    content = capture_of(tmp_path / "x.pcap", [bytes([1]), bytes([2])]).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as opened:
            for byte in content:
                opened.write(bytes([byte]))

    writer = threading.Thread(target=write)
    writer.start()
    status, out, _ = trace(DROPS, pipe, "--packets", "2", "--summary")
    writer.join()
    assert (status, out.splitlines()[0]) == (0, "2 packets: 0 sent, 2 dropped")


def test_a_summary_says_where_and_by_which_entry_packets_were_dropped(
    capture_of: Callable[[Path, Sequence[bytes]], Path], tmp_path: Path
) -> None:
    capture = capture_of(tmp_path / "x.pcap", [bytes([key]) for key in (1, 2, 2, 3, 4, 5, 6, 2)])
    status, out, _ = trace(DROPS, capture, "--summary")
    assert status == 0
    deny, chosen = "drops.p4:31 mark_to_drop(std)", "ingress chose the drop port; at drops.p4:"
    table = "table Filter.acl: hit entry {}: Filter.deny()"
    assert [" ".join(line.split()) for line in out.splitlines()] == [
        "8 packets: 1 sent, 7 dropped",
        f"3 ingress chose the drop port; at {deny}; {table.format(1)}",
        "1 an assertion failed; at drops.p4:50 assert(hdr.h.key != 4)",
        "1 egress chose the drop port; at drops.p4:57 mark_to_drop(std)",
        f"1 {chosen}31 mark_to_drop(std); {table.format(0)}",
        f"1 {chosen}48 mark_to_drop(std)",
    ]
    # With JSON on stdout the summary stands beside it.
    status, out, error = trace(DROPS, capture, "--summary", "--json")
    assert (status, len(out.splitlines()), error.splitlines()[0]) == (0, 8, "8 packets: 1 sent, 7 dropped")


def test_a_custom_crc_is_shown_with_its_parameters(
    capture_of: Callable[[Path, Sequence[bytes]], Path], tmp_path: Path
) -> None:
    entries = tmp_path / "entries.stf"
    entries.write_text("set_crc16_parameters calc_0 0x1021 0xffff 0 false true\n")
    status, out, _ = trace(CUSTOM_CRCS, capture_of(tmp_path / "x.pcap", [bytes(19)]), "--entries", entries)
    assert status == 0
    assert "by calc: crc32_custom 0x4c11db7 0xffffffff 0xffffffff true true" in out
    assert "by calc_0: crc16_custom 0x1021 0xffff 0x0 false true" in out


def test_files_have_names_as_long_as_they_must_be() -> None:
    files = ["p4/a.p4", "p4/include/b.p4", "p4/other/b.p4", "b.p4", "", 9 * "x/" + "c.p4", "y/" + 9 * "x/" + "c.p4"]
    assert short_names(files) == {
        "p4/a.p4": "a.p4",
        "p4/include/b.p4": "include/b.p4",
        "p4/other/b.p4": "other/b.p4",
        "b.p4": "b.p4",
        "": "",
        # The same at the last eight parts.
        files[5]: files[5],
        files[6]: files[6],
    }


def test_json_and_files_say_the_same(program: Path, sampling_inputs: tuple[Path, Path], tmp_path: Path) -> None:
    entries, capture = sampling_inputs
    words = (program, capture, "--entries", entries, "--packets", "3", "--json", "--proto", tmp_path)
    status, out, _ = trace(*words)
    assert status == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["input"]["packet_id"] for line in lines] == ["1", "2", "3"]
    assert lines[0]["input"]["ingress_port"] == 1
    for line in lines:
        file = tmp_path / f"trace_{line['input']['packet_id']}.txtpb"
        written = text_format.Parse(file.read_text(), pb.PacketTrace())
        assert len(written.root.events) == len(line["root"]["events"])


def test_the_same_seed_gives_the_same_traces(program: Path, sampling_inputs: tuple[Path, Path]) -> None:
    entries, capture = sampling_inputs
    words = (program, capture, "--entries", entries, "--packets", "5", "--json")
    first, second, other = (trace(*words, "--seed", seed)[1] for seed in ("7", "7", "8"))
    assert first == second != other


def test_a_queue_holds_packets(program: Path, sampling_inputs: tuple[Path, Path]) -> None:
    entries, capture = sampling_inputs
    status, out, _ = trace(program, capture, "--entries", entries, "--packets", "4", "--port", "1:rate=100kbps")
    assert status == 0
    # 54 bytes take 4.32 ms and come each millisecond.
    assert "3 packets (162 bytes) in front of it" in out or "2 packets (108 bytes) in front of it" in out


def test_entries_of_p4runtime(tmp_path: Path, sampling_inputs: tuple[Path, Path]) -> None:
    capture = sampling_inputs[1]
    output = compile_p4(str(ENTITIES))
    program, p4info = tmp_path / "e.json", tmp_path / "e.p4info.txtpb"
    program.write_text(output.json)
    p4info.write_text(output.p4info_text)
    entries = tmp_path / "entries.txtpb"
    entries.write_text("updates { type: INSERT entity { table_entry { table_id: 1 } } }")
    status, _, err = trace(program, capture, "--entries", entries)
    assert (status, "need P4Info: give --p4info" in err) == (1, True)
    status, _, err = trace(program, capture, "--entries", entries, "--p4info", p4info)
    assert status == 1
    assert err.startswith(f"quench trace: {entries}: update 1: ")
    entries.write_text("nonsense")
    status, _, err = trace(program, capture, "--entries", entries, "--p4info", p4info)
    assert "neither STF (.stf) nor a p4.v1.WriteRequest in text form" in err
    entries.write_text("")
    assert trace(program, capture, "--entries", entries, "--p4info", p4info, "--packets", "1")[0] == 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not a pcap file"),
        (bytes(100), "not a pcap file"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101), "not of Ethernet"),
        (struct.pack("<IHHiIIIIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1, 0, 0, 2**32 - 1, 2**32 - 1), "packet 1: "),
    ],
)
def test_what_is_no_capture_is_one_line(program: Path, tmp_path: Path, content: bytes, problem: str) -> None:
    capture = tmp_path / "x.pcap"
    capture.write_bytes(content)
    with pytest.raises(OSError, match=problem):
        read_pcap(capture, 1 << 20)


def test_errors_of_use_are_said(program: Path, sampling_inputs: tuple[Path, Path], tmp_path: Path) -> None:
    entries = tmp_path / "x.stf"
    entries.write_text("add nothing key:1 drop()\n")
    status, _, err = trace(program, sampling_inputs[1], "--entries", entries)
    assert status == 1
    assert err.startswith(f"quench trace: {entries}:1: no table 'nothing'")
    assert err.count("\n") == 1
    assert trace(program)[0] == 2
    assert trace("--address", "127.0.0.1:1", program)[0] == 2
    assert trace(program, sampling_inputs[1], "--proto", tmp_path / "gone")[0] == 2
    assert trace(program, sampling_inputs[1], "--port", "x")[0] == 2


@pytest.mark.parametrize("program", sorted(CLONES.parent.glob("*.p4")), ids=lambda path: path.stem)
def test_traced_packets_come_to_the_same_end(program: Path) -> None:
    """Every primitive, parser operation and kind of table of the corpus is traced."""
    traces: list[pb.PacketTrace] = []
    json = compile_p4(str(program)).json
    difference = run_test(json, program.with_suffix(".stf"), on_traces=lambda session: collect(session, traces.append))
    assert difference is None
    assert traces
    assert all(trace.root.WhichOneof("outcome") for trace in traces)
    assert list(trees(traces))


def test_stf_with_traces_hangs_copies_below_their_originals() -> None:
    result = CliRunner().invoke(stf, ["--trace", str(CLONES)])
    assert result.exit_code == 0
    assert "PASS" in result.stdout
    clones = [line for line in result.stdout.splitlines() if "clone in " in line]
    assert clones
    assert all("│" in line or "├" in line or "└" in line for line in clones)
    starts = [line for line in result.stdout.splitlines() if line.startswith("packet ")]
    assert starts
