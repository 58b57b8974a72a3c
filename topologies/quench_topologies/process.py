# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Long-running children: switches and the controller."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from quench_topologies.errors import TopologyError

STOP_S = 5.0
"""The time in which a child must end after SIGTERM."""


class Child:
    """A process in a session of its own, so that Ctrl-C reaches only its parent, which ends it in order.

    It is also killed when the parent dies without a chance to do so. Its output is added to a log file.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        pass_fds: Sequence[int] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """``environment``: variables besides this process's own."""
        self.name = name
        self._log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=pass_fds,
                env=None if environment is None else {**os.environ, **environment},
                start_new_session=True,
            )
        give_session_priority(self._process.pid)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def check(self) -> None:
        """Raise TopologyError if the process has ended by itself."""
        status = self._process.poll()
        if status is not None:
            raise TopologyError(f"{self.name} ended with status {status}: {self.last_words()}")

    def last_words(self) -> str:
        """The last line of its output, for error messages."""
        lines = [line for line in self._log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1] if lines else "it wrote nothing"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, to make a fault; `check` raises if the process has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End the process in order, if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def give_session_priority(pid: int) -> None:
    """Give the session that a process leads the nice value of the process, where the kernel and the rights allow it."""
    # Linux divides the processors among sessions first (autogroups, sched(7)): the nice value of a process counts only
    # against others of its session, and a new session has 0.
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(os.getpriority(os.PRIO_PROCESS, pid)), encoding="ascii")


def wait_for_line(fd: int, child: Child, timeout_s: float) -> str:
    """The line that a child writes to a pipe when it is ready; closes the pipe. Raises TopologyError."""
    deadline = time.monotonic() + timeout_s
    with os.fdopen(fd) as stream:
        while time.monotonic() < deadline:
            if select.select([stream], [], [], 0.1)[0]:
                line = stream.readline().strip()
                if line:
                    return line
            child.check()
    raise TopologyError(f"{child.name} was not ready within {timeout_s:g} s: {child.last_words()}")
