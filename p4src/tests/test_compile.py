# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs are compiled without a warning, and have one output: it is the same in each process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from quench_switch import compile_p4

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "p4src").glob("*.p4"))
EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*/*.p4")) if path.stem == path.parent.name]
OUTPUTS = """
import sys
from quench_switch import compile_p4

for path in sys.argv[1:]:
    output = compile_p4(path, arch="tna" if path.endswith("tna.p4") else "v1model")
    print(path, output.json, output.p4info_text, output.p4info_binary, output.entries_text, output.warnings)
"""
TIMEOUT_S = 300


def outputs() -> str:
    command = [sys.executable, "-c", OUTPUTS, *map(str, PROGRAMS + EXAMPLES)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout


def test_two_processes_give_the_same_output() -> None:
    assert len(PROGRAMS) >= 4
    assert len(EXAMPLES) >= 3
    assert outputs() == outputs()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_there_is_no_warning(program: Path) -> None:
    """As p4c compiles them: without the embedded switch's extension, of which a warning says that BMv2 lacks it."""
    arch = "tna" if program.stem.endswith("tna") else "v1model"
    assert compile_p4(str(program), arch=arch, undefines=["__V1MODEL_EXTENDED__"]).warnings == []


@pytest.mark.parametrize("program", ["bolt", "csig", "dualpi2", "hpcc"])
def test_programs_of_the_data_centre_use_the_extension(program: str) -> None:
    output = compile_p4(str(ROOT / "p4src" / f"{program}.p4"))
    assert '"queue_depth"' in output.json
    (warning,) = output.warnings
    assert "[--Wwarn=unsupported]" in warning


def test_the_program_for_all_v1model_switches_has_no_primitive_of_the_extension() -> None:
    """BMv2 refuses a JSON that has one."""
    own = {"time_ns", "enqueued", "queue_depth"}
    assert primitives() & own == set()
    assert primitives("QUENCH_EXTENDED") & own == {"queue_depth"}


def primitives(*defines: str) -> set[str]:
    program = json.loads(compile_p4(str(ROOT / "p4src/quench.p4"), defines=defines).json)
    return {each["op"] for action in program["actions"] for each in action["primitives"]}
