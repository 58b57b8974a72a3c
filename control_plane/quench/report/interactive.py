# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws charts on a screen, with Bokeh: they are zoomed together, and curves are shown and hidden by their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from bokeh.embed import components
from bokeh.model import Model
from bokeh.models import (
    BasicTicker,
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    DataRange1d,
    FactorRange,
    FixedTicker,
    HoverTool,
    LinearAxis,
    PanTool,
    Range1d,
    ResetTool,
    SaveTool,
    WheelZoomTool,
)
from bokeh.models.annotations.geometry import Span, Whisker
from bokeh.models.annotations.legends import Legend, LegendItem
from bokeh.models.renderers.glyph_renderer import GlyphRenderer
from bokeh.plotting import figure as new_figure
from bokeh.resources import Resources

from quench.report.chart import LEVEL_COLOUR, Band, BarPanel, Bundle, Level, Line, Marks, Panel, Points, Shade, apart

_Drawn: TypeAlias = "GlyphRenderer[Any]"
PANEL_PIXELS = 230
_BAR_PIXELS = 24
_LEGEND_PIXELS = 30
_LEFT_PIXELS, _RIGHT_PIXELS = 62, 145
"""Around every panel over an x axis, so that the panels' axes lie below one another."""
_LEVELS_APART = 0.08
"""The least distance of two names, as a share of the height of the axes."""
_HATCHES = {"": " ", "/": "right_diagonal_line", "x": "diagonal_cross", ".": "dot"}


@dataclass(frozen=True, slots=True)
class Embedded:
    """Charts as parts of a page. The parts are HTML."""

    head: str
    """The library, to be put into the page."""
    script: str
    """Draws the charts."""
    charts: Mapping[str, str]
    """The place of each, by its name."""


def embed(charts: Mapping[str, Panel | BarPanel]) -> Embedded:
    """The charts, by their names. Panels whose x axes are to move together share one range of the same ends."""
    ranges: dict[tuple[float, float], Range1d] = {}
    drawn: dict[str, Model] = {
        name: _bars(chart) if isinstance(chart, BarPanel) else _panel(chart, ranges) for name, chart in charts.items()
    }
    script, places = components(drawn)
    return Embedded(Resources(mode="inline", components=["bokeh"]).render(), script, places)


def _panel(panel: Panel, ranges: dict[tuple[float, float], Range1d]) -> new_figure:
    made = _figure(panel.title, PANEL_PIXELS)
    made.min_border_left, made.min_border_right = _LEFT_PIXELS, _RIGHT_PIXELS
    made.xaxis.axis_label, made.yaxis.axis_label = panel.x_label, panel.y_label
    if panel.x_range is not None:
        made.x_range = ranges.setdefault(panel.x_range, _range(panel.x_range))
    if panel.y_range is not None:
        made.y_range = _range(panel.y_range)
    items: list[tuple[str, list[_Drawn]]] = []
    for part in panel.parts:
        match part:
            case Line():
                items.append((part.label, _line(made, part)))
            case Bundle():
                steps = [_steps(x, y) for x, y in part.lines]
                xs: Any = [x for x, _ in steps]
                ys: Any = [y for _, y in steps]
                drawn = made.multi_line(xs, ys, color=part.colour, line_width=0.7, alpha=0.7)
                drawn.visible = False
                items.append((part.label, [drawn]))
            case Band():
                x, low = _steps(part.x, part.low)
                _, high = _steps(part.x, part.high)
                items.append((part.label, [made.varea(x, low, high, fill_color=part.colour, fill_alpha=part.alpha)]))
            case Points():
                items.append((part.label, [_points(made, part)]))
            case Shade():
                made.vstrip(part.start, part.end, fill_color="#ededed", line_alpha=0, level="underlay")
            case Level():
                pass
    levels = [part for part in panel.parts if isinstance(part, Level)]
    if levels and panel.y_range is not None:
        _levels(made, levels, panel.y_range)
    if panel.names:
        made.xaxis.ticker = FixedTicker(ticks=list(range(len(panel.names))))
        made.xaxis.major_label_overrides = dict(enumerate(panel.names))
    named = [(label, drawn) for label, drawn in items if label]
    if named:
        made.add_layout(_legend(named), "above")
    return made


def _line(made: new_figure, line: Line) -> list[_Drawn]:
    style: dict[str, Any] = {"color": line.colour, "line_width": line.width, "line_dash": line.dash}
    if line.step:
        return [made.step(_floats(line.x), _floats(line.y), mode="after", **style)]
    drawn = made.line(_floats(line.x), _floats(line.y), **style)
    if line.label:
        made.add_tools(
            HoverTool(
                renderers=[drawn],
                mode="vline",
                line_policy="nearest",
                tooltips=[(line.label, "@y{0.0} at @x{0.00}")],
                visible=False,
            )
        )
    if line.error is not None:
        _upright(made, line.x, line.y, line.error, line.colour)
    if line.marker is None:
        return [drawn]
    return [drawn, made.scatter(_floats(line.x), _floats(line.y), marker=line.marker, size=6, color=line.colour)]


def _points(made: new_figure, points: Points) -> _Drawn:
    if points.error is not None:
        _upright(made, points.x, points.y, points.error, points.colour)
    return made.scatter(
        points.x, points.y, marker=points.marker, size=11, line_color=points.colour, fill_alpha=0, line_width=1.5
    )


def _upright(made: new_figure, x: Sequence[float], y: Sequence[float], error: Sequence[float], colour: str) -> None:
    """Error bars."""
    half = _floats(error)
    source = ColumnDataSource({"base": _floats(x), "upper": _floats(y) + half, "lower": _floats(y) - half})
    made.add_layout(Whisker(base="base", upper="upper", lower="lower", source=source, line_color=colour))


