# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A scheme in the theory: its ramps of probability, and the senders' reductions after a mark."""

from dataclasses import dataclass

from quench.profiles.schemes.mecn import Mecn
from quench.profiles.settings import RedSettings

from quench_experiments.errors import TuningError

MECN_REDUCTIONS = (0.2, 0.4)
"""The share of its window that a sender gives up for an incipient and a moderate mark (P3, table 3): 1/b1 and 1/b2."""
ECN_REDUCTIONS = (0.5, 0.0)


@dataclass(frozen=True, slots=True)
class Marking:
    """Marking of two levels over the average queue. Depths are in packets. Raises TuningError if they are in disorder.

    ECN is marking of one level whose mark halves the window.
    """

    minth: float
    maxth: float
    maxp: float
    midth: float | None = None
    """The depth at which the second level begins; none: there is only one."""
    reductions: tuple[float, float] = ECN_REDUCTIONS
    """Parts of the window that a mark of the first and of the second level takes."""

    def __post_init__(self) -> None:
        if not 0 <= self.minth < self.maxth:
            raise TuningError(f"minth ({self.minth:g}pkts) must be less than maxth ({self.maxth:g}pkts)")
        if self.midth is not None and not self.minth <= self.midth < self.maxth:
            raise TuningError(f"midth ({self.midth:g}pkts) must lie in minth..maxth and be less than maxth")
        if not 0 < self.maxp <= 1:
            raise TuningError(f"maxp must be greater than 0 and at most 1, not {self.maxp:g}")

    @classmethod
    def of(cls, settings: RedSettings) -> "Marking":
        """The marking of a profile. Source quenches take what ECN's marks take, only sooner."""
        minth, maxth = settings.in_pkts(settings.minth), settings.in_pkts(settings.maxth)
        if isinstance(settings, Mecn):
            return cls(minth, maxth, settings.maxp, settings.in_pkts(settings.midth), MECN_REDUCTIONS)
        return cls(minth, maxth, settings.maxp)

    @property
    def slope1(self) -> float:
        """L1: growth of the first level's probability for a packet more."""
        return self.maxp / (self.maxth - self.minth)

    @property
    def slope2(self) -> float:
        """L2: growth of the second level's."""
        return 0.0 if self.midth is None else self.maxp / (self.maxth - self.midth)

    def p1(self, queue_pkts: float) -> float:
        """Probability of the first level, before the second takes packets away from it."""
        return self.slope1 * max(0.0, queue_pkts - self.minth)

    def p2(self, queue_pkts: float) -> float:
        """Probability of the second level."""
        return 0.0 if self.midth is None else self.slope2 * max(0.0, queue_pkts - self.midth)

    def strength(self, queue_pkts: float) -> float:
        """The part of its window that a sender gives up for a packet on average (bracket of P3's equation 5)."""
        first, second = self.reductions
        p1, p2 = self.p1(queue_pkts), self.p2(queue_pkts)
        return first * p1 * (1 - p2) + second * p2

    def strength_slope(self, queue_pkts: float) -> float:
        """Its growth for a packet more (bracket of P3's equation 13; below midth, of equation 25)."""
        first, second = self.reductions
        slope2 = self.slope2 if self.midth is not None and queue_pkts > self.midth else 0.0
        return first * (1 - self.p2(queue_pkts)) * self.slope1 + (second - first * self.p1(queue_pkts)) * slope2
