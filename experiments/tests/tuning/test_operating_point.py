# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The operating point and the gains, against P3's equations written out."""

from math import log

import pytest
from quench.profiles.settings import parse_settings
from quench_experiments.tuning import Load, Marking, TuningError, analyse, operating_point
from quench_experiments.tuning.marking import MECN_REDUCTIONS

B1, B2 = 5.0, 2.5
LOAD = Load(flows=20, capacity_pps=187.5, rtt_s=0.092)


def mecn(minth: float, midth: float, maxth: float, maxp: float) -> Marking:
    return Marking(minth, maxth, maxp, midth, MECN_REDUCTIONS)


def test_equation_15_holds_at_the_operating_point() -> None:
    marking = mecn(30, 60, 90, 0.2)
    point = operating_point(LOAD, marking)
    q0 = point.queue_pkts
    p10, p20 = 0.2 / 60 * (q0 - 30), 0.2 / 30 * (q0 - 60)
    assert 60 < q0 < 90
    assert (point.p1, point.p2) == pytest.approx((p10, p20))
    assert point.rtt_s == pytest.approx(q0 / 187.5 + 0.092)
    assert point.window_pkts == pytest.approx(point.rtt_s * 187.5 / 20)
    assert point.window_pkts**2 * (p10 / B1 * (1 - p20) + p20 / B2) == pytest.approx(1)


def test_k_mecn_is_equation_13() -> None:
    found = analyse(LOAD, mecn(30, 60, 90, 0.2), wq=0.002)
    r0, p10, p20 = found.point.rtt_s, found.point.p1, found.point.p2
    l1, l2 = 0.2 / 60, 0.2 / 30
    pipe = r0 * 187.5
    assert found.gain == pytest.approx(pipe**3 / (2 * 20**2) * ((1 - p20) / B1 * l1 + (1 / B2 - p10 / B1) * l2))
    assert found.gain_ecn == pytest.approx(l1 * pipe**3 / (2 * 20) ** 2)
    assert found.sensitivity_gain == pytest.approx((1 + found.gain) / (1 + found.gain_ecn))
    assert found.loop.averaging_rad_s == pytest.approx(-187.5 * log(0.998))
    assert found.loop.window_rad_s == pytest.approx(2 * 20 / (r0**2 * 187.5))
    assert found.loop.queue_rad_s == pytest.approx(1 / r0)


def test_below_midth_it_is_equation_25() -> None:
    found = analyse(Load(5, 1250, 0.1), mecn(20, 60, 80, 0.1), wq=0.002)
    assert found.point.queue_pkts < 60
    assert found.point.p2 == 0
    pipe = found.point.rtt_s * 1250
    assert found.gain == pytest.approx(pipe**3 / (2 * B1 * 5**2) * (0.1 / 60))
    assert found.gain < found.gain_ecn


def test_ecn_settles_where_two_over_w_squared_are_marked_and_has_the_gain_k0() -> None:
    found = analyse(Load(20, 1250, 0.1), Marking(20, 60, 0.1), wq=0.002)
    assert found.point.p1 == pytest.approx(2 / found.point.window_pkts**2)
    assert found.gain == pytest.approx(found.gain_ecn)


def test_the_growth_of_the_strength_is_its_derivative() -> None:
    marking = mecn(10, 25, 40, 0.3)
    for queue in (15.0, 24.9, 25.1, 33.0):
        growth = (marking.strength(queue + 1e-6) - marking.strength(queue - 1e-6)) / 2e-6
        assert marking.strength_slope(queue) == pytest.approx(growth, rel=1e-6)


def test_more_flows_need_a_longer_queue() -> None:
    queues = [operating_point(Load(flows, 1250, 0.1), Marking(20, 120, 0.2)).queue_pkts for flows in (5, 10, 20, 40)]
    assert queues == sorted(queues)
    assert queues[0] > 20


def test_too_many_flows_have_no_operating_point() -> None:
    with pytest.raises(TuningError, match=r"60 flows push the queue beyond maxth \(15pkts\).*raise maxp or maxth"):
        operating_point(Load(60, 1250, 0.02), Marking(5, 15, 0.1))


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Marking(15, 15, 0.1), r"minth \(15pkts\) must be less than maxth \(15pkts\)"),
        (lambda: mecn(10, 40, 40, 0.1), r"midth \(40pkts\) must lie"),
        (lambda: Marking(5, 15, 1.5), "maxp must be greater than 0 and at most 1, not 1.5"),
        (lambda: Load(0, 1250, 0.1), "flows must be greater than 0"),
        (lambda: analyse(LOAD, mecn(30, 60, 90, 0.2), wq=1.0), "wq must lie between 0 and 1, not 1"),
    ],
)
def test_impossible_values(make: object, what: str) -> None:
    with pytest.raises(TuningError, match=what):
        make()  # type: ignore[operator]


def test_a_profile_in_bytes_is_the_same_marking() -> None:
    profile = parse_settings({"scheme": "mecn", "minth": "15KB", "midth": "30pkts", "maxth": "45KB", "maxp": 0.2})
    assert Marking.of(profile) == mecn(15, 30, 45, 0.2)  # type: ignore[arg-type]
    profile = parse_settings({"scheme": "ecn-becn", "minth": "5pkts", "becnthresh": "8pkts", "maxth": "15pkts"})
    assert Marking.of(profile) == Marking(5, 15, 0.1)  # type: ignore[arg-type]
