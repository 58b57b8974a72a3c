# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Crossover, delay margin and sensitivity: against the paper's example and against the loop in the complex plane."""

from cmath import exp, phase
from math import inf, log, pi

import pytest
from quench_experiments.tuning import (
    Loop,
    averaging_rad_s,
    crossover_rad_s,
    delay_margin_s,
    largest_gain,
    sensitivity_gain,
)


def test_the_example_of_the_paper() -> None:
    # K0 = 0.1, R0 = 0.2 s, K = 0.1: with K_MECN = 13.64 the margin is 1 s and the improvement about 13.3.
    assert delay_margin_s(13.64, averaging_rad_s=0.1, rtt_s=0.2) == pytest.approx(1.0, abs=0.01)
    assert sensitivity_gain(13.64, 0.1) == pytest.approx(13.3, abs=0.05)
    # Read the other way: the largest gain that leaves 1 s is within 1 % of the quoted one.
    assert largest_gain(averaging_rad_s=0.1, rtt_s=0.2, margin_s=1.0) == pytest.approx(13.64, rel=0.01)


def test_the_filter_of_the_average_queue() -> None:
    assert averaging_rad_s(1250, 0.002) == pytest.approx(-1250 * log(0.998))


def test_the_crossover_is_where_the_gain_is_one() -> None:
    crossover = crossover_rad_s(4.0, 2.5)
    assert abs(4.0 / (1 + 1j * crossover / 2.5)) == pytest.approx(1)


@pytest.mark.parametrize("gain", [0.5, 1.0])
def test_a_gain_of_at_most_one_never_oscillates(gain: float) -> None:
    assert crossover_rad_s(gain, 2.5) == 0
    assert delay_margin_s(gain, 2.5, 0.2) == inf
    assert Loop(gain, 2.5, 1.0, 5.0, 0.2).delay_margin_s == inf


def test_the_margin_falls_as_the_gain_grows() -> None:
    margins = [delay_margin_s(gain, 2.5, 0.1) for gain in (1.5, 2, 4, 8, 16)]
    assert margins == sorted(margins, reverse=True)
    assert margins[0] > 0 > margins[-1]


def test_the_largest_gain_leaves_the_margin_asked_for() -> None:
    for margin_s in (0.0, 0.05, 0.4):
        gain = largest_gain(2.5, 0.1, margin_s)
        assert delay_margin_s(gain, 2.5, 0.1) == pytest.approx(margin_s, abs=1e-9)


@pytest.mark.parametrize("gain", [1.2, 3.0, 8.0, 40.0])
def test_the_whole_loop_in_the_complex_plane(gain: float) -> None:
    """A round trip that is longer by the margin brings the loop to -1 exactly, the edge of oscillation (Nyquist)."""
    loop = Loop(gain, averaging_rad_s=2.5, window_rad_s=1.4, queue_rad_s=6.7, rtt_s=0.15)
    s = 1j * loop.crossover_rad_s
    open_loop = gain / ((1 + s / 2.5) * (1 + s / 1.4) * (1 + s / 6.7))
    assert abs(open_loop) == pytest.approx(1)
    delayed = open_loop * exp(-s * (0.15 + loop.delay_margin_s))
    assert abs(phase(delayed)) == pytest.approx(pi)


def test_poles_far_above_leave_the_approximation() -> None:
    loop = Loop(5.0, averaging_rad_s=0.1, window_rad_s=1e6, queue_rad_s=1e6, rtt_s=0.2)
    assert loop.delay_margin_s == pytest.approx(delay_margin_s(5.0, 0.1, 0.2), rel=1e-4)
