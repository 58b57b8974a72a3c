# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""An orderly end by a signal, for commands with something to take back."""

import asyncio
import signal
import sys
import threading
import weakref
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that end a command in order: from the terminal, from a supervisor, and when the terminal is gone."""
AGAIN_S = 0.01
"""The time after which a swallowed signal comes again."""


class Interrupted(BaseException):
    """One of ENDING came. Like KeyboardInterrupt, no handler of errors may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


class _Raising:
    """Raises the first signal as an exception, again and again until somebody holds that."""

    def __init__(self) -> None:
        self.came: int | None = None
        self._raised: weakref.ref[Interrupted] | None = None
        self._again: threading.Timer | None = None
        self._over = False

    def listen(self) -> None:
        for number in ENDING:
            signal.signal(number, self._handle)

    def end(self) -> None:
        """Raise no more."""
        self._over = True
        if self._again is not None:
            self._again.cancel()
            self._again.join()

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self._over:
            return
        for each in ENDING:
            signal.signal(each, signal.SIG_IGN)
        self.came = self.came or number
        interruption = Interrupted(self.came)
        self._raised = weakref.ref(interruption, self._swallowed)
        try:
            raise interruption
        finally:
            del interruption  # the traceback has this frame: nothing else may hold it

    def _swallowed(self, _: object) -> None:
        if self.came is None or self._over:
            return
        self.listen()
        if self._again is not None:
            self._again.cancel()
        # Raised here, it would be swallowed as well. A signal to the timer's own thread would end no call that the main
        # thread waits in.
        self._again = threading.Timer(AGAIN_S, signal.pthread_kill, [threading.main_thread().ident, self.came])
        self._again.start()


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """The first signal raises Interrupted in the main thread; later ones cannot disturb the end.

    A destructor, a callback of a weak reference or a native module may swallow what is raised in it. Then the
    exception is gone, and the signal comes again. So nothing within the block may handle it for good.
    """

    def report(unraisable: "sys.UnraisableHookArgs") -> None:
        if not isinstance(unraisable.exc_value, Interrupted):
            hook(unraisable)

    raising = _Raising()
    before = {number: signal.getsignal(number) for number in ENDING}
    hook, sys.unraisablehook = sys.unraisablehook, report
    try:
        raising.listen()
        yield
        raising.end()
        if raising.came is not None:
            raise Interrupted(raising.came)
    finally:
        raising.end()
        sys.unraisablehook = hook
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
