# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The network that an exercise's ``make run`` starts, and commands at Mininet's prompt."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quench_interop.sandbox import InteropError, Sandbox
from quench_interop.terminal import Terminal

START_S = 90.0
COMMAND_S = 90.0
PROMPT = "mininet> "
POLL_S = 0.2


class ExerciseNetwork:
    """Mininet's command line, and the files that commands on hosts write."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self._terminal = terminal
        self.folder = folder

    def type(self, line: str, timeout_s: float = COMMAND_S) -> str:
        """Run one line of Mininet's command line; what it showed."""
        self._terminal.send(line + "\n")
        return self._terminal.until(PROMPT, timeout_s)

    def talk(self, line: str, prompt: str) -> None:
        """Start a program on a host that asks by a prompt of its own."""
        self._terminal.send(line + "\n")
        self._terminal.until(prompt, COMMAND_S)

    def answer(self, line: str, prompt: str) -> str:
        """Answer such a program; what it showed up to its next prompt."""
        self._terminal.press(line + "\n")
        return self._terminal.until(prompt, COMMAND_S)

    def start(self, host: str, command: str, log: str) -> None:
        """Start a program on a host in the background; ``sh`` is the shell beside Mininet."""
        self.type(f"{host} {command} > {log} 2>&1 &")

    def listen(self, host: str, log: str, command: str = "./receive.py") -> None:
        """Start the exercise's receiver and wait until it listens."""
        self.start(host, f"python3 -u {command}", log)
        self.wait_for(log, "sniffing on")
        time.sleep(1)  # the line is printed before the socket is open

    def serve(self, host: str) -> None:
        """Start iperf's TCP server, and wait until it listens."""
        self.start(host, "iperf -s", f"iperf-{host}.log")
        deadline_s = time.monotonic() + COMMAND_S
        while ":5001" not in self.type(f"{host} ss -ltn"):
            if time.monotonic() > deadline_s:
                raise InteropError(f"iperf's server on {host} does not listen")
            time.sleep(POLL_S)

    def read(self, log: str) -> str:
        """The output of a program until now."""
        path = self.folder / log
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_for(self, log: str, pattern: str, timeout_s: float = COMMAND_S) -> str:
        """Wait until a program has written something; all that it wrote. Raises InteropError."""
        deadline_s = time.monotonic() + timeout_s
        while not re.search(pattern, text := self.read(log)):
            if time.monotonic() > deadline_s:
                last = " | ".join(text.splitlines()[-6:])
                raise InteropError(f"{log} has no {pattern!r} after {timeout_s:g} s; its last lines: {last}")
            time.sleep(POLL_S)
        return text


@contextmanager
def exercise_network(sandbox: Sandbox, name: str) -> Iterator[ExerciseNetwork]:
    """Start an exercise's network by its own Makefile, and end it by ``exit``."""
    folder = sandbox.folder / "exercises" / name
    with sandbox.terminal(["make", "run"], folder) as terminal:
        terminal.until(PROMPT, START_S)
        yield ExerciseNetwork(terminal, folder)
        terminal.send("exit\n")
        terminal.rest(COMMAND_S)
