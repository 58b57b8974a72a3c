# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The measure of oscillation: of a swing, of noise, and of a damped resonance."""

import numpy as np
import pytest
from numpy.typing import NDArray
from quench_experiments.tuning import TuningError
from quench_experiments.tuning.oscillation import returning_correlation

LENGTH = 4000
PERIOD = 50


def resonance(damping: float) -> NDArray[np.float64]:
    """Noise through a resonator that keeps ``damping`` of its swing in a sample."""
    noise = np.random.default_rng(1).standard_normal(LENGTH)
    values = np.zeros(LENGTH)
    for at in range(2, LENGTH):
        values[at] = 2 * damping * np.cos(2 * np.pi / PERIOD) * values[at - 1] - damping**2 * values[at - 2] + noise[at]
    return values


def test_a_swing_comes_back_whole() -> None:
    swing = 40 + 10 * np.sin(2 * np.pi * np.arange(LENGTH) / PERIOD)
    assert returning_correlation(swing, 300) == pytest.approx(1 - PERIOD / LENGTH, abs=0.01)


def test_noise_does_not() -> None:
    noise = np.random.default_rng(1).standard_normal(LENGTH)
    assert returning_correlation(noise, 300) < 0.1


@pytest.mark.parametrize(("damping", "expected"), [(0.99, 0.6), (0.998, 0.9)])
def test_a_resonance_comes_back_in_part(damping: float, expected: float) -> None:
    # Theory: damping**PERIOD of it is left after one period.
    assert damping**PERIOD == pytest.approx(expected, abs=0.01)
    assert returning_correlation(resonance(damping), 300) == pytest.approx(expected, abs=0.1)


def test_a_series_that_only_falls_has_no_period() -> None:
    assert returning_correlation(np.arange(100.0), 20) == 0


def test_series_that_say_nothing() -> None:
    with pytest.raises(TuningError, match="all the same"):
        returning_correlation(np.ones(100), 20)
    with pytest.raises(TuningError, match="3 samples are too few"):
        returning_correlation([1, 2, 3], 2)
