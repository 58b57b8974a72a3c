# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""IPv6 of hosts with RoCEv2: they have routes where a source sends it, and reach each other."""

from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any

import pytest
from quench.config.model import RouteConfig
from quench.programs import load_program
from quench_experiments.errors import ScenarioError, SimulationError
from quench_experiments.simulation.install import Paths, ipv6_network
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from quench_simulator import HOST_IPV6_PREFIX, stack_ip_version

ROOT = Path(__file__).parents[3]
RATE_BPS = 1e10
RDMA = {"transport": "dcqcn", "rate_bps": RATE_BPS, "base_rtt_s": 1e-5, "segment_bytes": 1000, "min_rate_bps": 1e8}
CURVE = {
    "scheme": "curve",
    "mark_at": "head",
    "points": [{"depth": "40KB", "p1": 0}, {"depth": "160KB", "p1": 0.2}, {"depth": "161KB", "p1": 1}],
}


def chain(stack: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Two senders behind a router, their receiver behind another."""
    link = {"delay_s": 1e-6, "ab": {"rate_bps": RATE_BPS}, "ba": {"rate_bps": RATE_BPS}}
    return {
        "duration_s": 0.01,
        "hosts": [
            {"name": name, "address": address}
            for name, address in (("s1", "10.0.1.2"), ("s2", "10.0.1.3"), ("c", "10.0.2.1"))
        ],
        "routers": [{"name": "r1", "profiles": {"middle.ab": CURVE}}, {"name": "r2"}],
        "links": [
            *({"name": f"l{name}", "a": name, "b": "r1"} | link for name in ("s1", "s2")),
            {"name": "middle", "a": "r1", "b": "r2"} | link,
            {"name": "lc", "a": "c", "b": "r2"} | link,
        ],
        "stacks": {"rdma": RDMA | stack, "tcp": {}},
        "sources": [
            {"name": f"f{name}", "kind": "ftp", "from": name, "to": "c", "stack": "rdma"} for name in ("s1", "s2")
        ],
    } | changes


def versions(routes: list[RouteConfig]) -> set[int]:
    return {route.prefix.version for route in routes}


def test_a_stack_says_its_version() -> None:
    bolt = {"transport": "bolt", "rate_bps": RATE_BPS, "base_rtt_s": 1e-5, "segment_bytes": 1000}
    for stack, version in ((RDMA, 6), (RDMA | {"ip": 4}, 4), ({}, 4), (bolt, 4)):
        scenario = Scenario.parse(chain({}, stacks={"rdma": stack}))
        assert scenario.stacks["rdma"].ip_version == version
    with pytest.raises(ValueError, match="ip"):
        stack_ip_version('{"transport": "dcqcn", "ip": "six"}')


def test_ipv6_has_the_routes_of_ipv4() -> None:
    paths = Paths(Scenario.parse(chain({})))
    for router in ("r1", "r2"):
        routes = paths.routes(router)
        by_prefix = {route.prefix: route.hops for route in routes}
        assert versions(routes) == {4, 6}
        for route in routes:
            if isinstance(route.prefix, IPv4Network):
                assert by_prefix[ipv6_network(route.prefix)] == route.hops
        assert len(routes) == len(by_prefix) == 2 * sum(prefix.version == 4 for prefix in by_prefix)


def test_a_prefix_is_behind_that_of_all_hosts() -> None:
    assert ipv6_network(IPv4Network("10.0.2.0/24")) == IPv6Network("fd51:7565:6e63:6800::a00:200/120")
    assert ipv6_network(IPv4Network("0.0.0.0/0")) == IPv6Network(HOST_IPV6_PREFIX)


def test_there_are_none_where_nobody_sends_it() -> None:
    tcp = [{"name": "f", "kind": "ftp", "from": "s1", "to": "c", "stack": "tcp"}]
    for values in (chain({"ip": 4}), chain({}, sources=tcp), chain({}, sources=[])):
        assert versions(Paths(Scenario.parse(values)).routes("r1")) == {4}


@pytest.mark.parametrize("ip", [4, 6])
def test_flows_of_rocev2_share_a_bottleneck_that_marks(ip: int) -> None:
    result = simulate(Scenario.parse(chain({"ip": ip}, warmup_s=0.002)))
    metrics = result.metrics()
    assert metrics["link.middle.ab.utilisation"] > 0.8
    assert metrics["link.middle.ab.loss"] == 0
    assert metrics["link.middle.ab.marked_pkts"] > 0
    assert metrics["link.middle.ab.other_bits"] == metrics["link.middle.ab.udp_bits"] == 0
    assert all(metrics[f"source.f{name}.reactions_ece"] > 0 for name in ("s1", "s2"))
    assert all(host["stray_pkts"] == 0 for host in result.hosts.values())


def test_all_ways_are_shared_by_ipv6_too() -> None:
    values = chain({}, equal_paths="all")
    values["links"] = [*values["links"], values["links"][2] | {"name": "other"}]
    routes = Paths(Scenario.parse(values)).routes("r1")
    shared = [route for route in routes if len(route.hops) == 2]
    assert versions(shared) == {4, 6}
    assert simulate(Scenario.parse(values)).metrics()["source.fs1.goodput_bps"] > 1e9


def test_a_fault_names_the_field() -> None:
    with pytest.raises(ScenarioError, match=r"^stacks\.rdma\.ip: must be 4 or 6, not 5"):
        Scenario.parse(chain({"ip": 5}))


def test_a_program_without_routes_of_ipv6_is_refused() -> None:
    program = load_program(ROOT / "examples" / "codel" / "codel.yaml")
    values = chain({"ip": 4}, program=program, routers=[{"name": "r1"}, {"name": "r2"}])
    assert simulate(Scenario.parse(values)).metrics()["source.fs1.goodput_bps"] > 0
    values["stacks"]["rdma"]["ip"] = 6
    with pytest.raises(SimulationError, match=r"^router 'r1': a source's stack sends IPv6.*: give the stack 'ip: 4'$"):
        simulate(Scenario.parse(values))
