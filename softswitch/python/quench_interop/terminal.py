# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A command on a terminal of its own, typed at and read as by a person."""

import codecs
import os
import pty
import re
import select
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

READ_BYTES = 65536
KEY_S = 0.05
KEPT_CHARACTERS = 400_000
"""More output than this of one step is the output of a command that never ends."""


class TerminalError(Exception):
    """One line with the text that did not come, and the last lines that the terminal showed."""


class Terminal:
    """A process in a session of its own whose standard streams are a terminal; killed when the context ends."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._seen = ""
        self._text = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            try:
                os.chdir(folder)
                os.execvpe(command[0], list(command), dict(environment))
            except OSError as error:
                os.write(2, f"{command[0]}: {error}\n".encode())
            os._exit(127)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.close(self._fd)
        os.waitpid(self._pid, 0)

    def send(self, text: str) -> None:
        """Type text; the key Return is a newline at its end."""
        os.write(self._fd, text.encode())

    def press(self, keys: str) -> None:
        """Type as fingers do, for readers that take one key each time they look whether there is one."""
        for key in keys:
            self.send(key)
            time.sleep(KEY_S)

    def until(self, pattern: str, timeout_s: float) -> str:
        """Read to the end of the first match of a pattern, and return what came before it. Raises TerminalError."""
        deadline_s = time.monotonic() + timeout_s
        while not (match := re.search(pattern, self._seen)):
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or len(self._seen) > KEPT_CHARACTERS:
                raise TerminalError(f"waited {timeout_s:g} s for {pattern!r}; the last lines: {self._last_lines()}")
            if not self._read(left_s):
                raise TerminalError(f"the command ended before {pattern!r}; its last lines: {self._last_lines()}")
        before, self._seen = self._seen[: match.start()], self._seen[match.end() :]
        return before

    def rest(self, timeout_s: float) -> str:
        """Read until the command ends. Raises TerminalError."""
        deadline_s = time.monotonic() + timeout_s
        while self._read(max(deadline_s - time.monotonic(), 0)):
            if time.monotonic() > deadline_s:
                raise TerminalError(f"still running after {timeout_s:g} s; the last lines: {self._last_lines()}")
        return self._seen

    def _read(self, timeout_s: float) -> bool:
        """Read what there is within the time; False at the end of the command's output."""
        if not select.select([self._fd], [], [], timeout_s)[0]:
            return True
        try:
            data = os.read(self._fd, READ_BYTES)
        except OSError:
            return False  # the kernel's EIO: no process has the terminal any more
        self._seen += self._text.decode(data).replace("\r\n", "\n").replace("\r", "")
        return bool(data)

    def _last_lines(self) -> str:
        return " | ".join(self._seen.splitlines()[-8:])
