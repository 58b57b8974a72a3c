# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of a recording, such as a simulation's result: pause, speed, and any moment of it."""

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from quench.feed.hub import Hub
from quench.feed.model import HISTORY_S, WHOLE_S, Change, Changed, Event, Layout, Playing, Sample, Update
from quench.feed.source import ChangeError
from quench.live import LEAST_SPEED, MOST_SPEED

TICK_S = 0.1


class Recording(Protocol):
    """Samples in order, made when they are needed."""

    @property
    def times_s(self) -> Sequence[float]:
        """The time of each sample, from the recording's beginning, rising."""

    def sample(self, index: int) -> Sample:
        """One of them."""

    def layout(self, time_s: float) -> Layout:
        """The layout at a moment; the player says how it is played."""

    @property
    def events(self) -> Sequence[Event]:
        """All events, in order."""


class PlaybackSource:
    """A recording that plays while somebody watches. It begins at its beginning, and stands still at its end."""

    def __init__(self, recording: Recording, speed: float = 1.0) -> None:
        self._recording = recording
        self._times_s = recording.times_s
        self._event_times_s = [event["time_s"] for event in recording.events]
        self._end_s = max([0.0, *self._times_s[-1:], *self._event_times_s[-1:]])
        self._hub = Hub(self._produce)
        self._paused = False
        self._speed = speed
        self._time_s = 0.0
        self._shown = 0
        self._shown_events = 0
        self._show()

    @property
    def paused(self) -> bool:
        """See ``Player``."""
        return self._paused

    @property
    def speed(self) -> float:
        """Seconds of the recording in a second."""
        return self._speed

    @property
    def time_s(self) -> float:
        """The moment that is shown."""
        return self._time_s

    def play(self, *, paused: bool | None = None, speed: float | None = None, time_s: float | None = None) -> None:
        """See ``Player``. Going on at the end begins anew. Raises ChangeError."""
        if speed is not None and not LEAST_SPEED <= speed <= MOST_SPEED:
            raise ChangeError(f"a speed of {speed:g}: choose from {LEAST_SPEED:g} to {MOST_SPEED:g}")
        if time_s is not None and not 0 <= time_s <= self._end_s:
            raise ChangeError(f"{time_s:g} s is outside of the recording, which has {self._end_s:g} s")
        if speed is not None:
            self._speed = speed
        if paused is False and self._time_s >= self._end_s and time_s is None:
            time_s = 0.0
        if paused is not None:
            self._paused = paused
        if time_s is not None:
            self._go_to(time_s)
        else:
            self._show_layout()

    def updates(self) -> AsyncIterator[Update]:
        """See ``Source``."""
        return self._hub.updates()

    async def change(self, change: Change) -> Changed:  # noqa: ARG002 - the protocol names it
        """See ``Source``. Raises ChangeError."""
        raise ChangeError("a recording cannot be changed")

    async def close(self) -> None:
        """See ``Source``."""
        await self._hub.close()

    async def _produce(self) -> None:
        before_s = time.monotonic()
        while True:
            await asyncio.sleep(TICK_S)
            now_s = time.monotonic()
            if not self._paused:
                self._time_s = min(self._end_s, self._time_s + (now_s - before_s) * self._speed)
                self._show()
                if self._time_s >= self._end_s:
                    self.play(paused=True)
            before_s = now_s

    def _go_to(self, time_s: float) -> None:
        self._hub.restart()
        self._time_s = time_s
        first_s = time_s - HISTORY_S
        self._shown = bisect_right(self._times_s, first_s)
        self._shown_events = bisect_right(self._event_times_s, first_s)
        self._show()

    def _show(self) -> None:
        """Add what lies before the present to the feed."""
        self._show_layout()
        until = bisect_right(self._event_times_s, self._time_s)
        for event in self._recording.events[self._shown_events : until]:
            self._hub.add_event(event)
        self._shown_events = until
        until = bisect_right(self._times_s, self._time_s)
        for index in range(self._shown, until):
            if not self._is_thinned(index):
                self._hub.add_sample(self._recording.sample(index))
        self._shown = until

    def _is_thinned(self, index: int) -> bool:
        """Whether the history would leave a sample out at once: to make it takes time."""
        time_s = self._times_s[index]
        same = index > self._shown and int(self._times_s[index - 1]) == int(time_s)
        return same and time_s < self._time_s - WHOLE_S

    def _show_layout(self) -> None:
        playing: Playing = {"duration_s": self._end_s, "paused": self._paused, "speed": self._speed}
        self._hub.set_layout({**self._recording.layout(self._time_s), "playing": playing})
