# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From the rows on a switch back to the settings that make them, for a change without a controller.

A switch has no settings. Each scheme is tried with the thresholds that the rows suggest, and counts only if it compiles
to exactly these rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from math import isclose
from typing import TYPE_CHECKING, Any

from quench.advice import format_advice
from quench.profiles.compile import CurveRow, Parameters, compile_profile
from quench.profiles.formats import (
    AVERAGE_KEY_STEP_PKTS,
    FRACTION_ONE,
    PROBABILITY_ONE,
    SLOPE_ONE_PER_PKT,
    TRANSMISSION_ONE_US,
)
from quench.profiles.settings import NAMED_SCHEMES, PAPER_SCHEMES, ProfileSettings, fields_of, parse_settings

if TYPE_CHECKING:
    from quench.profiles.tna import CurveRow as TnaCurveRow

SCHEMES_BY_SHAPE = sorted(NAMED_SCHEMES, key=PAPER_SCHEMES.__contains__)
"""Those without a ramp come first: a step of dctcp is also one of ecn."""
_MOST_DIGITS = 12


def settings_of(parameters: Parameters, curve: Sequence[CurveRow], rate_bps: int) -> ProfileSettings:
    """The settings of a named scheme whose rows these are. Raises ValueError if there are none."""
    rows = tuple(sorted(curve, key=lambda row: row.low))

    def makes_the_rows(settings: ProfileSettings) -> bool:
        compiled = compile_profile(settings, rate_bps, isq_in_dataplane=bool(parameters.isq_in_dataplane))
        return (compiled.parameters, compiled.curve) == (parameters, rows)

    return first_that(makes_the_rows, _candidates(parameters, rows, rate_bps))


def first_that(makes_the_rows: Callable[[ProfileSettings], bool], candidates: Iterable[Any]) -> ProfileSettings:
    """The first settings that are valid and make the rows. Raises ValueError if there are none."""
    for values in candidates:
        with suppress(ValueError):
            settings = parse_settings(values)
            if makes_the_rows(settings):
                return settings
    raise ValueError("its rows are those of no named scheme at this rate: give --scheme or --file")


def _candidates(parameters: Parameters, rows: Sequence[CurveRow], rate_bps: int) -> Iterator[dict[str, Any]]:
    for mean_bytes in _mean_packet_bytes(parameters, rate_bps):
        common = {
            "mean_packet_bytes": mean_bytes,
            "wq": _shortest(parameters.weight / FRACTION_ONE, lambda wq: round(wq * FRACTION_ONE), parameters.weight),
            "report_interval": f"{parameters.report_interval_us}us",
            "byte_mode": parameters.count_per_packet == 0,
            "wait": bool(parameters.wait),
            "mark_at": "tail" if parameters.mark_at_tail else "head",
            "depth": "now" if parameters.depth_per_byte else "average",
            "spare_empty": bool(parameters.spare_empty),
            "once_per_path": parameters.once_per_path_mask or False,
        }
        for thresholds in (_thresholds(rows, gentle=True), _thresholds(rows, gentle=False)) if rows else ({},):
            for scheme in SCHEMES_BY_SHAPE:
                known = fields_of(scheme)
                yield {"scheme": scheme} | {name: each for name, each in (common | thresholds).items() if name in known}


def _mean_packet_bytes(parameters: Parameters, rate_bps: int) -> Sequence[int]:
    """Sizes that these numbers may stand for: each was rounded."""
    if parameters.count_per_byte:
        return [round(FRACTION_ONE / parameters.count_per_byte)]
    size = parameters.mean_transmission_q8_us / TRANSMISSION_ONE_US * rate_bps / 8e6
    return [int(round(size, -digits)) for digits in (3, 2, 1, 0)] if size >= 1 else [1000]


def _thresholds(rows: Sequence[CurveRow], *, gentle: bool) -> dict[str, Any]:
    """The thresholds that the pieces of a curve suggest: their lines cross 0 and 1 there. Depths are in packets."""
    first, last = rows[0], rows[-1]
    above = rows[-2] if gentle and len(rows) > 1 else last
    second = next((row for row in rows if row.level2_slope), first)
    minth = _crossing(first.low, first.level1_base, first.level1_slope, 0.0)
    maxth = _pkts(above.low)
    if gentle and above.level1_slope:
        ramp_pkts = _crossing(above.low, above.level1_base, above.level1_slope, 1.0) / 2
        maxth = maxth if isclose(ramp_pkts, maxth, rel_tol=1e-4) else round(ramp_pkts, 3)
    maxp = first.level1_slope / SLOPE_ONE_PER_PKT * (maxth - minth)
    if gentle and _pkts(above.low) == maxth:
        maxp = above.level1_base / PROBABILITY_ONE
    return {
        "k": f"{_pkts(first.low):.10g}pkts",
        "minth": f"{minth:.10g}pkts",
        "maxth": f"{maxth:.10g}pkts",
        "maxp": _shortest(maxp, lambda p: round(p * PROBABILITY_ONE), round(maxp * PROBABILITY_ONE)),
        "gentle": gentle,
        "becnthresh": f"{_pkts(next((row.low for row in rows if row.isq), last.low)):.10g}pkts",
        "midth": f"{_crossing(second.low, second.level2_base, second.level2_slope, 0.0):.10g}pkts",
        "isq_levels": any(row.isq_level_base or row.isq_level_slope for row in rows),
        **advices(rows),
    }


def advices(rows: "Sequence[CurveRow | TnaCurveRow]") -> dict[str, str]:
    """The advice below and from maxth on that rows have."""
    found = {row.drop: format_advice(row.isq_advice) for row in reversed(rows) if row.isq}
    below, at_maxth = found.get(0, "none"), found.get(1, "none")
    return {"advice": below} if at_maxth == below or 1 not in found else {"advice": below, "advice_at_maxth": at_maxth}


def _crossing(low: int, base: int, slope: int, value: float) -> float:
    """The depth at which a row's line has this probability, in packets to three digits."""
    if slope == 0 or base == round(value * PROBABILITY_ONE):
        return _pkts(low)
    return round(_pkts(low) + (value - base / PROBABILITY_ONE) / (slope / SLOPE_ONE_PER_PKT), 3)


def _pkts(key: int) -> float:
    return key * AVERAGE_KEY_STEP_PKTS


def _shortest(value: float, rounded: Callable[[float], int], wanted: int) -> float:
    """The decimal of the fewest digits that is rounded to the same row: 0.002 rather than 0.0020000338554."""
    for digits in range(1, _MOST_DIGITS):
        shorter = float(f"{value:.{digits}g}")
        if rounded(shorter) == wanted:
            return shorter
    return value
