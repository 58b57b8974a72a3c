# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment run`` is interrupted by a terminal's Ctrl-C, and goes on where it stopped."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from experiment_file import write_experiment
from fake_simulation import HANGS, write_program

SCRIPT = Path(__file__).with_name("experiment_with_fake.py")


def start(tmp_path: Path, fake: str, file: Path) -> subprocess.Popen[str]:
    program = write_program(tmp_path)
    return subprocess.Popen(
        [sys.executable, SCRIPT, "run", file, "--jobs", "2", "--out", tmp_path / "out", "--program", program],
        env={**os.environ, "FAKE": fake},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )


def alive_in_group(group: int) -> list[str]:
    """Command lines of processes of the group. Those without memory, collected or not, have ended."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            state, _, number = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(number) == group and state != "Z":
                found.append((folder / "cmdline").read_text())
        except (OSError, ValueError):
            continue
    return [line for line in found if line]


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, HANGS])
    with start(tmp_path, "simulate", file) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("1/8 runs"):
                break
        else:
            raise AssertionError(f"no run was finished: {child.communicate()[1]}")
        os.killpg(child.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        try:
            rest, errors = child.communicate(timeout=60)
        finally:
            # One that hangs ignores all other signals.
            child.kill()
    assert child.returncode == 128 + signal.SIGINT
    assert errors == ""
    assert "interrupted; finished runs are kept" in rest
    assert alive_in_group(child.pid) == []

    kept = len(list((tmp_path / "out/cache").rglob("*.json")))
    assert 1 <= kept < 8
    with start(tmp_path, "simulate_all", file) as child:
        text, errors = child.communicate(timeout=120)
    assert (child.returncode, errors) == (0, "")
    assert f"{8 - kept} simulated" in text
    assert f"{kept} were there already, 0 failed" in text
