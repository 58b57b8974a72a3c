# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Figures: our curves, the papers' quoted points and ns-2's values beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure
from quench.colours import AVERAGE, BLACK, BLUE, DEPTH
from quench.report.chart import (
    COLOURS,
    DASHES,
    MARKERS,
    Band,
    BarPanel,
    Bars,
    Level,
    Line,
    Marker,
    Marks,
    Panel,
    Points,
)
from quench.report.still import single

from quench_experiments.definition import NS2, CurveData, FigureData, QuotedPoint
from quench_experiments.definition.expression import Label
from quench_experiments.report.numbers import as_given, number
from quench_experiments.simulation.picture import curve_of
from quench_experiments.simulation.result import Series, parquet_file

TABLE = "series.parquet"
"""The name by which simulation.result writes it."""
FAR_FROM_ZERO = 0.6
"""If the least value is more than this share of the greatest, an axis from 0 on would hide the differences."""
ROOM = 1.06
"""The room above the greatest value of an axis from 0 on, as a factor."""
MOST_MARKERS = 40
LEAST_PART = 0.2
"""Axes of two figures are made equal unless the curves of one would take up less than this share of them."""
BESIDE = 0.012
"""The distance of quoted values from our point, as a share of the width: the paper's on the left, ns-2's on the
right."""
_SIZE_INCHES = (7.2, 3.8)
_WIDE_INCHES = (10.0, 3.2)
_BAR_INCHES = (1.5, 0.34)
"""Height of a figure of bars: without any, and of each."""
_PAPER: Marker = "star"
_NS2: Marker = "diamond"
Tables = Mapping[str, Mapping[str, Path]]


def read_series(tables: Mapping[str, Path], name: str) -> Series | None:
    """The series ``LINK.ab.COLUMN`` or ``SOURCE.COLUMN``; None where the run has none of this name.

    Raises SimulationError for a file that is something else.
    """
    if TABLE not in tables:
        return None
    with parquet_file(tables[TABLE]) as file:
        table = file.read(["series", "time_s", "value"]).filter(pc.field("series") == name)
        if not len(table):
            return None
        time_s, value = (table.column(each).to_numpy().astype(np.float64, copy=False) for each in ("time_s", "value"))
        return Series(time_s, value)


def draw(figure: FigureData, tables: Tables) -> Figure | None:
    """The figure; None where there is nothing to draw. ``tables`` are the runs' Parquet files."""
    return draw_all([figure], tables)[0]


def draw_all(figures: Sequence[FigureData], tables: Tables) -> list[Figure | None]:
    """The figures of an experiment. Those that show the same quantity over the same are compared: their axes are equal.

    None stands where there is nothing to draw.
    """
    panels = [_panel(figure, tables) for figure in figures]
    alike: dict[tuple[str, str, str], list[Panel]] = {}
    for figure, panel in zip(figures, panels, strict=True):
        if isinstance(panel, Panel) and not panel.names:
            alike.setdefault((figure.model.kind, panel.x_label, panel.y_label), []).append(panel)
    ranges = {key: _common(each) for key, each in alike.items()}
    return [_drawn(figure, panel, ranges) for figure, panel in zip(figures, panels, strict=True)]


def _panel(figure: FigureData, tables: Tables) -> Panel | BarPanel | None:
    if figure.model.kind == "time":
        found = [(curve, series) for curve in figure.curves if (series := _series(curve, curve.series, tables))]
        return _over_time(figure, found, tables) if found else None
    if not figure.curves:
        return None
    names = list(dict.fromkeys(x for curve in figure.curves for x in curve.x))
    return _bars(figure, names[0]) if len(names) == 1 else _curves(figure, names)


_Range: TypeAlias = tuple[float, float] | None


def _common(panels: Sequence[Panel]) -> tuple[_Range, _Range]:
    """The ranges of x and y that hold those of all panels; None: each keeps its own."""
    x_ranges = [panel.x_range for panel in panels if panel.x_range is not None]
    y_ranges = [panel.y_range for panel in panels if panel.y_range is not None]
    x = (min(low for low, _ in x_ranges), max(high for _, high in x_ranges)) if len(x_ranges) == len(panels) else None
    tops = [high for _, high in y_ranges]
    if len(y_ranges) < len(panels) or min(tops) < LEAST_PART * max(tops):
        return x, None
    return x, (min(low for low, _ in y_ranges), max(tops))


def _drawn(
    figure: FigureData, panel: Panel | BarPanel | None, ranges: Mapping[tuple[str, str, str], tuple[_Range, _Range]]
) -> Figure | None:
    if panel is None:
        return None
    if isinstance(panel, BarPanel):
        return single(panel, _SIZE_INCHES[0], _BAR_INCHES[0] + _BAR_INCHES[1] * len(panel.names))
    x, y = ranges.get((figure.model.kind, panel.x_label, panel.y_label), (None, None))
    equal = replace(panel, x_range=x or panel.x_range, y_range=y or panel.y_range)
    return single(equal, *(_WIDE_INCHES if figure.model.kind == "time" else _SIZE_INCHES))


def _series(curve: CurveData, name: str | None, tables: Tables) -> Series | None:
    if curve.run_id is None or name is None:
        return None
    return read_series(tables.get(curve.run_id, {}), name)


