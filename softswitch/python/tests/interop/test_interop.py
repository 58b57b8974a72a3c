# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tools that run others' examples: the terminal, and the table of what runs. The examples need a checkout."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from quench_interop.__main__ import SUITES
from quench_interop.terminal import Terminal, TerminalError

ROOT = Path(__file__).parents[4]
WAIT_S = 10.0


def shell(script: str, folder: Path) -> Terminal:
    return Terminal(["sh", "-c", script], folder, os.environ)


def test_a_command_on_a_terminal_is_answered(tmp_path: Path) -> None:
    script = "test -t 0 && printf 'name? '; read name; echo \"hello $name\"; pwd; printf 'name? '; read name"
    with shell(script, tmp_path) as terminal:
        terminal.until("name[?] ", WAIT_S)
        terminal.press("é\n")
        seen = terminal.until("name[?] ", WAIT_S)
        assert seen.splitlines()[-2:] == ["hello é", str(tmp_path)]
        terminal.send("\n")
        terminal.rest(WAIT_S)


def test_what_is_waited_for_in_vain_is_named(tmp_path: Path) -> None:
    with shell("echo first; echo last; sleep 60", tmp_path) as terminal:
        terminal.until("first", WAIT_S)
        with pytest.raises(TerminalError, match=r"waited 0.5 s for 'never'; the last lines: .*last"):
            terminal.until("never", 0.5)
        with pytest.raises(TerminalError, match=r"still running after 0.1 s"):
            terminal.rest(0.1)


def test_a_command_that_ended_is_named(tmp_path: Path) -> None:
    with (
        shell("echo sorry", tmp_path) as terminal,
        pytest.raises(TerminalError, match=r"ended before 'never'; .*sorry"),
    ):
        terminal.until("never", WAIT_S)
    with (
        Terminal(["/nowhere/at-all"], tmp_path, os.environ) as terminal,
        pytest.raises(TerminalError, match=r"/nowhere/at-all: .*No such file"),
    ):
        terminal.until("never", WAIT_S)


def test_output_without_an_end_is_given_up(tmp_path: Path) -> None:
    with shell("yes", tmp_path) as terminal, pytest.raises(TerminalError, match="waited"):
        terminal.until("never", 60)


def test_the_command_ends_with_the_context(tmp_path: Path) -> None:
    with shell("echo $$; trap '' TERM HUP; while :; do sleep 1; done", tmp_path) as terminal:
        pid = int(terminal.until("\n", WAIT_S))
        assert Path(f"/proc/{pid}").exists()
    deadline_s = time.monotonic() + WAIT_S
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_namespaces_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from quench_interop.sandbox import Sandbox
loop = "while :; do touch {tmp_path}/lives; sleep 0.3; done"
Sandbox(Path("."), os.environ["PATH"]).run(["sh", "-c", loop], Path("."), 60)
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as run:
        began_s = time.monotonic()
        while not (tmp_path / "lives").exists():
            assert run.poll() is None
            assert time.monotonic() < began_s + WAIT_S
            time.sleep(0.05)
        run.kill()
    time.sleep(0.5)
    (tmp_path / "lives").unlink()
    time.sleep(1)
    assert not (tmp_path / "lives").exists()


def test_the_document_has_a_row_for_each_example() -> None:
    text = (ROOT / "softswitch" / "docs" / "tutorials.md").read_text()
    rows = set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))
    assert rows == {example.name for examples in SUITES.values() for example in examples}
