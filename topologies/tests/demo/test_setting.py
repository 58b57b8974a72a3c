# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rule by which the demo chooses flows, path and times, against the theory of tuning and the simulator."""

from dataclasses import replace
from math import sqrt

import pytest
from quench_experiments.comparison.kernel import scenario
from quench_experiments.simulation.run import simulate
from quench_experiments.tuning import Load, Marking, analyse, operating_point
from quench_topologies.demo.options import DemoPlan, plan_demo
from quench_topologies.demo.setting import capacity_pps, flows_for, times_for
from quench_topologies.demo.verdicts import NOISE_SD
from quench_topologies.papers.catalogue import TOPOLOGIES
from quench_topologies.papers.dumbbell import DEMO_DELAY_NS, N1
from quench_topologies.thresholds import Thresholds
from recordings import WORDS

STEP_NS = 5_000_000
BECNTHRESH_PKTS, MIDTH_PKTS = 20, 30
ECN = Marking(15, 45, 0.1)
MECN = Marking(15, 45, 0.1, MIDTH_PKTS, (0.2, 0.4))


def load(delay_ns: int, flows: int) -> Load:
    round_trip_s = 2 * (delay_ns + N1.demo_path.access_ns) / 1e9
    return Load(flows, capacity_pps(N1.row.rate_bps, N1.row.thresholds), round_trip_s)


@pytest.mark.parametrize("delay_ms", [5, 10, 20, 40, 80])
def test_the_average_settles_at_becnthresh_within_a_flow(delay_ms: int) -> None:
    delay_ns = delay_ms * 1_000_000
    flows = flows_for(N1, N1.row.thresholds, N1.row.rate_bps, delay_ns)
    below, above = (operating_point(load(delay_ns, each), ECN).queue_pkts for each in (flows - 1, flows))
    assert below < BECNTHRESH_PKTS <= above


def test_the_path_is_the_longest_on_which_the_average_settles() -> None:
    def stable(delay_ns: int) -> bool:
        flows = flows_for(N1, N1.row.thresholds, N1.row.rate_bps, delay_ns)
        return analyse(load(delay_ns, flows), ECN, N1.row.thresholds.wq).stable

    assert stable(DEMO_DELAY_NS)
    assert not any(stable(DEMO_DELAY_NS + step * STEP_NS) for step in range(1, 9))


def test_mecn_settles_near_midth() -> None:
    flows = flows_for(N1, N1.row.thresholds, N1.row.rate_bps, DEMO_DELAY_NS)
    assert operating_point(load(DEMO_DELAY_NS, flows), MECN).queue_pkts == pytest.approx(MIDTH_PKTS, abs=3)


def test_the_flows_follow_from_thresholds_and_path() -> None:
    def flows(**words: str) -> int:
        return plan_demo(replace(WORDS, **words)).loaded.flows

    assert flows() == 8
    assert (flows(rate="5Mbps"), flows(rate="40Mbps")) == (5, 24)
    assert (flows(delay="1ms"), flows(delay="40ms")) == (3, 12)
    steep = Thresholds("15KB", "30KB", "45KB", becnthresh=("20KB",), maxp=0.4)
    assert flows_for(N1, steep, N1.row.rate_bps, DEMO_DELAY_NS) == 15
    assert flows_for(N1, replace(steep, becnthresh=("15KB",)), N1.row.rate_bps, DEMO_DELAY_NS) == 1
    assert flows_for(N1, N1.row.thresholds, 1, 0) == 2


def test_other_papers_flows_are_theirs() -> None:
    flows = {name: plan_demo(replace(WORDS, topology=name)).loaded.flows for name in TOPOLOGIES}
    assert flows == {"n1": 8, "n2": 1, "mp": 15, "g3": 24, "vw": 20}


def test_times_follow_from_the_average_up_to_the_users_patience() -> None:
    plans = {name: plan_demo(replace(WORDS, topology=name)) for name in TOPOLOGIES}
    times = {name: (plan.warmup_s, plan.measured_s) for name, plan in plans.items()}
    assert times == {"n1": (8, 20), "n2": (20, 60), "mp": (20, 60), "g3": (20, 59), "vw": (8, 20)}
    assert times_for(N1.row.thresholds, 10_000_000_000) == (2, 1)


@pytest.fixture(scope="module")
def simulated() -> dict[str, dict[str, float]]:
    """The default demo in the simulator: metrics by the scenario's name."""
    plan = plan_demo(WORDS)
    return {each.name: _simulate(plan, dict(each.profile), each.host_algorithm) for each in plan.scenarios}


def _simulate(plan: DemoPlan, profile: dict[str, object], algorithm: str) -> dict[str, float]:
    network = plan.load_settings
    settings = {
        "rate_bps": network.rate_bps,
        "delay_one_way_ns": network.delay_ns,
        "pairs": network.pairs,
        "flows": plan.loaded.flows,
        "isq_mode": network.isq_mode,
        "warmup_s": plan.warmup_s,
        "measured_s": plan.measured_s,
    }
    values = {"profile": profile, "host_algorithm": algorithm, "host_params": {}}
    return simulate(scenario(values, settings, seed=1)).metrics()


def test_the_schemes_differ_as_their_papers_say(simulated: dict[str, dict[str, float]]) -> None:
    """In virtual time, so that no busy machine is in the way. The kernel's numbers are close to these."""
    isqs = {name: metrics["router.s1.isqs_marked"] for name, metrics in simulated.items()}
    low, high = isqs["ecn-becn 20KB"], isqs["ecn-becn 40KB"]
    # Well beyond the standard deviations that the demo asks for.
    assert isqs["becn"] - low > 1.5 * NOISE_SD * sqrt(isqs["becn"] + low)
    assert low - high > 1.5 * NOISE_SD * sqrt(low + high)
    assert {name for name, count in isqs.items() if not count} >= {"red", "ecn", "mecn", "ecn-mod"}
    lost = {name: metrics["link.bottleneck.ab.dropped_pkts"] for name, metrics in simulated.items()}
    assert all(pkts < lost["red"] / 10 for name, pkts in lost.items() if name != "red")
    mecn = simulated["mecn"]
    assert mecn["group.flows.reactions_incipient"] > mecn["group.flows.reactions_moderate"] > 5