def _levels(made: new_figure, levels: Sequence[Level], y_range: tuple[float, float]) -> None:
    """Dashed lines with their names at the right, as ticks of an axis of their own."""
    names = {}
    for each, place in apart(levels, *y_range, _LEVELS_APART):
        made.add_layout(
            Span(location=each.y, dimension="width", line_color=LEVEL_COLOUR, line_dash="dashed", line_width=1)
        )
        names[place] = each.label
    axis: Any = LinearAxis()
    axis.ticker, axis.major_label_overrides = FixedTicker(ticks=list(names)), names
    axis.axis_line_color = axis.major_tick_line_color = None
    axis.major_label_text_color = LEVEL_COLOUR
    made.add_layout(axis, "right")


def _bars(panel: BarPanel) -> new_figure:
    height = 90 + _BAR_PIXELS * len(panel.names)
    if len(panel.bars) + len(panel.marks) > 1:
        height += _LEGEND_PIXELS
    made = _figure(panel.title, height, list(reversed(panel.names)))
    ends = panel.ends()
    low, high = panel.limits()
    made.x_range = Range1d(start=low, end=high + 0.25 * (high - low))
    made.xaxis.axis_label = panel.value_label
    starts = [0.0] * len(panel.names)
    items: list[tuple[str, list[_Drawn]]] = []
    for each in panel.bars:
        stops = [start + (value or 0.0) for start, value in zip(starts, each.values, strict=True)]
        drawn = made.hbar(
            y=list(panel.names),
            left=starts,
            right=stops,
            height=0.66,
            fill_color=each.colour,
            line_color=None,
            hatch_pattern=_HATCHES[each.hatch],
            hatch_color="white",
            hatch_alpha=0.9,
        )
        items.append((each.label, [drawn]))
        if each.errors:
            _whisker(made, panel.names, stops, each.errors, "#000000")
        starts = stops
    items += [(marks.label, [_marks(made, panel, marks)]) for marks in panel.marks]
    made.text(
        x=ends,
        y=list(panel.names),
        text=list(panel.texts),
        x_offset=5,
        text_baseline="middle",
        text_font_size="12px",
    )
    made.ygrid.grid_line_color = None
    made.xaxis.ticker = BasicTicker(desired_num_ticks=4)
    if len(items) > 1:
        made.add_layout(_legend(items), "below")
    return made


def _marks(made: new_figure, panel: BarPanel, marks: Marks) -> _Drawn:
    known = [index for index, value in enumerate(marks.values) if value is not None]
    names = [panel.names[index] for index in known]
    values = [marks.values[index] or 0.0 for index in known]
    if marks.errors:
        _whisker(made, names, values, [marks.errors[index] for index in known], marks.colour)
    return made.scatter(
        values, names, marker=marks.marker, size=11, line_color=marks.colour, fill_alpha=0, line_width=1.5
    )


def _whisker(
    made: new_figure, names: Sequence[str], values: Sequence[float], errors: Sequence[float | None], colour: str
) -> None:
    source = ColumnDataSource(
        {
            "base": list(names),
            "upper": [value + (error or 0.0) for value, error in zip(values, errors, strict=True)],
            "lower": [value - (error or 0.0) for value, error in zip(values, errors, strict=True)],
        }
    )
    made.add_layout(
        Whisker(
            base="base",
            upper="upper",
            lower="lower",
            dimension="width",
            source=source,
            line_color=colour,
            level="annotation",
        )
    )


def _figure(title: str, height: int, names: Sequence[str] | None = None) -> new_figure:
    pan, zoom = PanTool(dimensions="width"), BoxZoomTool(dimensions="width")
    wheel = WheelZoomTool(dimensions="width", modifiers={"ctrl": True})
    made = new_figure(
        title=title or None,
        height=height,
        sizing_mode="stretch_width",
        tools=[pan, zoom, wheel, ResetTool(), SaveTool()],
        active_drag=zoom,
        active_scroll=wheel,
        y_range=DataRange1d() if names is None else FactorRange(factors=list(names)),
    )
    made.toolbar.logo = None
    made.toolbar.autohide = True
    made.outline_line_color = None
    made.grid.grid_line_color = "#e6e6e6"
    made.axis.axis_label_text_font_style = "normal"
    made.axis.axis_line_color = "#7f7f7f"
    made.axis.minor_tick_line_color = None
    for axis in made.axis:
        if isinstance(axis, LinearAxis):
            # 0.0005, not 5.000e-4.
            axis.formatter = BasicTickFormatter(use_scientific=False)
    return made


def _range(ends: tuple[float, float]) -> Range1d:
    """A range from end to end, and no further when it is dragged."""
    return Range1d(start=ends[0], end=ends[1], bounds=ends)


def _legend(items: Sequence[tuple[str, list[_Drawn]]]) -> Legend:
    return Legend(
        items=[LegendItem(label=label, renderers=drawn) for label, drawn in items],
        orientation="horizontal",
        location="top_left",
        click_policy="hide",
        border_line_color=None,
        margin=2,
        label_text_font_size="12px",
        ncols="auto",
    )


def _steps(x: Sequence[float], y: Sequence[float]) -> tuple[Any, Any]:
    """Points of a line that keeps each value until the next."""
    return np.repeat(_floats(x), 2)[1:], np.repeat(_floats(y), 2)[:-1]


def _floats(values: Sequence[float]) -> Any:
    """The values as an array, which Bokeh writes into the page many times as fast as a list."""
    return np.asarray(values, dtype=np.float64)
