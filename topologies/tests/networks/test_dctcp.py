# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""DCTCP of the kernel over the embedded switch, beside the theory of its queue (docs/schemes/dctcp.md).

A machine that is busy stops senders and switch for a while. Then the queue is shorter for a time, or longer by what
came at once; a mean over thousands of packets moves little. So means and counts are compared, and no times.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface
from math import sqrt
from typing import Any

import pytest
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.plan import (
    ETHERNET_HEADER_BYTES,
    Endpoint,
    HostPlan,
    LinkPlan,
    NetworkPlan,
    PortPlan,
    SwitchPlan,
    TcpPlan,
)
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.traffic import Traffic

pytestmark = [
    pytest.mark.netns,
    pytest.mark.skipif(os.environ.get("QUENCH_TARGET", "embedded") != "embedded", reason="of the embedded switch"),
]
RATE_BPS = 10_000_000
TCP = TcpPlan(max_window_pkts=None, initial_window_pkts=None)
DELAY_NS = 10_000_000
"""One way."""
PIPE_PKTS = RATE_BPS / 8 / (TCP.packet_bytes + ETHERNET_HEADER_BYTES) * 2 * DELAY_NS / 1e9
K_PKTS = {2: 20, 3: 40}
"""By the port, each of which leads to a host."""
WARMUP_S, MEASURED_S = 2.5, 4.0
HOSTS = tuple(HostPlan(f"h{n}", IPv4Interface(f"10.0.{n}.1/24"), f"02:00:00:01:00:0{n}") for n in (1, 2, 3))
PLAN = NetworkPlan(
    HOSTS,
    (
        SwitchPlan(
            "s1",
            {
                1: PortPlan(delay_ns=DELAY_NS),
                **{
                    port: PortPlan(
                        RATE_BPS,
                        capacity_bytes=1_000_000,
                        delay_ns=DELAY_NS,
                        profile={"scheme": "dctcp", "k": f"{k_pkts}pkts", "mark_at": "tail"},
                    )
                    for port, k_pkts in K_PKTS.items()
                },
            },
        ),
    ),
    tuple(LinkPlan(Endpoint(f"h{n}"), Endpoint("s1", n)) for n in (1, 2, 3)),
    tcp=TCP,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The queue, and what the switch and the sender have counted."""

    queue: dict[str, Any]
    cycle_pkts: float
    """Packets between two reductions of a flow, those of all flows together, from after the warm-up on."""
    port: dict[str, int]
    host: dict[str, int]


@pytest.fixture(scope="module")
def network() -> Iterator[RunningNetwork]:
    with running_network(PLAN, find_program(None, "embedded"), "embedded", 1) as running:
        for host in running.hosts.values():
            host.enable(find_host_loader(), "dctcp")
        yield running


Counts = tuple[dict[str, int], dict[str, int]]
"""Those of a port, and those of the sender."""


def counts_of(network: RunningNetwork, port: int) -> Counts:
    (stats,) = network.control.call("stats")
    of_port = {name: int(count["packets"]) for name, count in stats["ports"][str(port)].items()}
    return of_port, network.hosts["h1"].counters(find_host_loader())


def since(before: Counts, after: Counts) -> Counts:
    port, host = (
        {name: n - first.get(name, 0) for name, n in last.items()} for first, last in zip(before, after, strict=True)
    )
    return port, host


def run(network: RunningNetwork, flows: int, port: int) -> Seen:
    """The queue from after the warm-up on, and the counts of the whole run, which ends with an empty network."""
    switch = network.switches["s1"]
    before = counts_of(network, port)
    traffic = Traffic([network.ends("h1", f"h{port}")] * flows, 0.5, 1)
    try:
        traffic.start()
        time.sleep(WARMUP_S)
        switch.reset_queue_statistics(port)
        warm = counts_of(network, port)
        time.sleep(MEASURED_S)
        traffic.check()
        queue = switch.queue_statistics(port)
        measured_port, measured_host = since(warm, counts_of(network, port))
    finally:
        traffic.stop()
    assert queue is not None
    cycle_pkts = measured_port["port_seen"] * flows / measured_host["reactions_ece"]
    return Seen(queue, cycle_pkts, *since(before, counts_of(network, port)))


@pytest.mark.parametrize(("flows", "port"), [(1, 2), (4, 2), (2, 3)])
def test_the_queue_is_that_of_the_theory(network: RunningNetwork, flows: int, port: int) -> None:
    """The queue stands between K + N - A and K + N, and swings by about A; each mark reaches the sender once.

    A factor of two is allowed for the swing, and half of K for stalls. Windows that are halved swing by half of their
    sum, 22 packets or more, which is more. The period is counted in packets, so that stalls do not count. It may be a
    third of the theory's, since a lone flow reduces its window about twice as often, and twice as long.
    """
    seen, k_pkts = run(network, flows, port), K_PKTS[port]
    round_pkts = PIPE_PKTS + k_pkts
    longest, swing = k_pkts + flows, sqrt(2 * flows * round_pkts) / 2
    assert longest - swing - k_pkts / 2 < seen.queue["mean_pkts"] < longest
    # A sawtooth's standard deviation is its height over the root of 12.
    assert swing / 2 < seen.queue["sd_pkts"] * sqrt(12) < 2 * swing < round_pkts / 2
    # Each flow sends a packet more in each round trip, so the sum of the windows grows by A in A / N round trips.
    cycle_pkts = swing / flows * round_pkts
    assert cycle_pkts / 3 < seen.cycle_pkts < 2 * cycle_pkts
    assert seen.host["connections_echoing"] == flows
    marked, echoed = seen.port["port_marked"], seen.host["pkts_marked"]
    assert marked > 100
    # Packets on the way when the connections are reset are not acknowledged.
    assert marked - 2 * (PIPE_PKTS + longest) <= echoed <= marked
