# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies: paths, round trips, rates, queues, and how many flows enter where."""

from typing import Any

import pytest
from paths import leaf_spine, path, round_trip_ns
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadedPlan, LoadSettings, pair_letters, shared_out
from quench_topologies.papers.catalogue import TOPOLOGIES, find_topology
from quench_topologies.plan import MODERN_TCP, ClassPlan

MS = 1_000_000


def build(name: str, scheme: str = "ecn", **more: Any) -> LoadedPlan:
    topology = find_topology(name)
    values: dict[str, Any] = {
        "profile": topology.row.thresholds.profile(scheme),
        "rate_bps": topology.row.rate_bps,
        "delay_ns": topology.row.delay_ns,
        "pairs": topology.pairs,
        "flows": topology.flows,
        "tcp": topology.tcp,
    }
    return topology.build(LoadSettings(**{**values, **more}))


def crossed(loaded: LoadedPlan, sender: str, receiver: str) -> list[str]:
    """The bottlenecks on the way, by name."""
    names = {(each.switch, each.port): each.name for each in loaded.bottlenecks}
    return [names[hop] for hop in path(loaded.plan, sender, receiver) if hop in names]


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_flow_has_a_way_there_and_back_and_each_bottleneck_its_profile(name: str) -> None:
    loaded = build(name)
    ports = {switch.name: switch.ports for switch in loaded.plan.switches}
    for place in loaded.places:
        for sender, receiver in place.pairs:
            assert crossed(loaded, sender, receiver)
            assert path(loaded.plan, receiver, sender)
    for each in loaded.bottlenecks:
        port = ports[each.switch][each.port]
        assert port.profile == find_topology(name).row.thresholds.profile("ecn")
        assert port.rate_bps == loaded.rate_bps(each)
        assert port.capacity_bytes
    assert loaded.flows == find_topology(name).flows
    assert loaded.rate_bps(loaded.bottlenecks[0]) == find_topology(name).row.rate_bps


def test_hosts_of_a_leaf_are_neighbours_and_flows_go_to_the_next_leaf() -> None:
    loaded = leaf_spine(leaves=3, spines=2, hosts=2)
    plan = loaded.plan
    leaves = {host.name: str(host.address.network) for host in plan.hosts}
    assert leaves == {f"h{number}": f"10.0.{(number + 1) // 2}.0/24" for number in range(1, 7)}
    assert [each.name for each in plan.neighbours(plan.host("h3"))] == ["h4"]
    assert path(plan, "h3", "h4") == [("leaf2", 4)]
    assert loaded.tcp_ends[:6] == [("h1", "h3"), ("h2", "h4"), ("h3", "h5"), ("h4", "h6"), ("h5", "h1"), ("h6", "h2")]
    assert len(loaded.bottlenecks) == 2 * 3 * 2
    assert len({host.mac for host in plan.hosts}) == 6


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((1, 2, 4), "--leaves 1: choose from 2 to 16"),
        ((2, 17, 4), "--spines 17: choose from 1 to 16"),
        ((2, 2, 17), "17 hosts at a leaf: choose from 1 to 16"),
    ],
)
def test_a_leaf_spine_has_limits(shape: tuple[int, int, int], words: str) -> None:
    with pytest.raises(TopologyError, match=words):
        leaf_spine(*shape)
    assert len(leaf_spine(16, 16, 16).plan.hosts) == 256


def test_the_parking_lot_fills_up_towards_its_end() -> None:
    loaded = build("mp")
    # 0.3 Mb/s for each flow that a link carries.
    assert [loaded.rate_bps(each) for each in loaded.bottlenecks] == [1_500_000, 3_000_000, 4_500_000]
    assert [place.flows for place in loaded.places] == [5, 5, 5]
    hops = ["r0 to r1", "r1 to r2", "r2 to r3"]
    for number, place in enumerate(loaded.places):
        assert place.pairs == ((f"source{number}", f"sink{number}"),)
        assert crossed(loaded, *place.pairs[0]) == hops[number:]
        # 40 ms a link between routers, 2 ms to the source, 4 ms to the sink.
        assert round_trip_ns(loaded.plan, *place.pairs[0]) == 2 * (40 * (3 - number) + 2 + 4) * MS


