# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A congestion profile's curve: straight pieces over the average queue (in packets of mean size)."""

from dataclasses import dataclass
from functools import singledispatch
from itertools import pairwise
from math import inf, sqrt

from quench.profiles.fit import fit
from quench.profiles.formats import CURVE_FORMAT
from quench.profiles.settings import (
    MAX_ISQ_LEVEL,
    AqmSettings,
    Becn,
    CommonSettings,
    Ecn,
    EcnBecn,
    EcnMod,
    Mecn,
    Red,
    TailDrop,
    UserCurve,
)

ECT1 = 0b01
CE = 0b11
ISQ_LEVELS = 128
"""From the queue where source quenches begin to maxth the level goes through this many steps."""
ECN_MOD_TOLERANCE = 0.0099
"""Relative error of the straight pieces; the rest of 1 % is for the points between which ``fit`` does not look."""


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

    def p1(self, average_pkts: float) -> float:
        """Probability of the first level at an average that lies on this segment."""
        return self._at(average_pkts, self.p1_start, self.p1_end)

    def p2(self, average_pkts: float) -> float:
        """Probability of the second level at an average that lies on this segment."""
        return self._at(average_pkts, self.p2_start, self.p2_end)

    def isq_level(self, average_pkts: float) -> int:
        """What a source quench about a packet carries at an average that lies on this segment."""
        return min(MAX_ISQ_LEVEL, int(self._at(average_pkts, self.isq_level_start, self.isq_level_end)))

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
def _(settings: Mecn) -> list[Segment]:
    mean = settings.mean_packet_bytes
    minth, midth, maxth = (depth.in_pkts(mean) for depth in (settings.minth, settings.midth, settings.maxth))
    at_midth = settings.maxp * (midth - minth) / (maxth - minth)
    return [
        Segment(minth, midth, 0.0, at_midth),
        Segment(midth, maxth, at_midth, settings.maxp, 0.0, settings.maxp),
        # A chosen packet is dropped there, and a drop has one level.
        *_above(settings),
    ]


@_segments.register
def _(settings: EcnMod) -> list[Segment]:
    mean = settings.mean_packet_bytes
    minth, maxth = settings.minth.in_pkts(mean), settings.maxth.in_pkts(mean)

    def marking(depth_pkts: float) -> float:
        return ecn_mod(settings.maxp * (depth_pkts - minth) / (maxth - minth), settings.c1, settings.c2)

    pieces = fit(marking, minth, maxth, ECN_MOD_TOLERANCE, CURVE_FORMAT)
    return [
        *(Segment(piece.start_pkts, piece.end_pkts, piece.first, piece.last) for piece in pieces),
        # To a drop the senders react as any TCP, so RED's own probability gives them the same window.
        *_above(settings),
    ]


def ecn_mod(probability: float, c1: float, c2: float) -> float:
    """ECN-mod's marking probability where RED has ``probability`` (Misra and Ott, equation 11).

    A sender that adds c1 per unmarked ACK and gives up c2 of its window per marked ACK then has the mean window that
    TCP has at ``probability``.
    """
    if probability <= 0:
        return 0.0
    return 1 / (1 + c2 / c1 * sqrt(max(0.0, 2 * (1 - probability) / probability)))


@_segments.register
def _(settings: UserCurve) -> list[Segment]:
    mean = settings.mean_packet_bytes
    corners = [*pairwise(settings.points), (settings.points[-1], settings.points[-1])]
    ends = [*(point.depth.in_pkts(mean) for point in settings.points[1:]), inf]
    return [
        Segment(a.depth.in_pkts(mean), end, a.p1, b.p1, a.p2, b.p2, a.isq, a.drop, a.isq_level, b.isq_level)
        for (a, b), end in zip(corners, ends, strict=True)
    ]


def _ramp(settings: Red | Ecn | Becn | EcnBecn, *, drop: bool = False, isq_from_pkts: float = inf) -> list[Segment]:
    """RED's ramp from minth to maxth, cut where source quenches begin."""
    mean = settings.mean_packet_bytes
    minth, maxth = settings.minth.in_pkts(mean), settings.maxth.in_pkts(mean)
    cut = min(max(isq_from_pkts, minth), maxth)
    at_cut = settings.maxp * (cut - minth) / (maxth - minth)
    levels = ISQ_LEVELS if _has_levels(settings) else 0
    return [
        Segment(minth, cut, 0.0, at_cut, drop=drop),
        Segment(cut, maxth, at_cut, settings.maxp, isq=True, drop=drop, isq_level_end=levels),
    ]


def _above(settings: Red | Ecn | Becn | EcnBecn | Mecn | EcnMod, *, isq: bool = False) -> list[Segment]:
    """Drops above maxth: always, or with gentle RED's second slope up to 2 * maxth."""
    maxth = settings.maxth.in_pkts(settings.mean_packet_bytes)
    always_from = 2 * maxth if settings.gentle else maxth
    level = MAX_ISQ_LEVEL if isq and _has_levels(settings) else 0
    return [
        Segment(maxth, always_from, settings.maxp, 1.0, isq=isq, drop=True, isq_level_start=level, isq_level_end=level),
        Segment(always_from, inf, 1.0, 1.0, isq=isq, drop=True, isq_level_start=level, isq_level_end=level),
    ]


def _has_levels(settings: CommonSettings) -> bool:
    return isinstance(settings, Becn | EcnBecn) and settings.isq_levels


def codepoints_of(settings: CommonSettings) -> tuple[int, int]:
    """The two-bit ECN fields that mark levels 1 and 2 write."""
    if isinstance(settings, UserCurve):
        bits = {"ect1": ECT1, "ce": CE}
        return bits[settings.level1_codepoint], bits[settings.level2_codepoint]
    return (ECT1, CE) if isinstance(settings, Mecn) else (CE, CE)


def chooses(settings: CommonSettings) -> AqmSettings | None:
    """The settings of how packets are chosen, or None for a scheme that chooses none."""
    return settings if isinstance(settings, AqmSettings) else None
