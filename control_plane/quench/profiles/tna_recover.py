# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From the rows of p4src/quench_tna.p4 on a switch back to settings, and to a curve, as ``recover`` for quench.p4.

The rows are steps and rounded counts, so each tells an interval in which a setting lies. The number with the fewest
digits in the interval counts, and only if the settings compile to exactly these rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, expm1, floor, inf, log10
from typing import Any, NamedTuple

from quench.profiles.curve import Curve, Segment
from quench.profiles.recover import SCHEMES_BY_SHAPE, advices, first_that
from quench.profiles.scheme import N1_MAXTH_BYTES, N1_MINTH_BYTES, N1_RATE_BPS
from quench.profiles.settings import ProfileSettings, fields_of
from quench.profiles.tna import (
    ALWAYS,
    AVERAGE_KEY_MAX,
    BY_DRAW,
    CELL_BYTES,
    CELLS_PER_REPORTED_PACKET,
    COUNTS_PER_PACKET,
    NEVER,
    SIZE_CODE_LIMIT,
    STATES_PER_TIME_CONSTANT,
    TIME_UNIT_NS,
    CurveRow,
    Parameters,
    cells_of_packet,
    compile_profile,
)

MEAN_PACKETS_BYTES = (1000, 1500, 500, *range(100, 1500, 100), 64, 250, 576, 750, 1250, 1280, 1460, 9000)
"""Mean packets that people give. The rows do not tell it, for a weight and a mean packet make one time constant."""
_LEAST_STATE_INTERVAL = 100
"""Below it the interval tells the time constant less exactly than to half a percent."""
_CONSTANT_RESOLUTION = 2**-8
_PIECES_TOLERANCE = 0.03
"""The relative error of maxp that the straight pieces of ecn-mod may cause."""
_MOST_DIGITS = 12
_MOST_MEAN_PACKETS = 4
"""Mean packets that are tried: each takes a good many compilations."""


class Span(NamedTuple):
    """An interval with its upper end."""

    low: float
    high: float

    def __and__(self, other: "Span") -> "Span":
        """The intersection of both."""
        return Span(max(self.low, other.low), min(self.high, other.high))

    def shortest(self) -> float | None:
        """The number of the fewest digits in it; None where it is empty."""
        if not 0 <= self.low < self.high:
            return None
        first = floor(log10(self.high))
        for digits in range(_MOST_DIGITS):
            # As text: 3 * 0.1 is not 0.3.
            scale = 10.0 ** (first - digits)
            value = float(f"{floor(self.high / scale * (1 + 1e-12)) * scale:.{digits + 1}g}")
            if self.low < value <= self.high * (1 + 1e-12):
                return value
        return self.high


def settings_of(
    parameters: Parameters, curve: Sequence[CurveRow], rate_bps: int, time_constant_ns: float | None = None
) -> ProfileSettings:
    """The settings of a named scheme whose rows these are. Raises ValueError if there are none.

    ``time_constant_ns`` is the queue's filter's, where the switch tells it.
    """
    if time_constant_ns is None and parameters.state_interval < _LEAST_STATE_INTERVAL:
        raise ValueError("the switch does not tell the weight of its average: give --scheme or --file")
    rows = tuple(curve)

    def makes_the_rows(settings: ProfileSettings) -> bool:
        compiled = compile_profile(settings, rate_bps, isq_in_dataplane=bool(parameters.isq_in_dataplane))
        return (compiled.parameters, compiled.curve) == (parameters, rows)

    return first_that(makes_the_rows, _candidates(parameters, rows, rate_bps, time_constant_ns))


def curve_of_rows(parameters: Parameters, rows: Iterable[CurveRow]) -> Curve:
    """The curve in steps, over packets of 1280 bytes: as ``packet_in`` counts where the mean packet is not known."""
    packet = CELLS_PER_REPORTED_PACKET * CELL_BYTES if _byte_mode(parameters) else COUNTS_PER_PACKET
    return Curve(
        tuple(
            Segment(
                row.low / CELLS_PER_REPORTED_PACKET,
                inf if row.high >= AVERAGE_KEY_MAX else (row.high + 1) / CELLS_PER_REPORTED_PACKET,
                *(_probability(row.level1_selection, row.level1_most - row.level1_least, packet),) * 2,
                *(_probability(row.level2_selection, row.level2_most - row.level2_least, packet),) * 2,
                isq=bool(row.isq),
                drop=bool(row.drop),
            )
            for row in sorted(rows, key=lambda row: row.low)
        )
    )


