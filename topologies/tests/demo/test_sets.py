# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench demo --set`` with a set of schemes, which is simulated."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from quench_experiments.known import own_files
from quench_topologies.demo import sets
from quench_topologies.demo.cli import app
from typer.testing import CliRunner


def test_each_set_has_experiments_that_there_are() -> None:
    assert {key for keys in sets.SETS.values() for key in keys} <= own_files(None).keys()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--set", "csig", "--scheme", "red"], "--set csig: it is a set of schemes: leave out --scheme"),
        (["--set", "csig", "--reverse-loss", "0.1"], "--set csig: it is a set of schemes: leave out --reverse-loss"),
        (["--set", "maxp=1", "--set", "csig"], "--set csig: it is a set of schemes, beside which there is no other"),
        (["--set", "csgi"], "--set csgi: write it as KEY=VALUE, such as maxp=0.2"),
    ],
)
def test_a_set_stands_alone(words: list[str], fault: str) -> None:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert fault in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("status", [0, 1, 130])
def test_a_set_is_run_and_then_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, status: int) -> None:
    called: list[list[str]] = []

    class Fake(subprocess.Popen[str]):
        def __init__(self, words: list[str], **more: Any) -> None:
            called.append(words[1:])
            super().__init__(["sh", "-c", f"exit {status}"], **more)

    monkeypatch.setattr(sets.subprocess, "Popen", Fake)
    result = CliRunner().invoke(app, ["--set", "rocev2", "--out", str(tmp_path)])
    assert result.exit_code == status
    tail = ["signals.rocev2-incast", "signals.rocev2-long", "--quick", "--out", str(tmp_path)]
    commands = ["run", "report"] if status == 0 else ["run"]
    assert called == [["experiment", command, *tail] for command in commands]
