# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Loss, reordering and duplicates of a flow by its sequence numbers, in bounded memory."""

from bisect import bisect_right
from enum import Enum

MAX_GAPS = 4096
"""Most gaps that are remembered. A packet that arrives late for an older gap counts as a duplicate, and as lost."""


class Arrival(Enum):
    """The kind of an arrival."""

    IN_ORDER = "in order"
    REORDERED = "reordered"
    DUPLICATE = "duplicate"
    EARLIER = "earlier"
    """Before the first one that was counted."""


class Sequence:
    """Loss, reordering (RFC 4737: later than one with a larger number) and duplicates of a flow."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._next = first
        # Gaps as first number and end, in ascending order.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.lost_pkts = 0

    def arrived(self, number: int) -> Arrival:
        """Count the arrival of a sequence number, and return its kind."""
        if number < self._first:
            return Arrival.EARLIER
        if number >= self._next:
            if number > self._next:
                self._add_gap(self._next, number)
            self._next = number + 1
            return Arrival.IN_ORDER
        index = bisect_right(self._starts, number) - 1
        if index < 0 or number >= self._ends[index]:
            return Arrival.DUPLICATE
        start, end = self._starts[index], self._ends[index]
        rest = [(a, b) for a, b in ((start, number), (number + 1, end)) if a < b]
        self._starts[index : index + 1] = [a for a, _ in rest]
        self._ends[index : index + 1] = [b for _, b in rest]
        self.lost_pkts -= 1
        return Arrival.REORDERED

    def _add_gap(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)
        self.lost_pkts += end - start
        if len(self._starts) > MAX_GAPS:
            del self._starts[0], self._ends[0]
