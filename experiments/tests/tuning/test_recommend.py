# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Recommendations: stable, near the margin that was asked for, and profiles that the switch takes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from quench.config.file import load_profiles
from quench.profiles import compile_profile
from quench_experiments.known import TUNED_SCHEMES, Scheme
from quench_experiments.tuning import (
    Load,
    Marking,
    TuningError,
    analyse,
    delay_margins,
    operating_point,
    recommend,
    stable_range,
)
from quench_experiments.tuning.report import profile_of, profile_yaml
from scipy.optimize import brentq

LOADS = [Load(20, 187.5, 0.092), Load(20, 1250, 0.1), Load(45, 1250, 0.096), Load(45, 1250, 0.516), Load(5, 1250, 0.02)]
schemes = pytest.mark.parametrize("scheme", TUNED_SCHEMES)
loads = pytest.mark.parametrize("load", LOADS, ids=str)


@schemes
@loads
def test_the_recommended_setting_has_the_margin(scheme: Scheme, load: Load) -> None:
    found = recommend(scheme, load)
    again = analyse(load, found.marking, found.wq)
    assert again == found.analysis
    assert min(again.delay_margin_s, again.exact_delay_margin_s) >= load.rtt_s
    marking = found.marking
    assert (marking.midth is None) == (scheme != "mecn")
    lower = marking.minth if marking.midth is None else marking.midth
    assert lower < again.point.queue_pkts < marking.maxth


@schemes
def test_the_gain_is_as_large_as_the_margin_allows(scheme: Scheme) -> None:
    """One packet less of minth, with the queue at the same place between the thresholds, and the margin is gone."""
    load = Load(20, 1250, 0.1)
    found = recommend(scheme, load)
    scale = (found.marking.minth - 1) / found.marking.minth
    smaller = replace(
        found.marking,
        minth=found.marking.minth * scale,
        midth=None if found.marking.midth is None else found.marking.midth * scale,
        maxth=found.marking.maxth * scale,
    )
    queue = found.analysis.point.queue_pkts * scale
    maxp = brentq(lambda maxp: operating_point(load, replace(smaller, maxp=maxp)).queue_pkts - queue, 0.02, 0.2)
    tighter = analyse(load, replace(smaller, maxp=maxp), found.wq)
    assert tighter.gain > found.analysis.gain
    assert tighter.least_delay_margin_s < load.rtt_s


def test_less_margin_allows_more_gain() -> None:
    load = Load(20, 1250, 0.1)
    gains = [recommend("ecn", load, margin_s=margin_s).analysis.gain for margin_s in (0.0, 0.05, 0.2)]
    assert gains == sorted(gains, reverse=True)
    assert len(set(gains)) == 3


def test_a_filter_that_is_too_fast_is_slowed_down() -> None:
    load = Load(100, 12500, 0.1)
    found = recommend("mecn", load)
    assert found.wq < 0.002
    with pytest.raises(TuningError, match=rf"with wq 0.002; with {found.wq:g} some do"):
        recommend("mecn", load, wq=0.002)
    assert recommend("mecn", load, wq=found.wq) == found


def test_impossible_margins() -> None:
    with pytest.raises(TuningError, match="must not be negative"):
        recommend("ecn", LOADS[0], margin_s=-1)
    with pytest.raises(TuningError, match="with any wq: ask for less"):
        recommend("ecn", LOADS[1], margin_s=1e9)


def test_becnthresh_lies_where_the_queue_settles() -> None:
    found = recommend("ecn-becn", Load(20, 1250, 0.1))
    assert found.becnthresh == pytest.approx(found.analysis.point.queue_pkts, rel=0.02)
    assert recommend("ecn", Load(20, 1250, 0.1)).becnthresh is None


@schemes
@loads
def test_the_profile_is_one_that_a_switch_takes(scheme: Scheme, load: Load, tmp_path: Path) -> None:
    found = recommend(scheme, load)
    file = tmp_path / "tuned.yaml"
    file.write_text(profile_yaml(profile_of(found, 1000)[0]), encoding="utf-8")
    (settings,) = load_profiles(file, {}).values()
    assert settings.scheme == scheme
    assert Marking.of(settings) == found.marking  # type: ignore[arg-type]
    assert settings.wq == found.wq
    assert compile_profile(settings, 10_000_000).curve


def test_the_region_around_a_setting() -> None:
    load = Load(20, 1250, 0.1)
    found = recommend("ecn", load)
    around = stable_range(load, found.marking, found.wq)
    assert around is not None
    assert around.least_flows < 20 < around.most_flows
    assert around.longest_rtt_s > 0.1
    for flows, rtt_s, stable in (
        (around.least_flows, 0.1, True),
        (around.least_flows - 1, 0.1, False),
        (around.most_flows, 0.1, True),
        (20, around.longest_rtt_s, True),
        (20, around.longest_rtt_s * 1.02, False),
    ):
        found_there = analyse(Load(flows, 1250, rtt_s), found.marking, found.wq)
        assert found_there.stable == stable, (flows, rtt_s)
    with pytest.raises(TuningError, match="beyond maxth"):
        analyse(Load(around.most_flows + 1, 1250, 0.1), found.marking, found.wq)


def test_a_setting_that_oscillates_has_no_range() -> None:
    assert stable_range(Load(20, 1250, 0.1), Marking(5, 15, 0.1), 0.002) is None


def test_margins_over_a_grid() -> None:
    marking = Marking(21, 63, 0.0574)
    margins = delay_margins([5, 20, 200], [0.05, 0.1], 1250, marking, 0.002)
    assert margins.shape == (3, 2)
    assert margins[1, 1] == analyse(Load(20, 1250, 0.1), marking, 0.002).least_delay_margin_s
    assert np.isnan(margins[2]).all()
