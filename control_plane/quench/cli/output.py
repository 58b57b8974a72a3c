# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What commands say: errors a line each, and output that a reader or a disk may refuse."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from quench_common.text import printable

MAX_LINE = 1000
"""Characters of an error: more is a quoted file."""


def complain(command: str, error: object) -> None:
    """Say on stderr what is wrong, each fault on a line of its own."""
    for line in str(error).split("\n"):
        text = printable(f"{command}: {line}")
        typer.echo(text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}...", err=True)


@contextmanager
def whole_output() -> Iterator[None]:
    """Raises OSError also for what stdout refuses at the end; Python itself would print a traceback then."""
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
