# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The generated YAML is one that the controller accepts and that says what the plan says."""

from pathlib import Path

import pytest
from paths import leaf_spine
from quench.client.entries import groups_of
from quench.config import load_config
from quench_topologies.bmv2 import priority_queues, queue_commands
from quench_topologies.controller_config import controller_config, write_controller_config
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadSettings
from quench_topologies.papers.catalogue import find_topology
from quench_topologies.papers.dumbbell import N1, DumbbellSettings, dumbbell
from quench_topologies.plan import PAPER_TCP, ClassPlan, Endpoint, PortPlan, SwitchPlan
from quench_topologies.program import Program, check_paths, own_program
from quench_topologies.switches import port_options

EXAMPLES = Path(__file__).parents[3] / "examples"
PROFILE = N1.row.thresholds.profile("ecn-becn", becnthresh="20KB")


def test_controller_accepts_what_is_generated(tmp_path: Path) -> None:
    plan = dumbbell(DumbbellSettings(pairs=2), PROFILE)
    program = Program(tmp_path / "quench.json", tmp_path / "quench.p4info.txtpb")
    path = tmp_path / "controller.yaml"
    addresses = {"s1": "127.0.0.1:50051", "s2": "127.0.0.1:50052"}
    write_controller_config(path, controller_config(plan, addresses, program, tmp_path / "socket"))
    config = load_config(path)
    s1, s2 = config.switches
    assert (s1.address, s1.device_id, s2.address, s2.device_id) == ("127.0.0.1:50051", 1, "127.0.0.1:50052", 2)
    assert s1.pipeline.json_ == program.json
    assert list(s1.ports) == [1]
    assert s1.ports[1].rate == 10_000_000
    settings = config.queues_of(s1)[1, 0].settings
    assert settings.model_dump(mode="json")["becnthresh"] == "20KB"
    assert s2.ports == {}
    assert s1.router_address != s2.router_address
    ports = {str(route.prefix): route.hops[0].port for route in s1.routes}
    assert ports == {"10.0.1.1/32": 2, "10.0.2.1/32": 3, "10.1.1.1/32": 1, "10.1.2.1/32": 1}
    to_client = next(route for route in s1.routes if str(route.prefix) == "10.1.1.1/32")
    (hop,) = to_client.hops
    assert (hop.source_mac, hop.destination_mac) == ("02:00:00:00:01:01", "02:00:00:00:02:01")


def test_queues_and_classes_reach_the_controller(tmp_path: Path) -> None:
    topology = find_topology("vw")
    profile = topology.row.thresholds.profile("ecn-mod")
    settings = LoadSettings(
        profile, topology.row.rate_bps, topology.row.delay_ns, 1, 5, PAPER_TCP, isq_mode="dataplane"
    )
    plan = topology.build(settings).plan
    path = tmp_path / "controller.yaml"
    program = Program(tmp_path / "quench.json", tmp_path / "quench.p4info.txtpb")
    addresses = {"s1": "127.0.0.1:50051", "s2": "127.0.0.1:50052"}
    write_controller_config(path, controller_config(plan, addresses, program, tmp_path / "socket"))
    config = load_config(path)
    s1, s2 = config.switches
    queues = config.queues_of(s1)
    assert {key: queue.settings.scheme for key, queue in queues.items()} == {(1, 0): "ecn-mod", (1, 1): "taildrop"}
    assert [(each.dscp, each.mask, each.queue) for each in s1.classes] == [(46, 63, 1)]
    assert s2.classes == s1.classes
    assert config.isq.mode == "dataplane"


