# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A congestion profile's curve: straight pieces over the average queue (in packets of mean size)."""

from dataclasses import dataclass

from quench.profiles.scheme import AqmSettings, CommonSettings
from quench.profiles.segment import Segment

__all__ = ["Curve", "Segment", "codepoints_of", "curve_of", "selects"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Segments in ascending order without overlap. Outside of all of them nothing is selected."""

    segments: tuple[Segment, ...]

    def at(self, average_pkts: float) -> Segment | None:
        """The segment on which an average lies."""
        for segment in self.segments:
            if segment.start_pkts <= average_pkts < segment.end_pkts:
                return segment
        return None


def curve_of(settings: CommonSettings) -> Curve:
    """The curve that a scheme's settings describe. Raises ValueError where a threshold waits for ``at_rate``."""
    return Curve(tuple(s for s in settings.segments() if s.end_pkts > s.start_pkts))


def codepoints_of(settings: CommonSettings) -> tuple[int, int]:
    """The two-bit ECN fields that mark levels 1 and 2 write."""
    return settings.codepoints()


def selects(settings: CommonSettings) -> AqmSettings | None:
    """The settings of how packets are selected, or None for a scheme that selects none."""
    return settings if isinstance(settings, AqmSettings) else None
