# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Routes: every host is reached by the shortest way, in every graph."""

from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from quench.config.model import RouteConfig
from quench.programs import load_program
from quench_experiments.definition.network import Hosts
from quench_experiments.definition.topology import FatTree, LeafSpine
from quench_experiments.errors import SimulationError
from quench_experiments.simulation.install import Paths, host_mac
from quench_experiments.simulation.run import PARTS, simulate
from quench_experiments.simulation.scenario import Router, Scenario
from simulated import n1

ROOT = Path(__file__).parents[3]


def port_of(routes: list[RouteConfig], address: str) -> int:
    """The port by the longest prefix."""
    fitting = [route for route in routes if IPv4Address(address) in route.prefix]
    ((hop,),) = [max(fitting, key=lambda route: route.prefix.prefixlen).hops]
    return hop.port


def graph(routers: int, *links: tuple[str, str]) -> Scenario:
    """Router N has the host hN with the address 10.0.0.N."""
    numbers = range(1, routers + 1)
    return Scenario.parse(
        {
            "duration_s": 1,
            "hosts": [{"name": f"h{number}", "address": f"10.0.0.{number}"} for number in numbers],
            "routers": [{"name": f"r{number}"} for number in numbers],
            "links": [
                *({"name": f"l{number}", "a": f"h{number}", "b": f"r{number}", "delay_s": 0} for number in numbers),
                *({"name": f"{a}{b}", "a": a, "b": b, "delay_s": 0} for a, b in links),
            ],
        }
    )


def test_a_dumbbell_routes_to_its_own_hosts_and_to_the_other_side() -> None:
    scenario = Scenario.parse(n1(flows=3))
    routes = Paths(scenario).routes("r1")
    assert [port_of(routes, f"10.0.1.{host}") for host in (1, 2, 3)] == [2, 3, 4]
    assert {port_of(routes, f"10.0.2.{host}") for host in (1, 2, 3)} == {1}


def test_macs_are_those_of_the_two_ends() -> None:
    left, right = (Paths(Scenario.parse(n1(flows=1))).routes(name) for name in ("r1", "r2"))
    assert left[0].destination_mac == host_mac(IPv4Address("10.0.1.1"))
    assert (left[1].source_mac, left[1].destination_mac) == (right[1].destination_mac, right[1].source_mac)


def test_the_shortest_way_is_taken() -> None:
    ring = graph(4, ("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r1"))
    routes = Paths(ring).routes("r1")
    assert [port_of(routes, f"10.0.0.{host}") for host in (1, 2, 4)] == [1, 2, 3]


def test_of_equal_ways_the_earlier_link_is_taken() -> None:
    for first, second, port in (("r2", "r4", 2), ("r4", "r2", 2)):
        square = graph(4, ("r1", first), ("r1", second), ("r2", "r3"), ("r4", "r3"))
        assert port_of(Paths(square).routes("r1"), "10.0.0.3") == port


def test_or_all_of_them_are() -> None:
    """A square with a diagonal made of two links, and one more hop behind it."""
    links = [("r1", "r2"), ("r1", "r4"), ("r2", "r3"), ("r4", "r3"), ("r3", "r5")]
    square = graph(5, *links).model_copy(update={"equal_paths": "all"})
    routes = {str(route.prefix): [hop.port for hop in route.hops] for route in Paths(square).routes("r1")}
    assert routes == {
        "10.0.0.1/32": [1], "10.0.0.2/32": [2], "10.0.0.3/32": [2, 3], "10.0.0.4/32": [3], "10.0.0.5/32": [2, 3],
    }  # fmt: skip


