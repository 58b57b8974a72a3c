# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Devices whose packets begin with the IP header (tun, WireGuard), of a VLAN, and such as are not supported."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hostlab.hosts import LEFT, RIGHT, NewNamespace, Pair, counters, quench_host, status
from hostlab.mecn import OPTION
from hostlab.netns import Namespace
from hostlab.packets import ACK, ETHERTYPE_VLAN, SYN, Quench, Segment, parse_segment
from hostlab.transfer import Transfer

ETHERNET = bytes(12) + b"\x08\x00"
_TUNSETIFF, _TUNSETLINK = 0x400454CA, 0x400454CD
_IFF_TUN, _IFF_NO_PI = 1, 0x1000
DELAY_S = 0.02


class Tunnel:
    """Two namespaces with a tun device each. A packet that leaves one arrives at the other after a short delay."""

    def __init__(self, new_namespace: NewNamespace) -> None:
        self.sender, self.receiver = new_namespace(), new_namespace()
        self.sent: list[Segment] = []
        self.answered: list[Segment] = []
        self._quenches: list[Quench] = []
        self._ends = [_tun(self.sender, "t0", LEFT, RIGHT), _tun(self.receiver, "t1", RIGHT, LEFT)]
        self._stop = False
        self._thread = threading.Thread(target=self._carry, name="tunnel")
        self._thread.start()

    def quench(self, quench: Quench) -> None:
        """Answer the sender's next data packet with an ISQ before it is carried on, so that it is in flight."""
        self._quenches.append(quench)

    def close(self) -> None:
        self._stop = True
        self._thread.join()
        for end in self._ends:
            os.close(end)

    def _carry(self) -> None:
        waiting: list[tuple[float, int, bytes]] = []
        while not self._stop:
            for end in select.select(self._ends, [], [], 0.002)[0]:
                packet = os.read(end, 65536)
                segment = parse_segment(ETHERNET + packet, time.monotonic())
                if segment and end == self._ends[0]:
                    self.sent.append(segment)
                    if segment.payload_bytes and self._quenches:
                        os.write(end, self._quenches.pop(0).about(segment.frame)[len(ETHERNET) :])
                elif segment:
                    self.answered.append(segment)
                waiting.append((time.monotonic() + DELAY_S, self._ends[end == self._ends[0]], packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, out, packet = waiting.pop(0)
                os.write(out, packet)


def _tun(ns: Namespace, device: str, address: str, peer: str, link_type: int | None = None) -> int:
    with ns.inside():
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, _TUNSETIFF, struct.pack("16sH22x", device.encode(), _IFF_TUN | _IFF_NO_PI))
        if link_type is not None:
            fcntl.ioctl(fd, _TUNSETLINK, link_type)
    ns.run("ip", "address", "add", address, "peer", peer, "dev", device)
    ns.run("ip", "link", "set", device, "up")
    return fd


@contextmanager
def tunnel_of(new_namespace: NewNamespace) -> Iterator[Tunnel]:
    tunnel = Tunnel(new_namespace)
    try:
        yield tunnel
    finally:
        tunnel.close()


@contextmanager
def transfer_through(tunnel: Tunnel, algo: str) -> Iterator[Transfer]:
    for ns, device in ((tunnel.sender, "t0"), (tunnel.receiver, "t1")):
        quench_host(ns, "enable", "--algo", algo, "--dev", device, "--paper", "--set", "max_cwnd_pkts=40")
    transfer = Transfer(tunnel.sender, tunnel.receiver, RIGHT, 5000)
    try:
        transfer.until(lambda w: w.cwnd_pkts == 40)
        yield transfer
    finally:
        transfer.close()


@pytest.mark.parametrize("algo", ["becn", "ecn-becn"])
def test_isqs_are_read_on_a_tun_device(new_namespace: NewNamespace, algo: str) -> None:
    with tunnel_of(new_namespace) as tunnel, transfer_through(tunnel, algo) as transfer:
        tunnel.quench(Quench(marked=True))
        transfer.until(lambda w: w.ssthresh_pkts == 20 and 20 <= w.cwnd_pkts < 40)
        tunnel.quench(Quench(marked=True, corrupt=True))
        deadline_s = time.monotonic() + 20
        while "isq_refused_bad_checksum" not in counters(tunnel.sender):
            assert time.monotonic() < deadline_s
        assert counters(tunnel.sender)["isq_accepted_marked"] == 1


def test_multilevel_ecn_is_spoken_on_a_tun_device(new_namespace: NewNamespace) -> None:
    with tunnel_of(new_namespace) as tunnel, transfer_through(tunnel, "mecn"):
        syns = [s for s in (*tunnel.sent, *tunnel.answered) if s.flags & SYN]
        assert [s.options.endswith(OPTION) for s in syns] == [True, True]
        assert [bool(s.flags & ACK) for s in syns] == [False, True]
        assert counters(tunnel.sender)["mecn_negotiated"] == 1
        assert counters(tunnel.receiver)["mecn_negotiated"] == 1


def test_a_link_of_another_kind_is_refused_in_one_line(new_namespace: NewNamespace) -> None:
    """As a GRE tunnel's, whose packets begin with its own header."""
    ns = new_namespace()
    tun = _tun(ns, "g0", LEFT, RIGHT, link_type=778)
    result = quench_host(ns, "enable", "--algo", "becn", "--dev", "g0", check=False)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "g0: links of type 778" in result.stderr
    assert status(ns)["enabled"] is False
    # NewReno reads no packets.
    quench_host(ns, "enable", "--algo", "plain", "--dev", "g0")
    os.close(tun)


@pytest.fixture
def vlan_pair(new_namespace: NewNamespace) -> Iterator[Pair]:
    """Hosts whose devices h0 and h1 are in VLAN 10."""
    probe = new_namespace()
    probe.run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1")
    if probe.run("ip", "link", "add", "link", "v0", "type", "vlan", "id", "10", check=False).returncode:
        pytest.skip("the kernel has no devices of VLANs (CONFIG_VLAN_8021Q)")
    made = Pair(new_namespace, vlan=10)
    yield made
    made.close()


def quench_below(pair: Pair, *tags: tuple[int, int]) -> None:
    """Send an ISQ about the newest packet on the veth below the VLAN's device."""
    frame = Quench(marked=True, vlan_tags=tags).about(pair.wire.newest_data().frame)
    with pair.middle.inside(), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as below:
        below.bind(("w0-veth", 0))
        below.send(frame)


def await_isqs(pair: Pair, expected: dict[str, int]) -> None:
    """Wait until these are the counters of ISQs that are not zero."""
    deadline_s = time.monotonic() + 20
    while (count := {n: c for n, c in counters(pair.sender).items() if n.startswith("isq_")}) != expected:
        assert time.monotonic() < deadline_s, count
        time.sleep(0.01)


def test_isqs_are_read_on_a_vlans_device(vlan_pair: Pair) -> None:
    vlan_pair.enable("becn")
    transfer = vlan_pair.transfer()
    # These are of another VLAN, and of none: the VLAN's device does not get them.
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 11))
    quench_below(vlan_pair)
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 10), (ETHERTYPE_VLAN, 11))
    await_isqs(vlan_pair, {"isq_received": 1, "isq_refused_vlan": 1})
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 0xE00A))
    await_isqs(vlan_pair, {"isq_received": 2, "isq_refused_vlan": 1, "isq_accepted_marked": 1})
    transfer.until(lambda w: w.ssthresh_pkts == 20)


def test_the_device_below_refuses_the_isqs_of_vlans(vlan_pair: Pair) -> None:
    """Whether the host is in the VLAN or not. Where it is, the VLAN's device takes them, if it is enabled."""
    vlan_pair.enable("becn")
    vlan_pair.transfer()
    quench_host(vlan_pair.sender, "enable", "--algo", "becn", "--dev", "h0-veth", "--paper")
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 11))
    await_isqs(vlan_pair, {"isq_received": 1, "isq_refused_vlan": 1})
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 10))
    await_isqs(vlan_pair, {"isq_received": 3, "isq_refused_vlan": 2, "isq_accepted_marked": 1})
    quench_host(vlan_pair.sender, "disable", "--dev", "h0")
    quench_below(vlan_pair, (ETHERTYPE_VLAN, 10))
    await_isqs(vlan_pair, {"isq_received": 4, "isq_refused_vlan": 3, "isq_accepted_marked": 1})
