# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of profiles: what happens to a packet, over the average queue."""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, nan
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from quench_switch.outside.files import write_files

from quench.colours import DROPPED_EARLY, MARKED, SECOND_LEVEL
from quench.profiles.curve import Curve, Segment, curve_of
from quench.profiles.settings import ProfileSettings
from quench.units import Depth

POINTS_PER_SEGMENT = 64
"""Mark 1 bends where mark 2 takes packets away from it."""
_PANEL_INCHES = (6.4, 3.9)
_LEGEND_INCHES = 0.9
_LINE_POINTS = 12
"""Height of a line of a threshold's name."""
_CHARACTER_OF_PANEL = 0.0145
"""Width of a character of such a name, of a panel's."""
_ISQ_COLOUR = "#fdf0d5"
_RC: Any = {
    "svg.hashsalt": "quench",
    "svg.fonttype": "none",
    "font.size": 10,
    # A name is no formula.
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    style: dict[str, Any]


_MARK1 = _Line("ECT: mark, level 1", {"color": MARKED.light, "linewidth": 2.2})
_MARK2 = _Line("ECT: mark, level 2", {"color": SECOND_LEVEL.light, "linewidth": 2.2})
_DROP_ECT = _Line("ECT: drop", {"color": DROPPED_EARLY.light, "linewidth": 2.2})
_DROP_NOT_ECT = _Line("not ECT: drop", {"color": "#999999", "linewidth": 1.6, "linestyle": (0, (4, 3))})
_LINES = (_MARK1, _MARK2, _DROP_ECT, _DROP_NOT_ECT)


def draw(path: Path, profiles: Mapping[str, ProfileSettings], *, until: Depth | None = None, top: float = 1.0) -> None:
    """Write a picture with a panel for each profile, all to one scale. Raises OSError.

    ``until``: the deepest average to show; ``top``: the highest probability.
    """
    columns = 1 if len(profiles) == 1 else 2
    rows = ceil(len(profiles) / columns)
    width, height = columns * _PANEL_INCHES[0], rows * _PANEL_INCHES[1] + _LEGEND_INCHES
    last_pkts = {name: _last_depth_pkts(settings) for name, settings in profiles.items()}
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        panels = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
        for panel, (name, settings) in zip(panels, profiles.items(), strict=False):
            mean_bytes = settings.mean_packet_bytes
            right = until.in_pkts(mean_bytes) if until is not None else max(last_pkts.values())
            _draw_panel(panel, name, settings, right, top)
        for panel in panels[len(profiles) :]:
            panel.set_axis_off()
        used = {line for settings in profiles.values() for line in _lines_of(curve_of(settings))}
        handles: list[Any] = [Line2D([], [], label=line.label, **line.style) for line in _LINES if line.label in used]
        if any(segment.isq for settings in profiles.values() for segment in curve_of(settings).segments):
            handles.append(Patch(facecolor=_ISQ_COLOUR, edgecolor="#d8c9a5", label="the source gets an ISQ"))
        figure.legend(handles=handles, loc="outside lower center", ncols=3 if columns == 1 else 5, frameon=False)
        # Nothing that differs from day to day, or with the library.
        metadata = {"Creator": "quench profile plot", "Date": None} if path.suffix == ".svg" else {}
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix.removeprefix("."), dpi=144, metadata=metadata)
    write_files((path, picture.getvalue()))


def _last_depth_pkts(settings: ProfileSettings) -> float:
    """The depth at which a picture ends: a little behind the last change of the curve."""
    segments = curve_of(settings).segments
    return 1.08 * segments[-1].start_pkts if segments and segments[-1].start_pkts else 10.0


