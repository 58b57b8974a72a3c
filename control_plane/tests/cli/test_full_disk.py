# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every command that writes files: on a full disk it leaves them all as they were, and names one and the reason.

The disk is a small file system in memory, in a mount namespace of its own.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

import pytest
from full_disk import BLOCK_BYTES, Outcome, run_on_disk, sha256_of

ROOT = Path(__file__).resolve().parents[3]
QUENCH = ("quench.cli.entry",)
TOOLCHAIN = ("quench_switch.toolchain.__main__",)
DROPS = ROOT / "softswitch/python/tests/trace/programs/drops.p4"
ENTRIES = ROOT / "softswitch/tests/programs/packet_path/clones.p4"
OF_OURS = "# Written by quench toolchain."
"""In each file that quench toolchain replaces."""
FULL = "No space left on device"
INFOS = ("--p4runtime-files", "i.json", "--p4runtime-files", "i.bin")
FIGURES = tuple(f"figures/P3.6-{name}.{kind}" for name in ("gain", "margin") for kind in ("svg", "pdf"))
REPORT = ("report.html", "report.md", "verdicts.json", *FIGURES)
LOAD = ("--flows", "20", "--capacity", "10Mbps", "--rtt", "100ms")

CACHE = """
from pathlib import Path
from quench_experiments.runner.cache import Cache
from quench_experiments.runner.work import Outcome
try:
    Cache(Path("cache")).store(Outcome("ab" * 32, 1.0, {"x": 1.0}, {"series.parquet": b"t" * 9000}))
except Exception as error:
    raise SystemExit(f"{type(error).__name__}: {error}")
"""
TABLES = """
from pathlib import Path
from quench.places import PROGRAM
from quench_experiments.definition import load
from quench_experiments.simulation.run import simulate
scenario = load("P1.A").runs(quick=True)[0].scenario.model_copy(update={"duration_s": 0.2, "warmup_s": 0.1})
try:
    simulate(scenario, program=PROGRAM).to_parquet(Path("."))
except OSError as error:
    raise SystemExit(f"{error.filename}: {error.strerror}")
"""
NS2 = """
from pathlib import Path
from quench_experiments.comparison.ns2 import Measured, write_measured
try:
    write_measured(Path("reference.yaml"), Measured(version="test", seeds=[1], cases={}))
except OSError as error:
    raise SystemExit(f"{error.filename}: {error.strerror}")
"""


@dataclass(frozen=True)
class Writer:
    """A command, and the files that it writes into the current folder."""

    command: tuple[str, ...]
    files: tuple[str, ...]
    text: str = "old"


