# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers, sparklines and rulers as characters."""

from collections.abc import Sequence
from dataclasses import dataclass

BLOCKS = " ▁▂▃▄▅▆▇█"
LEFT_BLOCKS = " ▏▎▍▌▋▊▉█"
NOTHING = "-"
"""The sign for a value that the source cannot know."""


def rate(value: float | None) -> str:
    """A rate in at most seven characters."""
    if value is None:
        return NOTHING
    if value < 999.95:
        return f"{value:.1f}"
    if value < 999_999.5:
        return f"{value:.0f}"
    return f"{value / 1e6:.2f}M" if value < 9999e6 else f"{value:.1e}"


def share(value: float | None) -> str:
    """A share of 1 in percent."""
    return NOTHING if value is None else f"{100 * value:.0f}%"


def number(value: float | None, digits: int = 0) -> str:
    """A number with so many digits behind the point."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def sparkline(values: Sequence[float | None], top: float) -> str:
    """A character for each value, from 0 to ``top``; a space where there is none."""
    return "".join(" " if value is None else BLOCKS[1 + min(7, max(0, int(8 * value / top)))] for value in values)


def bar(value: float | None, top: float, width: int) -> str:
    """A horizontal bar of eighths of characters."""
    eighths = 0 if value is None else min(8 * width, max(0, round(8 * width * value / top)))
    whole, part = divmod(eighths, 8)
    return ("█" * whole + (LEFT_BLOCKS[part] if part else "")).ljust(width)


@dataclass(frozen=True, slots=True)
class Tick:
    """A threshold on a ruler."""

    label: str
    pkts: float


def place_of(pkts: float, top: float, width: int) -> int:
    """The column of a depth on a ruler."""
    return min(width - 1, max(0, int(width * pkts / top)))


def label_lines(ticks: Sequence[Tick], top: float, width: int) -> list[str]:
    """The ticks' labels below a ruler, each at its tick where there is room, on as few lines as they fit."""
    lines: list[str] = []
    for tick in sorted(ticks, key=lambda each: each.pkts):
        text = f"╰{tick.label}"[:width]
        start = min(place_of(tick.pkts, top, width), width - len(text))
        if start < place_of(tick.pkts, top, width):
            # Left of its tick the label ends at it.
            text = f"{tick.label}╯"[:width]
            start = max(0, place_of(tick.pkts, top, width) + 1 - len(text))
        for index, line in enumerate(lines):
            if len(line) < start:
                lines[index] = line.ljust(start) + text
                break
        else:
            lines.append(" " * start + text)
    return lines
