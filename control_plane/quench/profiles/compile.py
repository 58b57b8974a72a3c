# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a curve to rows of the P4 tables."""

from dataclasses import dataclass
from math import ceil, frexp, inf, log, log1p

from quench.profiles.curve import Curve, Segment, codepoints_of, curve_of, selects
from quench.profiles.formats import (
    AVERAGE_KEY_MAX,
    AVERAGE_KEY_STEP_PKTS,
    AVERAGE_KEY_TO_AVERAGE_SHIFT,
    AVERAGE_ONE_PKT,
    DECAY_RATE_BITS,
    FRACTION_ONE,
    ISQ_LEVEL_ONE,
    ISQ_LEVEL_SLOPE_BITS,
    ISQ_LEVEL_SLOPE_ONE_PER_PKT,
    ISQ_LEVEL_SLOPE_SHIFT,
    MEAN_PACKETS_ONE,
    PROBABILITY_ONE,
    SLOPE_BITS,
    SLOPE_ONE_PER_PKT,
    SLOPE_TO_PROBABILITY_SHIFT,
    TRANSMISSION_MAX_US,
    TRANSMISSION_ONE_US,
)
from quench.profiles.settings import CommonSettings

_MOST_ERROR = 0.01
"""A row whose probability the tables cannot hold within this part of its highest is refused."""
_MOST_BEYOND = 0.05
"""A line may go on beyond its end to the end of a step of the grid, by this part of its last value."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Arguments of the P4 action ``set_parameters``."""

    weight: int
    mean_transmission_q8_us: int
    decay_rate: int
    decay_shift: int
    count_per_packet: int
    count_per_byte: int
    wait: int
    mark_at_tail: int
    level1_codepoint: int
    level2_codepoint: int
    report_interval_us: int
    isq_in_dataplane: int
    once_per_path_mask: int
    spare_empty: int
    depth_per_byte: int


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
    isq_advice: int


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """All that one profile puts into the tables, but for its id."""

    parameters: Parameters
    curve: tuple[CurveRow, ...]


