# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The live feed beside a network: the windows of its hosts, and the page, which is outside of its namespace."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import Any
from urllib.request import urlopen

import pytest
from quench.feed.model import Sample
from quench.live.sources.controller import ControllerSource
from quench_topologies.isolation import OWN_NAMESPACE, inside_namespace
from quench_topologies.live_page import live_page
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.papers.dumbbell import DumbbellSettings, dumbbell
from quench_topologies.plan import Endpoint, NetworkPlan
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.traffic import FIRST_TCP_PORT, Ends, Traffic

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
PROGRAM = os.environ.get("QUENCH_PROGRAM")
PROFILE = {"scheme": "becn", "minth": "5KB", "maxth": "15KB"}
FLOWS = 3
HANG_S = 60


@pytest.fixture(scope="module")
def shown() -> Iterator[tuple[RunningNetwork, str, str]]:
    """A network with flows, the address of its page, and the machine's namespace."""
    home = os.open(OWN_NAMESPACE, os.O_RDONLY)
    try:
        with (
            live_page("127.0.0.1:0") as page,
            running_network(
                dumbbell(DumbbellSettings(pairs=1), PROFILE), find_program(PROGRAM, TARGET), TARGET, 1
            ) as network,
        ):
            hosts = network.hosts
            hosts["server1"].enable(find_host_loader(), "becn")
            ends = Ends(hosts["server1"].namespace, hosts["client1"].namespace, "10.1.1.1")
            traffic = Traffic([ends] * FLOWS, 0.0, 1)
            try:
                traffic.start()
                yield network, page.show(network.socket), f"/proc/{os.getpid()}/fd/{home}"
            finally:
                traffic.stop()
                hosts["server1"].disable(find_host_loader())
    finally:
        os.close(home)


async def first(network: RunningNetwork, wanted: Callable[[Sample], Any]) -> Sample:
    source = ControllerSource(network.socket)
    try:
        async with asyncio.timeout(HANG_S), aclosing(source.updates()) as updates:  # type: ignore[type-var]
            async for update in updates:
                for sample in update["samples"]:
                    if wanted(sample):
                        return sample
    finally:
        await source.close()
    raise AssertionError("the feed ended")


def test_the_windows_and_reactions_of_the_hosts_are_in_the_feed(shown: tuple[RunningNetwork, str, str]) -> None:
    network, _, _ = shown

    def wanted(sample: Sample) -> bool:
        counted = [host for host in sample["hosts"] if host["counters"].get("reactions_isq_marked")]
        rates = [port["marked_pps"] for port in sample["ports"]]
        if not counted or None in rates:
            return False
        return sum(bool(flow["reductions"]) for flow in sample["flows"]) == FLOWS

    sample = asyncio.run(first(network, wanted))
    assert {flow["host"] for flow in sample["flows"]} == {"server1"}
    assert {flow["flow"].rpartition(" > ")[2] for flow in sample["flows"]} == {
        f"10.1.1.1:{FIRST_TCP_PORT + number}" for number in range(FLOWS)
    }
    assert all(flow["cwnd_pkts"] >= 1 and (flow["srtt_ms"] or 0) > 0 for flow in sample["flows"])
    assert all((flow["acked_bytes"] or 0) > 0 for flow in sample["flows"])
    assert [(host["host"], host["algorithm"]) for host in sample["hosts"]] == [("server1", "becn")]
    assert len(sample["ports"]) == 1


def test_the_controller_knows_the_network_around_its_switches(shown: tuple[RunningNetwork, str, str]) -> None:
    network, _, _ = shown
    plan, layout = network.plan, network.control.call("feed")["update"]["layout"]
    assert layout["network"] == {
        "hosts": ["server1", "client1"],
        "switches": ["s1", "s2"],
        "links": [
            {"a": a.node, "a_port": port_of(plan, a), "b": b.node, "b_port": port_of(plan, b)}
            for a, b in ((link.a, link.b) for link in plan.links)
        ],
    }


def port_of(plan: NetworkPlan, end: Endpoint) -> int | None:
    return None if plan.is_host(end.node) else end.port


def test_the_page_is_outside_of_the_networks_namespace(shown: tuple[RunningNetwork, str, str]) -> None:
    network, url, home = shown
    assert url.startswith("http://127.0.0.1:")
    assert "#token=" in url
    with inside_namespace(home), urlopen(url, timeout=HANG_S) as page:
        assert page.status == 200
    assert (network.directory / "live.log").read_text() == ""
