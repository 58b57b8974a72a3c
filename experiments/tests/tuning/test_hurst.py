# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Hurst parameter: of noise that has a known one, and of on-off sources whose bursts give it."""

import numpy as np
import pytest
from numpy.typing import NDArray
from quench_experiments.tuning import TuningError
from quench_experiments.tuning.hurst import variance_time


def fractional_gaussian_noise(hurst: float, length: int, seed: int) -> NDArray[np.float64]:
    """Exact, by the circulant that has its autocovariances (Davies and Harte, 1987)."""
    lags = np.arange(length + 1, dtype=np.float64)
    power = 2 * hurst
    covariance = (np.abs(lags - 1) ** power - 2 * lags**power + (lags + 1) ** power) / 2
    eigenvalues = np.fft.rfft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    assert eigenvalues.min() > -1e-9
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(eigenvalues.size) + 1j * rng.standard_normal(eigenvalues.size)
    noise[[0, -1]] = np.sqrt(2) * noise[[0, -1]].real
    sample: NDArray[np.float64] = np.fft.irfft(noise * np.sqrt(length * np.maximum(eigenvalues, 0)), 2 * length)
    return sample[:length]


def on_off(shape: float, sources: int, intervals: int, seed: int) -> NDArray[np.float64]:
    """Sources that send one packet an interval while they are on; on and off are Pareto with a mean of 10 intervals."""
    rng = np.random.default_rng(seed)
    total = np.zeros(intervals)
    for _ in range(sources):
        periods = intervals // 5
        ends = np.cumsum((rng.pareto(shape, periods) + 1) * 10 * (shape - 1) / shape)
        assert ends[-1] > intervals
        total += np.searchsorted(ends, np.arange(intervals)) % 2
    return total


@pytest.mark.parametrize("hurst", [0.5, 0.6, 0.7, 0.8])
def test_noise_of_a_known_parameter(hurst: float) -> None:
    """Over 100 seeds the estimate had a bias of -0.016 and a deviation of 0.015 at worst (0.8)."""
    found = variance_time(fractional_gaussian_noise(hurst, 2**18, seed=5))
    assert found.hurst == pytest.approx(hurst, abs=0.066)
    assert found.variances[0] == 1


def test_heavy_bursts_add_up_to_self_similar_traffic() -> None:
    """H = (3 - shape)/2 (Willinger et al. 1997): 0.8 for Pareto bursts of shape 1.4; over 40 seeds 0.794 +- 0.030."""
    found = variance_time(on_off(1.4, sources=40, intervals=2**18, seed=3), least_scale=100)
    assert found.hurst == pytest.approx(0.8, abs=0.1)


def test_bursts_without_a_heavy_tail_do_not() -> None:
    """Over 40 seeds 0.494 +- 0.024."""
    found = variance_time(on_off(3.5, sources=40, intervals=2**18, seed=3), least_scale=100)
    assert found.hurst == pytest.approx(0.5, abs=0.08)


def test_scales_keep_to_what_was_asked() -> None:
    found = variance_time(np.random.default_rng(1).poisson(5, 100_000), least_scale=10, most_scale=500)
    assert (found.scales[0], found.scales[-1]) == (10, 500)
    assert found.hurst == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize(
    ("counts", "what"),
    [
        (np.ones(1000), "all intervals have the same count"),
        (np.arange(40.0), "40 intervals are too few for scales from 1 on"),
        (np.ones((10, 10)), "must be a series"),
        (np.tile([0.0, 1.0], 1000), "do not vary"),
    ],
)
def test_series_that_say_nothing(counts: NDArray[np.float64], what: str) -> None:
    with pytest.raises(TuningError, match=what):
        variance_time(counts)
