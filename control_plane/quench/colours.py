# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The colour of each quantity, the same in the live page, reports, the terminal and figures.

Readers who do not see all colours can tell them apart (Okabe and Ito 2008). Each quantity has one on a light ground,
such as paper, and a lighter one of the same hue on a dark ground.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour on a light and on a dark ground, as ``#rrggbb``."""

    light: str
    dark: str


BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
SKY, AMBER, GREY, BLACK = "#56b4e9", "#e69f00", "#7f7f7f", "#000000"

DEPTH = Colour(SKY, "#3d7fa6")
AVERAGE = Colour(BLACK, "#f2f5f8")
THRESHOLD = Colour("#5a6573", "#a9b6c4")
MARKED = Colour(BLUE, SKY)
SECOND_LEVEL = Colour("#a64d86", "#dd8fc0")
DROPPED_EARLY = Colour(AMBER, "#f0b840")
DROPPED_FORCED = Colour(VERMILION, "#ff8c42")
ISQS = Colour(GREEN, "#2fc49a")
UTILISATION = Colour(PURPLE, "#e3a3c6")
WINDOW = Colour("#7b61c4", "#b39df3")
CHANGE = Colour(GREY, "#9a9a9a")

QUANTITIES = {
    "depth": DEPTH,
    "average": AVERAGE,
    "threshold": THRESHOLD,
    "marked": MARKED,
    "second-level": SECOND_LEVEL,
    "dropped-early": DROPPED_EARLY,
    "dropped-forced": DROPPED_FORCED,
    "isqs": ISQS,
    "utilisation": UTILISATION,
    "window": WINDOW,
    "change": CHANGE,
}
"""All of them by their names in style sheets."""
