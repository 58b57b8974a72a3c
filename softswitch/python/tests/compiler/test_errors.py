# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Malformed programs: the diagnostic names the fault and its place, and nothing is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from quench_switch import CompileError, compile_p4

ERRORS = Path(__file__).parents[3] / "tests" / "errors"
PROGRAMS = sorted(ERRORS.glob("*.p4"))
EXPECT = re.compile(r"^// expect: (\d+):(\d+): (.+)$", re.MULTILINE)


def expected(program: Path) -> tuple[str, str]:
    """Place and message that the program's comment announces."""
    found = EXPECT.findall(program.read_text())
    assert len(found) == 1, f"{program.name}: one line '// expect: LINE:COLUMN: text' is needed"
    line, column, text = found[0]
    return f"{program}:{line}:{column}: error: ", text


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 30


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_one_fault_gives_one_error_at_its_place(program: Path) -> None:
    place, text = expected(program)
    with pytest.raises(CompileError) as caught:
        compile_p4(str(program))
    errors = [found for found in caught.value.diagnostics if ": error: " in found.splitlines()[0]]
    assert len(errors) == 1, "\n".join(errors)
    head, *excerpt = errors[0].splitlines()
    assert head == place + text
    line, column = (int(number) for number in place.removesuffix(": error: ").rsplit(":", 2)[1:])
    assert excerpt[0] == program.read_text().splitlines()[line - 1]
    assert excerpt[1].index("^") == column - 1


def test_the_command_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    quench = "from quench_switch.cli.app import main; main()"
    command = [sys.executable, "-c", quench, "compile", str(ERRORS / "unknown_name.p4"), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "`undeclared` is not declared" in done.stderr
    assert not out.exists()
