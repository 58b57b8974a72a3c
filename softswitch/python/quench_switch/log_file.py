# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A log file that outlives a full disk: what cannot be written is counted, and nothing waits or ends for it."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path
from typing import Final

from quench_switch.outside.text import printable

_MODE: Final = 0o644


class LogFile(logging.Handler):
    """Appends a line for each record. Raises OSError for a file that cannot be opened.

    Without a buffer, so that a record is either in the file or counted. The first failure is one line on stderr; how
    many records an outage took is a line in the log, where it is over.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        # Without waiting: a pipe may have no reader, or a slow one.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
        self._fd = os.open(path, flags, _MODE)
        self._said = False
        self._torn = False
        """Whether the file ends within a line."""
        self._lost = 0
        self._reason = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, or count it as lost."""
        try:
            if self._lost:
                self._write(self.format(self._outage()))
                self._lost = 0
            self._write(self.format(record))
        except OSError as error:
            self._lose(error)
        except Exception:  # noqa: BLE001
            # A message that does not fit its arguments: logging says which.
            self.handleError(record)

    def close(self) -> None:
        """Close the file, as every handler does."""
        self.acquire()
        try:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1
        finally:
            self.release()
        super().close()

    def _write(self, line: str) -> None:
        text = f"{line}\n".encode("utf-8", "backslashreplace")
        left = memoryview(b"\n" + text if self._torn else text)
        while left:
            written = os.write(self._fd, left)
            left = left[written:]
            self._torn = bool(left)

    def _outage(self) -> logging.LogRecord:
        words = "%d records could not be written here: %s"
        return logging.LogRecord(__name__, logging.WARNING, __file__, 0, words, (self._lost, self._reason), None)

    def _lose(self, error: OSError) -> None:
        self._lost += 1
        self._reason = error.strerror or str(error)
        if not self._said:
            self._said = True
            line = f"quench switch: {self._path}: {self._reason}: log records are counted instead until there is room"
            # Nobody may be left to read this either.
            with contextlib.suppress(OSError, ValueError, AttributeError):
                sys.stderr.write(f"{printable(line)}\n")
                sys.stderr.flush()
