# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Charts as data. ``still`` draws them on paper, ``interactive`` on a screen.

Quantities have the colours of ``quench.colours``. Dashes, markers and hatches tell the same things apart in grey.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quench.colours import AMBER, BLACK, BLUE, GREEN, GREY, PURPLE, SKY, THRESHOLD, VERMILION

LEVEL_COLOUR = THRESHOLD.light
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, AMBER, GREY, BLACK)

Dash = Literal["solid", "dashed", "dashdot", "dotted"]
DASHES: tuple[Dash, ...] = ("solid", "dashed", "dashdot", "dotted")
Marker = Literal["circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "star"]
MARKERS: tuple[Marker, ...] = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "star")
Hatch = Literal["", "/", "x", "."]
Numbers = Sequence[float]


@dataclass(frozen=True, slots=True)
class Line:
    """A curve through points."""

    label: str
    x: Numbers
    y: Numbers
    colour: str
    dash: Dash = "solid"
    width: float = 1.4
    step: bool = False
    """Each value holds until the next."""
    marker: Marker | None = None
    error: Numbers | None = None
    """Half of each point's error bar, in the unit of y."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Many thin lines under one label: shown on a screen on demand, and never on paper."""

    label: str
    lines: Sequence[tuple[Numbers, Numbers]]
    """The x and y values of each line. Values hold until the next."""
    colour: str


@dataclass(frozen=True, slots=True)
class Band:
    """The room between two curves, whose values hold until the next."""

    label: str
    x: Numbers
    low: Numbers
    high: Numbers
    colour: str
    alpha: float = 0.25


@dataclass(frozen=True, slots=True)
class Level:
    """A value of y with a name, such as a threshold."""

    label: str
    y: float


def apart(levels: Sequence[Level], low: float, high: float, distance: float) -> list[tuple[Level, float]]:
    """The levels within an axis, and where on it their names have room; the distance is a share of the axis."""
    found: list[tuple[Level, float]] = []
    place = float("-inf")
    for level in sorted(levels, key=lambda each: each.y):
        if low <= level.y <= high:
            place = max(level.y, place + distance * (high - low))
            found.append((level, place))
    return found


@dataclass(frozen=True, slots=True)
class Points:
    """Single points, such as a paper's."""

    label: str
    x: Numbers
    y: Numbers
    colour: str
    marker: Marker
    error: Numbers | None = None


@dataclass(frozen=True, slots=True)
class Shade:
    """A span of x that is set apart, such as a warm-up."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes with curves."""

    x_label: str
    y_label: str
    parts: Sequence[Line | Bundle | Band | Level | Points | Shade]
    title: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    names: Sequence[str] = ()
    """The names of the places 0, 1, 2, ..., where x is not a number."""


@dataclass(frozen=True, slots=True)
class Bars:
    """One bar for each name of the panel; bars of several of these are put end to end."""

    label: str
    values: Sequence[float | None]
    colour: str
    hatch: Hatch = ""
    errors: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """Values beside the bars, such as a paper's; None: no value for this name."""

    label: str
    values: Sequence[float | None]
    colour: str
    marker: Marker
    errors: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class BarPanel:
    """Bars that lie beside one another, from the first name at the top down."""

    title: str
    value_label: str
    names: Sequence[str]
    bars: Sequence[Bars]
    texts: Sequence[str]
    """The texts at the end of each name's bar."""
    marks: Sequence[Marks] = ()
    value_range: tuple[float, float] | None = None

    def ends(self) -> list[float]:
        """The end of each name's bars, or its farthest mark or error."""
        return [high for _, high in self._spans()]

    def limits(self) -> tuple[float, float]:
        """The ends of the axis: ``value_range``, or room for everything and for 0."""
        if self.value_range is not None:
            return self.value_range
        spans = self._spans()
        low, high = min(0.0, *(low for low, _ in spans)), max(0.0, *(high for _, high in spans))
        return (low, high) if low < high else (0.0, 1.0)

    def _spans(self) -> list[tuple[float, float]]:
        spans = []
        for index in range(len(self.names)):
            values = [sum(each.values[index] or 0.0 for each in self.bars)]
            values += [value for each in self.marks if (value := each.values[index]) is not None]
            known = [each.errors for each in self.bars] + [each.errors for each in self.marks]
            error = max((each[index] or 0.0 for each in known if each), default=0.0)
            spans.append((min(values) - error, max(values) + error))
        return spans
