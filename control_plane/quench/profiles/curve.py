# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A congestion profile's curve: straight pieces over the average queue (in packets of mean size)."""

from dataclasses import dataclass
from functools import singledispatch
from itertools import pairwise
from math import inf

from quench.profiles.settings import AqmSettings, Becn, CommonSettings, Ecn, EcnBecn, Red, TailDrop, UserCurve


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

    def p1(self, average_pkts: float) -> float:
        """Probability of the first level at an average that lies on this segment."""
        return self._at(average_pkts, self.p1_start, self.p1_end)

    def p2(self, average_pkts: float) -> float:
        """Probability of the second level at an average that lies on this segment."""
        return self._at(average_pkts, self.p2_start, self.p2_end)

    def _at(self, average_pkts: float, first: float, last: float) -> float:
        if self.end_pkts == inf or first == last:
            return first
        return first + (last - first) * (average_pkts - self.start_pkts) / (self.end_pkts - self.start_pkts)


@dataclass(frozen=True, slots=True)
class Curve:
    """Segments in ascending order without overlap. Outside of all of them nothing is chosen."""

    segments: tuple[Segment, ...]

    def at(self, average_pkts: float) -> Segment | None:
        """The segment on which an average lies."""
        for segment in self.segments:
            if segment.start_pkts <= average_pkts < segment.end_pkts:
                return segment
        return None


def curve_of(settings: CommonSettings) -> Curve:
    """The curve that a scheme's settings describe."""
    return Curve(tuple(s for s in _segments(settings) if s.end_pkts > s.start_pkts))


@singledispatch
def _segments(settings: CommonSettings) -> list[Segment]:
    raise TypeError(f"no curve is defined for {type(settings).__name__}")


@_segments.register
def _(_: TailDrop) -> list[Segment]:
    return []


@_segments.register
def _(settings: Red) -> list[Segment]:
    return [*_ramp(settings, drop=True), *_above(settings)]


@_segments.register
def _(settings: Ecn) -> list[Segment]:
    return [*_ramp(settings), *_above(settings)]


@_segments.register
def _(settings: Becn) -> list[Segment]:
    return [*_ramp(settings, isq_from_pkts=0.0), *_above(settings, isq=True)]


@_segments.register
def _(settings: EcnBecn) -> list[Segment]:
    becnthresh = settings.becnthresh.in_pkts(settings.mean_packet_bytes)
    is_plain_ecn = becnthresh == settings.maxth.in_pkts(settings.mean_packet_bytes)
    return [*_ramp(settings, isq_from_pkts=becnthresh), *_above(settings, isq=not is_plain_ecn)]


@_segments.register
def _(settings: UserCurve) -> list[Segment]:
    mean = settings.mean_packet_bytes
    pieces = [
        Segment(a.depth.in_pkts(mean), b.depth.in_pkts(mean), a.p1, b.p1, a.p2, b.p2, a.isq, a.drop)
        for a, b in pairwise(settings.points)
    ]
    last = settings.points[-1]
    tail = Segment(last.depth.in_pkts(mean), inf, last.p1, last.p1, last.p2, last.p2, last.isq, last.drop)
    return [*pieces, tail]


def _ramp(settings: Red | Ecn | Becn | EcnBecn, *, drop: bool = False, isq_from_pkts: float = inf) -> list[Segment]:
    """RED's ramp from minth to maxth, cut where source quenches begin."""
    mean = settings.mean_packet_bytes
    minth, maxth = settings.minth.in_pkts(mean), settings.maxth.in_pkts(mean)
    cut = min(max(isq_from_pkts, minth), maxth)
    at_cut = settings.maxp * (cut - minth) / (maxth - minth)
    return [
        Segment(minth, cut, 0.0, at_cut, drop=drop),
        Segment(cut, maxth, at_cut, settings.maxp, isq=True, drop=drop),
    ]


def _above(settings: Red | Ecn | Becn | EcnBecn, *, isq: bool = False) -> list[Segment]:
    """Drops above maxth: always, or with gentle RED's second slope up to 2 * maxth."""
    maxth = settings.maxth.in_pkts(settings.mean_packet_bytes)
    always_from = 2 * maxth if settings.gentle else maxth
    return [
        Segment(maxth, always_from, settings.maxp, 1.0, isq=isq, drop=True),
        Segment(always_from, inf, 1.0, 1.0, isq=isq, drop=True),
    ]


def codepoints_of(settings: CommonSettings) -> tuple[int, int]:
    """The two-bit ECN fields that mark levels 1 and 2 write."""
    if isinstance(settings, UserCurve):
        bits = {"ect1": 0b01, "ce": 0b11}
        return bits[settings.level1_codepoint], bits[settings.level2_codepoint]
    return 0b11, 0b11


def chooses(settings: CommonSettings) -> AqmSettings | None:
    """The settings of how packets are chosen, or None for a scheme that chooses none."""
    return settings if isinstance(settings, AqmSettings) else None
