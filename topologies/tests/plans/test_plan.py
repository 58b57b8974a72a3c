# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Plans: routes, addresses, and contradictions."""

from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from itertools import pairwise

import pytest
from quench_topologies.errors import TopologyError
from quench_topologies.hosts import isq_rules, route_metrics
from quench_topologies.papers.dumbbell import N1, DumbbellSettings, dumbbell, n2_settings
from quench_topologies.plan import (
    MODERN_TCP,
    PAPER_TCP,
    PROMPT_COMMANDS,
    ClassPlan,
    Endpoint,
    HopPlan,
    HostPlan,
    LinkPlan,
    NetworkPlan,
    PortPlan,
    SwitchPlan,
    interface_name,
)
from quench_topologies.switches import port_options

PROFILE = N1.row.thresholds.profile("ecn")


def line_of_switches() -> NetworkPlan:
    """h1 - s1 - s2 - s3 - h2, and a detour s1 - s4 - s5 - s3 by lower ports."""
    hosts = tuple(HostPlan(f"h{i}", IPv4Interface(f"10.0.{i}.1/24"), f"02:00:00:01:00:0{i}") for i in (1, 2))
    wires = [("h1", 0, "s1", 9), ("s1", 2, "s2", 1), ("s2", 2, "s3", 2), ("s3", 9, "h2", 0)]
    detour = [("s1", 1, "s4", 1), ("s4", 2, "s5", 1), ("s5", 2, "s3", 1)]
    return NetworkPlan(
        hosts=hosts,
        switches=tuple(SwitchPlan(f"s{i}", {}) for i in range(1, 6)),
        links=tuple(LinkPlan(Endpoint(a, p), Endpoint(b, q)) for a, p, b, q in wires + detour),
    )


def test_routes_follow_the_shortest_path_not_the_lowest_port() -> None:
    plan = line_of_switches()
    routes = {str(route.prefix): route for route in plan.routes(plan.switches[0])}
    assert routes["10.0.1.1/32"].hops == (HopPlan(9, "02:00:00:01:00:01"),)
    assert routes["10.0.2.1/32"].hops == (HopPlan(2, "02:00:00:00:02:01"),)
    assert plan.mac(Endpoint("s2", 1)) == "02:00:00:00:02:01"


