# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of two profiles, against numbers that were calculated by hand and quantiles of printed tables."""

import math

import pytest
from feeds import flow, port_sample
from quench.compare.batch import FIGURES, Batch, Goodput
from quench.compare.statistics import Estimate, difference_of, mean_of, percentile, t_quantile


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [(1, 12.706), (2, 4.303), (4, 2.776), (10, 2.228), (22, 2.074), (30, 2.042), (120, 1.980), (100_000, 1.960)],
)
def test_students_t(degrees: int, quantile: float) -> None:
    assert t_quantile(degrees) == pytest.approx(quantile, abs=5e-4)


def test_a_mean_has_an_interval_from_two_values_on() -> None:
    """10 to 14: mean 12, variance 2.5, standard error sqrt(0.5); t(4) = 2.776."""
    five = mean_of([10, 11, 12, 13, 14])
    assert five is not None
    assert five.value == 12
    assert five.half == pytest.approx(2.7764 * math.sqrt(0.5), abs=1e-3)
    assert mean_of([3]) == Estimate(3, None)
    assert mean_of([]) is None


def test_a_difference_has_welchs_degrees_of_freedom() -> None:
    """Variances 1 and 4 of 3 and 3 values: error sqrt(5/3), 25 / (1/2 + 16/2) = 2.941 degrees, t = 3.217."""
    difference = difference_of([1, 2, 3], [8, 10, 12])
    assert difference is not None
    assert difference.value == 8
    assert difference.half == pytest.approx(3.217 * math.sqrt(5 / 3), abs=0.005)
    assert difference_of([1], [2, 3]) == Estimate(1.5, None)
    assert difference_of([1, 1], [2, 2]) == Estimate(1, 0.0)
    assert difference_of([], [2]) is None


def test_a_percentile_is_linear_between_two_values() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile([0, 10], 0.95) == pytest.approx(9.5)
    assert percentile([7], 0.95) == 7


def test_a_batch_has_each_figure() -> None:
    batch = Batch(packet_ms=0.8)
    for depth, acked in ((10, None), (None, 500_000), (30, 125_000)):
        port = port_sample(depth=depth, seen_pps=1000.0, dropped_early_pps=15.0, dropped_forced_pps=5.0)
        batch.add(port, port["queues"][0], acked)
    figures = batch.figures(5.0)
    assert list(figures) == list(FIGURES)
    assert figures == {
        "delay_ms": pytest.approx(16.0),
        "delay_p95_ms": pytest.approx(23.2),
        "utilisation": pytest.approx(0.98),
        "loss": pytest.approx(0.02),
        "goodput_mbps": pytest.approx(1.0),
        "marked_pps": pytest.approx(12.3),
        "isqs_pps": pytest.approx(8.1),
    }


def test_what_is_not_known_is_no_figure() -> None:
    assert set(Batch(0.8).figures(5.0).values()) == {None}
    idle = Batch(0.8)
    port = port_sample(depth=None, seen_pps=0.0, dropped_early_pps=0.0, dropped_forced_pps=0.0, isqs_pps=None)
    idle.add(port, port["queues"][0], None)
    unknown = [name for name, value in idle.figures(5.0).items() if value is None]
    assert unknown == ["delay_ms", "delay_p95_ms", "loss", "goodput_mbps", "isqs_pps"]


def test_goodput_is_what_connections_of_two_samples_have_grown_by() -> None:
    goodput = Goodput()
    assert goodput.grown_bytes([{**flow("a"), "acked_bytes": 1000}]) is None
    both = [{**flow("a"), "acked_bytes": 1500}, {**flow("b"), "acked_bytes": 9000}]
    assert goodput.grown_bytes(both) == 500, "the beginning of a connection is not known"  # type: ignore[arg-type]
    assert goodput.grown_bytes([flow("a"), {**flow("b"), "acked_bytes": 9100}]) == 100
    assert goodput.grown_bytes([]) is None
