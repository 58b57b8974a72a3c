# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One feed for many readers: the work that makes samples goes on only while somebody reads."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

from quench.feed.history import History, Place
from quench.feed.model import UPDATE, Event, Layout, Sample, Update

LOGGER = logging.getLogger(__name__)

LINGER_S = 3.0
"""Seconds after the last reader's last request in which samples are still made: a page is loaded anew."""
_CHECK_S = 0.5
_RETRY_S = 1.0
INTERNAL = "internal error: the log says more"


class Hub:
    """The history of a feed, its readers, and the task that fills it."""

    def __init__(self, produce: Callable[[], Awaitable[None]]) -> None:
        """``produce`` runs until it is cancelled, and adds samples to this hub."""
        self._produce = produce
        self._history = History(secrets.token_hex(8))
        self._readers = 0
        self._read_s = -LINGER_S
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._layout: Layout | None = None
        self._lost: str | None = None
        self._closed = False

    @property
    def watched(self) -> bool:
        """Whether somebody reads, or did a moment ago."""
        return self._readers > 0 or time.monotonic() - self._read_s < LINGER_S

    def add_sample(self, sample: Sample) -> None:
        """Show a sample to all readers."""
        self._history.add_sample(sample)
        self._wake()

    def add_event(self, event: Event) -> None:
        """Show an event to all readers."""
        self._history.add_event(event)
        self._wake()

    def set_layout(self, layout: Layout) -> None:
        """Show a layout, if it is another one."""
        if layout != self._layout:
            self._layout = layout
            self._history.set_layout(layout)
            self._wake()

    def set_lost(self, reason: str | None) -> None:
        """Say that the source is gone (a sentence), or there again (None)."""
        if reason != self._lost:
            self._lost = reason
            self._history.set_lost(reason)
            self._wake()

    def restart(self) -> None:
        """Forget everything: later samples are of another beginning."""
        self._history = History(secrets.token_hex(8))
        if self._layout is not None:
            self._history.set_layout(self._layout)
        if self._lost is not None:
            self._history.set_lost(self._lost)
        self._wake()

    async def updates(self) -> AsyncGenerator[Update, None]:
        """See ``quench.feed.source.Source``."""
        place = Place()
        self._readers += 1
        try:
            while not self._closed:
                news = await self.after(place, None)
                if news is not None:
                    json, place = news
                    yield UPDATE.validate_json(json)
        finally:
            self._readers -= 1
            self._read_s = time.monotonic()

    async def after(self, place: Place, wait_s: float | None) -> tuple[bytes, Place] | None:
        """See ``History.after``; waits for news so long, or until there are some or the hub is closed (None)."""
        self._read_s = time.monotonic()
        self._keep_producing()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while not self._closed and (news := self._history.after(place)) is None:
                    await self._news.wait()
                return None if self._closed else news
        return None

    async def close(self) -> None:
        """End the production and all iterations."""
        self._closed = True
        self._wake()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _keep_producing(self) -> None:
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._produce_while_watched())

    async def _produce_while_watched(self) -> None:
        try:
            # Somebody may begin to read while a production ends.
            while self.watched and not self._closed:
                production = asyncio.create_task(self._producing())
                try:
                    while self.watched:
                        await asyncio.wait([production], timeout=_CHECK_S)
                finally:
                    production.cancel()
                    await asyncio.wait([production])
        finally:
            self._task = None

    async def _producing(self) -> None:
        while True:
            try:
                await self._produce()
            except Exception:
                LOGGER.exception("samples cannot be made")
                self.set_lost(INTERNAL)
            await asyncio.sleep(_RETRY_S)
