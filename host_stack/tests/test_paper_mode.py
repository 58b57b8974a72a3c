# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Paper mode on the wire: --paper with the routes' settings gives the TCP of the papers' simulations.

NewReno, data packets of 1000 bytes, ACKs of 40 bytes, an ACK for each packet, windows from 1 to 100 packets.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from hostlab.hosts import LEFT, RIGHT, Pair, algorithms, quench_host
from hostlab.packets import ECE, ETH_BYTES, RST, SYN, Segment
from hostlab.transfer import Transfer

PACKET_BYTES, MSS_BYTES, MAX_WINDOW_PKTS = 1000, 960, 100
PAPER_ROUTE = f"advmss {MSS_BYTES} window {MAX_WINDOW_PKTS * MSS_BYTES} initcwnd 1 quickack 1".split()
MSS_OPTION, WINDOW_SCALE_OPTION, EXPERIMENT_OPTION = 2, 3, 253


def set_routes(pair: Pair) -> None:
    """The settings of a topology: all of them on both hosts."""
    for ns, dev, address in ((pair.sender, "h0", LEFT), (pair.receiver, "h1", RIGHT)):
        ns.run("ip", "route", "replace", "10.9.0.0/24", "dev", dev, "src", address, *PAPER_ROUTE)


def enable_with_routes(pair: Pair, algo: str, *settings: str) -> None:
    set_routes(pair)
    options = [item for setting in settings for item in ("--set", setting)]
    for ns, dev in ((pair.sender, "h0"), (pair.receiver, "h1")):
        quench_host(ns, "enable", "--algo", algo, "--dev", dev, "--paper", *options)


def paper_transfer(pair: Pair, algo: str, *settings: str) -> Transfer:
    enable_with_routes(pair, algo, *settings)
    return Transfer(pair.sender, pair.receiver, RIGHT, 4999)


def ip_bytes(segment: Segment) -> int:
    return len(segment.frame) - ETH_BYTES


def tcp_options(segment: Segment) -> set[int]:
    """The kinds of the TCP options, padding apart."""
    header = segment.frame[ETH_BYTES + 20 :]
    options = header[20 : (header[12] >> 4) * 4]
    kinds, at = set(), 0
    while at < len(options) and options[at]:
        kinds.add(options[at])
        at += 1 if options[at] == 1 else options[at + 1]
    return kinds - {1}


@pytest.mark.parametrize("algo", algorithms())
def test_wire_carries_the_papers_packets(pair: Pair, algo: str) -> None:
    transfer = paper_transfer(pair, algo)
    transfer.until(lambda w: w.cwnd_pkts > 60, timeout_s=10)
    transfer.close()
    sent, answered = pair.wire.sent, pair.wire.answered
    own = {EXPERIMENT_OPTION} if algo == "mecn" else set()
    for syn in (sent[0], answered[0]):
        assert tcp_options(syn) == {MSS_OPTION, WINDOW_SCALE_OPTION} | own
    sizes = [ip_bytes(s) for s in sent if s.payload_bytes]
    # A packet may be shorter where the sender's buffer was full.
    assert max(sizes) == PACKET_BYTES
    assert sizes.count(PACKET_BYTES) >= 0.95 * len(sizes)
    assert {ip_bytes(s) for s in answered if not s.flags & SYN} == {40}


@pytest.mark.parametrize("algo", algorithms())
def test_each_packet_has_an_ack_of_its_own(pair: Pair, algo: str) -> None:
    """The receiver does not read, so that no packet waits for its socket and shares an ACK with the next."""
    enable_with_routes(pair, algo)
    with pair.receiver.inside():
        listener = socket.create_server((RIGHT, 4999))
    with pair.sender.inside():
        sender = socket.create_connection((RIGHT, 4999), timeout=5)
    with listener, sender:
        sender.sendall(bytes(MAX_WINDOW_PKTS * MSS_BYTES))
        end = (pair.wire.sent[0].seq + 1 + MAX_WINDOW_PKTS * MSS_BYTES) & 0xFFFFFFFF
        deadline_s = time.monotonic() + 10
        while pair.wire.answered[-1].ack != end:
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
    data_ends = [s.end_seq for s in pair.wire.sent if s.payload_bytes]
    # The connection ends with a reset, which repeats the last number.
    acks = [s.ack for s in pair.wire.answered if s.ack in set(data_ends) and not s.flags & RST]
    assert acks == data_ends


def most_in_flight(pair: Pair) -> int:
    """Bytes between the newest packet that left the sender and the newest ACK that could have reached it."""
    edge, most, arrived = pair.wire.sent[1].seq, 0, iter(pair.wire.answered)
    ack = next(arrived)
    for segment in pair.wire.sent:
        while ack.time_s + pair.wire.delay_s <= segment.time_s:
            edge, ack = max(edge, ack.ack), next(arrived)
        most = max(most, segment.end_seq - edge)
    return most


@pytest.mark.parametrize("algo", [algo for algo in algorithms() if algo != "plain"])
def test_window_goes_from_one_packet_to_a_hundred(pair: Pair, algo: str) -> None:
    settings = ["c1=1"] if algo == "ecn-mod" else []
    transfer = paper_transfer(pair, algo, f"max_cwnd_pkts={MAX_WINDOW_PKTS}", *settings)
    transfer.until(lambda w: w.cwnd_pkts == MAX_WINDOW_PKTS, timeout_s=10)
    transfer.watch(4 * pair.wire.delay_s)
    transfer.close()
    first_data_ack_s = next(s.time_s for s in pair.wire.answered if not s.flags & SYN)
    assert sum(s.time_s < first_data_ack_s and s.payload_bytes > 0 for s in pair.wire.sent) == 1
    assert most_in_flight(pair) == MAX_WINDOW_PKTS * MSS_BYTES


def test_routes_window_bounds_the_kernels_own_newreno_to_its_scale(pair: Pair) -> None:
    """Linux 6.6 and later keep of a route's window only the scale: 96000 bytes are 17 bits, so 131070 are offered."""
    transfer = paper_transfer(pair, "plain")
    transfer.until(lambda w: w.cwnd_pkts > 200, timeout_s=10)
    transfer.close()
    assert most_in_flight(pair) <= 131070


def test_a_lost_syn_does_not_cost_ecn(pair: Pair) -> None:
    enable_with_routes(pair, "ecn")
    pair.wire.lose_syns = 1
    transfer = Transfer(pair.sender, pair.receiver, RIGHT, 4999)
    transfer.until(lambda w: w.cwnd_pkts >= 4)
    transfer.close()
    syns = [s for s in pair.wire.sent if s.flags & SYN]
    assert len(syns) == 2
    assert all(s.flags & ECE for s in syns)
    assert next(s for s in pair.wire.answered if s.flags & SYN).flags & ECE


def test_a_busy_receiver_acknowledges_each_packet(pair: Pair) -> None:
    """Linux may acknowledge the packets in a busy socket's backlog by a single ACK. Paper mode has an ACK for each."""
    if not Path("/proc/sys/net/ipv4/tcp_backlog_ack_defer").exists():
        pytest.skip("this kernel does not defer ACKs of the backlog")
    quench_host(pair.receiver, "enable", "--algo", "plain", "--dev", "h1", "--paper")
    assert pair.receiver.sysctl("tcp_backlog_ack_defer") == "0"
