# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The model of TCP with the rows of a switch."""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from quench.profiles import compile_profile, parse_settings
from quench_experiments.known import Scheme
from quench_experiments.tuning import Load, Marking, TuningError, analyse, recommend
from quench_experiments.tuning.fluid import settle
from quench_experiments.tuning.report import profile_of

LOAD = Load(20, 1250, 0.1)
schemes = st.sampled_from(["mecn", "ecn-becn", "ecn"])


@settings(deadline=None, max_examples=40)
@given(schemes, st.integers(1, 200), st.floats(5, 10.2), st.floats(-3, 0))
def test_every_recommendation_settles_with_its_rows(scheme: Scheme, flows: int, rate: float, rtt: float) -> None:
    """100 kb/s to 16 Gb/s, 1 ms to 1 s: within 2 % of where the linear theory says, and with less than was put in."""
    load = Load(flows, 10**rate / 8000, 10**rtt)
    try:
        found = recommend(scheme, load)
        _, rows = profile_of(found, 1000)
    except TuningError:
        assume(False)
    settling, expected = settle(found.analysis, rows), found.analysis.point.queue_pkts
    assert settling.mean_pkts == pytest.approx(expected, rel=0.02)
    assert settling.most_pkts - settling.least_pkts < 0.1 * expected


def test_a_setting_that_oscillates_does_so_with_its_rows() -> None:
    """The thresholds of the papers for another load, which the linear theory calls unstable."""
    rows = compile_profile(parse_settings({"scheme": "ecn", "minth": "15pkts", "maxth": "45pkts"}), 10_000_000)
    found = analyse(LOAD, Marking(15, 45, 0.1), 0.002)
    assert not found.stable
    with pytest.raises(TuningError, match="with a switch's rows the queue settles at"):
        settle(found, rows)


@pytest.mark.parametrize("scheme", ["mecn", "ecn"])
def test_rows_that_never_mark_are_refused(scheme: Scheme) -> None:
    found = recommend(scheme, LOAD)
    _, rows = profile_of(found, 1000)
    flat = tuple(replace(row, level1_base=0, level1_slope=0, level2_base=0, level2_slope=0) for row in rows.curve)
    with pytest.raises(TuningError, match="with a switch's rows the queue settles at"):
        settle(found.analysis, replace(rows, curve=flat))
