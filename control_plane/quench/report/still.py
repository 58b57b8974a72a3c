# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws charts on paper, with Matplotlib: SVG for pages, PDF for papers, PNG."""

import io
import logging
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from quench.report.chart import (
    LEVEL_COLOUR,
    Band,
    BarPanel,
    Bars,
    Bundle,
    Level,
    Line,
    Marker,
    Marks,
    Panel,
    Points,
    Shade,
    apart,
)

MARKERS: dict[Marker, str] = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "inverted_triangle": "v",
    "plus": "P",
    "x": "X",
    "star": "*",
}
PNG_DPI = 150
_MARKS_APART = 0.36
"""The distance of two marks, as a share of that of two bars: marks of several kinds lie below one another."""
_RC: Any = {
    "svg.hashsalt": "quench",
    # Text stays text: it can be searched and copied, and papers embed the font.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "text.parse_math": False,
}
_LETTERS_PER_INCH = 13
_HANDLE_LETTERS = 8
"""The width of a legend's line with its gaps, in letters; ``_LETTERS_PER_INCH`` is that of an inch."""
_LEVELS_APART = 0.07
"""The least distance of two names, as a share of the height of the axes."""


# Its notes about each table of a font are for nobody here.
logging.getLogger("fontTools").setLevel(logging.WARNING)


def svg(figure: Figure) -> str:
    """The SVG document of a figure. The same figure gives the same bytes; its text stays text."""
    out = io.StringIO()
    with mpl.rc_context(_RC):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def pdf(figure: Figure) -> bytes:
    """The PDF document of a figure, with its fonts. The same figure gives the same bytes."""
    return _saved(figure, "pdf", metadata={"CreationDate": None})


def png(figure: Figure) -> bytes:
    """The figure as pixels."""
    return _saved(figure, "png", dpi=PNG_DPI)


def _saved(figure: Figure, kind: str, **more: Any) -> bytes:
    out = io.BytesIO()
    with mpl.rc_context(_RC):
        figure.savefig(out, format=kind, **more)
    return out.getvalue()


def stacked(panels: Sequence[Panel], width_inches: float = 10.0, height_inches: float = 2.4) -> Figure:
    """Panels below one another over one x axis."""
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(width_inches, height_inches * len(panels) + 0.3), layout="constrained")
        axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for index, panel in enumerate(panels):
            draw(axes[index], panel if index == len(panels) - 1 else replace(panel, x_label=""))
        figure.align_ylabels()
        return _laid_out(figure)


def single(panel: Panel | BarPanel, width_inches: float, height_inches: float) -> Figure:
    """One panel."""
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(width_inches, height_inches), layout="constrained")
        axes = figure.subplots()
        if isinstance(panel, BarPanel):
            draw_bars(axes, panel)
        else:
            draw(axes, panel)
        return _laid_out(figure)


def side_by_side(panels: Sequence[BarPanel], columns: int = 3, width_inches: float = 10.0) -> Figure:
    """Panels of bars in rows; the names stand once in each row."""
    rows = ceil(len(panels) / columns)
    height = rows * (0.95 + 0.24 * max(len(panel.names) for panel in panels))
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(width_inches, height), layout="constrained")
        found = figure.subplots(rows, columns, squeeze=False, sharey=True)
        for index, axes in enumerate(found.flat):
            if index < len(panels):
                draw_bars(axes, panels[index])
            else:
                axes.set_axis_off()
        return _laid_out(figure)


def _laid_out(figure: Figure) -> Figure:
    """Places are found once, not for each file."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def draw(axes: Axes, panel: Panel) -> None:
    """Draw a panel's curves; bundles are left out."""
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    if panel.title:
        axes.set_title(panel.title, loc="left", fontsize=10, fontweight="bold", pad=22 if _labelled(panel) else 6)
    _frame(axes)
    for part in panel.parts:
        match part:
            case Line():
                _line(axes, part)
            case Band():
                axes.fill_between(
                    part.x,
                    part.low,
                    part.high,
                    step="post",
                    color=part.colour,
                    alpha=part.alpha,
                    lw=0,
                    label=part.label,
                )
            case Points():
                _points(axes, part)
            case Shade():
                axes.axvspan(part.start, part.end, color="0.93", lw=0, zorder=0)
            case Level() | Bundle():
                pass
    if panel.names:
        axes.set_xticks(range(len(panel.names)), list(panel.names))
    if panel.x_range is not None:
        axes.set_xlim(*panel.x_range)
    if panel.y_range is not None:
        axes.set_ylim(*panel.y_range)
    _levels(axes, [part for part in panel.parts if isinstance(part, Level)])
    if labels := _labelled(panel):
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.01, 1),
            ncols=_legend_columns(axes, labels),
            frameon=False,
            fontsize=8,
            borderpad=0.2,
        )