def test_among_equal_paths_the_lowest_port_is_taken() -> None:
    hosts = (HostPlan("h1", IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01"),)
    wires = [("s1", 1, "s2", 1), ("s1", 2, "s3", 1), ("s2", 2, "s4", 1), ("s3", 2, "s4", 2), ("s4", 3, "h1", 0)]
    plan = NetworkPlan(
        hosts,
        tuple(SwitchPlan(f"s{i}", {}) for i in range(1, 5)),
        tuple(LinkPlan(Endpoint(a, p), Endpoint(b, q)) for a, p, b, q in wires),
    )
    hops = [HopPlan(1, plan.mac(Endpoint("s2", 1))), HopPlan(2, plan.mac(Endpoint("s3", 1)))]
    assert [route.hops for route in plan.routes(plan.switches[0])] == [tuple(hops[:1])]
    shared = replace(plan, ecmp=True)
    assert [route.hops for route in shared.routes(plan.switches[0])] == [tuple(hops)], "but with ECMP, all of them"
    assert [[hop.port for hop in route.hops] for route in shared.routes(plan.switches[3])] == [[3]]


def test_a_host_that_no_path_leads_to_has_no_route() -> None:
    hosts = (HostPlan("h1", IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01"),)
    plan = NetworkPlan(
        hosts, (SwitchPlan("s1", {}), SwitchPlan("s2", {})), (LinkPlan(Endpoint("h1"), Endpoint("s2", 1)),)
    )
    assert plan.routes(plan.switches[0]) == ()


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([("h1", 0, "s9", 1)], "'s9', which is neither"),
        ([("h1", 0, "s1", 1), ("s1", 1, "s2", 1)], "two links end at port 1 of 's1'"),
        ([("s1", 1, "s2", 1)], "host 'h1' has no link"),
    ],
)
def test_links_that_do_not_fit_are_refused(links: list[tuple[str, int, str, int]], message: str) -> None:
    hosts = (HostPlan("h1", IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01"),)
    with pytest.raises(TopologyError, match=message):
        NetworkPlan(
            hosts,
            (SwitchPlan("s1", {}), SwitchPlan("s2", {})),
            tuple(LinkPlan(Endpoint(a, p), Endpoint(b, q)) for a, p, b, q in links),
        )


def test_gateway_is_not_the_host() -> None:
    assert str(HostPlan("h", IPv4Interface("10.0.1.1/24"), "").gateway) == "10.0.1.254"
    assert str(HostPlan("h", IPv4Interface("10.0.1.254/24"), "").gateway) == "10.0.1.253"


def test_dumbbell_is_n1() -> None:
    plan = dumbbell(DumbbellSettings(), PROFILE)
    s1, s2 = plan.switches
    assert s1.ports[1] == PortPlan(10_000_000, 90_000, 40_000_000, profile=PROFILE)
    assert s2.ports[1] == PortPlan(10_000_000, 90_000, 40_000_000)
    assert len(s1.ports) == len(s2.ports) == 5
    # Both directions of a host's link are delayed at its switch: 2 + 40 + 2 ms one way, 88 ms there and back.
    assert {port.delay_ns for number, port in s1.ports.items() if number > 1} == {4_000_000}
    round_trip_ns = 2 * 40_000_000 + s1.ports[2].delay_ns + s2.ports[2].delay_ns
    assert round_trip_ns == 88_000_000
    assert {host.uplink_rate_bps for host in plan.hosts} == {100_000_000}
    assert len({host.mac for host in plan.hosts}) == len({host.address for host in plan.hosts}) == 8


def test_n2_loses_only_towards_the_sender() -> None:
    plan = dumbbell(n2_settings(0.1), PROFILE)
    losses = {
        (switch.name, number): port.loss
        for switch in plan.switches
        for number, port in switch.ports.items()
        if port.loss
    }
    assert losses == {("s1", 2): 0.1}


def test_too_many_pairs_are_refused() -> None:
    with pytest.raises(TopologyError, match="101 pairs"):
        dumbbell(DumbbellSettings(pairs=101), PROFILE)


def test_a_port_has_the_queues_that_anything_is_said_of() -> None:
    voice = {"scheme": "taildrop"}
    port = PortPlan(profile=PROFILE, profiles={2: voice}, scheduler="scfq", weights={1: 0.8, 0: 0.2})
    assert port.queues == 3
    assert port.queue_profiles == {0: PROFILE, 2: voice}
    assert PortPlan(queue_capacity_bytes={4: 1000}).queues == 5
    assert (PortPlan().queues, PortPlan().queue_profiles) == (1, {})


def test_a_class_needs_its_queue_at_every_port() -> None:
    switch = SwitchPlan("s1", {1: PortPlan(weights={3: 1.0})}, classes=(ClassPlan(46, 1), ClassPlan(10, 2)))
    assert [switch.queues(port) for port in (1, 2)] == [4, 3]
    assert port_options(PortPlan(), 3) == "queues=3,scheduler=strict"
    assert SwitchPlan("s1", {}).queues(7) == 1


def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(TopologyError, match="scheduler 'wfq': choose strict, drr, scfq"):
        PortPlan(scheduler="wfq")
    with pytest.raises(TopologyError, match="queue 0 is given as profile"):
        PortPlan(profiles={0: PROFILE})
    with pytest.raises(TopologyError, match="isq mode 'fpga': choose cpu, dataplane, off"):
        NetworkPlan((), (), (), isq_mode="fpga")


def test_the_papers_tcp_is_in_the_routes_and_linuxs_is_not() -> None:
    # 100 packets of 1000 bytes, of which 40 are headers; an ACK for every packet; the first window is one packet.
    words = "advmss 960 window 96000 initcwnd 1 quickack 1"
    assert route_metrics(PAPER_TCP) == words.split()
    assert route_metrics(MODERN_TCP) == []


NAMES = ["", "../s1", "s/1", "-s1", "s1\n", "s\x1b[2J", "a" * 11, "é", "..", "h1-1", "h1.a", "5", "1h", "_h", "links"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_no_word_of_the_prompt_or_of_linux_is_refused(name: str) -> None:
    with pytest.raises(TopologyError, match="names no node") as caught:
        NetworkPlan(hosts=(), switches=(SwitchPlan(name, {}),), links=())
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("port", "longest"), [(0, 10), (9, 10), (10, 9), (255, 8)])
def test_a_name_leaves_room_for_the_interface_with_the_highest_port(port: int, longest: int) -> None:
    def plan(name: str) -> NetworkPlan:
        ends = [Endpoint(name, each) for each in {0, port}]
        links = tuple(LinkPlan(end, Endpoint("far", number)) for number, end in enumerate(ends))
        return NetworkPlan((), (SwitchPlan(name, {}), SwitchPlan("far", {})), links)

    assert len(interface_name(plan("s" * longest).switches[0].name, port)) == 15
    with pytest.raises(TopologyError, match=f"{longest} characters are the most.*'...-eth{port}'"):
        plan("s" * (longest + 1))


def test_the_prompts_commands_are_those_of_mininet() -> None:
    prompt = pytest.importorskip("quench_topologies.net.prompt").Prompt
    assert {name.removeprefix("do_") for name in dir(prompt) if name.startswith("do_")} == PROMPT_COMMANDS


def test_two_hosts_have_two_addresses() -> None:
    hosts = tuple(HostPlan(name, IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01") for name in ("h1", "h2"))
    links = tuple(LinkPlan(Endpoint(host.name), Endpoint("s1", port)) for port, host in enumerate(hosts))
    with pytest.raises(TopologyError, match=r"'h2' has the address 10.0.1.1 of 'h1'"):
        NetworkPlan(hosts, (SwitchPlan("s1", {}),), links)


def test_a_network_has_a_limit() -> None:
    switches = tuple(SwitchPlan(f"s{number}", {}) for number in range(2001))
    with pytest.raises(TopologyError, match="2001 hosts and switches: 2000 are the most"):
        NetworkPlan(hosts=(), switches=switches, links=())
    assert NetworkPlan(hosts=(), switches=switches[1:], links=()).mac(Endpoint("s300", 9)) == "02:00:00:01:2c:09"


@pytest.mark.parametrize("switches", [1, 2, 3, 5, 16, 100, 1000])
def test_hosts_know_the_networks_own_quenchers_and_no_others(switches: int) -> None:
    names = [f"s{i}" for i in range(switches)]
    plan = NetworkPlan(hosts=(), switches=tuple(SwitchPlan(name, {}) for name in names), links=())
    options = isq_rules(plan)
    prefixes = [IPv4Network(value) for name, value in pairwise(options) if name == "--isq-from"]
    assert {address for prefix in prefixes for address in prefix} == {plan.router_address(name) for name in names}
    assert IPv4Address("198.18.0.0") not in {address for prefix in prefixes for address in prefix}
    assert len(prefixes) <= 32, "quench-host takes no more"
    assert options[-2:] == ["--isq-ttl-min", str(max(0, 255 - switches))]
