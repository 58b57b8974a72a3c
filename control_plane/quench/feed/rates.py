# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From counts to rates over the last second."""

from collections import deque
from collections.abc import Mapping

from quench.feed.model import RATE_WINDOW_S

LEAST_S = 0.05
"""Two readings that are closer give no rate."""
STALE_S = 2.0
"""Age at which the last reading says nothing of now."""


class Rates:
    """Counts of one thing, read again and again, by name."""

    def __init__(self, window_s: float = RATE_WINDOW_S) -> None:
        self._window_s = window_s
        self._readings: deque[tuple[float, Mapping[str, int]]] = deque()

    def add(self, time_s: float, counts: Mapping[str, int]) -> None:
        """Counts so far at a moment of a monotonic clock. Counts that went back begin anew, as after a pause."""
        if self._readings:
            newest_s, newest = self._readings[-1]
            went_back = any(count < newest.get(name, 0) for name, count in counts.items())
            if went_back or time_s - newest_s > STALE_S:
                self._readings.clear()
        self._readings.append((time_s, counts))
        # The reading before the window stays, so that the window is always covered.
        while len(self._readings) > 2 and self._readings[1][0] <= time_s - self._window_s:
            self._readings.popleft()

    def per_s(self, now_s: float) -> dict[str, float]:
        """The rate of each count that both ends of the window have; none where there are too few readings."""
        if len(self._readings) < 2:
            return {}
        (first_s, first), (last_s, last) = self._readings[0], self._readings[-1]
        length_s = last_s - first_s
        if length_s < LEAST_S or now_s - last_s > STALE_S:
            return {}
        return {name: (count - first[name]) / length_s for name, count in last.items() if name in first}
