# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One feed for many readers: the work that makes samples goes on only while somebody reads, unless it records."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress

from quench.feed.history import History, Place
from quench.feed.model import HISTORY_S, UPDATE, Event, Layout, Sample, Update

LOGGER = logging.getLogger(__name__)

LINGER_S = 3.0
"""Seconds after the last reader's last request in which it still counts as one: a page is loaded anew."""
CHANGES = ("profile", "rate", "isq")
"""The events that are changes, which have numbers."""
_CHECK_S = 0.5
_RETRY_S = 1.0
INTERNAL = "internal error: the log says more"


class Hub:
    """The history of a feed, its readers, and the task that fills it."""

    def __init__(
        self, produce: Callable[[], Awaitable[None]], *, records: bool = False, history_s: float = HISTORY_S
    ) -> None:
        """``produce`` runs until it is cancelled, and adds samples to this hub.

        ``records``: once begun, by ``record`` or by the first reader, it goes on while nobody reads.
        """
        self._produce = produce
        self._records = records
        self._history_s = history_s
        self._history = self._new_history()
        self._changes = 0
        self._readers = 0
        self._read_s = -LINGER_S
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._arrived = asyncio.Event()
        self._layout: Layout | None = None
        self._lost: str | None = None
        self._closed = False

    @property
    def watched(self) -> bool:
        """Whether somebody reads, or did a moment ago."""
        return self._readers > 0 or time.monotonic() - self._read_s < LINGER_S

    def record(self) -> None:
        """Begin to make samples before anybody reads; for a hub that records."""
        self._keep_producing()

    async def pause(self, end_s: float) -> None:
        """Wait until then by ``time.monotonic``, or until somebody begins to read while nobody did."""
        with suppress(TimeoutError):
            async with asyncio.timeout(end_s - time.monotonic()):
                await self._arrived.wait()

    @property
    def _wanted(self) -> bool:
        return self._records or self.watched

    def add_sample(self, sample: Sample) -> None:
        """Show a sample to all readers."""
        if self._lost == INTERNAL:
            # The source has begun anew behind its error.
            self.set_lost(None)
        self._history.add_sample(sample)
        self._wake()

    def add_event(self, event: Event) -> None:
        """Show an event to all readers. A change without a number gets the next one."""
        if event["kind"] in CHANGES:
            self._changes = event.get("change") or self._changes + 1
            event = {**event, "change": self._changes}
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
        self._history = self._new_history()
        self._changes = 0
        if self._layout is not None:
            self._history.set_layout(self._layout)
        if self._lost is not None:
            self._history.set_lost(self._lost)
        self._wake()

    async def updates(self) -> AsyncGenerator[Update, None]:
        """See ``quench.feed.source.Source``."""
        place = Place()
        self._arrive()
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
        self._arrive()
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

    def _new_history(self) -> History:
        return History(secrets.token_hex(8), most_s=self._history_s)

    def _arrive(self) -> None:
        if not self.watched:
            self._arrived.set()
            self._arrived = asyncio.Event()

    def _keep_producing(self) -> None:
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._produce_while_wanted())

    async def _produce_while_wanted(self) -> None:
        try:
            # Somebody may begin to read while a production ends.
            while self._wanted and not self._closed:
                production = asyncio.create_task(self._producing())
                try:
                    while self._wanted:
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
