# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A Mininet shell that dies ends the command in one line, whenever it dies."""

import logging
import os
import shutil
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from quench.signals import Interrupted, signals_as_exceptions
from quench_topologies import mininet_api

pytestmark = pytest.mark.netns
COMMAND = [str(Path(sys.executable).with_name("quench")), "net", "n1", "--pairs", "1", "--modern"]
TIMEOUT_S = 60
"""Against a hang; it takes a few seconds."""


def errors_of(*options: str, path: str = os.environ["PATH"]) -> list[str]:
    """The lines on stderr of a command that must fail, without those about what others have left.

    A command removes the folders of processes that were killed, as other suites do beside this one, and says so.
    """
    done = subprocess.run(
        [*COMMAND, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PATH": path},
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return [line for line in done.stderr.splitlines() if "INFO quench.temporary" not in line]


@pytest.mark.parametrize("shell", ["echo 'mnexec: mount: Operation not permitted' >&2; exit 1", "kill -9 $$"])
def test_a_shell_that_dies_at_once_is_one_line(tmp_path: Path, shell: str) -> None:
    mnexec = tmp_path / "mnexec"
    # The check before the start goes well.
    mnexec.write_text(f'#!/bin/sh\n[ "$1" != -n ] || exec {shutil.which("mnexec")} "$@"\n{shell}\n')
    mnexec.chmod(0o755)
    lines = errors_of(path=f"{tmp_path}:{os.environ['PATH']}")
    assert len(lines) == 1, lines
    assert lines[0].startswith("quench net: s1: its shell ended at once")
    assert ("Operation not permitted" in lines[0]) == ("Operation" in shell)


@pytest.mark.parametrize("command", ["exit 3", "kill -9 $$"])
def test_a_shell_that_dies_later_is_one_line(tmp_path: Path, command: str) -> None:
    script = tmp_path / "script"
    script.write_text(f"server1 {command}\nserver1 echo alive\n")
    lines = errors_of("--script", str(script))
    assert lines[-1].startswith("quench net: server1: its shell has ended"), lines
    assert not any("Traceback" in line for line in lines)


def test_a_signal_while_a_line_is_written_ends_the_command() -> None:
    class Terminal(StringIO):
        def write(self, text: str) -> int:
            signal.raise_signal(signal.SIGTERM)
            return len(text)

    handler = mininet_api.StreamHandlerNoNewline(Terminal())
    with pytest.raises(Interrupted), signals_as_exceptions():
        handler.handle(logging.makeLogRecord({"msg": "64 bytes from 10.0.0.1"}))


def test_a_line_of_mininet_is_written_as_it_is() -> None:
    terminal = StringIO()
    mininet_api.StreamHandlerNoNewline(terminal).handle(logging.makeLogRecord({"msg": "64 bytes"}))
    assert terminal.getvalue() == "64 bytes"
