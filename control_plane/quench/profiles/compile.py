# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a curve to rows of the P4 tables."""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, expm1, inf, log, log1p

from quench.profiles.curve import Curve, Segment, chooses, codepoints_of, curve_of
from quench.profiles.formats import (
    AVERAGE_KEY_MAX,
    AVERAGE_KEY_STEP_PKTS,
    AVERAGE_KEY_TO_AVERAGE_SHIFT,
    IDLE_KEY_MAX,
    IDLE_KEY_STEP_US,
    IDLE_SLOPE_ONE,
    ISQ_LEVEL_ONE,
    ISQ_LEVEL_SLOPE_ONE_PER_PKT,
    ISQ_LEVEL_SLOPE_SHIFT,
    MEAN_PACKETS_ONE,
    MEAN_TRANSMISSION_MAX_US,
    PROBABILITY_ONE,
    SLOPE_ONE_PER_PKT,
    SLOPE_TO_PROBABILITY_SHIFT,
)
from quench.profiles.settings import CommonSettings

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
    isq_in_dataplane: int
    told_mask: int
    spare_empty: int


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
    isq_level_base: int
    isq_level_slope: int


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


def compile_profile(settings: CommonSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
    """The rows for a queue served at ``rate_bps`` bits per second. Raises ValueError where the tables can't say it.

    ``isq_in_dataplane``: the switch sends the source quenches itself, instead of copying packets to the controller.
    """
    settings = settings.at_rate(rate_bps)
    mean_transmission_us = settings.mean_packet_bytes * 8e6 / rate_bps
    if round(mean_transmission_us) > MEAN_TRANSMISSION_MAX_US:
        raise ValueError(
            f"a mean packet of {settings.mean_packet_bytes} bytes takes {mean_transmission_us / 1e6:.0f} s "
            f"at {rate_bps} bps: {MEAN_TRANSMISSION_MAX_US / 1e6:.0f} s is the most"
        )
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
        isq_in_dataplane=int(isq_in_dataplane),
        told_mask=aqm.told_mask if aqm is not None else 0,
        spare_empty=int(aqm is not None and aqm.spare_empty),
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
        start = low << AVERAGE_KEY_TO_AVERAGE_SHIFT
        beyond = ((high + 1) << AVERAGE_KEY_TO_AVERAGE_SHIFT) - 1 - start
        depth_pkts = low * AVERAGE_KEY_STEP_PKTS
        rows.append(
            CurveRow(
                low,
                high,
                start,
                *_probability_line(segment, segment.p1(depth_pkts), segment.p1_end - segment.p1_start, beyond),
                *_probability_line(segment, segment.p2(depth_pkts), segment.p2_end - segment.p2_start, beyond),
                int(segment.isq),
                int(segment.drop),
                *_isq_level_line(segment, depth_pkts, beyond),
            )
        )
    return tuple(rows)


def _key(depth_pkts: float) -> int:
    """The first key whose averages are not below the depth."""
    key = ceil(round(depth_pkts / AVERAGE_KEY_STEP_PKTS, 6))
    if key > AVERAGE_KEY_MAX:
        raise ValueError(f"a depth of {depth_pkts:g} packets is more than the tables hold ({AVERAGE_KEY_MAX // 16})")
    return key


def _probability_line(segment: Segment, first: float, rise: float, beyond: int) -> tuple[int, int]:
    """Base and slope of a probability; ``beyond`` is how far the row's last average lies behind its first."""
    slope = rise / (segment.end_pkts - segment.start_pkts)
    if not -(1 << 31) <= round(slope * SLOPE_ONE_PER_PKT) < 1 << 31:
        raise ValueError(
            f"the curve is too steep between {segment.start_pkts:g} and {segment.end_pkts:g} packets: "
            "a probability may change by less than 8 per packet"
        )
    return _line(round(first * PROBABILITY_ONE), round(slope * SLOPE_ONE_PER_PKT), beyond, SLOPE_TO_PROBABILITY_SHIFT)


def _isq_level_line(segment: Segment, depth_pkts: float, beyond: int) -> tuple[int, int]:
    """Base and slope of the level that a source quench carries. A ramp that is steeper than the grid rises in one step.

    The switch cuts off fractions, so these are rounded up: each level is there where it should begin.
    """
    rise = segment.isq_level_end - segment.isq_level_start
    slope = rise / max(segment.end_pkts - segment.start_pkts, AVERAGE_KEY_STEP_PKTS)
    first = segment.isq_level_start + (slope * (depth_pkts - segment.start_pkts) if slope else 0.0)
    return _line(
        ceil(round(first * ISQ_LEVEL_ONE, 6)),
        ceil(round(slope * ISQ_LEVEL_SLOPE_ONE_PER_PKT, 6)),
        beyond,
        ISQ_LEVEL_SLOPE_SHIFT,
    )


def _line(base: int, slope: int, beyond: int, shift: int) -> tuple[int, int]:
    """Base and slope of a row, the slope in two's complement.

    The values of a row are unsigned. A falling line that ends at 0 is therefore laid flatter where rounding, or an end
    between two depths of the grid, would take it below.
    """
    if base + (beyond * slope >> shift) < 0:
        slope = -((base << shift) // beyond)
    return base, slope & 0xFFFFFFFF


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
