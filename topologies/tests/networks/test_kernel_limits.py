# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A link that Mininet limits (`bw=` of its TCLink) is congested as one that the switch limits is."""

import json
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

import pytest
from mininet.link import TCLink
from quench.service.protocol import ControlClient, ControllerError
from quench.targets import EMBEDDED
from quench_topologies.controller_config import controller_config, write_controller_config
from quench_topologies.hosts import PlannedHost, run_quietly
from quench_topologies.isolation import OWN_NAMESPACE, end_processes, inside_namespace, private_network
from quench_topologies.mininet_api import Mininet
from quench_topologies.network import CONTROLLER_READY_S, raised_priority
from quench_topologies.plan import Endpoint, HostPlan, LinkPlan, NetworkPlan, PortPlan, SwitchPlan
from quench_topologies.process import Child
from quench_topologies.program import find_program, find_quench
from quench_topologies.switches import QuenchSwitch

pytestmark = [
    pytest.mark.netns,
    pytest.mark.skipif(os.environ.get("QUENCH_TARGET", "embedded") != "embedded", reason="of the embedded switch"),
]
RATE_BPS = 2_000_000
FRAME_BYTES, PACKET_BYTES = 1000, 986
OVERLOAD = 3
"""The queue stays full, also where the sender stands still for a quarter of a second."""
PKTS = 1500
"""They take 2 s to come."""
CAPACITY_PKTS = 64
PROFILE = {
    "scheme": "ecn-becn",
    "minth": "20pkts",
    "becnthresh": "40pkts",
    "maxth": "100pkts",
    "maxp": 0.5,
    "wq": 0.02,
}
UDP_PORT = 4321
SOURCE_QUENCH = 4
ECT0, CE = 2, 3
HOSTS = (
    HostPlan("h1", IPv4Interface("10.0.1.1/24"), "02:00:00:01:00:01"),
    HostPlan("h2", IPv4Interface("10.0.2.1/24"), "02:00:00:01:00:02"),
)
LINKS = (LinkPlan(Endpoint("h1"), Endpoint("s1", 1)), LinkPlan(Endpoint("h2"), Endpoint("s1", 2)))
LIMITS: dict[str, dict[str, Any]] = {
    "switch": {},
    "htb": {"bw": RATE_BPS / 1e6},
    "tbf": {"bw": RATE_BPS / 1e6, "use_tbf": True, "latency_ms": 50},
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The fate of PKTS packets, and the queue meanwhile."""

    received_pkts: int
    marked_pkts: int
    quenched_pkts: int
    took_s: float
    queue: dict[str, Any]
    counts: dict[str, int]
    kernel_drops_pkts: int


def network(of_switch: PortPlan | None) -> NetworkPlan:
    """h1, s1 and h2; the port to h2 is the bottleneck."""
    ports = {} if of_switch is None else {2: of_switch}
    return NetworkPlan(HOSTS, (SwitchPlan("s1", ports),), LINKS)


@contextmanager
def running(limit: str, directory: Path) -> Iterator[tuple[QuenchSwitch, dict[str, PlannedHost]]]:
    """Mininet with QuenchSwitch as its switch class, and a controller that has programmed it."""
    known_to_controller = network(PortPlan(RATE_BPS, profile=PROFILE))
    known_to_switch = network(PortPlan(RATE_BPS) if limit == "switch" else None)
    with ExitStack() as stack:
        stack.enter_context(raised_priority())
        stack.enter_context(private_network())
        net = Mininet(controller=None, build=False)
        switch_class = partial(
            QuenchSwitch,
            target=EMBEDDED,
            plan=known_to_switch,
            switch=known_to_switch.switches[0],
            directory=directory,
            seed=1,
        )
        switch = net.addSwitch("s1", cls=lambda name, **_: switch_class(name))
        stack.callback(switch.terminate)
        hosts = {}
        for host in HOSTS:
            hosts[host.name] = net.addHost(host.name, cls=PlannedHost, ip=None)
            stack.callback(hosts[host.name].terminate)
        stack.callback(lambda: end_processes([OWN_NAMESPACE, *(host.namespace for host in hosts.values())]))
        for port, host in enumerate(HOSTS, start=1):
            options = LIMITS[limit] if port == 2 else {}
            net.addLink(hosts[host.name], switch, port1=0, port2=port, cls=TCLink, addr1=host.mac, **options)
        net.built = True
        for host in HOSTS:
            hosts[host.name].set_up(known_to_controller, host)
        net.start()
        stack.callback(switch.end)
        config, control = directory / "controller.yaml", directory / "controller.sock"
        program = find_program(None, "embedded")
        write_controller_config(
            config, controller_config(known_to_controller, {"s1": switch.address}, program, control)
        )
        controller = Child(
            "controller", [str(find_quench()), "controller", "run", str(config)], directory / "controller.log"
        )
        stack.callback(controller.stop)
        wait_until_programmed(controller, control)
        yield switch, hosts


def wait_until_programmed(controller: Child, control: Path) -> None:
    deadline = time.monotonic() + CONTROLLER_READY_S
    while not is_programmed(control):
        controller.check()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_programmed(control: Path) -> bool:
    try:
        return all(ControlClient(control).call("ping").values())
    except ControllerError:
        return False


def overload(switch: QuenchSwitch, hosts: dict[str, PlannedHost]) -> Seen:
    """Send ECT packets faster than the rate, and wait until the last of those that were not dropped is there."""
    with inside_namespace(hosts["h1"].namespace):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        icmp = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    with inside_namespace(hosts["h2"].namespace):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with sender, icmp, receiver:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, ECT0)
        for each in (receiver, icmp):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
            each.settimeout(0.3)
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        receiver.bind(("10.0.2.1", UDP_PORT))
        switch.reset_queue_statistics(2)
        began_s = time.monotonic()
        for number in range(PKTS):
            wait_s = began_s + number * 8 * FRAME_BYTES / (OVERLOAD * RATE_BPS) - time.monotonic()
            if wait_s > 0:
                time.sleep(wait_s)
            sender.sendto(struct.pack("!I", number) + bytes(PACKET_BYTES - 32), ("10.0.2.1", UDP_PORT))
        wait_until_empty(switch)
        took_s = time.monotonic() - began_s
        queue, counts = switch.queue_statistics(2), switch.counts()
        ecn = list(codepoints(receiver))
        quenches = [packet for packet in messages(icmp) if packet[20] == SOURCE_QUENCH]
    for packet in quenches:
        # The quoted packet begins behind the headers of IP and ICMP.
        assert packet[28 + 16 : 28 + 20] == socket.inet_aton("10.0.2.1")
    disciplines = json.loads(run_quietly(switch, "tc", "-j", "-s", "qdisc", "show", "dev", "s1-eth2"))
    drops_pkts = sum(discipline["drops"] for discipline in disciplines)
    return Seen(len(ecn), ecn.count(CE), len(quenches), took_s, queue, counts, drops_pkts)


def wait_until_empty(switch: QuenchSwitch) -> None:
    deadline = time.monotonic() + 30
    while switch.counts()["queue_pkts"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def codepoints(receiver: socket.socket) -> Iterator[int]:
    """The ECN field of each packet, in order; none may be missing inside the queue's order."""
    last = -1
    while True:
        try:
            payload, notes, _, _ = receiver.recvmsg(2000, socket.CMSG_SPACE(1))
        except TimeoutError:
            return
        (number,) = struct.unpack_from("!I", payload)
        assert number > last
        last = number
        yield notes[0][2][0] & 3


def messages(icmp: socket.socket) -> Iterator[bytes]:
    while True:
        try:
            yield icmp.recv(2000)
        except TimeoutError:
            return


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    result = {}
    for limit in LIMITS:
        with running(limit, tmp_path_factory.mktemp(limit)) as (switch, hosts):
            result[limit] = overload(switch, hosts)
    return result


@pytest.mark.parametrize("limit", LIMITS)
def test_every_packet_arrives_or_is_dropped_by_the_switchs_own_queue(seen: dict[str, Seen], limit: str) -> None:
    result = seen[limit]
    assert result.received_pkts + result.queue["dropped_full_pkts"] == PKTS
    assert result.queue["max_pkts"] == CAPACITY_PKTS
    assert result.kernel_drops_pkts == 0
    assert {name: count for name, count in result.counts.items() if name.startswith("tx_") and count} == {}


@pytest.mark.parametrize("limit", ["htb", "tbf"])
def test_the_link_is_busy_and_not_faster_than_its_rate(seen: dict[str, Seen], limit: str) -> None:
    result = seen[limit]
    # Mininet's burst of 15 KB goes at once, and up to 8 packets are in the kernel still. Beyond that, all that was
    # sent took its time, and the machine's other work may have taken some as well.
    in_burst = 15_000 / FRAME_BYTES + 8
    busy_s = (result.received_pkts - in_burst) * 8 * FRAME_BYTES / RATE_BPS
    assert busy_s <= result.took_s < 1.3 * busy_s + 1


@pytest.mark.parametrize("limit", ["htb", "tbf"])
def test_marks_and_quenches_come_as_they_do_where_the_switch_limits_its_port(seen: dict[str, Seen], limit: str) -> None:
    result, reference = seen[limit], seen["switch"]
    shares = [each.marked_pkts / each.received_pkts for each in (result, reference)]
    # Four standard deviations: each share has one of 0.015 at most.
    assert shares[1] > 0.1
    assert abs(shares[0] - shares[1]) < 0.08
    assert result.quenched_pkts > 0.5 * reference.quenched_pkts > 0
    # The queue is full but for the first moments, in which the kernel's burst goes.
    assert min(each.queue["mean_pkts"] for each in (result, reference)) > 0.6 * CAPACITY_PKTS
