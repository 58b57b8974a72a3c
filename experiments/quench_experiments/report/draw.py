# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from quench.report import svg

from quench_experiments.definition import CurveData, FigureData
from quench_experiments.simulation.result import Series

TABLE = "series.parquet"
"""The name by which simulation.result writes it."""


def read_series(tables: Mapping[str, Path], name: str) -> Series | None:
    """The series ``LINK.ab.COLUMN`` or ``SOURCE.COLUMN``; None where the run has none of this name."""
    if TABLE not in tables:
        return None
    table = pq.read_table(tables[TABLE], columns=["time_s", "value"], filters=[("series", "=", name)])
    if not len(table):
        return None
    return Series(table.column("time_s").to_numpy(), table.column("value").to_numpy())


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#000000")
"""Distinct also for people who do not see all colours (Okabe and Ito 2008)."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
FAR_FROM_ZERO = 0.6
"""Where the least value is more than this share of the greatest, an axis from 0 on would hide the differences."""
_SIZE_INCHES = (7.2, 3.6)
_WIDE_INCHES = (10.0, 3.2)


def draw(figure: FigureData, tables: Mapping[str, Mapping[str, Path]]) -> str | None:
    """The figure as an SVG document; None where there is nothing to draw. ``tables`` are the runs' Parquet files."""
    if figure.model.kind == "time":
        curves = [(curve, series) for curve in figure.curves if (series := _series(curve, tables)) is not None]
        return svg(_plot_time(figure, curves)) if curves else None
    return svg(_plot(figure)) if figure.curves else None


def _series(curve: CurveData, tables: Mapping[str, Mapping[str, Path]]) -> Series | None:
    if curve.run_id is None or curve.series is None:
        return None
    return read_series(tables.get(curve.run_id, {}), curve.series)


def _plot(figure: FigureData) -> Figure:
    made, axes = _axes(figure, _SIZE_INCHES)
    # Names, such as those of schemes, stand in a row; numbers on a scale.
    names = list(dict.fromkeys(x for curve in figure.curves for x in curve.x))
    is_scale = all(isinstance(x, int | float) for x in names)
    places: dict[Any, float] = {x: float(x) if is_scale else float(index) for index, x in enumerate(names)}
    for index, curve in enumerate(figure.curves):
        errors = [half or 0.0 for half in curve.half_width]
        axes.errorbar(
            [places[x] for x in curve.x],
            curve.y,
            yerr=errors if any(errors) else None,
            marker=MARKERS[index % len(MARKERS)] if len(curve.x) <= 40 else None,
            capsize=2.5,
            **_style(index, curve.label),
        )
    if not is_scale:
        axes.set_xticks(range(len(names)), [str(name) for name in names])
    values = [y for curve in figure.curves for y in curve.y]
    if 0 <= min(values) < FAR_FROM_ZERO * max(values):
        axes.set_ylim(bottom=0)
    _legend(axes, figure.curves)
    return made


def _plot_time(figure: FigureData, curves: Sequence[tuple[CurveData, Series]]) -> Figure:
    made, axes = _axes(figure, _WIDE_INCHES)
    for index, (curve, series) in enumerate(curves):
        style = _style(index, curve.label) | {"linestyle": "-", "linewidth": 0.8}
        axes.plot(series.time_s, series.value, **style)
    axes.margins(x=0)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    if not figure.x_label:
        axes.set_xlabel("time (s)")
    _legend(axes, [curve for curve, _ in curves])
    return made


def _axes(figure: FigureData, size: tuple[float, float]) -> tuple[Figure, Axes]:
    made = Figure(figsize=size, layout="constrained")
    axes = made.subplots()
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.grid(color="0.9", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return made, axes


def _style(index: int, label: str) -> dict[str, Any]:
    return {
        "label": label,
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[index // len(COLOURS) % len(DASHES)],
        "linewidth": 1.4,
        "markersize": 4.5,
    }


def _legend(axes: Axes, curves: Sequence[CurveData]) -> None:
    if len(curves) > 1 or curves[0].label:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=min(len(curves), 4), frameon=False, fontsize=9)