def test_flows_of_a_leaf_share_its_spines(tmp_path: Path) -> None:
    path = tmp_path / "controller.yaml"
    plan = leaf_spine(leaves=2, spines=3, hosts=2).plan
    addresses = {switch.name: f"127.0.0.1:{50051 + number}" for number, switch in enumerate(plan.switches)}
    program = Program(tmp_path / "quench.json", tmp_path / "quench.p4info.txtpb")
    write_controller_config(path, controller_config(plan, addresses, program, tmp_path / "socket"))
    leaf1, leaf2, spine1, *_ = load_config(path).switches
    hops = {
        switch.name: {str(route.prefix): [hop.port for hop in route.hops] for route in switch.routes}
        for switch in (leaf1, leaf2, spine1)
    }
    uplinks = [1, 2, 3]
    assert hops["leaf1"] == {"10.0.1.1/32": [4], "10.0.1.2/32": [5], "10.0.2.1/32": uplinks, "10.0.2.2/32": uplinks}
    assert hops["leaf2"] == {"10.0.1.1/32": uplinks, "10.0.1.2/32": uplinks, "10.0.2.1/32": [4], "10.0.2.2/32": [5]}
    assert hops["spine1"] == {"10.0.1.1/32": [1], "10.0.1.2/32": [1], "10.0.2.1/32": [2], "10.0.2.2/32": [2]}
    assert {hop.destination_mac for route in leaf1.routes for hop in route.hops} == {
        plan.mac(end)
        for end in (Endpoint("h1"), Endpoint("h2"), *(Endpoint(f"spine{number}", 1) for number in uplinks))
    }
    assert len(groups_of(leaf1.routes)) == 1, "prefixes with the same next hops share a group"


def test_a_program_with_one_next_hop_for_a_route_runs_no_network_of_several_paths(tmp_path: Path) -> None:
    plan = leaf_spine(leaves=2, spines=2, hosts=1).plan
    program = Program(tmp_path / "quench.json", tmp_path / "quench.p4info.txtpb")
    check_paths(plan, program, "embedded")
    check_paths(leaf_spine(leaves=2, spines=1, hosts=1).plan, program, "tna")
    with pytest.raises(TopologyError, match="--target tna: the TNA program takes one next hop for each route"):
        check_paths(plan, program, "tna")
    with pytest.raises(TopologyError, match=r"codel\.yaml: it takes one next hop for each route"):
        check_paths(plan, own_program(EXAMPLES / "codel" / "codel.yaml", {}), "embedded")


def test_options_of_the_embedded_switch() -> None:
    assert port_options(PortPlan(10_000_000, 90_000, 40_000_000, 0.02)) == (
        "rate=10000000bps,capacity=90000B,delay=40000000ns,loss=0.02"
    )
    assert port_options(PortPlan()) == ""
    shared = PortPlan(10_000_000, 120_000, scheduler="scfq", weights={1: 0.8, 0: 0.2}, queue_capacity_bytes={1: 20_000})
    assert port_options(shared, 2) == (
        "rate=10000000bps,capacity=120000B,queues=2,scheduler=scfq,weights=1:0.8/0:0.2,capacity.1=20000B"
    )


def test_queue_commands_of_bmv2_count_frames() -> None:
    # 10 Mb/s of frames of 1014 bytes; BMv2 knows neither delay nor loss.
    assert queue_commands(1, PortPlan(10_000_000, 90_000, 40_000_000, profile=PROFILE), 1000) == [
        "set_queue_rate 1233 1",
        "set_queue_depth 88 1",
    ]
    assert queue_commands(2, PortPlan(100_000_000, 1_000_000), 1000) == []
    voice = PortPlan(10_000_000, 90_000, profile=PROFILE, queue_capacity_bytes={1: 20_280})
    assert queue_commands(1, voice, 1000) == ["set_queue_rate 1233 1", "set_queue_depth 88 1", "set_queue_depth 20 1 1"]


def test_bmv2_has_strict_priority_only() -> None:
    shared = PortPlan(10_000_000, scheduler="scfq", weights={1: 0.8, 0: 0.2})
    with pytest.raises(TopologyError, match="s1, port 1: BMv2 serves queues by strict priority only, not by scfq"):
        priority_queues(SwitchPlan("s1", {1: shared}), [1])
    assert priority_queues(SwitchPlan("s1", {1: PortPlan(queue_capacity_bytes={2: 9000})}), [1, 2]) == 3
    assert priority_queues(SwitchPlan("s1", {}, classes=(ClassPlan(46, 1),)), [1, 2]) == 2
