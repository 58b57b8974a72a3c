# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""An analysis and a recommendation for people, for programs and for a switch."""

from math import isinf
from typing import Any

import yaml
from pydantic import ValidationError
from quench.errors import message_of
from quench.profiles import ProfileRows, ProfileSettings, compile_profile
from quench.profiles.settings import parse_settings
from rich.table import Table

from quench_experiments.errors import TuningError
from quench_experiments.tuning.analysis import Analysis, StableRange
from quench_experiments.tuning.fluid import Settling
from quench_experiments.tuning.recommend import Recommendation


def analysis_values(found: Analysis, around: StableRange | None) -> dict[str, Any]:
    """Everything that was computed, as JSON has it; an infinite margin is null."""
    point, loop = found.point, found.loop
    return {
        "load": {
            "flows": found.load.flows,
            "capacity_pps": found.load.capacity_pps,
            "rtt_s": found.load.rtt_s,
        },
        "operating_point": {
            "queue_pkts": point.queue_pkts,
            "rtt_s": point.rtt_s,
            "window_pkts": point.window_pkts,
            "p1": point.p1,
            "p2": point.p2,
        },
        "gain": found.gain,
        "gain_ecn": found.gain_ecn,
        "sensitivity_gain": found.sensitivity_gain,
        "averaging_rad_s": loop.averaging_rad_s,
        "window_rad_s": loop.window_rad_s,
        "queue_rad_s": loop.queue_rad_s,
        "crossover_rad_s": found.crossover_rad_s,
        "delay_margin_s": _finite(found.delay_margin_s),
        "exact_crossover_rad_s": loop.crossover_rad_s,
        "exact_delay_margin_s": _finite(found.exact_delay_margin_s),
        "approximation_holds": found.approximation_holds,
        "stable": found.stable,
        "stable_range": None
        if around is None
        else {
            "least_flows": around.least_flows,
            "most_flows": around.most_flows,
            "longest_rtt_s": around.longest_rtt_s,
        },
    }


def analysis_table(title: str, found: Analysis, around: StableRange | None, settling: Settling | None) -> Table:
    """The analysis as a table for a terminal; ``settling`` is the run with a switch's rows, where there was one."""
    point, loop, marking = found.point, found.loop, found.marking
    two_levels = marking.midth is not None
    above = two_levels and point.queue_pkts > marking.midth  # type: ignore[operator]
    name = "K_MECN" if above else "K1" if two_levels else "K0"
    table = Table(title=title, title_justify="left", show_header=False)
    table.add_row(
        "queue settles at", f"{point.queue_pkts:.1f} packets, {1000 * (point.rtt_s - found.load.rtt_s):.1f} ms"
    )
    table.add_row("window of a flow", f"{point.window_pkts:.1f} packets, round trip {1000 * point.rtt_s:.1f} ms")
    chances = f"level 1 {point.p1:.4g}, level 2 {point.p2:.4g}" if two_levels else f"{point.p1:.4g}"
    table.add_row("probability of a mark", chances)
    table.add_row(f"gain {name}", f"{found.gain:.3f}")
    if two_levels:
        table.add_row("ECN's gain K0", f"{found.gain_ecn:.3f}: sensitivity gain {found.sensitivity_gain:.2f}")
    table.add_row("crossover wg", f"{found.crossover_rad_s:.3f} rad/s (whole loop {loop.crossover_rad_s:.3f})")
    table.add_row("delay margin DM", f"{_milliseconds(found.delay_margin_s)} (P3's approximation)")
    table.add_row("", f"{_milliseconds(found.exact_delay_margin_s)} (whole loop)")
    if settling is not None:
        table.add_row(
            "with a switch's rows",
            f"{settling.mean_pkts:.1f} packets ({settling.least_pkts:.1f} to {settling.most_pkts:.1f}) "
            f"at the end of {settling.duration_s:.0f} s",
        )
    table.add_row("verdict", "[green]settles[/]" if found.stable else "[red]oscillates[/]")
    if around is not None:
        table.add_row("settles for", f"{around.least_flows} to {around.most_flows} flows at this round trip")
        table.add_row("", f"round trips up to {1000 * around.longest_rtt_s:.0f} ms with these flows")
    return table


def _finite(value: float) -> float | None:
    return None if isinf(value) else value


def _milliseconds(value: float) -> str:
    return "without limit" if isinf(value) else f"{1000 * value:.1f} ms"


_ORDER = ("scheme", "minth", "midth", "becnthresh", "maxth", "maxp")


def profile_of(found: Recommendation, mean_packet_bytes: int) -> tuple[ProfileSettings, ProfileRows]:
    """The recommended profile, and its rows; settings that the theory does not cover keep their defaults.

    Raises TuningError for a profile that a switch cannot hold.
    """
    marking = found.marking
    depths = {
        "minth": marking.minth,
        "midth": marking.midth,
        "becnthresh": found.becnthresh,
        "maxth": marking.maxth,
    }
    values = {
        "scheme": found.scheme,
        **{name: f"{value:.12g}pkts" for name, value in depths.items() if value is not None},
        "maxp": marking.maxp,
        "wq": found.wq,
        "mean_packet_bytes": mean_packet_bytes,
    }
    try:
        settings = parse_settings(values)
        rows = compile_profile(settings, round(found.analysis.load.capacity_pps * mean_packet_bytes * 8))
    except ValueError as error:
        fault = message_of(error.errors()[0]) if isinstance(error, ValidationError) else error
        raise TuningError(f"no switch holds the setting for this load: {fault}") from error
    return settings, rows


def profile_yaml(settings: ProfileSettings) -> str:
    """The profile as a file for ``quench thresholds set --file`` or, under a name, for a controller's ``profiles``."""
    return yaml.safe_dump(profile_values(settings), sort_keys=False)


def profile_values(settings: ProfileSettings) -> dict[str, Any]:
    """The settings that were given, in the order in which people write them."""
    values = settings.model_dump(mode="json", exclude_unset=True)
    first = [name for name in _ORDER if name in values]
    return {name: values[name] for name in [*first, *(name for name in values if name not in first)]}