def compile_profile(settings: CommonSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
    """The rows for a queue served at ``rate_bps`` bits per second. Raises ValueError where the tables can't say it.

    ``isq_in_dataplane``: the switch sends the source quenches itself, instead of copying packets to the controller.
    """
    settings = settings.at_rate(rate_bps)
    mean_transmission_us = settings.mean_packet_bytes * 8e6 / rate_bps
    if mean_transmission_us > TRANSMISSION_MAX_US:
        raise ValueError(
            f"a mean packet of {settings.mean_packet_bytes} bytes takes {mean_transmission_us / 1e6:.0f} s "
            f"at {rate_bps} bps: {TRANSMISSION_MAX_US / 1e6:.0f} s is the most"
        )
    aqm = selects(settings)
    level1, level2 = codepoints_of(settings)
    byte_mode = aqm is not None and aqm.byte_mode
    now = aqm is not None and aqm.depth == "now"
    decay_rate, decay_shift = decay_of(settings.wq, mean_transmission_us)
    parameters = Parameters(
        weight=round(settings.wq * FRACTION_ONE),
        mean_transmission_q8_us=round(mean_transmission_us * TRANSMISSION_ONE_US),
        decay_rate=decay_rate,
        decay_shift=decay_shift,
        count_per_packet=0 if byte_mode else MEAN_PACKETS_ONE,
        count_per_byte=round(FRACTION_ONE / settings.mean_packet_bytes) if byte_mode else 0,
        wait=int(aqm is not None and aqm.wait),
        mark_at_tail=int(aqm is not None and aqm.mark_at == "tail"),
        level1_codepoint=level1,
        level2_codepoint=level2,
        report_interval_us=round(settings.report_interval * 1e6),
        isq_in_dataplane=int(isq_in_dataplane),
        once_per_path_mask=aqm.once_per_path_mask if aqm is not None else 0,
        spare_empty=int(aqm is not None and aqm.spare_empty),
        # Rounded up: bytes that are as many as a threshold have reached it.
        depth_per_byte=ceil(FRACTION_ONE / settings.mean_packet_bytes) if now else 0,
    )
    return ProfileRows(parameters, curve_rows(curve_of(settings)))


def curve_rows(curve: Curve) -> tuple[CurveRow, ...]:
    """The curve on the grid of the match key, 1/16 packet.

    Raises ValueError for what is too flat or out of range.
    """
    rows = []
    for segment in curve.segments:
        low = _key(segment.start_pkts)
        high = AVERAGE_KEY_MAX if segment.end_pkts == inf else _key(segment.end_pkts) - 1
        if low <= high and _goes_beyond(segment, high, curve):
            # The line ends within the last step of the grid, and is too steep to go on for the rest of it.
            if low < high:
                rows.append(_row(segment, low, high - 1))
            rows.append(_row(segment, high, high, capped=True))
        elif low <= high:
            rows.append(_row(segment, low, high))
    return tuple(rows)


def _goes_beyond(segment: Segment, high: int, curve: Curve) -> bool:
    """Whether a probability would leave the range of its segment's and the next one's before the key ``high`` ends."""
    if segment.end_pkts == inf:
        return False
    end_pkts = (high + 1) * AVERAGE_KEY_STEP_PKTS
    following = curve.at(end_pkts)
    p1, p2 = segment.p1_end, segment.p2_end
    if following is not None:
        p1, p2 = following.p1(end_pkts), following.p2(end_pkts)
    for first, last, then in ((segment.p1_start, segment.p1_end, p1), (segment.p2_start, segment.p2_end, p2)):
        reached = last + (last - first) / _length(segment) * (end_pkts - segment.end_pkts)
        if not (1 - _MOST_BEYOND) * min(last, then) <= reached <= (1 + _MOST_BEYOND) * max(last, then):
            return True
    return False


def _row(segment: Segment, low: int, high: int, *, capped: bool = False) -> CurveRow:
    """The row of a segment for these keys; ``capped``: its probabilities stay within those of the segment's ends."""
    start = low << AVERAGE_KEY_TO_AVERAGE_SHIFT
    beyond = ((high + 1) << AVERAGE_KEY_TO_AVERAGE_SHIFT) - 1 - start
    # The grid's rounding may put a key a little before the segment, where its line is not defined.
    depth_pkts = max(low * AVERAGE_KEY_STEP_PKTS, segment.start_pkts)
    return CurveRow(
        low,
        high,
        start,
        *_probability_line(segment, segment.p1(depth_pkts), segment.p1_start, segment.p1_end, beyond, capped=capped),
        *_probability_line(segment, segment.p2(depth_pkts), segment.p2_start, segment.p2_end, beyond, capped=capped),
        int(segment.isq),
        int(segment.drop),
        *_isq_level_line(segment, depth_pkts, beyond),
        segment.advice,
    )


def _key(depth_pkts: float) -> int:
    """The first key whose averages are not below the depth.

    The key of gentle RED's end may be twice a queue's depth.
    """
    key = ceil(round(depth_pkts / AVERAGE_KEY_STEP_PKTS, 6))
    assert key <= AVERAGE_KEY_MAX, "settings have no depth beyond what a queue reports"
    return key


def _length(segment: Segment) -> float:
    """Packets over which a segment's line runs. A ramp that is steeper than the grid rises in one step of it."""
    return max(segment.end_pkts - segment.start_pkts, AVERAGE_KEY_STEP_PKTS)


def _probability_line(
    segment: Segment, first: float, start: float, last: float, beyond: int, *, capped: bool
) -> tuple[int, int]:
    """Base and slope of a probability that runs from ``start`` to ``last``, and is ``first`` where the row begins.

    ``beyond`` is how far the row's last average lies behind its first.
    """
    rise = last - start
    # A slope has more bits than the rounding of its operands leaves right, and one curve must give one row.
    exact = float(f"{rise / _length(segment):.12g}")
    slope = round(exact * SLOPE_ONE_PER_PKT)
    most, least = max(first, last), min(first, last)
    error = abs(slope / SLOPE_ONE_PER_PKT - exact) * beyond / AVERAGE_ONE_PKT + 1 / PROBABILITY_ONE
    if most > 0 and error > _MOST_ERROR * most:
        raise ValueError(
            f"the curve is too flat between {segment.start_pkts:g} and {segment.end_pkts:g} packets: the tables do not "
            f"hold a probability of at most {most:g} there: give a larger one"
        )
    base, top, bottom = (round(value * PROBABILITY_ONE) for value in (first, most, least))
    if capped:
        slope = min(slope, ((top - base) << SLOPE_TO_PROBABILITY_SHIFT) // beyond)
        slope = max(slope, -(((base - bottom) << SLOPE_TO_PROBABILITY_SHIFT) // beyond))
    return _line(base, slope, beyond, SLOPE_TO_PROBABILITY_SHIFT, SLOPE_BITS)


def _isq_level_line(segment: Segment, depth_pkts: float, beyond: int) -> tuple[int, int]:
    """Base and slope of the level that a source quench carries.

    The switch cuts off fractions, so these are rounded up: each level is there where it should begin.
    """
    rise = segment.isq_level_end - segment.isq_level_start
    slope = rise / _length(segment)
    first = segment.isq_level_start + (slope * (depth_pkts - segment.start_pkts) if slope else 0.0)
    return _line(
        ceil(round(first * ISQ_LEVEL_ONE, 6)),
        ceil(round(slope * ISQ_LEVEL_SLOPE_ONE_PER_PKT, 6)),
        beyond,
        ISQ_LEVEL_SLOPE_SHIFT,
        ISQ_LEVEL_SLOPE_BITS,
    )


def _line(base: int, slope: int, beyond: int, shift: int, bits: int) -> tuple[int, int]:
    """Base and slope of a row, the slope in two's complement of ``bits`` bits.

    The values of a row are unsigned. A falling line that ends at 0 is therefore laid flatter where rounding, or an end
    between two depths of the grid, would take it below.
    """
    if base + (beyond * slope >> shift) < 0:
        slope = -((base << shift) // beyond)
    return base, slope & (1 << bits) - 1


def decay_of(wq: float, mean_transmission_us: float) -> tuple[int, int]:
    """Rate and shift of the decay (1 - wq) ** (idle / mean transmission time) (Floyd and Jacobson 1993, section IV).

    The average halves rate / 2 ** (shift + 32) times in 1/256 us. A rate that is too fast for that is the fastest: a
    microsecond, the least time that a clock shows, then leaves nothing of an average.
    """
    fastest = (1 << DECAY_RATE_BITS) - 1
    if wq == 1:
        return fastest, 0
    rate, exponent = frexp(-log1p(-wq) / log(2) / (mean_transmission_us * TRANSMISSION_ONE_US))
    return (fastest, 0) if exponent > 0 else (min(round(rate * (fastest + 1)), fastest), -exponent)
