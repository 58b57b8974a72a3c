# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The last minutes of a feed, bounded in time and in bytes. Samples are kept as JSON, encoded once for all readers.

Of each second that is more than a minute ago one sample is kept, so that a quarter of an hour has room.
"""

from collections import deque
from dataclasses import dataclass
from itertools import count

from pydantic_core import to_json

from quench.feed.model import HISTORY_BYTES, HISTORY_S, MOST_EVENTS, WHOLE_S, Event, Layout, Sample

UPDATE_BYTES = 1 << 20
"""Bytes of samples after which an update ends; a reader of the history gets several."""


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a reader in the feed."""

    epoch: str = ""
    """The feed's beginning; another one's readers start anew."""
    number: int = 0
    """The number of the last thing that the reader has."""


@dataclass(frozen=True, slots=True)
class _Entry:
    number: int
    time_s: float
    json: bytes


class History:
    """Samples, events, layout and state, numbered in the order in which they came."""

    def __init__(
        self, epoch: str, *, most_s: float = HISTORY_S, most_bytes: int = HISTORY_BYTES, most_events: int = MOST_EVENTS
    ) -> None:
        """``epoch`` names this beginning of the feed: no other one has the same."""
        self.epoch = epoch
        self._most_s = most_s
        self._most_bytes = most_bytes
        self._numbers = count(1)
        self._number = 0
        self._thinned: deque[_Entry] = deque()
        self._samples: deque[_Entry] = deque()
        self._samples_bytes = 0
        self._events: deque[_Entry] = deque(maxlen=most_events)
        self._layout = _Entry(0, 0.0, b"null")
        self._lost = _Entry(0, 0.0, b"null")

    def add_sample(self, sample: Sample) -> None:
        """Keep a sample, and forget those that are too old or too many."""
        entry = self._entry(sample["time_s"], sample)
        self._samples.append(entry)
        self._samples_bytes += len(entry.json)
        while self._samples[0].time_s < entry.time_s - WHOLE_S:
            self._thin(self._samples.popleft())
        oldest_s = entry.time_s - self._most_s
        while self._thinned and (self._thinned[0].time_s < oldest_s or self._samples_bytes > self._most_bytes):
            self._samples_bytes -= len(self._thinned.popleft().json)
        # The newest stays, however large: a reader sees at least the present.
        while len(self._samples) > 1 and (self._samples[0].time_s < oldest_s or self._samples_bytes > self._most_bytes):
            self._samples_bytes -= len(self._samples.popleft().json)

    def _thin(self, entry: _Entry) -> None:
        if self._thinned and int(self._thinned[-1].time_s) == int(entry.time_s):
            self._samples_bytes -= len(entry.json)
        else:
            self._thinned.append(entry)

    def add_event(self, event: Event) -> None:
        """Keep an event."""
        self._events.append(self._entry(event["time_s"], event))

    def set_layout(self, layout: Layout) -> None:
        """Replace the layout."""
        self._layout = self._entry(0.0, layout)

    def set_lost(self, reason: str | None) -> None:
        """The source is gone, or there again."""
        self._lost = self._entry(0.0, reason)

    def after(self, place: Place) -> tuple[bytes, Place] | None:
        """The JSON of an ``Update`` with the news since a place, and the place behind it; None: there are none."""
        restarted = place.epoch not in ("", self.epoch)
        number = place.number if place.epoch == self.epoch else 0
        if number >= self._number and not restarted:
            return None
        samples, last = self._samples_after(number)
        events = [entry.json for entry in _behind(self._events, number) if entry.number <= last]
        layout = self._layout.json if self._layout.number > number else b"null"
        json = b'{"layout":%b,"samples":[%b],"events":[%b],"restarted":%b,"lost":%b}' % (
            layout,
            b",".join(samples),
            b",".join(events),
            b"true" if restarted else b"false",
            self._lost.json,
        )
        return json, Place(self.epoch, last)

    def _samples_after(self, number: int) -> tuple[list[bytes], int]:
        """The samples of one update, and the number up to which it reaches."""
        samples: list[bytes] = []
        size_bytes = 0
        for entry in _behind(self._thinned, number) + _behind(self._samples, number):
            if samples and size_bytes + len(entry.json) > UPDATE_BYTES:
                return samples, number
            samples.append(entry.json)
            size_bytes += len(entry.json)
            number = entry.number
        return samples, self._number

    def _entry(self, time_s: float, value: object) -> _Entry:
        self._number = next(self._numbers)
        return _Entry(self._number, time_s, to_json(value, inf_nan_mode="null"))


def _behind(entries: deque[_Entry], number: int) -> list[_Entry]:
    """Those with higher numbers, oldest first; readers are mostly near the end."""
    behind = []
    for entry in reversed(entries):
        if entry.number <= number:
            break
        behind.append(entry)
    return behind[::-1]
