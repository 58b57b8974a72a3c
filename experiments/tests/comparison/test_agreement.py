# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tolerances within which two simulators agree."""

import pytest
from quench_experiments.comparison.side_by_side import compare


def verdict(metric: str, theirs: float, ours: float) -> bool:
    (agreement,) = compare({metric: theirs}, {metric: ours})
    return agreement.within


@pytest.mark.parametrize(
    ("metric", "theirs", "inside", "outside"),
    [
        ("utilisation", 0.97, 0.9729, 0.9731),
        ("utilisation", 0.97, 0.9671, 0.9669),
        ("mean_queue_bytes", 20000, 20990, 21010),
        ("mean_queue_bytes", 20000, 19010, 18990),
        ("loss", 0.04, 0.0459, 0.0461),
        ("loss", 0.004, 0.0049, 0.0051),
        ("loss", 0.0, 0.0009, 0.0011),
        ("marked_pkts", 1000, 1099, 1101),
        ("marked_pkts", 0, 0, 1),
    ],
)
def test_tolerances_are_those_of_the_documentation(metric: str, theirs: float, inside: float, outside: float) -> None:
    assert verdict(metric, theirs, inside)
    assert not verdict(metric, theirs, outside)


def test_only_what_both_measured_is_compared() -> None:
    both = compare({"loss": 0.1, "isq_share": 0.05}, {"loss": 0.1, "utilisation": 1.0, "isq_share": 0.5})
    assert [agreement.metric for agreement in both] == ["loss"]


def test_a_share_of_nothing_is_a_plain_difference() -> None:
    (agreement,) = compare({"marked_pkts": 0}, {"marked_pkts": 7})
    assert (agreement.relative, agreement.difference) == (False, 7)
