# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of time series."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from quench.report.chart import COLOURS, Band, Line, Panel
from quench.report.envelope import envelope
from quench.report.still import stacked

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.names import SERIES_WORDS

if TYPE_CHECKING:
    from quench_experiments.simulation.result import Series

SPANS = 400
"""The spans of a long curve's envelope: two pixels each, at 96 pixels an inch. A curve of more points than pixels has
one."""
RANGE_ALPHA = 0.35
MOST_CURVES = 40
"""Most curves of a picture: more cannot be told apart, and are slow to draw."""


def curve_of(name: str, series: "Series", colour: str) -> tuple[Band, Line] | tuple[Line]:
    """The curve of a series; of one with more points than pixels its range and its mean."""
    if len(series.time_s) <= 2 * SPANS:
        return (Line(name, series.time_s.tolist(), series.value.tolist(), colour, width=0.5),)
    found = envelope(series.time_s, series.value, SPANS)
    range_name, mean_name = (f"{name}, {what}" if name else what for what in ("range", "mean"))
    return (
        Band(range_name, found.start, found.least, found.greatest, colour, alpha=RANGE_ALPHA),
        Line(mean_name, found.middle, found.mean, colour, width=1.0),
    )


def plot(series: Mapping[str, "Series"], names: Sequence[str]) -> Figure:
    """The series of these names, or all: a panel for each quantity, over one axis of time. Raises SimulationError."""
    for name in names:
        if name not in series:
            known = ", ".join(series) or "none: name links in the scenario's measure.series"
            raise SimulationError(f"{name}: there is no such series: the run has {known}")
    wanted = list(dict.fromkeys(names or series))
    if not wanted:
        raise SimulationError("the run has no series: name links in the scenario's measure.series")
    if len(wanted) > MOST_CURVES:
        raise SimulationError(f"{len(wanted)} series: name {MOST_CURVES} or fewer, such as {wanted[0]}")
    quantities: dict[str, list[str]] = {}
    for name in wanted:
        quantities.setdefault(name.rpartition(".")[2], []).append(name)
    panels = []
    for quantity, of_quantity in quantities.items():
        parts: list[Line | Band] = []
        for index, name in enumerate(of_quantity):
            parts += curve_of(name.rpartition(".")[0], series[name], COLOURS[index % len(COLOURS)])
        panels.append(Panel("time (s)", SERIES_WORDS.get(quantity, quantity), parts))
    return stacked(panels)