def draw_bars(axes: Axes, panel: BarPanel) -> None:
    """Draw bars from the first name at the top down."""
    places = range(len(panel.names))
    starts = [0.0] * len(panel.names)
    for each in panel.bars:
        lengths = [value or 0.0 for value in each.values]
        axes.barh(
            places,
            lengths,
            left=starts,
            height=0.66,
            color=each.colour,
            hatch=each.hatch * 3,
            edgecolor="white" if each.hatch else "none",
            linewidth=0,
            label=each.label,
            xerr=_known(each) if each.errors else None,
            error_kw={"elinewidth": 1, "capsize": 2},
        )
        starts = [start + length for start, length in zip(starts, lengths, strict=True)]
    for index, marks in enumerate(panel.marks):
        shift = _MARKS_APART * (index - (len(panel.marks) - 1) / 2)
        found = [(value, place) for place, value in enumerate(marks.values) if value is not None]
        axes.errorbar(
            [value for value, _ in found],
            [place + shift for _, place in found],
            xerr=[_known(marks)[place] for _, place in found] if marks.errors else None,
            label=marks.label,
            **_marked(marks.colour, marks.marker) | {"markerfacecolor": "white", "markersize": 9},
        )
    for place, (end, text) in enumerate(zip(panel.ends(), panel.texts, strict=True)):
        axes.annotate(text, (end, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(places, list(panel.names))
    axes.set_ylim(len(panel.names) - 0.4, -0.6)
    axes.set_title(panel.title, loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel(panel.value_label)
    _frame(axes)
    axes.grid(visible=False, axis="y")
    axes.locator_params(axis="x", nbins=5)
    low, high = panel.limits()
    # Room for the numbers behind the bars.
    axes.set_xlim(low, high + 0.22 * (high - low))
    if len(panel.bars) + len(panel.marks) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(-0.02, -0.28), ncols=3, frameon=False, fontsize=8)


def _known(bars: Bars | Marks) -> list[float]:
    return [error or 0.0 for error in bars.errors]


def _frame(axes: Axes) -> None:
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _labelled(panel: Panel) -> list[str]:
    return [part.label for part in panel.parts if isinstance(part, Line | Band | Points) and part.label]


def _legend_columns(axes: Axes, labels: Sequence[str]) -> int:
    """The largest number of columns that fit into a row."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    letters = _LETTERS_PER_INCH * figure.get_size_inches()[0]
    return max(1, min(len(labels), int(letters / (max(map(len, labels)) + _HANDLE_LETTERS))))


def _line(axes: Axes, line: Line) -> None:
    style: dict[str, Any] = {
        "color": line.colour,
        "linestyle": {"solid": "-", "dashed": "--", "dashdot": "-.", "dotted": ":"}[line.dash],
        "linewidth": line.width,
        "label": line.label or None,
    }
    if line.step:
        axes.step(line.x, line.y, where="post", **style)
        return
    style |= {"marker": line.marker and MARKERS[line.marker], "markersize": 4.5}
    axes.errorbar(line.x, line.y, yerr=line.error, capsize=2.5, **style)


def _points(axes: Axes, points: Points) -> None:
    axes.errorbar(points.x, points.y, yerr=points.error, label=points.label, **_marked(points.colour, points.marker))


def _marked(colour: str, marker: Marker) -> dict[str, Any]:
    """Large and hollow, so that a curve's own point can be seen through it."""
    return {
        "linestyle": "none",
        "marker": MARKERS[marker],
        "markersize": 10 if marker == "star" else 8,
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.3,
        "ecolor": colour,
        "elinewidth": 1,
        "capsize": 3,
        "zorder": 5,
    }


def _levels(axes: Axes, levels: Sequence[Level]) -> None:
    """Dashed lines with their names at the right."""
    low, high = axes.get_ylim()
    for each, place in apart(levels, low, high, _LEVELS_APART):
        axes.axhline(each.y, lw=0.8, ls=(0, (4, 3)), color=LEVEL_COLOUR, zorder=1)
        axes.annotate(
            each.label,
            (1.005, place),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
            color=LEVEL_COLOUR,
            annotation_clip=False,
        )
