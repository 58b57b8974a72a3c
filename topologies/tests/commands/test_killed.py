# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""After kill -9: all children die with their parent, and the next start leaves nothing of it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from quench_topologies import leftovers

pytestmark = pytest.mark.netns
QUENCH = str(Path(sys.executable).with_name("quench"))
TARGET = ["--target", os.environ.get("QUENCH_TARGET", "embedded")]
if "QUENCH_PROGRAM" in os.environ:
    TARGET += ["--program", os.environ["QUENCH_PROGRAM"]]


def shell_jobs(pids: set[int]) -> int:
    """The number of jobs that the script below starts on nodes and that are running."""
    return sum(leftovers.command_line(pid)[:2] == ["sleep", "4321"] for pid in pids)


def many(count: int) -> Callable[[set[int]], bool]:
    return lambda pids: len(pids) >= count


COMMANDS: dict[str, tuple[list[str], Callable[[set[int]], bool]]] = {
    "topology": (
        [QUENCH, "net", "n1", "--pairs", "1", *TARGET, "--script", "SCRIPT"],
        lambda pids: shell_jobs(pids) == 2,
    ),
    "demo": ([QUENCH, "demo", "--pairs", "1", "--flows", "2", "--scheme", "ecn", *TARGET, "--out", "OUT"], many(7)),
    "experiment": ([QUENCH, "experiment", "run", "P1.B", "--quick", "--jobs", "2", "--out", "OUT"], many(3)),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_of_a_killed_command_stays(name: str, tmp_path: Path) -> None:
    words, is_running = COMMANDS[name]
    script = tmp_path / "script"
    script.write_text("client1 sleep 4321 &\ns1 sleep 4321 &\nserver1 sleep 1000\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [{"SCRIPT": str(script), "OUT": str(tmp_path / "out")}.get(word, word) for word in words]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True)
    try:
        deadline = time.monotonic() + 60
        while not (is_running(leftovers.descendants(process.pid)) and list(temporary.iterdir())):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)
        started = leftovers.descendants(process.pid)
        namespaces = leftovers.network_namespaces(started) - leftovers.network_namespaces([os.getpid()])
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert leftovers.wait_until_gone(started) == set()
    everyone = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    assert namespaces & leftovers.network_namespaces(everyone) == set()
    assert list(temporary.iterdir()) != []
    start = "from quench.temporary import temporary_folder\nwith temporary_folder('next'): pass"
    subprocess.run([sys.executable, "-c", start], env=environment, check=True)
    assert list(temporary.iterdir()) == []