def _probability(selection: int, gap: int, packet: int) -> float:
    if selection != BY_DRAW:
        return float(selection == ALWAYS)
    return min(1.0, packet / max(gap, 1))


def _byte_mode(parameters: Parameters) -> bool:
    return parameters.size_code_limit != SIZE_CODE_LIMIT


def _candidates(
    parameters: Parameters, rows: Sequence[CurveRow], rate_bps: int, time_constant_ns: float | None
) -> Iterator[dict[str, Any]]:
    report_us = 1e6 * (_units(parameters.report_interval).shortest() or 0.0)
    for mean_bytes, wq in _weights(_time_constant(parameters, time_constant_ns), rate_bps):
        common = {
            "mean_packet_bytes": mean_bytes,
            "wq": wq,
            "report_interval": f"{report_us:.10g}us",
            "byte_mode": _byte_mode(parameters),
            "mark_at": "tail" if parameters.mark_at_tail else "head",
            "once_per_path": parameters.once_per_path_mask or False,
            "spare_empty": bool(parameters.spare_empty),
        }
        if any(BY_DRAW in (row.level1_selection, row.level2_selection) for row in rows):
            common["wait"] = any(row.level1_least or row.level2_least for row in rows)
        grid = _Grid(mean_bytes, cells_of_packet(mean_bytes))
        packet = mean_bytes if _byte_mode(parameters) else COUNTS_PER_PACKET
        for found in _thresholds(rows, grid, packet, rate_bps) if rows else ({},):
            for scheme in SCHEMES_BY_SHAPE:
                known = fields_of(scheme)
                yield {"scheme": scheme} | {name: each for name, each in (common | found).items() if name in known}


def _units(count: int) -> Span:
    """The seconds that are so many units of 1024 ns when they are rounded."""
    return Span((count - 0.5) * TIME_UNIT_NS * 1e-9, (count + 0.5) * TIME_UNIT_NS * 1e-9)


def _time_constant(parameters: Parameters, time_constant_ns: float | None) -> Span:
    """The interval of the time constant, in seconds."""
    span = _units(parameters.state_interval)
    # An interval is never less than one unit.
    low = 0.0 if parameters.state_interval == 1 else span.low * STATES_PER_TIME_CONSTANT
    told = Span(low, span.high * STATES_PER_TIME_CONSTANT)
    if time_constant_ns is None:
        return told
    constant_s = time_constant_ns * 1e-9
    return told & Span(constant_s * (1 - _CONSTANT_RESOLUTION), constant_s * (1 + _CONSTANT_RESOLUTION))


def _weights(time_constant: Span, rate_bps: int) -> list[tuple[int, float]]:
    """Mean packets and weights that make a time constant, the weights of the fewest digits first."""
    found = []
    for mean_bytes in dict.fromkeys(MEAN_PACKETS_BYTES):
        packet_s = mean_bytes * 8 / rate_bps
        slowest, fastest = (-expm1(-packet_s / each) if each > 0 else 1.0 for each in reversed(time_constant))
        wq = Span(slowest, fastest).shortest() if slowest < fastest else 1.0
        if wq is not None:
            found.append((mean_bytes, wq))
    return sorted(found, key=lambda each: _digits(each[1]))[:_MOST_MEAN_PACKETS]


@dataclass(frozen=True, slots=True)
class _Grid:
    """The cells of packets of a mean size."""

    mean_bytes: int
    cells: int

    def span(self, low: int, part: int = 1) -> Span:
        """The depths in packets whose first cell this is, or this part of them."""
        return Span((low - 1) / self.cells / part, low / self.cells / part)

    def first(self, depth_pkts: float) -> int:
        """The first cell that is not below a depth."""
        return ceil(round(depth_pkts * self.cells, 6))

    def depth(self, span: Span) -> float | None:
        """The depth in packets of the fewest digits, counted in packets or in bytes."""
        pkts = span.shortest()
        depth_bytes = Span(span.low * self.mean_bytes, span.high * self.mean_bytes).shortest()
        if pkts is None or depth_bytes is None:
            return pkts
        return pkts if _digits(pkts) <= _digits(depth_bytes) else depth_bytes / self.mean_bytes

    def text(self, depth_pkts: float) -> str:
        """A depth in the unit in which it has the fewest digits."""
        depth_bytes = float(f"{depth_pkts * self.mean_bytes:.{_MOST_DIGITS}g}")
        if _digits(depth_pkts) <= _digits(depth_bytes):
            return f"{depth_pkts:.10g}pkts"
        return f"{depth_bytes:.10g}B"


