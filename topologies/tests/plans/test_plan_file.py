# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""topology.json of the P4 tutorials' form: the parts that are used, and those that are refused with a clear line."""

import json
from pathlib import Path
from typing import Any

import pytest
from quench_topologies.errors import TopologyError
from quench_topologies.plan import Endpoint, HopPlan, PortPlan
from quench_topologies.plan_file import load_topology

PROFILE = {"scheme": "ecn", "minth": "15KB", "maxth": "45KB"}
Json = dict[str, Any]


def topology() -> Json:
    return {
        "hosts": {
            "h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:AA", "commands": ["ip route add default dev eth0"]},
            "h2": {"ip": "10.0.2.2/24"},
        },
        "switches": {"s1": {"runtime_json": "rules/s1.json"}, "s2": {}},
        "links": [["h1", "s1-p1"], ["s1-p3", "s2-p7", "5ms", 0.5], ["h2", "s2-p1", 2, 10]],
    }


def runtime() -> Json:
    return {
        "target": "bmv2",
        "p4info": "build/basic.p4.p4info.txtpb",
        "bmv2_json": "build/basic.json",
        "table_entries": [
            {
                "table": "MyIngress.ipv4_lpm",
                "default_action": True,
                "action_name": "MyIngress.drop",
                "action_params": {},
            },
            {
                "table": "MyIngress.ipv4_lpm",
                "match": {"hdr.ipv4.dstAddr": ["10.0.2.0", 24]},
                "action_name": "MyIngress.ipv4_forward",
                "action_params": {"dstAddr": "08:00:00:00:02:00", "port": 3},
            },
        ],
    }


def write(folder: Path, what: Json, rules: Json) -> Path:
    (folder / "rules").mkdir()
    (folder / "rules" / "s1.json").write_text(json.dumps(rules))
    path = folder / "topology.json"
    path.write_text(json.dumps(what))
    return path


def test_hosts_links_and_routes_are_taken_over(tmp_path: Path) -> None:
    plan = load_topology(write(tmp_path, topology(), runtime()), PROFILE)
    h1, h2 = plan.hosts
    assert (h1.mac, h1.interface, h1.commands) == ("08:00:00:00:01:aa", "eth0", ("ip route add default dev eth0",))
    assert (h2.interface, h2.uplink_rate_bps) == ("h2-eth0", 10_000_000)
    s1, s2 = plan.switches
    assert s1.ports[3] == s2.ports[7] == PortPlan(500_000, 90_000, 5_000_000, profile=PROFILE)
    assert s1.ports[1] == PortPlan()
    assert s2.ports[1].delay_ns == 4_000_000
    assert [(str(route.prefix), route.hops) for route in plan.routes(s1)] == [
        ("10.0.2.0/24", (HopPlan(3, "08:00:00:00:02:00"),))
    ]
    # s2 has no runtime_json.
    assert [(str(route.prefix), route.hops[0].port) for route in plan.routes(s2)] == [
        ("10.0.1.1/32", 7),
        ("10.0.2.2/32", 1),
    ]
    assert plan.peer(Endpoint("s1", 3)) == Endpoint("s2", 7)


def test_runtime_files_may_be_named_from_the_folder_above(tmp_path: Path) -> None:
    write(tmp_path, topology(), runtime())
    nested = tmp_path / "pod"
    nested.mkdir()
    path = (tmp_path / "topology.json").rename(nested / "topology.json")
    assert load_topology(path, PROFILE).switches[0].routes is not None