def test_flows_share_the_spines_and_each_keeps_to_one() -> None:
    """128 flows from leaf to leaf; chi-square with one degree of freedom, at a significance of 0.001."""
    flows, packets = 128, 10
    network = LeafSpine().network()
    hosts = Hosts(network)
    ends = [(hosts.end("leaf1-hosts", each, flows), hosts.end("leaf2-hosts", each, flows)) for each in range(flows)]
    cbr = {"kind": "cbr", "rate_bps": packets * 8000, "packet_bytes": 1000, "stop_s": 1.0}
    scenario = Scenario(
        duration_s=2,
        hosts=tuple(hosts.hosts),
        routers=tuple(Router(name=name) for name in network.routers),
        links=(*network.links, *hosts.links),
        sources=[{"name": f"f{number}", "from": a, "to": b, **cbr} for number, (a, b) in enumerate(ends)],
        equal_paths=network.equal_paths,
    )
    result = simulate(scenario)
    sent = [result.link(f"leaf1-spine{spine}.ab")["tx_pkts"] for spine in (1, 2)]
    assert sum(sent) == flows * packets
    assert [each % packets for each in sent] == [0, 0], "all packets of a flow go one way"
    counts = [each // packets for each in sent]
    assert sum((each - flows / 2) ** 2 / (flows / 2) for each in counts) < 10.83, counts
    assert [result.link(f"leaf2-spine{spine}.ba")["tx_pkts"] for spine in (1, 2)] == sent
    shares: list[float] = []
    assert simulate(scenario, progress=shares.append).metrics() == result.metrics()
    assert shares == sorted(shares)
    assert (len(shares), shares[-1]) == (PARTS, 1.0)


def test_a_fat_tree_shares_flows_in_both_tiers_that_lead_up() -> None:
    """Each host of a pod sends four flows to the pod after the next; all ways up carry some, and no packet is lost."""
    tree = FatTree(ports=4)
    network, flows, packets = tree.network(), 64, 10
    assert (len(network.routers), len(network.links)) == (20, 32)
    hosts = Hosts(network)
    ends = [
        (hosts.end(f"pod1-edge{edge}-hosts", each, flows), hosts.end(f"pod3-edge{edge}-hosts", each, flows))
        for each in range(flows)
        for edge in (1, 2)
    ]
    assert len(hosts.hosts) == 8
    cbr = {"kind": "cbr", "rate_bps": packets * 8e6, "packet_bytes": 1000, "stop_s": 0.001}
    result = simulate(
        Scenario(
            duration_s=0.01,
            hosts=tuple(hosts.hosts),
            routers=tuple(Router(name=name) for name in network.routers),
            links=(*network.links, *hosts.links),
            sources=[{"name": f"f{number}", "from": a, "to": b, **cbr} for number, (a, b) in enumerate(ends)],
            equal_paths=network.equal_paths,
        )
    )
    of_flow = result.metrics()["all.received_pkts"] / len(ends)
    assert result.metrics()["all.loss"] == 0
    sent = {name: result.link(f"{name}.ab")["tx_pkts"] for name in (link.name for link in network.links)}
    up = [f"pod1-edge{edge}-agg{agg}" for edge in (1, 2) for agg in (1, 2)]
    above = [f"pod1-agg{agg}-core{core}" for agg in (1, 2) for core in (2 * agg - 1, 2 * agg)]
    for tier in (up, above):
        assert sum(sent[name] for name in tier) == len(ends) * of_flow
        # A flow chooses each of four with a probability of a quarter: six standard deviations.
        assert all(abs(sent[name] / of_flow - 32) < 6 * (128 * 3 / 16) ** 0.5 for name in tier), tier
    down = [result.link(f"pod3-agg{agg}-core{core}.ba")["tx_pkts"] for agg in (1, 2) for core in (2 * agg - 1, 2 * agg)]
    assert down == [sent[name] for name in above], "the core leads down to the same place"


def test_another_program_shares_no_flows() -> None:
    square = graph(4, ("r1", "r2"), ("r1", "r4"), ("r2", "r3"), ("r4", "r3"))
    codel = load_program(ROOT / "examples" / "codel" / "codel.yaml")
    with pytest.raises(SimulationError, match="equal_paths: CoDel takes one next hop for each route: give 'first'"):
        simulate(square.model_copy(update={"equal_paths": "all", "program": codel}))


def test_hosts_pass_nothing_on() -> None:
    values: dict[str, Any] = graph(2, ("r1", "r2")).model_dump(mode="json")
    values["links"] = values["links"][:2]
    with pytest.raises(SimulationError, match=r"links: no way leads from router 'r1' to host 'h2'"):
        Paths(Scenario.parse(values)).routes("r1")


def test_routes_to_hosts_behind_a_router_are_few() -> None:
    scenario = Scenario.parse(n1(flows=128))
    routes = Paths(scenario).routes("r1")
    assert len(routes) < 128 + 16
    assert all(port_of(routes, f"10.0.2.{host}") == 1 for host in range(1, 129))
