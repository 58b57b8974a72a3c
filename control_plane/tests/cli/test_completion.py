# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Shells ask what may come next on a line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

QUENCH = Path(sys.executable).with_name("quench")
TIMEOUT_S = 60


def run(*command: str, **variables: str) -> str:
    environment = {**os.environ, "PATH": f"{QUENCH.parent}:{os.environ['PATH']}", **variables}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=TIMEOUT_S)
    assert done.stderr == ""
    return done.stdout


def completed(*words: str) -> list[str]:
    """The words that bash offers for the last word."""
    ask = 'source <(quench completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
    ask += '_quench_completion quench; printf "%s\\n" "${COMPREPLY[@]}"'
    return run("bash", "--norc", "-c", ask, "bash", "quench", *words).split()


def test_bash_completes_commands() -> None:
    assert completed("experi") == ["experiment"]
    assert {"doctor", "demo", "switch", "thresholds"} <= set(completed(""))


def test_bash_completes_what_is_imported_only_for_it() -> None:
    assert completed("experiment", "re") == ["report"]
    assert completed("experiment", "run", "--qui") == ["--quick"]
    assert completed("stf", "--interp") == ["--interpreted"]
    assert completed("compile", "--arch", "t") == ["tna"]
    assert completed("net", "n1", "--target", "") == ["embedded", "bmv2", "tna"]
    assert completed("demo", "--target", "t") == ["tna"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_ask_in_their_way(shell: str) -> None:
    variables = {"_TYPER_COMPLETE_ARGS": "quench experi", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "experiment" in run(str(QUENCH), _QUENCH_COMPLETE=f"complete_{shell}", **variables)
    script = run(str(QUENCH), "completion", shell)
    assert f"_QUENCH_COMPLETE=complete_{shell}" in script
