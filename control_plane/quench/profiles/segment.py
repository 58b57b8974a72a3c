# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A straight piece of a congestion profile's curve."""

from dataclasses import dataclass
from math import inf

MAX_ISQ_LEVEL = 127


@dataclass(frozen=True, slots=True)
class Segment:
    """One straight piece, from ``start_pkts`` up to but without ``end_pkts``.

    Probabilities run straight from the value at the start to the value at the end.
    """

    start_pkts: float
    end_pkts: float
    p1_start: float
    p1_end: float
    p2_start: float = 0.0
    p2_end: float = 0.0
    isq: bool = False
    drop: bool = False
    isq_level_start: float = 0.0
    isq_level_end: float = 0.0
    advice: int = 0
    """The advice that a source quench carries, as its bits on the wire."""

    def p1(self, average_pkts: float) -> float:
        """Probability of the first level at an average that lies on this segment."""
        return self._at(average_pkts, self.p1_start, self.p1_end)

    def p2(self, average_pkts: float) -> float:
        """Probability of the second level at an average that lies on this segment."""
        return self._at(average_pkts, self.p2_start, self.p2_end)

    def isq_level(self, average_pkts: float) -> int:
        """Level of a source quench at an average that lies on this segment."""
        return min(MAX_ISQ_LEVEL, int(self._at(average_pkts, self.isq_level_start, self.isq_level_end)))

    def _at(self, average_pkts: float, first: float, last: float) -> float:
        if self.end_pkts == inf or first == last:
            return first
        return first + (last - first) * (average_pkts - self.start_pkts) / (self.end_pkts - self.start_pkts)
