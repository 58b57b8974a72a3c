# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Multi-level BECN: from the level bits of an ISQ on the wire to the window."""

from __future__ import annotations

import pytest
from hostlab.hosts import Pair, counters, quench_host
from hostlab.packets import Quench

BECN_ALGOS = ["becn", "ecn-becn"]
WINDOW_PKTS = 40
"""The window of a transfer before an ISQ."""


def after_isq(pair: Pair, level: int, *, marked: bool = True) -> tuple[int, int]:
    """Window and threshold, in packets, after an ISQ of that level."""
    transfer = pair.transfer()
    pair.wire.to_left(Quench(marked=marked, level=level).about(pair.wire.newest_data().frame))
    # The threshold changes before the window, and a reading may come in between.
    cut = transfer.until(lambda w: not w.in_first_slow_start and w.cwnd_pkts < WINDOW_PKTS)
    return cut.cwnd_pkts, cut.ssthresh_pkts


@pytest.mark.parametrize(("level", "left_pkts"), [(0, 35), (42, 30), (85, 24), (127, 20)])
@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_cut_grows_with_the_level_from_an_eighth_to_a_half(pair: Pair, algo: str, level: int, left_pkts: int) -> None:
    pair.enable(algo, "isq_levels=on")
    assert after_isq(pair, level) == (left_pkts, left_pkts)
    count = counters(pair.sender)
    assert (count["isq_accepted_marked"], count["reactions_isq_marked"]) == (1, 1)


@pytest.mark.parametrize("level", [0, 64, 127])
@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_levels_are_off_by_default(pair: Pair, algo: str, level: int) -> None:
    pair.enable(algo)
    assert after_isq(pair, level) == (20, 20)


def test_ends_of_the_line_are_parameters(pair: Pair) -> None:
    pair.enable("becn", "isq_levels=on", "isq_cut_min=0.25", "isq_cut_max=0.75")
    assert after_isq(pair, 0) == (30, 30)


def test_largest_cut_is_a_parameter(pair: Pair) -> None:
    pair.enable("becn", "isq_levels=on", "isq_cut_min=0.25", "isq_cut_max=0.75")
    assert after_isq(pair, 127) == (10, 10)


def test_a_dropped_packet_halves_whatever_the_level(pair: Pair) -> None:
    pair.enable("becn", "isq_levels=on")
    window, threshold = after_isq(pair, 0, marked=False)
    # Growth goes on after ISQ(dropped).
    assert 20 <= window < 35
    assert threshold == 20


def test_a_small_cut_is_the_one_reaction_of_its_window_and_holds(pair: Pair) -> None:
    pair.enable("becn", "isq_levels=on")
    transfer = pair.transfer()
    for level in (0, 127):
        pair.wire.to_left(Quench(marked=True, level=level).about(pair.wire.newest_data().frame))
        transfer.until(lambda w: w.cwnd_pkts == 35)
    assert {w.cwnd_pkts for w in transfer.watch(pair.wire.delay_s)} == {35}
    count = counters(pair.sender)
    assert (count["reactions_isq_marked"], count["suppressed_isq"]) == (1, 1)


def test_levels_can_be_switched_on_under_way(pair: Pair) -> None:
    pair.enable("becn")
    transfer = pair.transfer()
    quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", "--paper", "--set", "isq_levels=on")
    pair.wire.to_left(Quench(marked=True, level=0).about(pair.wire.newest_data().frame))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 35