def change(what: Json, keys: tuple[Any, ...], value: Any) -> Json:
    node: Any = what
    for key in keys[:-1]:
        node = node[key]
    node[keys[-1]] = value
    return what


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("links", 0), ["h1", "h2"], r"links.0: joins two hosts"),
        (("links", 0), ["h1", "s9-p1"], r"links.0: 's9-p1' is neither"),
        (("links", 1), ["s1-p3", "s2-p7", "soon"], r"links.1: 'soon' is not a latency"),
        (("links", 1), ["s1-p3", "s2-p7", 1, 0], r"links.1: 0 is not a bandwidth above 0"),
        (("links", 1), ["s1-p3", "s2-p7", 1, "inf"], r"links.1: 'inf' is not a bandwidth above 0 and up to"),
        (("links", 1), ["s1-p3", "s2-p7", 1, "nan"], r"links.1: 'nan' is not a bandwidth above 0"),
        (("links", 1), ["s1-p3", "s2-p7", 1, 10**400], r"links.1: '10+' is not a bandwidth"),
        (("links", 1), ["s1-p3", "s2-p7", "9" * 400], r"links.1: a latency of more than 3600 s"),
        (("links", 1), ["s1-p1", "s2-p7"], r"two links end at port 1 of 's1'"),
        (("hosts", "h2", "ip"), "10.0.2/24", r"hosts.h2.ip"),
        (("hosts", "h2", "mac"), "08:00", r"hosts.h2.mac"),
        (("hosts", "h2", "cpu"), 3, r"hosts.h2.cpu: Extra inputs"),
        (("switches", "s2", "program"), "x.p4", r"switches.s2.program: not supported"),
        (("switches", "s1", "runtime_json"), "gone.json", r"gone.json: cannot be read"),
    ],
)
def test_faults_of_the_file(tmp_path: Path, keys: tuple[Any, ...], value: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        load_topology(write(tmp_path, change(topology(), keys, value), runtime()), PROFILE)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (("table_entries", 1, "table"), "MyIngress.myTunnel_exact", r"table_entries.1: not supported.*myTunnel_exact"),
        (("table_entries", 1, "action_name"), "MyIngress.encap", r"table_entries.1: not supported: MyIngress.encap"),
        (("table_entries", 1, "match"), {"a": ["10.0.2.0", 24], "b": 1}, r"table_entries.1: match is not one prefix"),
        (("table_entries", 1, "match"), {"a": ["10.0.2.0", 44]}, r"table_entries.1: .*44"),
        (("table_entries", 1, "action_params"), {"port": 1}, r"table_entries.1: action_params"),
        (("multicast_group_entries",), [{"multicast_group_id": 1}], r"multicast_group_entries: not supported"),
        (("clone_session_entries",), [{"clone_session_id": 5}], r"clone_session_entries: not supported"),
    ],
)
def test_what_has_no_counterpart_is_refused(tmp_path: Path, keys: tuple[Any, ...], value: Any, message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        load_topology(write(tmp_path, topology(), change(runtime(), keys, value)), PROFILE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"h-2": {"ip": "10.0.2.2/24"}}, r"json: line 8: 'h-2' names no node: give a letter, then letters, digits"),
        ({"abcdefghijk": {"ip": "10.0.2.2/24"}}, r"json: line 8: 'abcdefghijk' names no node: 10 characters"),
        ({"net": {"ip": "10.0.2.2/24"}}, r"json: line 8: 'net' names no node: it is a command of Mininet's"),
        ({"h2": {"ip": "10.0.1.1/24"}}, r"json: line 8: 'h2' has the address 10.0.1.1 of 'h1'"),
    ],
)
def test_a_fault_of_a_node_has_its_line(tmp_path: Path, change: Json, message: str) -> None:
    (name,) = change
    what = {
        "hosts": {"h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:01:11", "commands": []}, **change},
        "switches": {"s1": {}},
        "links": [["h1", "s1-p1"], [name, "s1-p2"]],
    }
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(what, indent=2))
    with pytest.raises(TopologyError, match=message):
        load_topology(path, PROFILE)


def test_hosts_of_one_subnet_have_routes_of_their_own(tmp_path: Path) -> None:
    """Behind one switch or behind two: a switch's routes are to hosts, not to subnets."""
    what = {
        "hosts": {f"h{i}": {"ip": f"10.0.1.{i}/24"} for i in (1, 2, 3)} | {"h4": {"ip": "10.0.2.1/24"}},
        "switches": {"s1": {}, "s2": {}},
        "links": [["h1", "s1-p1"], ["h2", "s1-p2"], ["h3", "s2-p1"], ["h4", "s2-p2"], ["s1-p3", "s2-p3"]],
    }
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(what))
    plan = load_topology(path, PROFILE)
    assert [route.hops[0].port for route in plan.routes(plan.switches[0])] == [1, 2, 3, 3]
    assert [each.name for each in plan.neighbours(plan.hosts[0])] == ["h2", "h3"]
    assert plan.neighbours(plan.hosts[3]) == ()


def test_not_json_is_said(tmp_path: Path) -> None:
    path = tmp_path / "topology.json"
    path.write_text("{")
    with pytest.raises(TopologyError, match=r"topology.json: is not JSON"):
        load_topology(path, PROFILE)