def _over_time(figure: FigureData, found: Sequence[tuple[CurveData, Series]], tables: Tables) -> Panel:
    """A queue's own curve is thin, or an envelope with its mean where it is long, and its average is thick."""
    parts: list[Line | Band | Level] = []
    drawn: list[Series] = []
    levels: dict[str, float] = {}
    for index, (curve, series) in enumerate(found):
        average = _series(curve, curve.average, tables)
        alone = len(found) == 1
        colour = COLOURS[index % len(COLOURS)] if not alone or average is None else DEPTH.light
        name = curve.label or ("queue" if average is not None else "")
        parts += curve_of(name, series, colour)
        drawn.append(series)
        if average is not None:
            label = f"{curve.label}, average" if curve.label else "average"
            *_, line = curve_of(label, average, AVERAGE.light if alone else colour)
            parts.append(replace(line, label=label, width=1.8))
            drawn.append(average)
        levels |= dict(curve.levels)
    parts += [Level(name, pkts) for name, pkts in levels.items()]
    last_s = max(float(max(series.time_s, default=0.0)) for series in drawn)
    low = min(0.0, *(float(min(series.value)) for _, series in found))
    top = ROOM * max(1e-9, *(float(max(series.value, default=0.0)) for series in drawn))
    return Panel(figure.x_label or "time (s)", figure.y_label, parts, x_range=(0.0, last_s), y_range=(low, top))


def _curves(figure: FigureData, names: Sequence[Label]) -> Panel:
    """Names, such as those of schemes, stand in a row; numbers on a scale."""
    others = [point.x for curve in figure.curves for point in curve.quoted]
    every = list(dict.fromkeys([*names, *others]))
    is_scale = all(isinstance(x, int | float) for x in every)
    places = {x: float(x) if is_scale else float(index) for index, x in enumerate(every)}
    lines = [_line(index, curve, places) for index, curve in enumerate(figure.curves)]
    quoted = list(_quoted_points(figure.curves, places))
    values = [y for curve in figure.curves for y in (*curve.y, *(point.y for point in curve.quoted))]
    ends = [y + (half or 0.0) for curve in figure.curves for y, half in zip(curve.y, curve.half_width, strict=True)]
    from_zero = 0 <= min(values) < FAR_FROM_ZERO * max(values)
    return Panel(
        figure.x_label,
        figure.y_label,
        [*lines, *quoted],
        y_range=(0.0, ROOM * max([*ends, *values])) if from_zero else None,
        names=() if is_scale else [str(x) for x in every],
    )


def _line(index: int, curve: CurveData, places: Mapping[Label, float]) -> Line:
    errors = [half or 0.0 for half in curve.half_width]
    return Line(
        curve.label,
        [places[x] for x in curve.x],
        curve.y,
        COLOURS[index % len(COLOURS)],
        DASHES[index // len(COLOURS) % len(DASHES)],
        marker=MARKERS[index % len(MARKERS)] if len(curve.x) <= MOST_MARKERS else None,
        error=errors if any(errors) else None,
    )


def _quoted_points(curves: Sequence[CurveData], places: Mapping[Label, float]) -> Iterator[Points]:
    """The quoted points in the colour of the curve; the legend names each kind in black."""
    beside = BESIDE * (max(places.values()) - min(places.values()))
    for by in dict.fromkeys(point.by for curve in curves for point in curve.quoted):
        yield Points(by, [], [], BLACK, _marker(by))
    for index, curve in enumerate(curves):
        for by in dict.fromkeys(point.by for point in curve.quoted):
            found = [point for point in curve.quoted if point.by == by]
            yield Points(
                "",
                [places[point.x] + (beside if by == NS2 else -beside) for point in found],
                [point.y for point in found],
                COLOURS[index % len(COLOURS)],
                _marker(by),
                [point.deviation or 0.0 for point in found] if any(point.deviation for point in found) else None,
            )


def _marker(by: str) -> Marker:
    return _NS2 if by == NS2 else _PAPER


def _bars(figure: FigureData, x: Label) -> BarPanel:
    """A panel of bars, for curves of one point at the same place: there is nothing to join."""
    curves = figure.curves
    where = f"{figure.x_label}: {x if isinstance(x, str) else as_given(x)}" if figure.x_label else ""
    kinds = dict.fromkeys(point.by for curve in curves for point in curve.quoted)
    return BarPanel(
        where,
        figure.y_label,
        [curve.label for curve in curves],
        [Bars("ours", [curve.y[0] for curve in curves], BLUE, errors=[curve.half_width[0] for curve in curves])],
        [number(curve.y[0]) for curve in curves],
        [_marks(by, [_only(curve.quoted, by) for curve in curves]) for by in kinds],
    )


def _only(quoted: Sequence[QuotedPoint], by: str) -> QuotedPoint | None:
    return next((point for point in quoted if point.by == by), None)


def _marks(by: str, points: Sequence[QuotedPoint | None]) -> Marks:
    return Marks(
        by,
        [None if point is None else point.y for point in points],
        BLACK,
        _marker(by),
        [None if point is None else point.deviation for point in points],
    )
