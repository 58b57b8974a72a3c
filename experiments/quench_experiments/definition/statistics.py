# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A value over several seeds, and the confidence interval of its mean."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Sample:
    """A value by seed. A value that is not of one seed (a count over means) stands under seed None."""

    values: Mapping[int | None, float]

    @property
    def mean(self) -> float:
        """Over the seeds; not a number without any."""
        return math.fsum(self.values.values()) / len(self.values) if self.values else math.nan

    def at(self, seed: int | None) -> float:
        """The seed's value, or the one that is of no one seed."""
        return self.values[seed] if seed in self.values else self.values[None]

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % confidence interval of the mean (Student's t); None with fewer than two seeds."""
        count = len(self.values)
        if count < 2:
            return None
        mean = self.mean
        variance = math.fsum((value - mean) ** 2 for value in self.values.values()) / (count - 1)
        return t_quantile(count - 1) * math.sqrt(variance / count)

    def __bool__(self) -> bool:
        """Whether there is any value, and none that is not a number."""
        return bool(self.values) and not any(math.isnan(value) for value in self.values.values())


def combine(function: Callable[..., float], *samples: Sample) -> Sample:
    """The function of several values, seed by seed, for the seeds that all have; what is of no one seed fits each."""
    of_seeds = [sample for sample in samples if set(sample.values) != {None}]
    if not of_seeds:
        return Sample({None: function(*(sample.values[None] for sample in samples))})
    seeds = [seed for seed in of_seeds[0].values if all(seed in sample.values for sample in of_seeds[1:])]
    return Sample({seed: function(*(sample.at(seed) for sample in samples)) for seed in seeds})


def divided(value: float, by: float) -> float:
    """The quotient; not a number where 0 is divided by 0, and infinite where anything else is."""
    if by:
        return value / by
    return math.copysign(math.inf, value) if value else math.nan


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """What Student's t with these degrees of freedom exceeds, either way, with probability 1 - ``confidence``."""
    low, high = 0.0, 1e4
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _t_inside(middle, degrees) < confidence else (low, middle)
    return (low + high) / 2


def _t_inside(t: float, degrees: int) -> float:
    """Probability that Student's t lies in -t..t (Abramowitz and Stegun 26.7.3 and 26.7.4, finite series)."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine, odd = math.cos(angle), degrees % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for step in range((degrees - odd) // 2):
        total += term
        term *= cosine**2 * ((2 * step + 2) / (2 * step + 3) if odd else (2 * step + 1) / (2 * step + 2))
    inside = math.sin(angle) * total
    return 2 / math.pi * (angle + inside) if odd else inside
