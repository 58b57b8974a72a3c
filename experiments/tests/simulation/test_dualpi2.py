# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""DualPI2 in networks: the target, shares, datagrams of L4S that heed no mark, and the scheduler of the description.

A link of 40 Mb/s, round trips of 20 ms without queues, packets of 1500 bytes: 0.3 ms each. The seed is 1.
"""

import json
from functools import cache
from itertools import count
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from quench.programs import SwitchProgram, load_program
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario

P4SRC = Path(__file__).resolve().parents[3] / "p4src"
RATE_BPS, PROPAGATION_S = 40e6, 0.01
BOTTLENECK = "bottleneck.ab"
ECT1, NOT_ECT = 1, 0


@cache
def program() -> SwitchProgram:
    return load_program(P4SRC / "dualpi2.yaml")


def tcp(algorithm: str) -> dict[str, Any]:
    return {"kind": "ftp", "stack": algorithm}


def datagrams(share: float, ecn: int) -> dict[str, Any]:
    """Datagrams at a constant rate, a share of the link's."""
    return {"kind": "cbr", "rate_bps": share * RATE_BPS, "packet_bytes": 1500, "ecn": ecn}


def scenario(sources: dict[str, dict[str, Any]], link: dict[str, Any] | None = None, **settings: Any) -> Scenario:
    """A sender and a receiver for each source, from which its group has its name."""
    hosts, links = [], []
    for name, number in zip(sources, count(1)):
        hosts += [{"name": f"{letter}-{name}", "address": f"10.0.{net}.{number}"} for net, letter in enumerate("sc", 1)]
        links += [
            {"name": f"to-{letter}-{name}", "a": f"{letter}-{name}", "b": router, "delay_s": 0.001}
            for letter, router in (("s", "r1"), ("c", "r2"))
        ]
    forward = {"rate_bps": RATE_BPS} | (link or {})
    between = {
        "name": "bottleneck",
        "a": "r1",
        "b": "r2",
        "delay_s": 0.008,
        "ab": forward,
        "ba": {"rate_bps": RATE_BPS},
    }
    return Scenario.parse(
        {
            "duration_s": 25,
            "warmup_s": 10,
            "program": program(),
            "hosts": hosts,
            "routers": [
                {"name": "r1", "queues": 2, "queue_settings": {BOTTLENECK: settings}},
                {"name": "r2", "queues": 2},
            ],
            "links": [between, *links],
            "stacks": {name: {"algorithm": name} for name in ("plain", "ecn", "dctcp", "prague")},
            "sources": [
                {"name": name, "group": name[:-1], "from": f"s-{name}", "to": f"c-{name}"} | source
                for name, source in sources.items()
            ],
        }
    )


def of_queue(result: Result, number: int, name: str) -> float:
    return float(result.metrics()[f"link.{BOTTLENECK}.queue.{number}.{name}"])


def share(result: Result, group: str) -> float:
    """The part of the link that a group's data takes."""
    return float(result.groups[group]["goodput_total_bps"]) / RATE_BPS


@pytest.mark.parametrize("algorithm", ["plain", "ecn"])
@pytest.mark.parametrize("flows", [2, 20])
def test_classic_flows_keep_the_target(algorithm: str, flows: int) -> None:
    result = simulate(scenario({f"tcp{number}": tcp(algorithm) for number in range(flows)}))
    link = result.link(BOTTLENECK)
    assert link["utilisation"] > 0.98
    assert link["queue_mean_bytes"] * 8 / RATE_BPS == pytest.approx(0.015, rel=0.15)
    assert (link["marked_pkts"] > 0) == (algorithm == "ecn")
    assert (link["dropped_early_pkts"] > 0) == (algorithm == "plain")


@pytest.mark.parametrize(("algorithm", "any_ect"), [("prague", "off"), ("dctcp", "on")])
def test_flows_of_both_queues_have_equal_windows(algorithm: str, any_ect: str) -> None:
    """Prague, or DCTCP, which any_ect puts into the L4S queue, beside Reno: a window of bytes per round trip, which
    differs by the classic queue's delay."""
    flows = {f"classic{number}": tcp("plain") for number in (1, 2)}
    flows |= {f"scalable{number}": tcp(algorithm) for number in (1, 2)}
    result = simulate(scenario(flows, any_ect=any_ect))
    rates = {name: result.groups[name]["goodput_total_bps"] for name in ("classic", "scalable")}
    trips = {name: PROPAGATION_S + result.groups[name]["delay_mean_s"] for name in rates}
    windows = {name: rates[name] * trips[name] for name in rates}
    assert windows["scalable"] / windows["classic"] == pytest.approx(1, abs=0.35)
    assert result.link(BOTTLENECK)["utilisation"] > 0.98
    assert trips["classic"] - 2 * PROPAGATION_S == pytest.approx(0.015, rel=0.2)
    assert trips["scalable"] - 2 * PROPAGATION_S < 0.001


