# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a queue oscillates: how much of itself comes back after a period."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quench_experiments.errors import TuningError

_LEAST_POINTS = 16


def returning_correlation(values: ArrayLike, most_lag: int) -> float:
    """The highest autocorrelation behind the first lag at which it is negative, up to ``most_lag`` samples.

    1 is a swing that goes on for ever, 0 noise; what a disturbance sets off and damping ends lies between them. The
    samples must be evenly spaced, and several periods long. 0 if the autocorrelation is never negative.
    Raises TuningError for a constant or too short a series.
    """
    series = np.asarray(values, dtype=np.float64)
    if series.size < _LEAST_POINTS or most_lag < 1:
        raise TuningError(f"{series.size} samples are too few to look for an oscillation")
    correlation = _autocorrelation(series)[: most_lag + 1]
    (negative,) = np.nonzero(correlation < 0)
    return 0.0 if negative.size == 0 else float(correlation[negative[0] :].max())


def _autocorrelation(series: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = series - series.mean()
    spectrum = np.fft.rfft(centred, 2 * series.size)
    covariance: NDArray[np.float64] = np.fft.irfft(np.abs(spectrum) ** 2)[: series.size]
    if not covariance[0] > 0:
        raise TuningError("the samples are all the same: there is nothing to look at")
    correlation: NDArray[np.float64] = covariance / covariance[0]
    return correlation
