# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A value over several seeds, and the confidence interval of its mean."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import scipy

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Sample:
    """A value by seed. A value that belongs to no seed (a count over means) has the key None."""

    values: Mapping[int | None, float]

    @property
    def mean(self) -> float:
        """The mean over the seeds; not a number without any."""
        return math.fsum(self.values.values()) / len(self.values) if self.values else math.nan

    def at(self, seed: int | None) -> float:
        """The seed's value, or else the value that belongs to no seed."""
        return self.values[seed] if seed in self.values else self.values[None]

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % confidence interval of the mean (Student's t); None with fewer than two seeds."""
        count = len(self.values)
        if count < 2:
            return None
        mean = self.mean
        variance = math.fsum((value - mean) ** 2 for value in self.values.values()) / (count - 1)
        return float(scipy.special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(variance / count)

    def __bool__(self) -> bool:
        """Whether there is any value, and none that is not a number."""
        return bool(self.values) and not any(math.isnan(value) for value in self.values.values())


def combine(function: Callable[..., float], *samples: Sample) -> Sample:
    """The function of several values, seed by seed, for the seeds that all have. A value of no seed fits every seed."""
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