def test_the_square_of_half_the_l4s_marks_is_the_classic_drops() -> None:
    """Ten flows of each kind, without the step. As p' moves, the mean of its square is somewhat more than that of its
    mean; chance explains 4.5 standard deviations."""
    flows = {f"classic{number}": tcp("plain") for number in range(10)}
    flows |= {f"scalable{number}": tcp("dctcp") for number in range(10)}
    result = simulate(scenario(flows, any_ect="on", step="10s"))
    link = result.link(BOTTLENECK)
    classic_pkts, l4s_pkts = (of_queue(result, number, "offered_pkts") for number in (0, 1))
    classic, l4s = link["dropped_early_pkts"] / classic_pkts, link["marked_pkts"] / l4s_pkts
    expected = (l4s / 2) ** 2
    deviation = sqrt(classic * (1 - classic) / classic_pkts + (l4s / 2) ** 2 * l4s * (1 - l4s) / l4s_pkts)
    assert expected - 4.5 * deviation <= classic <= 1.05 * expected + 4.5 * deviation
    assert 4.5 * deviation < 0.2 * expected


def test_datagrams_below_their_share_wait_for_one_packet_and_leave_the_rest() -> None:
    result = simulate(scenario({"tcp1": tcp("ecn"), "tcp2": tcp("ecn"), "udp1": datagrams(0.5, ECT1)}))
    assert share(result, "udp") == pytest.approx(0.5, rel=0.03)
    assert share(result, "tcp") == pytest.approx(0.5, rel=0.05)
    assert of_queue(result, 1, "queue_max_pkts") <= 2
    assert result.groups["udp"]["delay_mean_s"] < PROPAGATION_S + 0.0007
    assert result.link(BOTTLENECK)["dropped_pkts"] == 0


@pytest.mark.parametrize("classic", [0.1, 0.25])
def test_datagrams_beyond_the_link_are_dropped_and_neither_starve_nor_delay_the_others(classic: float) -> None:
    """The L4S queue offers 1.5 times the link, the classic one less, or more, than its tenth after losses."""
    result = simulate(scenario({"udp1": datagrams(1.5, ECT1), "old1": datagrams(classic, NOT_ECT)}))
    link = result.link(BOTTLENECK)
    assert link["utilisation"] > 0.999
    # The longer delay is the target.
    delays_s = [result.groups[name]["delay_mean_s"] - PROPAGATION_S for name in ("udp", "old")]
    assert max(delays_s) == pytest.approx(0.015, abs=0.002)
    assert delays_s.index(max(delays_s)) == (0 if classic < 0.2 else 1)
    # Both lose the same part, as the square of p' is the same for both.
    losses = [result.groups[name]["loss"] for name in ("udp", "old")]
    assert losses == [pytest.approx(1 - 1 / (1.5 + classic), abs=0.02)] * 2
    assert link["dropped_early_pkts"] == link["dropped_pkts"]
    # The L4S queue marks all others.
    assert link["ce_pkts"] == pytest.approx(of_queue(result, 1, "tx_pkts"), rel=0.01)


def test_the_limit_bounds_the_delay() -> None:
    """Gains of zero select nothing: the limit alone drops. Datagrams of L4S find no queue of their own to fill."""
    sources = {"udp1": datagrams(1.5, ECT1), "old1": datagrams(0.25, NOT_ECT)}
    result = simulate(scenario(sources, alpha=0, beta=0, limit="50KB"))
    link = result.link(BOTTLENECK)
    assert 48_000 < link["queue_max_bytes"] <= 50_000
    assert link["dropped_forced_pkts"] == link["dropped_pkts"] > 0
    assert result.groups["udp"]["delay_mean_s"] < PROPAGATION_S + (50_000 + 3000) * 8 / RATE_BPS / 0.9
    # The classic queue gets a tenth at least, by its weight.
    assert of_queue(result, 0, "tx_bytes") * 8 / 15 > 0.1 * RATE_BPS


@pytest.mark.parametrize(("scheduler", "weights"), [("strict", None), ("drr", [1, 9]), ("scfq", [1, 3])])
def test_a_link_may_have_another_scheduler(scheduler: str, weights: list[float] | None) -> None:
    """Without the controller's drops and with a limit for each queue, the shares are the scheduler's."""
    link = {"scheduler": scheduler, "buffer_pkts": 50} | ({} if weights is None else {"weights": weights})
    sources = {"udp1": datagrams(1.5, ECT1), "old1": datagrams(1.5, NOT_ECT)}
    result = simulate(scenario(sources, link, alpha=0, beta=0))
    classic = of_queue(result, 0, "tx_bytes") * 8 / 15 / RATE_BPS
    assert classic == pytest.approx(0 if weights is None else weights[0] / sum(weights), abs=0.002)


def test_the_description_has_the_scheduler_of_managed_directions() -> None:
    values = json.loads(scenario({"tcp1": tcp("ecn")}).simulator_json())
    directions = {f"{link['name']}.{way}": link[way] for link in values["links"] for way in ("ab", "ba")}
    assert directions[BOTTLENECK]["scheduler"] == "scfq"
    assert directions[BOTTLENECK]["weights"] == [1, 9]
    assert all("scheduler" not in each for name, each in directions.items() if name != BOTTLENECK)
    for own in ({"scheduler": "strict"}, {"scheduler": "drr", "weights": [1, 1]}, {"weights": [1, 3]}):
        given = json.loads(scenario({"tcp1": tcp("ecn")}, own).simulator_json())["links"][0]["ab"]
        assert given["scheduler"] == own.get("scheduler", "scfq")
        assert given["weights"] == own.get("weights", [])
