# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""An orderly end by a signal, for commands with something to take back."""

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that end a command in order: from the terminal, from a supervisor, and when the terminal is gone."""


class Interrupted(BaseException):
    """One of ENDING came. Like KeyboardInterrupt, no handler of errors may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """The first signal raises Interrupted in the main thread; later ones cannot disturb the end."""

    def handle(number: int, _: FrameType | None) -> None:
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    before = {number: signal.signal(number, handle) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """The first of ENDING that comes meanwhile is handled at the end of the block.

    For calls of code that takes locks in Python: an exception between taking one and its ``try`` leaves it taken.
    """
    if threading.current_thread() is not threading.main_thread():
        # Handlers run in the main thread only.
        yield
        return
    came: list[int] = []

    def keep(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, keep) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


async def until_signalled(work: Coroutine[Any, Any, None]) -> None:
    """Run until the work ends, or until one of ENDING cancels it."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            raise
