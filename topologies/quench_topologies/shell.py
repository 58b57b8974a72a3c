# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The shell behind each Mininet node. Mininet's waits for the first prompt, and for a dead shell, have an end here.

Mininet keeps the shell's side of the pseudo-terminal open in its own process. So the pseudo-terminal does not end when
the shell dies, and a reader waits for ever.
"""

import os
import select
import time
from subprocess import Popen
from typing import Any

from quench_topologies.errors import TopologyError
from quench_topologies.process import give_session_priority

PROMPT = chr(127)
"""Mininet sets it."""
READY_S = 10.0
"""Time for a shell to show its first prompt."""
_READ_BYTES = 4096


class NodeShell:
    """A base in front of Mininet's class. A shell that dies raises TopologyError where its answer is awaited."""

    name: str
    slave: int | None
    stdout: Any
    shell: "Popen[bytes]"
    _shell_said: str | None = ""
    """Output up to the first prompt; None from then on."""

    def _popen(self, cmd: list[str], **params: Any) -> "Popen[bytes]":
        """Mininet starts the shell by this, with the pseudo-terminal as its input, and the commands of `popen`."""
        popen: Popen[bytes] = super()._popen(cmd, **params)  # type: ignore[misc]
        if self.slave is not None and params.get("stdin") == self.slave:
            _close_but_keep_number(self.slave)
        return popen

    def read(self, size: int = 1024) -> str:
        """Output of the shell; the first time, all up to its prompt. Raises TopologyError when it has ended."""
        if self._shell_said is not None:
            return self._read_prompt()
        try:
            text: str = super().read(size)  # type: ignore[misc]
        except OSError as error:
            raise TopologyError(
                f"{self.name}: its shell has ended ({error.strerror}): start the network again"
            ) from error
        return text

    def _read_prompt(self) -> str:
        assert self._shell_said is not None
        deadline = time.monotonic() + READY_S
        while not self._shell_said.endswith(PROMPT):
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise TopologyError(f"{self.name}: its shell was not ready within {READY_S:g} s{self._last_words()}")
            if select.select([self.stdout], [], [], left_s)[0]:
                try:
                    data = os.read(self.stdout.fileno(), _READ_BYTES)
                except OSError as error:
                    raise TopologyError(
                        f"{self.name}: its shell ended at once{self._last_words()}: namespaces need root's rights"
                    ) from error
                self._shell_said += data.decode(errors="replace")
        said, self._shell_said = self._shell_said, None
        give_session_priority(self.shell.pid)
        return said

    def _last_words(self) -> str:
        lines = (self._shell_said or "").split("\n")
        words = [line.strip() for line in lines if line.strip()]
        return f": {words[-1]}" if words else ""


def _close_but_keep_number(fd: int) -> None:
    """Mininet closes the number itself at the end."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.dup2(nothing, fd, inheritable=False)
    finally:
        os.close(nothing)
