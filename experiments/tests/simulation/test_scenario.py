# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios: faults and their messages, and the simulator's input."""

import json
import math
from functools import reduce
from typing import Any

import pytest
from quench_experiments.errors import ScenarioError
from quench_experiments.simulation.scenario import Scenario, split_queue
from quench_experiments.simulation.source import mean
from simulated import ECN, n1


def fault(values: dict[str, Any]) -> str:
    with pytest.raises(ScenarioError) as caught:
        Scenario.parse(values)
    return str(caught.value)


def with_source(**changes: Any) -> dict[str, Any]:
    values = n1(flows=1)
    values["sources"][0] |= changes
    return values


def nested(depth: int) -> list[Any]:
    return reduce(lambda value, _: [value], range(depth), [])


def test_n1_is_a_scenario() -> None:
    assert Scenario.parse(n1()).links[0].ab.rate_bps == 1e7


def test_the_same_scenario_comes_back_from_its_own_json() -> None:
    scenario = Scenario.parse(n1("ecn-becn"))
    assert Scenario.parse(scenario.model_dump_json()) == scenario


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"duration_s": 0}, "duration_s: Input should be greater than or equal to 0.000000001"),
        ({"duraton_s": 5}, "duraton_s: Extra inputs are not permitted"),
        ({"seed": -1}, "seed: Input should be greater than or equal to 0"),
        ({"warmup_s": 4.9999999999}, "warmup_s: 5 s is not before the end at 5 s"),
        ({"measure": {"series_interval_s": 1e-12}}, "measure.series_interval_s: Input should be greater than or"),
        ({"warmup_s": 5.0}, "warmup_s: 5 s is not before the end at 5 s"),
        ({"stacks": {"tcp": {"algorithm": "cubic"}}}, 'stacks.tcp.algorithm: there is no "cubic"; there are plain, '),
        ({"stacks": {"tcp": {"ecn": True}}}, "stacks.tcp.ecn: invalid type: boolean `true`, expected"),
        ({"stacks": {"tcp": {"transport": "udp"}}}, 'stacks.tcp.transport: there is no "udp", only tcp, '),
        ({"stacks": {"tcp": {"transport": "fixed-window"}}}, "stacks.tcp: missing field `window_pkts`"),
        ({"stacks": {"tcp": {"min_rto_s": math.nan}}}, "stacks.tcp.min_rto_s: must be a finite number"),
        ({"stacks": {"tcp": {"min_rto_s": math.inf}}}, "stacks.tcp.min_rto_s: must be a finite number"),
        ({"stacks": {"tcp": {"min_rto_s": nested(10_000)}}}, "stacks.tcp"),
        ({"stacks": {}}, "sources.0.stack: there is no stack 'tcp'"),
        ({"changes": [{"at_s": 1, "link": "b", "direction": "ab"}]}, "changes.0.link: there is no direction 'b.ab'"),
        ({"measure": {"series": ["bottleneck"]}}, "measure.series.0: there is no direction 'bottleneck'"),
        ({"measure": {"pcap": [{"link": "x", "path": "p"}]}}, "measure.pcap.0.link: there is no direction 'x.ab'"),
    ],
)
def test_a_fault_is_one_line_that_says_where(changes: dict[str, Any], sentence: str) -> None:
    text = fault(n1(flows=1, **changes))
    assert text.startswith(sentence)
    assert "\n" not in text


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"to": "nobody"}, "sources.0: there is no host 'nobody'"),
        ({"bytes": -1}, "sources.0.bytes: invalid value: integer `-1`, expected u64"),
        ({"stop_s": -1}, "sources.0.stop_s: must be later than start_s (0), not -1"),
        ({"to": "r1"}, "sources.0: there is no host 'r1'"),
        (
            {"kind": "gopher"},
            'sources.0.kind: must be ftp, files, web, cbr, on_off, voip, messages or incast, not "gopher"',
        ),
        ({"name": "a.b"}, "sources.0.name: String should match pattern"),
        ({"start_s": float("nan")}, "sources.0.start_s: Input should be"),
    ],
)
def test_a_fault_of_a_source_names_the_source(changes: dict[str, Any], sentence: str) -> None:
    assert fault(with_source(**changes)).startswith(sentence)


def test_every_fault_has_a_line() -> None:
    lines = fault(n1(flows=1, seed=-1, duration_s=-1)).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["seed", "duration_s"]


@pytest.mark.parametrize("part", ["hosts", "routers", "links", "sources"])
def test_a_name_is_given_once(part: str) -> None:
    values = n1(flows=1)
    values[part] = [*values[part], values[part][0]]
    assert "are named" in fault(values)


def test_an_address_is_given_once() -> None:
    values = n1(flows=1)
    values["hosts"][1]["address"] = values["hosts"][0]["address"]
    assert fault(values) == "2 hosts have the address 10.0.1.1"


@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255"])
def test_a_host_has_an_address_that_routers_forward_to(address: str) -> None:
    values = n1(flows=1)
    values["hosts"][1]["address"] = address
    assert fault(values) == f"hosts.1.address: {address} is no address of a host: routers do not forward to it"


