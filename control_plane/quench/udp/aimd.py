# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rate of a sender that obeys source quenches: additive increase, multiplicative decrease.

It is BECN's reaction (Akujobi et al., Globecom 2002) for a rate instead of a window, with an interval in the place
of the round-trip time: at most one decrease an interval; after a packet that was marked, no increase for one whole
interval; after one that was dropped, increases go on as normal.
"""

from dataclasses import dataclass

from quench.isq.message import LEVEL_MASK

FLOOR_BPS = 8_000.0
"""The lowest rate unless another is given: one packet of 1000 bytes a second."""
INTERVAL_S = 0.1
"""Default of the interval that stands for the round-trip time."""
LEAST_INTERVAL_S, MOST_INTERVAL_S = 1e-6, 3600.0
LEAST_DECREASE = 1 / 8
"""Decrease at level 0 where the level scales it, as in the TCP of docs/hosts.md."""


@dataclass(frozen=True, slots=True)
class AimdSettings:
    """The parameters by which a rate grows and falls. Raises ValueError for settings that make no sense."""

    ceiling_bps: float
    """The highest rate."""
    start_bps: float | None = None
    """The rate at the start; None: the highest."""
    floor_bps: float = FLOOR_BPS
    """The lowest rate."""
    increase_bps: float = 80_000
    """Growth of the rate in each interval."""
    decrease: float = 0.5
    """Fraction of the rate that a source quench takes away."""
    interval_s: float = INTERVAL_S
    """Interval in seconds that stands for the round-trip time."""
    levels: bool = False
    """Whether the level of a source quench (0 to 127) scales the decrease, from 1/8 to ``decrease``."""

    def __post_init__(self) -> None:
        if not 0 < self.floor_bps <= self.ceiling_bps:
            raise ValueError(
                f"floor {self.floor_bps:g} bit/s does not lie between 0 and ceiling {self.ceiling_bps:g} bit/s"
            )
        if self.start_bps is not None and not self.floor_bps <= self.start_bps <= self.ceiling_bps:
            raise ValueError(
                f"rate {self.start_bps:g} bit/s does not lie between floor {self.floor_bps:g} bit/s "
                f"and ceiling {self.ceiling_bps:g} bit/s"
            )
        if self.increase_bps < 0:
            raise ValueError(f"increase {self.increase_bps:g} bit/s is below 0")
        if not 0 < self.decrease < 1:
            raise ValueError(f"decrease {self.decrease:g} does not lie between 0 and 1")
        if self.levels and self.decrease < LEAST_DECREASE:
            raise ValueError(f"decrease {self.decrease:g} is below that of level 0, {LEAST_DECREASE:g}")
        if not LEAST_INTERVAL_S <= self.interval_s <= MOST_INTERVAL_S:
            limits = f"{LEAST_INTERVAL_S:g} s to {MOST_INTERVAL_S:g} s"
            raise ValueError(f"interval {self.interval_s:g} s is not from {limits}")

    def decrease_of(self, level: int) -> float:
        """Fraction of the rate that a source quench of this level takes away."""
        if not self.levels:
            return self.decrease
        return LEAST_DECREASE + (self.decrease - LEAST_DECREASE) * level / LEVEL_MASK


class Aimd:
    """The rate over time. The caller gives the time in seconds, never backwards."""

    def __init__(self, settings: AimdSettings, now_s: float) -> None:
        self.settings = settings
        self.rate_bps = settings.ceiling_bps if settings.start_bps is None else settings.start_bps
        self.lowest_bps = self.rate_bps
        self.decreases = 0
        self._next_increase_s = now_s + settings.interval_s
        self._hold_until_s = now_s

    def advance(self, now_s: float) -> float:
        """Grow the rate up to now, and return it in bits per second."""
        settings = self.settings
        if now_s >= self._next_increase_s:
            steps = 1 + int((now_s - self._next_increase_s) / settings.interval_s)
            self._next_increase_s += steps * settings.interval_s
            self.rate_bps = min(settings.ceiling_bps, self.rate_bps + steps * settings.increase_bps)
        return self.rate_bps

    def quenched(self, now_s: float, *, marked: bool, level: int = 0) -> bool:
        """React to a source quench, and return whether it lowered the rate."""
        self.advance(now_s)
        if now_s < self._hold_until_s:
            return False
        interval_s = self.settings.interval_s
        kept = 1 - self.settings.decrease_of(level)
        self.rate_bps = max(self.settings.floor_bps, self.rate_bps * kept)
        self.lowest_bps = min(self.lowest_bps, self.rate_bps)
        self.decreases += 1
        self._hold_until_s = now_s + interval_s
        self._next_increase_s = now_s + (2 * interval_s if marked else interval_s)
        return True
