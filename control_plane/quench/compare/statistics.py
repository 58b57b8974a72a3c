# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Means of batches, and their 95 % confidence intervals by Student's t."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

CONFIDENCE = 0.95
_STEPS = 400
"""Steps of Simpson's rule; even."""
_MOST_T = 13.0
"""More than the quantile of one degree of freedom, 12.706."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and half of its confidence interval; None: there are too few values for one."""

    value: float
    half: float | None


def mean_of(values: Sequence[float]) -> Estimate | None:
    """The mean of independent values; None without any."""
    if not values:
        return None
    mean = fmean(values)
    if len(values) < 2:
        return Estimate(mean, None)
    return Estimate(mean, t_quantile(len(values) - 1) * math.sqrt(variance(values) / len(values)))


def difference_of(first: Sequence[float], second: Sequence[float]) -> Estimate | None:
    """The second mean less the first; the two may have different variances (Welch's degrees of freedom)."""
    if not first or not second:
        return None
    difference = fmean(second) - fmean(first)
    if len(first) < 2 or len(second) < 2:
        return Estimate(difference, None)
    shares = [(variance(values) / len(values), len(values) - 1) for values in (first, second)]
    error = math.fsum(share for share, _ in shares)
    if error == 0:
        return Estimate(difference, 0.0)
    degrees = 1 / math.fsum((share / error) ** 2 / degrees for share, degrees in shares)
    return Estimate(difference, t_quantile(degrees) * math.sqrt(error))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, linear between two of them. Needs at least one."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def t_quantile(degrees: float) -> float:
    """The number within which Student's t with at least 1 degree of freedom lies by ``CONFIDENCE``."""
    low, high = 0.0, _MOST_T
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < CONFIDENCE else (low, middle)
    return high


def _within(t: float, degrees: float) -> float:
    """The probability that Student's t lies between -t and t: an integral of a cosine, by t = sqrt(degrees) tan x."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    step = math.atan(t / math.sqrt(degrees)) / _STEPS
    heights = [math.pow(math.cos(index * step), degrees - 1) for index in range(_STEPS + 1)]
    inner = 4 * math.fsum(heights[1:-1:2]) + 2 * math.fsum(heights[2:-1:2])
    return 2 * scale * step / 3 * (heights[0] + inner + heights[-1])
