# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The self-similarity of traffic: the Hurst parameter by the variance-time plot.

Packets (or bytes) are counted in equal intervals. The variance of the mean of m intervals falls as m^(2H-2): the
slope of the plot of both logarithms gives H (Leland, Taqqu, Willinger and Wilson, "On the self-similar nature of
Ethernet traffic", 1994). H is 0.5 for traffic without long memory and near 1 for traffic that is as bursty over
minutes as over milliseconds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quench_experiments.errors import TuningError

LEAST_BLOCKS = 32
"""Fewer means than these have a variance of their own that says little."""
_SCALES_PER_DECADE = 10
_LEAST_POINTS = 3


@dataclass(frozen=True)
class VarianceTime:
    """The variance-time plot and the line through it."""

    scales: NDArray[np.int64]
    """Intervals that are taken together: m."""
    variances: NDArray[np.float64]
    """The variances of their means, over the variance of single intervals."""
    hurst: float
    """1 + slope / 2."""


def variance_time(counts: ArrayLike, least_scale: int = 1, most_scale: int | None = None) -> VarianceTime:
    """The plot over scales from ``least_scale`` intervals on, and H by least squares.

    ``least_scale`` should be longer than single bursts, ``most_scale`` (none: as far as 32 means are left) shorter
    than what cuts the longest ones off. The estimate is a little low for H near 1, as the true mean is not known.
    Raises TuningError for a series that is too short or constant.
    """
    series = np.asarray(counts, dtype=np.float64)
    if series.ndim != 1:
        raise TuningError("the counts must be a series")
    most = series.size // LEAST_BLOCKS if most_scale is None else min(most_scale, series.size // LEAST_BLOCKS)
    scales = _scales(least_scale, most)
    if scales.size < _LEAST_POINTS:
        raise TuningError(f"{series.size} intervals are too few for scales from {least_scale} on")
    whole = series.var()
    if whole == 0:
        raise TuningError("all intervals have the same count: there is no variance to look at")
    variances = np.array([_means(series, int(scale)).var() for scale in scales]) / whole
    if not variances.all():
        raise TuningError("the means of several intervals do not vary: the counts repeat themselves")
    slope, _ = np.polyfit(np.log(scales), np.log(variances), 1)
    return VarianceTime(scales, variances, float(1 + slope / 2))


def _scales(least: int, most: int) -> NDArray[np.int64]:
    if not 1 <= least <= most:
        return np.array([], dtype=np.int64)
    number = int(np.ceil(_SCALES_PER_DECADE * np.log10(most / least))) + 1
    return np.unique(np.geomspace(least, most, number).round().astype(np.int64))


def _means(series: NDArray[np.float64], scale: int) -> NDArray[np.float64]:
    blocks = series.size // scale
    means: NDArray[np.float64] = series[: blocks * scale].reshape(blocks, scale).mean(axis=1)
    return means