def _draw_panel(axes: Axes, name: str, settings: ProfileSettings, right_pkts: float, top: float) -> None:
    curve = curve_of(settings)
    axes.set_xlim(0, right_pkts)
    axes.set_ylim(0, 1.04 * top)
    axes.set_xlabel("average queue, packets")
    axes.set_ylabel("probability")
    axes.yaxis.set_tick_params(labelleft=True)
    axes.grid(color="#e6e6e6", linewidth=0.6)
    axes.set_axisbelow(True)
    for segment in curve.segments:
        if segment.isq and segment.start_pkts < right_pkts:
            axes.axvspan(
                segment.start_pkts, min(segment.end_pkts, right_pkts), color=_ISQ_COLOUR, linewidth=0, zorder=0
            )
    for line in _LINES:
        depths, values = _samples(curve, line, right_pkts)
        if any(value > 0 for value in values):
            axes.plot(depths, values, **line.style)
    names_points = _label_thresholds(axes, settings, right_pkts)
    axes.set_title(_title(name, settings), loc="left", pad=10 + names_points, fontsize=11, fontweight="bold")
    if not curve.segments:
        axes.text(
            0.5, 0.5, "no packet is selected:\nthe queue overflows", transform=axes.transAxes, ha="center", va="center"
        )


def _title(name: str, settings: ProfileSettings) -> str:
    return name if name == settings.scheme else f"{name} ({settings.scheme})"


def _lines_of(curve: Curve) -> set[str]:
    """The names of the lines that a curve needs."""
    return {
        line.label
        for line in _LINES
        for segment in curve.segments
        if _value(line, segment, segment.p1_start, segment.p2_start) > 0
        or _value(line, segment, segment.p1_end, segment.p2_end) > 0
    }


def _value(line: _Line, segment: Segment, p1: float, p2: float) -> float:
    """Probability of a line's outcome: the second level is drawn first, and drops have only the first."""
    if line is _DROP_NOT_ECT:
        return p1
    if line is _DROP_ECT:
        return p1 if segment.drop else 0.0
    if segment.drop:
        return 0.0
    return p2 if line is _MARK2 else p1 * (1 - p2)


def _samples(curve: Curve, line: _Line, right_pkts: float) -> tuple[list[float], list[float]]:
    """Points of a line. The line is left out where it has no meaning, instead of lying on the axis."""
    depths: list[float] = []
    values: list[float] = []
    for segment in curve.segments:
        end = min(segment.end_pkts, max(right_pkts, segment.start_pkts))
        steps = [step / POINTS_PER_SEGMENT for step in range(POINTS_PER_SEGMENT + 1)]
        along = [segment.start_pkts + (end - segment.start_pkts) * step for step in steps]
        found = [_value(line, segment, segment.p1(depth), segment.p2(depth)) for depth in along]
        if any(found):
            depths += along
            values += found
        else:
            depths.append(segment.start_pkts)
            values.append(nan)
    return depths, values


def _label_thresholds(axes: Axes, settings: ProfileSettings, right_pkts: float) -> int:
    """Name the depths above the panel; how many points that took."""
    ends: list[float] = []
    labels = [(depth, text) for depth, text in sorted(_thresholds(settings).items()) if depth <= right_pkts]
    row_points = _LINE_POINTS * max((text.count("\n") + 1 for _, text in labels), default=0)
    for depth_pkts, text in labels:
        half = max(map(len, text.split("\n"))) * _CHARACTER_OF_PANEL * right_pkts / 2
        middle = max(depth_pkts, half / 2)
        row = next((row for row, end in enumerate(ends) if end < middle - half), len(ends))
        ends[row : row + 1] = [middle + half]
        axes.axvline(depth_pkts, color="#666666", linewidth=0.8, linestyle=":", zorder=1)
        axes.annotate(
            text,
            (middle, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3 + row_points * row),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=8,
            color="#444444",
        )
    return row_points * len(ends)


def _thresholds(settings: ProfileSettings) -> dict[float, str]:
    """Depths with a name, in packets."""
    labels: dict[float, str] = {}
    mean_bytes = settings.mean_packet_bytes
    for name, depth in settings.named_depths():
        depth_pkts = depth.in_pkts(mean_bytes)
        text = f"{name}\n{depth}" if name else str(depth)
        labels[depth_pkts] = f"{labels[depth_pkts]}\n{text}" if name and depth_pkts in labels else text
    return labels
