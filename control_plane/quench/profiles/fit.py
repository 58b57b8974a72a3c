# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A bent curve as straight pieces: as few as a bound on the error allows.

Each piece is a row of its own and need not meet its neighbours. So the longest piece that stays within the bound,
taken again and again from the left, gives the smallest number (a piece that is possible is also possible cut short).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf

_THINNING = 64
"""With many more grid points than this, only those are looked at that lie 1/64 of the way to the nearer end apart."""


@dataclass(frozen=True, slots=True)
class Format:
    """The precision of the table: its grid of depths and its fixed point."""

    step_pkts: float
    probability: float
    """The smallest probability."""
    slope_per_pkt: float
    """The smallest slope."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A straight line from one depth to another."""

    start_pkts: float
    end_pkts: float
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class _Band:
    """The range of values through which a line has to pass at a depth."""

    at: float
    low: float
    high: float


def fit(
    function: Callable[[float], float], start_pkts: float, end_pkts: float, tolerance: float, table: Format
) -> list[Piece]:
    """Pieces whose error is less than ``tolerance`` of the value, from the first depth of the grid behind the start.

    The error of the table's fixed point is within the bound, but for values that are as small as it. Before the first
    depth of the grid there is one piece, which comes from 0.
    """
    depths = [*_grid(start_pkts, end_pkts, table.step_pkts), end_pkts]
    values = [function(depth) for depth in depths]
    pieces = [Piece(start_pkts, depths[0], 0.0, values[0])]
    begin = 0
    while begin < len(depths) - 1:
        bands = [_band(depths[begin], depths[begin], values[begin], tolerance, table)]
        least, most = -inf, inf
        for depth, value in zip(depths[begin + 1 :], values[begin + 1 :], strict=True):
            band = _band(depths[begin], depth, value, tolerance, table)
            least = max(least, *((band.low - other.high) / (depth - other.at) for other in bands))
            most = min(most, *((band.high - other.low) / (depth - other.at) for other in bands))
            if least > most:
                break
            bands.append(band)
            slope = (least + most) / 2
        origin = bands[0].at
        lowest = max(band.low - slope * (band.at - origin) for band in bands)
        highest = min(band.high - slope * (band.at - origin) for band in bands)
        first = (lowest + highest) / 2
        end = bands[-1].at
        pieces.append(Piece(origin, end, first, first + slope * (end - origin)))
        begin += len(bands) - 1
    return pieces


def _band(origin: float, depth: float, value: float, tolerance: float, table: Format) -> _Band:
    # Base and slope are rounded to the nearest, the sum is cut off.
    rounding = 1.5 * table.probability + (depth - origin) * table.slope_per_pkt / 2
    width = max(tolerance * value - rounding, rounding)
    return _Band(depth, max(0.0, value - width), min(1.0, value + width))


def _grid(start_pkts: float, end_pkts: float, step_pkts: float) -> list[float]:
    """The depths of the grid between the two, thinned where they lie close together for their distance."""
    first = floor(round(start_pkts / step_pkts, 6)) + 1
    behind = round(end_pkts / step_pkts, 6)
    keys = []
    key = first
    while key < behind:
        keys.append(key)
        key += max(1, int(min(key - first, behind - key)) // _THINNING)
    return [key * step_pkts for key in keys]
