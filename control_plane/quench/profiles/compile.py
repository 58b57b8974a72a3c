# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a curve to rows of the P4 tables, in the fixed-point formats of p4src/include/types.p4."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, expm1, inf, log, log1p

from quench.profiles.curve import Curve, Segment, chooses, codepoints_of, curve_of
from quench.profiles.settings import CommonSettings

PROBABILITY_ONE = 1 << 24
AVERAGE_KEY_STEP_PKTS = 1 / 16
AVERAGE_KEY_MAX = (1 << 20) - 1
AVERAGE_KEY_TO_AVERAGE_SHIFT = 12
SLOPE_ONE_PER_PKT = 1 << 28
MEAN_PACKETS_ONE = 1 << 12
IDLE_KEY_STEP_US = 16
IDLE_KEY_MAX = (1 << 20) - 1
IDLE_SLOPE_ONE = 1 << 32

_DECAY_RATIO = 0.9
"""The decay falls by this factor over one straight piece: the chord is then off by less than 0.14 %."""
_DECAY_END = 1e-3
"""Where the decay has come this far, the rest of the average is taken for nothing."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Arguments of the P4 action ``set_parameters``."""

    weight: int
    mean_transmission_us: int
    count_per_packet: int
    count_per_byte: int
    wait: int
    mark_at_tail: int
    level1_codepoint: int
    level2_codepoint: int
    report_interval_us: int


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A range of the table ``curve``, and the arguments of ``set_segment``."""

    low: int
    high: int
    start: int
    level1_base: int
    level1_slope: int
    level2_base: int
    level2_slope: int
    isq: int
    drop: int


@dataclass(frozen=True, slots=True)
class IdleRow:
    """A range of the table ``idle_decay``, and the arguments of ``decay_by``."""

    low: int
    high: int
    start: int
    base: int
    slope: int


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """All that one profile puts into the tables, but for its id."""

    parameters: Parameters
    curve: tuple[CurveRow, ...]
    idle: tuple[IdleRow, ...]


def compile_profile(settings: CommonSettings, rate_bps: int) -> ProfileRows:
    """The rows for a queue served at ``rate_bps`` bits per second. Raises ValueError where the tables can't say it."""
    mean_transmission_us = settings.mean_packet_bytes * 8e6 / rate_bps
    aqm = chooses(settings)
    level1, level2 = codepoints_of(settings)
    byte_mode = aqm is not None and aqm.byte_mode
    parameters = Parameters(
        weight=round(settings.wq * PROBABILITY_ONE),
        mean_transmission_us=round(mean_transmission_us),
        count_per_packet=0 if byte_mode else MEAN_PACKETS_ONE,
        count_per_byte=round(PROBABILITY_ONE / settings.mean_packet_bytes) if byte_mode else 0,
        wait=int(aqm is not None and aqm.wait),
        mark_at_tail=int(aqm is not None and aqm.mark_at == "tail"),
        level1_codepoint=level1,
        level2_codepoint=level2,
        report_interval_us=round(settings.report_interval * 1e6),
    )
    return ProfileRows(parameters, curve_rows(curve_of(settings)), idle_rows(settings.wq, mean_transmission_us))


def curve_rows(curve: Curve) -> tuple[CurveRow, ...]:
    """The curve on the grid of the match key, 1/16 packet. Raises ValueError for what is too steep or out of range."""
    rows = []
    for segment in curve.segments:
        low = _key(segment.start_pkts)
        high = AVERAGE_KEY_MAX if segment.end_pkts == inf else _key(segment.end_pkts) - 1
        if low > high:
            continue
        rows.append(
            CurveRow(
                low,
                high,
                low << AVERAGE_KEY_TO_AVERAGE_SHIFT,
                round(segment.p1(low * AVERAGE_KEY_STEP_PKTS) * PROBABILITY_ONE),
                _slope(segment, segment.p1_start, segment.p1_end),
                round(segment.p2(low * AVERAGE_KEY_STEP_PKTS) * PROBABILITY_ONE),
                _slope(segment, segment.p2_start, segment.p2_end),
                int(segment.isq),
                int(segment.drop),
            )
        )
    return tuple(rows)


def _key(depth_pkts: float) -> int:
    """The first key whose averages are not below the depth."""
    key = ceil(round(depth_pkts / AVERAGE_KEY_STEP_PKTS, 6))
    if key > AVERAGE_KEY_MAX:
        raise ValueError(f"a depth of {depth_pkts:g} packets is more than the tables hold ({AVERAGE_KEY_MAX // 16})")
    return key


def _slope(segment: Segment, first: float, last: float) -> int:
    if segment.end_pkts == inf or first == last:
        return 0
    slope = round((last - first) / (segment.end_pkts - segment.start_pkts) * SLOPE_ONE_PER_PKT)
    if not -(1 << 31) <= slope < 1 << 31:
        raise ValueError(
            f"the curve is too steep between {segment.start_pkts:g} and {segment.end_pkts:g} packets: "
            "a probability may change by less than 8 per packet"
        )
    return slope & 0xFFFFFFFF


def idle_rows(wq: float, mean_transmission_us: float) -> tuple[IdleRow, ...]:
    """(1 - wq) ** (idle / mean transmission time) in straight pieces (Floyd and Jacobson 1993, section IV)."""
    if wq == 1:
        return (IdleRow(1, IDLE_KEY_MAX, 1, 0, 0),)
    decay_per_key = log1p(-wq) * IDLE_KEY_STEP_US / mean_transmission_us
    knots = [0]
    step = log(_DECAY_RATIO) / decay_per_key
    while knots[-1] * decay_per_key > log(_DECAY_END) and knots[-1] < IDLE_KEY_MAX:
        knots.append(min(max(knots[-1] + 1, round(len(knots) * step)), IDLE_KEY_MAX))
    rows = []
    for start, end in pairwise(knots):
        base = round((expm1(start * decay_per_key) + 1) * PROBABILITY_ONE)
        fall = ((expm1(start * decay_per_key) - expm1(end * decay_per_key)) / (end - start)) * IDLE_SLOPE_ONE
        rows.append(IdleRow(start, end - 1, start, base, min(round(fall), IDLE_SLOPE_ONE - 1)))
    left = expm1(knots[-1] * decay_per_key) + 1
    rest = round(left * PROBABILITY_ONE) if left > _DECAY_END else 0
    rows.append(IdleRow(knots[-1], IDLE_KEY_MAX, knots[-1], rest, 0))
    return tuple(rows)
