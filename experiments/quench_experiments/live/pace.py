# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The time of a simulation beside that of the wall. What a machine is too slow for is left out, and never caught up."""

import math

from quench.feed.model import INTERVAL_S, RATE_WINDOW_S

TICK_S = 0.1
"""Time between two steps."""
LEAST_PAUSE_S = 0.02
"""The least time between two steps on a machine that is too slow: others get the processor, too."""
MOST_BEHIND_S = 0.5
"""Time of the wall that a step may make up for; a longer one, such as that of a suspended machine, is left out."""
STEP_S = 0.25
"""Time of the wall after which a step ends, wherever it has come to."""
SLICE_S = 0.1
"""Simulated time between two looks at the wall's clock."""
MOST_PER_S = 20.0
"""Samples in a second of the wall, however fast the simulation runs."""
JUDGED_S = 2.0
"""Time over which the speed is measured."""
ENOUGH = 0.9
"""The share of the wished speed that is no cause for a remark."""


def wanted_s(passed_s: float, speed: float) -> float:
    """The simulated time of a step, when so much time of the wall has passed since the last."""
    return min(passed_s, MOST_BEHIND_S) * speed


def interval_s(speed: float) -> float:
    """The simulated time between two looks at the network: rates need two that are not far apart."""
    return min(RATE_WINDOW_S, max(INTERVAL_S, speed / MOST_PER_S))


def shown_every(speed: float) -> int:
    """The number of looks of which one becomes a sample."""
    return max(1, math.ceil(speed / MOST_PER_S / RATE_WINDOW_S))


class Achieved:
    """The speed that is reached."""

    def __init__(self) -> None:
        self._passed_s = 0.0
        self._ran_s = 0.0
        self.remark = ""
        """Words for the title where the machine is too slow; empty where it is not."""

    def add(self, passed_s: float, ran_s: float, speed: float) -> None:
        """A step: the time of the wall since the last one, and the simulated time."""
        self._passed_s += passed_s
        self._ran_s += ran_s
        if self._passed_s < JUDGED_S:
            return
        reached = self._ran_s / self._passed_s
        self.remark = "" if reached >= ENOUGH * speed else f", at {_rounded(reached):g} of the wished {speed:g} times"
        self.begin()

    def begin(self) -> None:
        """Measure anew, as after a pause."""
        self._passed_s = self._ran_s = 0.0


def _rounded(speed: float) -> float:
    """One digit: the title does not change all the time."""
    return round(speed, -math.floor(math.log10(speed))) if speed > 0 else 0.0