def near(delay_s: float = 0.0, **changes: Any) -> dict[str, Any]:
    """Two hosts, and two links without a rate."""
    links = [("x", "a", "r"), ("y", "r", "b")]
    return {
        "duration_s": 1,
        "hosts": [{"name": "a", "address": "10.0.0.1"}, {"name": "b", "address": "10.0.1.1"}],
        "routers": [{"name": "r"}],
        "links": [{"name": name, "a": a, "b": b, "delay_s": delay_s} for name, a, b in links],
        "stacks": {"t": {}},
        "sources": [{"name": "f", "kind": "ftp", "from": "a", "to": "b", "stack": "t"}],
    } | changes


def test_time_passes_between_hosts_with_tcp() -> None:
    sentence = "sources.0: no time passes between 'a' and 'b': give a link between them a rate_bps or a delay_s"
    assert fault(near()) == sentence
    assert fault(near(1e-12)) == sentence
    web = {"name": "w", "kind": "web", "servers": ["a"], "clients": ["b"], "stack": "t"}
    web |= {"object_pkts": 5, "packet_bytes": 1000}
    assert fault(near(sources=[web])) == sentence
    Scenario.parse(near(1e-9))
    with_a_rate = near()
    with_a_rate["links"][1]["ba"] = {"rate_bps": 1e6}
    Scenario.parse(with_a_rate)
    datagrams = {"name": "u", "kind": "cbr", "from": "a", "to": "b", "rate_bps": 1e6, "packet_bytes": 1000}
    Scenario.parse(near(sources=[datagrams]))


def test_a_host_has_one_link() -> None:
    values = n1(flows=1)
    values["links"].append({"name": "second", "a": "s0", "b": "r2", "delay_s": 0})
    assert fault(values) == "hosts.0: a host has exactly one link, 's0' has 2"


@pytest.mark.parametrize(
    ("nics", "sentence"),
    [
        ((None, "card"), "hosts.1.nic: there is no router 'card'"),
        (("r1", None), "hosts.0.nic: 'r1' has links: those of a network card end at its host"),
        (("r3", "r3"), "hosts.1.nic: there is no router 'r3' that is nobody else's"),
    ],
)
def test_a_network_card_is_a_router_of_one_host(nics: tuple[str | None, ...], sentence: str) -> None:
    values = n1(flows=1)
    values["routers"].append({"name": "r3"})
    for host, nic in zip(values["hosts"], nics, strict=True):
        host["nic"] = nic
    text = fault(values)
    assert text.startswith(sentence)
    assert "\n" not in text


def test_a_link_ends_at_nodes_that_there_are() -> None:
    values = n1(flows=1)
    values["links"][0]["b"] = "r3"
    assert fault(values).startswith("links.0.b: there is no node 'r3'")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bottleneck.ba", "'bottleneck.ba' does not leave r1; bottleneck.ab, ls0.ba do"),
        ("bottleneck", "'bottleneck' is not LINK.ab, LINK.ba, LINK.ab.QUEUE or LINK.ba.QUEUE"),
        ("bottleneck.ab.1", "r1 has 1 queues, from 0 on"),
    ],
)
def test_a_profile_is_of_a_queue_that_there_is(name: str, sentence: str) -> None:
    values = n1(flows=1)
    values["routers"][0]["profiles"] = {name: ECN}
    assert fault(values) == f"routers.0.profiles.{name}: {sentence}"


def test_a_profile_needs_the_rate_that_times_its_decay() -> None:
    values = n1(flows=1)
    del values["links"][0]["ab"]["rate_bps"]
    assert "bottleneck.ab needs a rate_bps" in fault(values)


def test_queues_are_named_behind_the_direction() -> None:
    assert split_queue("a.ab") == ("a.ab", 0)
    assert split_queue("a.ba.7") == ("a.ba", 7)
    for name in ("a.ab.8", "a.x", "a.ab.1.2", "a.ab.x", ""):
        with pytest.raises(ValueError, match="is not LINK"):
            split_queue(name)


def test_ports_are_numbered_in_the_order_of_the_links() -> None:
    assert Scenario.parse(n1(flows=2)).ports("r1") == {"bottleneck.ab": 1, "ls0.ba": 2, "ls1.ba": 3}


def test_the_simulator_does_not_get_what_is_the_control_planes() -> None:
    text = Scenario.parse(n1(flows=1)).simulator_json()
    assert json.loads(text)["routers"] == [
        {"name": "r1", "controller_latency_s": 0.0, "queues": 1},
        {"name": "r2", "controller_latency_s": 0.0, "queues": 1},
    ]


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (None, 0.0),
        (3, 3.0),
        ({"distribution": "constant", "value": 3}, 3.0),
        ({"distribution": "uniform", "low": 1, "high": 3}, 2.0),
        ({"distribution": "pareto", "mean": 4, "shape": 1.5}, 4.0),
    ],
)
def test_a_distribution_has_a_mean(distribution: Any, expected: float) -> None:
    assert mean(distribution) == expected