WRITERS = {
    "compile": Writer(
        (*QUENCH, "compile", str(ENTRIES), *INFOS, "--p4runtime-entries-files", "e.txtpb"),
        ("clones.json", "i.json", "i.bin", "e.txtpb"),
    ),
    "trace": Writer((*QUENCH, "trace", str(DROPS), "CAPTURE", "--proto", "."), ("trace_1.txtpb", "trace_2.txtpb")),
    "grafana": Writer((*QUENCH, "grafana", "-o", "x.json"), ("x.json",)),
    "wireshark": Writer((*QUENCH, "wireshark", "--folder", "."), ("quench.lua",)),
    "toolchain": Writer(
        (*QUENCH, "toolchain", "."),
        ("p4c", "p4c-bm2-ss", "simple_switch", "simple_switch_CLI", "simple_switch_grpc"),
        OF_OURS,
    ),
    "p4c": Writer((*TOOLCHAIN, "p4c", "-MD", "-E", str(DROPS)), ("drops.p4i", "drops.d")),
    "p4c, both": Writer(
        (*TOOLCHAIN, "p4c", "--p4runtime-files", "i.txtpb", str(DROPS)), ("drops.p4i", "drops.json", "i.txtpb")
    ),
    "p4c-bm2-ss": Writer((*TOOLCHAIN, "p4c-bm2-ss", "-MD", "-o", "drops.json", str(DROPS)), ("drops.json", "drops.d")),
    "profile plot, SVG": Writer((*QUENCH, "profile", "plot", "--scheme", "taildrop", "-o", "x.svg"), ("x.svg",)),
    "profile plot, PNG": Writer((*QUENCH, "profile", "plot", "--scheme", "taildrop", "-o", "x.png"), ("x.png",)),
    "tune": Writer((*QUENCH, "tune", *LOAD, "--plot", "x.svg", "--output", "x.yaml"), ("x.svg", "x.yaml")),
    "experiment run": Writer((*QUENCH, "experiment", "run", "P3.6", "--out", "."), ("runs.json",), "{}"),
    "experiment export": Writer(
        (*QUENCH, "experiment", "export", "P3.6", "--csv", "--out", "."), ("exports/P3.6.csv",)
    ),
    "experiment report": Writer(
        (*QUENCH, "experiment", "report", "P3.6", "--out", "."),
        tuple(f"reports/P3.6/{name}" for name in REPORT),
    ),
    "cache": Writer((CACHE,), (f"cache/ab/{'ab' * 32}.json", f"cache/ab/{'ab' * 32}.series.parquet")),
    "tables": Writer((TABLES,), ("metrics.parquet",)),
    "ns-2": Writer((NS2,), ("reference.yaml",), (ROOT / "bench/ns2/reference.yaml").read_text(encoding="utf-8")),
}


@pytest.fixture(scope="module")
def capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packets of a byte."""
    path = tmp_path_factory.mktemp("capture") / "x.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    path.write_bytes(header + b"".join(struct.pack("<IIII", 0, 0, 1, 1) + bytes([key]) for key in (1, 2)))
    return path


def run(writer: Writer, place: Path, capture: Path, room_bytes: int | None) -> Outcome:
    command = tuple(str(capture) if word == "CAPTURE" else word for word in writer.command)
    return run_on_disk(place, dict.fromkeys(writer.files, writer.text), room_bytes, command)


@pytest.mark.netns
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_changes_no_file(name: str, tmp_path: Path, capture: Path) -> None:
    writer = WRITERS[name]
    outcome = run(writer, tmp_path, capture, 0)
    assert outcome.status == 1, outcome.stderr
    last = outcome.stderr.splitlines()[-1]
    assert FULL in last
    assert any(name in last for name in writer.files)
    assert "None" not in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert outcome.sha256 == sha256_of(dict.fromkeys(writer.files, writer.text))


@pytest.mark.netns
@pytest.mark.parametrize("name", WRITERS)
def test_with_room_every_file_is_new(name: str, tmp_path: Path, capture: Path) -> None:
    """So the test above has named the files that the command writes."""
    writer = WRITERS[name]
    outcome = run(writer, tmp_path, capture, None)
    assert outcome.status == 0, outcome.stderr
    old = sha256_of(dict.fromkeys(writer.files, writer.text))
    assert set(outcome.sha256) >= set(old)
    assert not old.items() & outcome.sha256.items()


@pytest.mark.netns
def test_however_much_room_there_is_all_files_are_old_or_all_are_new(tmp_path: Path, capture: Path) -> None:
    """JSON is longer than a block, and what else the compiler writes needs one or two."""
    writer = WRITERS["compile"]
    old = sha256_of(dict.fromkeys(writer.files, writer.text))
    seen = set()
    for blocks in (0, 1, 2, 4, 8, 16, 64):
        outcome = run(writer, tmp_path, capture, blocks * BLOCK_BYTES)
        assert set(outcome.sha256) == set(old)
        kept = old.items() & outcome.sha256.items()
        assert len(kept) == (0 if outcome.status == 0 else len(old)), (blocks, kept)
        seen.add(outcome.status)
    assert seen == {0, 1}
