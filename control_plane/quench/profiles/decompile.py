# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From rows of the P4 tables back to a curve, for a switch that somebody else has programmed."""

from collections.abc import Iterable
from math import inf

from quench.profiles.compile import CurveRow
from quench.profiles.curve import Curve
from quench.profiles.formats import (
    AVERAGE_KEY_MAX,
    AVERAGE_KEY_STEP_PKTS,
    PROBABILITY_ONE,
    SLOPE_BITS,
    SLOPE_ONE_PER_PKT,
)
from quench.profiles.segment import Segment

_SIGN = 1 << SLOPE_BITS - 1


def curve_of_rows(rows: Iterable[CurveRow]) -> Curve:
    """The curve that rows stand for, within their rounding; without the levels of source quenches."""
    return Curve(tuple(_segment(row) for row in sorted(rows, key=lambda row: row.low)))


def _segment(row: CurveRow) -> Segment:
    start_pkts = row.low * AVERAGE_KEY_STEP_PKTS
    end_pkts = inf if row.high >= AVERAGE_KEY_MAX else (row.high + 1) * AVERAGE_KEY_STEP_PKTS
    return Segment(
        start_pkts,
        end_pkts,
        *_line(row.level1_base, row.level1_slope, start_pkts, end_pkts),
        *_line(row.level2_base, row.level2_slope, start_pkts, end_pkts),
        isq=bool(row.isq),
        drop=bool(row.drop),
    )


def _line(base: int, slope: int, start_pkts: float, end_pkts: float) -> tuple[float, float]:
    first = min(1.0, base / PROBABILITY_ONE)
    if end_pkts == inf:
        return first, first
    signed = slope - 2 * _SIGN if slope >= _SIGN else slope
    return first, min(1.0, max(0.0, first + signed / SLOPE_ONE_PER_PKT * (end_pkts - start_pkts)))