def _digits(value: float) -> int:
    """The number of digits of a value, without zeros on either side."""
    return len(f"{value:.{_MOST_DIGITS}g}".replace(".", "").strip("0"))


def _thresholds(rows: Sequence[CurveRow], grid: _Grid, packet: int, rate_bps: int) -> Iterator[dict[str, Any]]:
    """Thresholds that begin where something of the rows does, or are left to their defaults."""
    level2 = next((row for row in rows if row.level2_selection != NEVER), None)
    isq = next((row for row in rows if row.isq), None)
    step = grid.depth(grid.span(rows[0].low)) if rows[0].low else 0.0
    if rows[0].level1_selection == ALWAYS and step is not None:
        yield {"k": grid.text(step)}
    for gentle in (True, False):
        for (minth, maxth), given in _ramps(rows, grid, rate_bps, gentle=gentle):
            between = {
                "midth": grid.text(_within(level2, grid, minth, maxth)),
                "becnthresh": grid.text(_within(isq, grid, minth, maxth)),
            }
            ends = {"minth": grid.text(minth), "maxth": grid.text(maxth)} if given else {}
            for maxp in dict.fromkeys(_tops(rows, minth, maxth, grid, packet, gentle=gentle)):
                levels = any(row.isq_level for row in rows)
                common = {"maxp": maxp, "gentle": gentle, "isq_levels": levels, **advices(rows), **ends}
                yield {**common, **between}
                yield common


def _ramps(
    rows: Sequence[CurveRow], grid: _Grid, rate_bps: int, *, gentle: bool
) -> Iterator[tuple[tuple[float, float], bool]]:
    """Values of minth and maxth in packets, and whether they were given."""
    first, last = rows[0], rows[-1]
    drops = next((row for row in rows if row.drop), last)
    minth = grid.depth(grid.span(first.low)) if first.low else 0.0
    span = grid.span(last.low, 2 if gentle else 1)
    if drops.low > first.low:
        span &= grid.span(drops.low)
    maxth = grid.depth(span)
    if minth is not None and maxth is not None and minth < maxth:
        yield (minth, maxth), True
    scale = rate_bps / N1_RATE_BPS / grid.mean_bytes
    yield (N1_MINTH_BYTES * scale, N1_MAXTH_BYTES * scale), False


def _within(row: CurveRow | None, grid: _Grid, minth: float, maxth: float) -> float:
    """The threshold at which a row begins; maxth where none does."""
    depth = None if row is None else grid.depth(grid.span(row.low))
    return maxth if depth is None else min(max(depth, minth), maxth)


def _tops(
    rows: Sequence[CurveRow], minth: float, maxth: float, grid: _Grid, packet: int, *, gentle: bool
) -> Iterator[float]:
    """Values of maxp: by the rows below maxth, by those of gentle RED above, and where the ramp is no straight line."""
    ramp = Span(0.0, 1.0)
    above = Span(0.0, 1.0)
    top = Span(0.0, 0.0)
    for row in rows:
        middle = (row.low + row.high + 1) / 2 / grid.cells
        if row.level1_selection != BY_DRAW:
            continue
        p = _drawn(row, packet)
        if row.low < grid.first(maxth):
            part = max((middle - minth) / (maxth - minth), 1e-9)
            ramp &= Span(p.low / part, p.high / part)
            top = p
        elif gentle:
            part = min((middle - maxth) / maxth, 1 - 1e-9)
            above &= Span((p.low - part) / (1 - part), (p.high - part) / (1 - part))
    for span in (ramp & above, above, Span(top.low * (1 - _PIECES_TOLERANCE), top.high * (1 + _PIECES_TOLERANCE))):
        value = span.shortest()
        if value is not None and value <= 1:
            yield value


def _drawn(row: CurveRow, packet: int) -> Span:
    """The probabilities of level 1 for a packet that counts so much."""
    gap, half = ((row.level1_most + packet) / 2, 0.25) if row.level1_least else (row.level1_most, 0.5)
    return Span(packet / (gap + half), packet / max(gap - half, 0.5))
