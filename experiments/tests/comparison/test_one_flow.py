# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One flow's window, moment by moment."""

from itertools import pairwise

import pytest
from quench_experiments.comparison.ns2 import find_ns
from quench_experiments.comparison.one_flow import FLOWS, MAX_WINDOW_PKTS, OneFlow, compare, nearness, of_ns2

NS = find_ns()
with_ns = pytest.mark.skipif(NS is None, reason="ns is not installed (Debian's package is ns2)")


def test_equal_windows_are_the_same_all_the_time() -> None:
    trace = [(0.0, 1.0), (0.3, 2.0), (0.5, 1.0)]
    near = nearness(trace, trace, duration_s=1.0)
    assert (near.same_share, near.largest_pkts, near.first_s) == (1.0, 0.0, None)


def test_a_difference_counts_from_when_to_when_it_lasts() -> None:
    near = nearness([(0.0, 1.0), (0.5, 3.0)], [(0.0, 1.0), (0.6, 3.0)], duration_s=1.0)
    assert near.first_s == pytest.approx(0.5)
    assert near.largest_pkts == 2.0
    assert near.same_share == pytest.approx(0.9, abs=0.02)


@with_ns
@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: f"{flow.recovery}-{flow.rate_bps:g}-{flow.buffer_pkts}")
def test_the_window_is_that_of_ns2_at_every_moment(flow: OneFlow) -> None:
    assert NS is not None
    near = compare(NS, flow)
    assert near.same_share == 1.0
    assert near.mean_pkts < 0.001


@with_ns
def test_the_window_of_ns2_saws() -> None:
    assert NS is not None
    windows = [window for _, window in of_ns2(NS, OneFlow())]
    halvings = [later for earlier, later in pairwise(windows) if later < 0.7 * earlier]
    # The queue of 10 packets and the pipe of 12 fill up at 23; the first overshoot of slow start was twice that.
    assert halvings[0] == 22.0
    assert set(halvings[2:]) == {11.0}


@with_ns
def test_the_window_of_ns2_is_bounded_by_what_may_be_sent() -> None:
    assert NS is not None
    assert max(window for _, window in of_ns2(NS, OneFlow(rate_bps=10e6, access_rate_bps=100e6))) <= MAX_WINDOW_PKTS
