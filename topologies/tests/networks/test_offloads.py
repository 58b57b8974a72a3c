# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Linux's TCP through a switch with offloads on: its frames are packets to the program, its queue and its marks."""

import os
import socket
import threading
from dataclasses import dataclass
from ipaddress import IPv4Interface
from pathlib import Path

import pytest
from quench_topologies.hosts import run_quietly
from quench_topologies.isolation import inside_namespace
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.plan import MODERN_TCP, Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan
from quench_topologies.program import find_program

pytestmark = [
    pytest.mark.netns,
    pytest.mark.skipif(os.environ.get("QUENCH_TARGET", "embedded") != "embedded", reason="of the embedded switch"),
]
RATE_BPS = 100_000_000
TRANSFER_BYTES = 10_000_000
SEGMENT_BYTES = 1448
"""The payload of a packet of 1500 bytes with timestamps."""
PROFILE = {
    "scheme": "ecn-becn",
    "minth": "20pkts",
    "becnthresh": "40pkts",
    "maxth": "100pkts",
    "maxp": 0.5,
    "wq": 0.02,
}
PLAN = NetworkPlan(
    (
        HostPlan("h1", IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01"),
        HostPlan("h2", IPv4Interface("10.0.2.1/24"), "02:00:00:01:00:02"),
    ),
    (SwitchPlan("s1", {2: PortPlan(RATE_BPS, profile=PROFILE)}),),
    (LinkPlan(Endpoint("h1"), Endpoint("s1", 1)), LinkPlan(Endpoint("h2"), Endpoint("s1", 2))),
    tcp=MODERN_TCP,
    offloads=True,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The counts after a transfer from h1 to h2."""

    received_bytes: int
    marked_pkts: int
    """Each segment counts, in h2's kernel."""
    frames: int
    """A frame of many segments counts once, in h1's kernel."""
    counts: dict[str, int]
    queue: dict[str, int]


def test_marks_are_of_packets(tmp_path: Path) -> None:
    with running_network(PLAN, find_program(None, "embedded"), "embedded", seed=1, place=tmp_path) as network:
        seen = transfer(network)
    segments = TRANSFER_BYTES / SEGMENT_BYTES
    assert seen.received_bytes == TRANSFER_BYTES
    # Every segment came to the program by itself, though h1 handed over far fewer frames.
    assert seen.counts["port_rx_pkts"] >= segments
    assert seen.frames < segments / 2
    # ECN holds the queue below its capacity, by marks of some packets and not of all in a frame.
    assert 0 < seen.marked_pkts < segments / 2
    lost = {name: count for name, count in seen.counts.items() if name.startswith(("rx_", "tx_")) and count}
    assert lost == {}
    assert seen.queue["dropped_full_pkts"] + seen.queue["tx_pkts"] >= segments


def transfer(network: RunningNetwork) -> Seen:
    """Send from h1 to h2 by sockets with ECN."""
    hosts = network.hosts
    for host in hosts.values():
        run_quietly(host, "sysctl", "-qw", "net.ipv4.tcp_ecn=1")
    with inside_namespace(hosts["h2"].namespace):
        server = socket.create_server(("10.0.2.1", 5001))
    with inside_namespace(hosts["h1"].namespace):
        sender = socket.socket()
    received = 0

    def receive() -> None:
        nonlocal received
        with server.accept()[0] as peer:
            peer.settimeout(60)
            while data := peer.recv(1 << 16):
                received += len(data)

    before = frames_of(network)
    network.switches["s1"].reset_queue_statistics(2)
    with server, sender:
        for each in (server, sender):
            each.settimeout(60)
        receiving = threading.Thread(target=receive)
        receiving.start()
        sender.connect(("10.0.2.1", 5001))
        sender.sendall(bytes(TRANSFER_BYTES))
        sender.shutdown(socket.SHUT_WR)
        receiving.join()
    queue = network.switches["s1"].queue_statistics(2)
    assert queue is not None
    return Seen(
        received,
        int(extended(run_quietly(hosts["h2"], "cat", "/proc/net/netstat"))["InCEPkts"]),
        frames_of(network) - before,
        network.switches["s1"].counts(),
        queue,
    )


def frames_of(network: RunningNetwork) -> int:
    """The frames that h1's interface has sent."""
    with inside_namespace(network.hosts["h1"].namespace):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    (line,) = [line for line in lines if line.strip().startswith("h1-eth0:")]
    return int(line.split(":")[1].split()[9])


def extended(text: str) -> dict[str, str]:
    """The counts of IpExt in /proc/net/netstat."""
    names, values = (line.split()[1:] for line in text.splitlines() if line.startswith("IpExt:"))
    return dict(zip(names, values, strict=True))
