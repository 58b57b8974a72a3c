# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Long work, off the event loop: one thread writes, so that requests stay in order; others read between its steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .errors import Code, RequestError

T = TypeVar("T")

READERS = 1


class Work:
    """The threads."""

    def __init__(self) -> None:
        self._writer = ThreadPoolExecutor(1, "p4runtime-write")
        self._readers = ThreadPoolExecutor(READERS, "p4runtime-read")

    async def write(self, job: Callable[[], T]) -> T:
        """Do a job after all earlier ones. Once it has begun it goes on to its end, even if the caller is cancelled."""
        return await self._run(self._writer, job)

    async def read(self, job: Callable[[], T]) -> T:
        """Do a job beside others."""
        return await self._run(self._readers, job)

    @staticmethod
    async def _run(threads: ThreadPoolExecutor, job: Callable[[], T]) -> T:
        # The queue of the threads keeps what it has until its turn: not the request of a caller that is gone.
        waiting = [job]
        try:
            attempt = asyncio.get_running_loop().run_in_executor(threads, _attempt, waiting)
        except RuntimeError:
            # The threads have ended.
            raise RequestError(Code.UNAVAILABLE, "the switch is stopping") from None
        try:
            outcome = await attempt
        except asyncio.CancelledError:
            waiting.clear()
            raise
        if isinstance(outcome, RequestError):
            raise outcome
        return outcome

    def close(self) -> None:
        """End the threads after what they do now."""
        self._writer.shutdown(wait=True, cancel_futures=True)
        self._readers.shutdown(wait=True, cancel_futures=True)


def _attempt(waiting: list[Callable[[], T]]) -> T | RequestError:
    """The result or the exception of a job; a refusal comes without the frames that hold the request."""
    try:
        job = waiting.pop()
    except IndexError:
        return RequestError(Code.CANCELLED, "the call was given up")
    try:
        return job()
    except RequestError as error:
        return error.bare()
