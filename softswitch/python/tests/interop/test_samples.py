# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison with p4c's samples, on a checkout of a few programs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> value; }
struct headers { h_t h; }
struct metadata {}
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) { apply { s.egress_spec = 1; } }
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""
P4INFO = """\
# proto-file: p4/config/v1/p4info.proto
# proto-message: p4.config.v1.P4Info

pkg_info {
  arch: "v1model"
}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Samples that pass and fail, a program that p4c refuses, and one that it should refuse."""
    files = {
        "p4_16_samples/good.p4": PROGRAM,
        "p4_16_samples/good.stf": "packet 0 AA\nexpect 1 AA $\n",
        "p4_16_samples/other.p4": PROGRAM,
        "p4_16_samples/other.stf": "packet 0 AA\nexpect 1 BB $\n",
        "p4_16_samples/part.p4": "#include <v1model.p4>\n",
        "p4_16_samples/elsewhere.p4": "#include <core.p4>\n",
        "p4_16_samples_outputs/good.p4.p4info.txtpb": P4INFO,
        "p4_16_samples_outputs/other.p4.p4info.txtpb": P4INFO.replace("v1model", "other"),
        "p4_16_samples_outputs/part.p4-stderr": "error: no main\n",
        "p4_16_errors/wrong.p4": PROGRAM.replace("h.h);", "h.missing);", 1),
        "p4_16_errors_outputs/wrong.p4-stderr": "wrong.p4(7): [--Werror=type-error] error: no field missing\n",
        "p4_16_bmv_errors/fine.p4": PROGRAM,
    }
    for name, text in files.items():
        path = tmp_path / "testdata" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def samples(checkout: Path, *options: str) -> list[str]:
    command = [sys.executable, "-m", "quench_interop.samples", str(checkout), "--jobs", "1", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_each_count_is_a_row_and_each_failure_a_line(checkout: Path) -> None:
    printed = samples(checkout)
    end = printed.index("")
    assert printed[:end] == [
        "| what | count |",
        "|---|---|",
        "| compiled | 2 of 3 |",
        "| P4Info equal to p4c's, byte by byte | 1 of 2 |",
        "| loaded, machine code | 2 of 2 |",
        "| STF, machine code | 1 of 2 |",
        "| loaded, interpreter | 2 of 2 |",
        "| STF, interpreter | 1 of 2 |",
        "| refused, as by p4c | 1 of 1 |",
        "| refused of p4_16_errors | 1 of 1 |",
        "| an error of p4_16_errors on p4c's line or the next | 1 of 1 |",
        "| refused of p4_16_bmv_errors | 0 of 1 |",
    ]
    differences = [line.partition(": ")[0] for line in printed[end + 1 :]]
    assert differences == ["p4_16_samples/other.p4"] * 3 + ["p4_16_samples/part.p4", "p4_16_bmv_errors/fine.p4"]
    assert "line 2: port 1: packet 1: byte 0 differs" in printed[end + 2]


def test_a_built_p4c_is_asked_about_refusals(checkout: Path) -> None:
    p4c = checkout / "p4c"
    p4c.write_text('#!/bin/sh\nfor last; do :; done\necho "$last(9): error: x" >&2\ngrep -q main "$last"\n')
    p4c.chmod(0o755)
    printed = samples(checkout, "--p4c", f"sh {p4c}")
    assert "| refused, as by p4c | 1 of 1 |" in printed
    assert "| accepted of p4_16_bmv_errors, as by p4c | 1 of 1 |" in printed
