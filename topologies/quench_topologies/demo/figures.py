# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The few statistics that the demo's numbers need."""

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return math.fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float | None:
    """The standard error of the mean of independent values; None for fewer than two."""
    if len(values) < 2:
        return None
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1) / len(values))


def quantile(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def jain_index(values: Sequence[float]) -> float | None:
    """(sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe 1984): 1 when all are equal. None when there is nothing to share."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def time_weighted(points: Sequence[tuple[float, float]], end_s: float) -> tuple[float, float] | None:
    """Mean and standard deviation of a step function given by (time, value), from the first point to end_s."""
    ends = [time_s for time_s, _ in points[1:]] + [end_s]
    spans = [(end - begin, value) for (begin, value), end in zip(points, ends, strict=True)] if points else []
    total_s = sum(span for span, _ in spans)
    if total_s <= 0:
        return None
    centre = sum(span * value for span, value in spans) / total_s
    variance = sum(span * (value - centre) ** 2 for span, value in spans) / total_s
    return centre, math.sqrt(variance)
