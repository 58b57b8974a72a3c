# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""--paper and --modern in the kernel's own data of its connections."""

import os
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from quench_topologies.isolation import inside_namespace
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.papers.dumbbell import DumbbellSettings, dumbbell
from quench_topologies.plan import MODERN_TCP
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.traffic import Ends, Traffic

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
PROGRAM = Path(os.environ["QUENCH_PROGRAM"]) if "QUENCH_PROGRAM" in os.environ else None
TRANSFER_BYTES = 200_000
PROFILE = {"scheme": "taildrop"}

# struct tcp_info of include/uapi/linux/tcp.h.
OPTIONS_OFFSET, MSS_OFFSET, UNACKED_OFFSET, CWND_OFFSET = 5, 16, 24, 80
TIMESTAMPS, SACK = 1, 2


@dataclass
class Seen:
    """The properties of one connection from server1 to client1."""

    options: int
    mss_bytes: int
    first_cwnd_pkts: int
    acks_per_segment: float


def transfer(network: RunningNetwork) -> Seen:
    """The data of a transfer. Its first window is read before an ACK can be back, a round trip later."""
    hosts, interface = network.hosts, "s1-eth1"
    with inside_namespace(hosts["client1"].namespace):
        listener = socket.create_server(("10.1.1.1", 5001))
    with inside_namespace(hosts["server1"].namespace):
        sender = socket.socket()
    received = threading.Thread(target=drain, args=[listener], daemon=True)
    received.start()
    with listener, sender:
        sender.connect(("10.1.1.1", 5001))
        info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 240)
        before = packets(interface)
        sender.sendall(bytes(TRANSFER_BYTES))
        sender.shutdown(socket.SHUT_WR)
        received.join(60)
        assert not received.is_alive()
        wait_until_acknowledged(sender)
        after = packets(interface)
    (mss_bytes,) = struct.unpack_from("=I", info, MSS_OFFSET)
    (cwnd_pkts,) = struct.unpack_from("=I", info, CWND_OFFSET)
    return Seen(info[OPTIONS_OFFSET], mss_bytes, cwnd_pkts, (after[0] - before[0]) / (after[1] - before[1]))


def wait_until_acknowledged(sender: socket.socket) -> None:
    deadline = time.monotonic() + 30
    while struct.unpack_from("=I", sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 240), UNACKED_OFFSET)[0]:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def drain(listener: socket.socket) -> None:
    with listener.accept()[0] as receiver:
        while receiver.recv(65536):
            pass


def packets(interface: str) -> tuple[int, int]:
    """Received and sent by an interface of this thread's namespace."""
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() == interface:
            return int(numbers.split()[1]), int(numbers.split()[9])
    raise AssertionError(interface)


@pytest.fixture(scope="module")
def paper() -> Iterator[RunningNetwork]:
    # 50 Mb/s and 104 ms would hold 640 packets.
    settings = DumbbellSettings(pairs=1, rate_bps=50_000_000, delay_ns=50_000_000, buffer_bytes=2_000_000)
    with running_network(dumbbell(settings, PROFILE), find_program(PROGRAM, TARGET), TARGET, 1) as network:
        yield network


@contextmanager
def enabled(network: RunningNetwork, algorithm: str, settings: Sequence[str] = ()) -> Iterator[None]:
    loader = find_host_loader()
    try:
        for host in network.hosts.values():
            host.enable(loader, algorithm, settings)
        yield
    finally:
        for host in network.hosts.values():
            host.disable(loader)


def test_paper_mode_is_the_papers_tcp(paper: RunningNetwork) -> None:
    with enabled(paper, "ecn"):
        seen = transfer(paper)
    assert seen.options & (SACK | TIMESTAMPS) == 0
    assert (seen.mss_bytes, seen.first_cwnd_pkts) == (960, 1)
    # An ACK for every segment, those of the handshake's end and of FIN aside.
    assert 0.95 < seen.acks_per_segment < 1.05


def test_settings_and_the_papers_window_reach_the_hosts(paper: RunningNetwork) -> None:
    with enabled(paper, "becn", ["isq_levels=on"]):
        params = paper.hosts["server1"].parameters(find_host_loader())
    assert (params["isq_levels"], str(params["max_cwnd_pkts"])) == ("on", "100")


@pytest.mark.parametrize("algorithm", ["plain", "becn"])
def test_no_more_than_the_papers_window_is_in_flight(paper: RunningNetwork, algorithm: str) -> None:
    if TARGET != "embedded":
        pytest.skip("without delay a window of 100 packets is more than the path holds")
    hosts = paper.hosts
    ends = Ends(hosts["server1"].namespace, hosts["client1"].namespace, "10.1.1.1")
    with enabled(paper, algorithm):
        traffic = Traffic([ends], 0.0, 1, paper.plan.tcp.max_window_bytes)
        try:
            traffic.start()
            assert most_in_flight(traffic) == 100
        finally:
            traffic.stop()


def test_modern_mode_is_linuxs_own() -> None:
    plan = dumbbell(DumbbellSettings(pairs=1, tcp=MODERN_TCP), PROFILE)
    with running_network(plan, find_program(PROGRAM, TARGET), TARGET, 1) as network, enabled(network, "ecn"):
        seen = transfer(network)
    assert seen.options & SACK
    assert seen.options & TIMESTAMPS
    assert (seen.mss_bytes, seen.first_cwnd_pkts) == (1448, 10)
    assert seen.acks_per_segment < 0.95


def most_in_flight(traffic: Traffic) -> int:
    """Packets: the most that there are within a second after the window has filled."""
    most, full_s = 0, None
    began_s = time.monotonic()
    while time.monotonic() < (began_s + 30 if full_s is None else full_s + 1):
        traffic.check()
        most = max(most, traffic.sample()[0].unacked_pkts)
        if full_s is None and most >= 100:
            full_s = time.monotonic()
        time.sleep(0.005)
    return most