def test_three_links_carry_two_kinds_of_sessions_each() -> None:
    loaded = build("g3")
    pairs = [place.pairs for place in loaded.places]
    assert pairs == [(("ftp0", "ftp3"),), (("ftp0", "ftp4"),), (("ftp3", "ftp5"),), (("ftp4", "ftp6"),)]
    assert [place.flows for place in loaded.places] == [6, 6, 6, 6]
    links = [crossed(loaded, *place.pairs[0]) for place in loaded.places]
    assert links == [["gw0 to gw1"], ["gw0 to gw1", "gw1 to gw2"], ["gw1 to gw2", "gw2 to gw3"], ["gw2 to gw3"]]
    # Both directions are congested queues with the profile, of 200 packets.
    trunks = [port for switch in loaded.plan.switches for port in switch.ports.values() if port.profile is not None]
    assert len(trunks) == 6
    assert {(port.rate_bps, port.capacity_bytes) for port in trunks} == {(512_000, 200 * 1506)}
    assert loaded.datagrams is not None
    assert crossed(loaded, loaded.datagrams.sender, loaded.datagrams.receiver) == ["gw1 to gw2"]
    assert round_trip_ns(loaded.plan, "ftp0", "ftp4") == 2 * (2 * 10 + 1 + 1) * MS


def test_voice_has_a_queue_of_its_own_and_best_effort_its_round_trips() -> None:
    loaded = build("vw")
    trips_ms = [round_trip_ns(loaded.plan, *place.pairs[0]) / MS for place in loaded.places]
    assert trips_ms == [20, 65, 110, 155, 200]
    bottleneck = loaded.plan.switches[0].ports[1]
    assert (bottleneck.scheduler, bottleneck.weights) == ("scfq", {1: 0.8, 0: 0.2})
    # 20 ms at 0.8 of 10 Mb/s; 120 packets of 1014 bytes.
    assert (bottleneck.queue_capacity_bytes, bottleneck.capacity_bytes) == ({1: 20_000}, 121_680)
    assert bottleneck.queue_profiles[1] == {"scheme": "taildrop"}
    assert {switch.classes for switch in loaded.plan.switches} == {(ClassPlan(46, 1),)}
    assert loaded.datagrams is not None
    assert crossed(loaded, loaded.datagrams.sender, loaded.datagrams.receiver) == ["s1 to s2"]


def test_fifo_has_one_queue_for_all() -> None:
    loaded = build("vw", scheduler="fifo")
    bottleneck = loaded.plan.switches[0].ports[1]
    assert (bottleneck.queues, list(bottleneck.queue_profiles)) == (1, [0])
    assert {switch.classes for switch in loaded.plan.switches} == {()}


def test_strict_priority_has_no_weights() -> None:
    bottleneck = build("vw", scheduler="strict").plan.switches[0].ports[1]
    assert (bottleneck.scheduler, bottleneck.weights, bottleneck.queues) == ("strict", {}, 2)


def test_a_delay_beyond_the_shortest_round_trip_is_refused() -> None:
    with pytest.raises(TopologyError, match="--delay: the shortest round trip is 20 ms: choose a delay below 9 ms"):
        build("vw", delay_ns=10 * MS)


def test_n2_loses_on_the_way_back() -> None:
    loaded = build("n2", reverse_loss=0.1)
    assert round_trip_ns(loaded.plan, "server1", "client1") == 2 * (10 + 2 + 2) * MS
    assert loaded.plan.switches[0].ports[2].loss == 0.1


@pytest.mark.parametrize("name", ["mp", "g3", "vw"])
def test_a_second_pair_is_beside_the_first(name: str) -> None:
    loaded = build(name, pairs=2)
    for place in loaded.places:
        (sender, receiver), (other_sender, other_receiver) = place.pairs
        assert (other_sender, other_receiver) == (f"{sender}b", f"{receiver}b")
        assert crossed(loaded, sender, receiver) == crossed(loaded, other_sender, other_receiver)
        assert round_trip_ns(loaded.plan, sender, receiver) == round_trip_ns(loaded.plan, other_sender, other_receiver)


def test_flows_are_shared_out_evenly() -> None:
    assert shared_out(16, 3) == [5, 5, 6]
    assert [place.flows for place in build("mp", flows=7).places] == [2, 2, 3]
    with pytest.raises(TopologyError, match="--pairs 27: choose from 1 to 26"):
        pair_letters(27)


def test_thresholds_in_bytes_count_the_packets_of_the_tcp() -> None:
    n1 = find_topology("n1")
    assert n1.thresholds_for(n1.tcp_plan(paper=True)).profile("red")["mean_packet_bytes"] == 1000
    assert n1.thresholds_for(n1.tcp_plan(paper=False)).profile("red")["mean_packet_bytes"] == 1500
    assert n1.tcp_plan(paper=False) == MODERN_TCP
    assert find_topology("g3").tcp_plan(paper=True).packet_bytes == 1492


def test_unknown_topologies_and_settings_are_refused_in_a_line() -> None:
    with pytest.raises(TopologyError, match="--topology n3: choose one of n1, n2, mp, g3, vw"):
        find_topology("n3")
    with pytest.raises(TopologyError, match="--scheme avq: choose one of"):
        find_topology("n1").row.thresholds.profile("avq")
    with pytest.raises(TopologyError, match=r"--scheme ecn-becn: .*becnthresh .50KB. must lie between"):
        find_topology("n1").row.thresholds.profile("ecn-becn", becnthresh="50KB")
