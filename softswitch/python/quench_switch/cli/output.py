# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of a line each, and a stdout that a reader or a disk may refuse."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from quench_switch.outside.text import printable

MAX_LINE = 1000
"""Characters of an error line; a longer one quotes a whole file and is cut."""


def complain(command: str, error: object) -> None:
    """Write an error to stderr, each of its faults on a line of its own."""
    if isinstance(error, OSError):
        place = "" if error.filename is None else f"{error.filename}: "
        error = f"{place}{error.strerror or error}"
    for line in str(error).split("\n"):
        text = printable(f"{command}: {line}")
        typer.echo(text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}...", err=True)


@contextmanager
def whole_output() -> Iterator[None]:
    """Flush stdout at the end. Raises OSError if it takes no more; Python itself would print a traceback."""
    try:
        yield
    finally:
        if sys.stdout is not None:
            try:
                sys.stdout.flush()
            except OSError:
                # The rest of the buffer has nowhere to go.
                nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
                os.dup2(nowhere, sys.stdout.fileno())
                os.close(nowhere)
                raise
