# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page's colours as a style sheet: those of quantities, and those of the page itself."""

from collections.abc import Iterator

from quench.colours import DROPPED_EARLY, DROPPED_FORCED, GREEN, ISQS, QUANTITIES, WINDOW, Colour

_OF_PAGE = {
    "text": Colour("#1f2933", "#e4e9ee"),
    "muted": Colour("#5c6873", "#9fb0c0"),
    "line": Colour("#d5dbe1", "#33414e"),
    "grid": Colour("#e4e8ec", "#2b3742"),
    "page": Colour("#f3f5f7", "#10171e"),
    "panel": Colour("#ffffff", "#18212b"),
    "accent": Colour("#0068a3", "#56b4e9"),
    "on-accent": Colour("#ffffff", "#10171e"),
    "notice": Colour("#fff3d6", "#40361c"),
    "error": Colour("#a82a00", "#ff9b7a"),
    "done": Colour("#00684c", "#5fd3af"),
    "calm": ISQS,
    "busy": DROPPED_EARLY,
    "full": DROPPED_FORCED,
    "window-band": Colour(f"{WINDOW.light}40", f"{WINDOW.dark}40"),
}
_LINES = (
    Colour("#0072b2", "#56b4e9"),
    Colour("#d55e00", "#ff8c42"),
    Colour(GREEN, "#2fc49a"),
    Colour("#a64d86", "#dd8fc0"),
    Colour("#8a6d00", "#f0e442"),
    Colour("#1f2933", "#e4e9ee"),
)
"""Lines that are told apart by nothing else, such as single flows."""


def style_sheet() -> str:
    """Custom properties of CSS by theme."""
    return "\n".join(_rules())


def _rules() -> Iterator[str]:
    lines = {f"line-{index}": colour for index, colour in enumerate(_LINES)}
    every = {**QUANTITIES, **_OF_PAGE, **lines}
    yield ":root {"
    yield from (f"  --{name}: {colour.light};" for name, colour in every.items())
    yield '}\n:root[data-theme="dark"] {'
    yield from (f"  --{name}: {colour.dark};" for name, colour in every.items())
    yield "}\n"
