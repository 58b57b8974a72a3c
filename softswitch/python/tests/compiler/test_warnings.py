# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The output of ``quench compile``: warnings by kind, their number, and the files that it wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>
const bit<8> LOST = 1;
struct H { }
struct M { bit<8> x; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { transition accept; } }
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) { apply { m.x = m.x << 9; } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""
UNUSED = "p.p4:4:14: warning: constant `LOST` is unused [--Wwarn=unused]"
OVERFLOW = "p.p4:9:78: warning: a value of `bit<8>` is shifted by 9 [--Wwarn=overflow]"
QUENCH = "from quench_switch.cli.app import main; main()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.p4").write_text(PROGRAM)
    return tmp_path


def quench_compile(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """The status, and what is on stderr without source lines and carets."""
    command = [sys.executable, "-c", QUENCH, "compile", "p.p4", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.stdout == ""
    shown = [line for line in done.stderr.splitlines() if not line.startswith((" ", "c"))]
    return done.returncode, shown


def test_warnings_their_number_and_the_files(folder: Path) -> None:
    status, shown = quench_compile(folder, "-o", "out")
    files = [f"out/p{suffix}" for suffix in (".json", ".p4info.txtpb")]
    wrote = [f"wrote {file} ({(folder / file).stat().st_size} bytes)" for file in files]
    assert (status, sorted(shown[:2]), shown[2:]) == (0, [UNUSED, OVERFLOW], ["2 warnings", *wrote])


def test_quiet_says_nothing_of_files(folder: Path) -> None:
    assert quench_compile(folder, "--quiet", "--Wdisable") == (0, [])


def test_kinds_are_switched_off_and_made_errors(folder: Path) -> None:
    assert quench_compile(folder, "-q", "--Wdisable=unused") == (0, [OVERFLOW, "1 warning"])
    assert quench_compile(folder, "-q", "--Wdisable", "--Wwarn=unused") == (0, [UNUSED, "1 warning"])
    status, shown = quench_compile(folder, "--Werror=unused", "--check")
    assert (status, shown[-1]) == (1, "1 error, 1 warning")
    assert UNUSED.replace("warning:", "error:").replace("Wwarn", "Werror") in shown
    status, shown = quench_compile(folder, "--Werror", "-o", "refused")
    assert (status, shown[-1]) == (1, "2 errors")
    assert not (folder / "refused").exists()


def test_an_unknown_kind_is_named_with_the_one_that_was_meant(folder: Path) -> None:
    assert quench_compile(folder, "--Wdisable=unsued") == (
        2,
        ["quench-switch compile: unknown warning 'unsued': did you mean 'unused'?"],
    )
