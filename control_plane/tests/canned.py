# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A controller's socket with answers that a test has chosen, and a terminal of a width that it has chosen."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from quench.cli.app import app
from quench.service.control_server import ControlServer
from quench.service.requests import Request
from typer.testing import CliRunner


class RefusedError(Exception):
    """An error that a handler answers with."""


@contextmanager
def answering(folder: Path, handlers: Mapping[type[Request], Callable[[Any], Awaitable[Any]]]) -> Iterator[Path]:
    """A controller's socket, served by a thread."""
    path = folder / "ctl.sock"
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = ControlServer(path, handlers, (RefusedError,))
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(20)
        yield path
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int, *arguments: str) -> list[str]:
    """The lines that a command prints on a terminal of this width, without their colours."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).splitlines()


def cells(lines: list[str]) -> list[list[str]]:
    """The cells of the tables among the lines, headings too."""
    return [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines if line[:1] in {"│", "┃"}]
