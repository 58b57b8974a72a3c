# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""prague in the kernel: Accurate ECN by the tc programs, ECT(1), and the reaction to the counted marks."""

from __future__ import annotations

import socket
import struct
import time
from dataclasses import dataclass

import pytest
from hostlab.hosts import RIGHT, Pair, counters, quench_host, status
from hostlab.marks import Marker, until_quiet, wait_for_marker
from hostlab.packets import (
    ACK,
    CE,
    CWR,
    ECE,
    ECT0,
    ECT1,
    ETH_BYTES,
    NOT_ECT,
    PROTO_TCP,
    PSH,
    RST,
    SYN,
    Segment,
    checksums_ok,
    ipv4,
    rewrite_tcp,
    set_ce,
    set_ecn,
)
from hostlab.transfer import Transfer

NOBODY = socket.inet_aton("10.9.0.77")
# RFC 9768, tables 2 and 3: what a SYN or SYN-ACK arrived with.
CODES = {NOT_ECT: 0b010, ECT1: 0b011, ECT0: 0b100, CE: 0b110}


def data(pair: Pair) -> list[Segment]:
    return [s for s in pair.wire.sent if s.payload_bytes]


def pure_acks(pair: Pair) -> list[Segment]:
    return [s for s in pair.wire.answered if not s.payload_bytes and not s.flags & SYN]


@pytest.mark.parametrize("passive", [False, True])
def test_accurate_ecn_is_negotiated_and_packets_are_ect_1(pair: Pair, passive: bool) -> None:
    pair.enable("prague")
    transfer = pair.transfer(passive=passive)
    opened, accepted = (pair.wire.answered, pair.wire.sent) if passive else (pair.wire.sent, pair.wire.answered)
    syn, third_ack = opened[:2]
    syn_ack = accepted[0]
    assert [(s.ace, s.ecn) for s in (syn, syn_ack)] == [(0b111, NOT_ECT), (0b010, NOT_ECT)]
    assert (third_ack.ace, third_ack.payload_bytes) == (0b010, 0)
    later = opened[2:] + accepted[1:]
    assert {s.ace for s in later} == {5}
    assert {s.ecn for s in later} == {ECT1}
    assert all(checksums_ok(s.frame) for s in (*opened, *accepted))
    assert transfer.congestion_control == "q_prague"
    for host in (pair.sender, pair.receiver):
        assert counters(host)["accecn_negotiated"] == 1
        now = status(host)
        assert (now["tcp_ecn"], now["devices"][0]["speaks_accecn"]) == (1, True)


def test_the_first_mark_halves_without_cwr(pair: Pair) -> None:
    pair.enable("prague")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    cut = transfer.until(lambda w: not w.in_first_slow_start)
    assert 20 <= cut.ssthresh_pkts <= 21
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    assert (count["pkts_marked"], count["reactions_ece"]) == (1, 1)
    assert not {"cwr_queued", "reactions_loss", "reactions_rto"} & count.keys()
    # The counter goes from 5 to 6, and data has the peer's counter, not CWR.
    assert [s.ace for s in pure_acks(pair)][-1] == 6
    assert {s.ace for s in data(pair)} == {5}


def test_marks_are_counted_one_by_one_with_delayed_acks(pair: Pair) -> None:
    pair.enable("prague", "min_cwnd_pkts=20", paper=False)
    transfer = pair.transfer()
    marker = pair.wire.always = Marker(0.3, seed=5)
    wait_for_marker(marker, 1000)
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    assert (count["pkts_marked"], count["pkts_unmarked"]) == (marker.marks, len(data(pair)) - marker.marks)
    assert pure_acks(pair)[-1].ace == (5 + marker.marks) % 8
    assert len(pure_acks(pair)) < len(data(pair))


def test_marks_alone_leave_two_packets(pair: Pair) -> None:
    pair.enable("prague")
    transfer = pair.transfer()
    pair.wire.always = lambda segment: set_ce(segment.frame)
    assert transfer.until(lambda w: w.cwnd_pkts <= 2).cwnd_pkts == 2
    assert all(window.cwnd_pkts == 2 for window in transfer.watch(0.5))
    until_quiet(transfer, pair)
    assert "reactions_rto" not in counters(pair.sender)


@pytest.mark.parametrize(("peer", "ace", "codepoint"), [("ecn", 1, ECT0), ("dctcp", 1, ECT0), ("plain", 0, NOT_ECT)])
def test_a_peer_without_accurate_ecn_gets_what_it_knows(pair: Pair, peer: str, ace: int, codepoint: int) -> None:
    pair.enable("prague", receiver_algo=peer)
    transfer = pair.transfer()
    syn, syn_ack = pair.wire.sent[0], pair.wire.answered[0]
    assert (syn.ace, syn_ack.ace) == (0b111, ace)
    assert {s.ecn for s in data(pair)} == {codepoint}
    fallback = "accecn_fallback_plain" if peer == "plain" else "accecn_fallback_rfc3168"
    assert counters(pair.sender)[fallback] == 1
    if peer == "plain":
        return
    pair.wire.once(lambda segment: set_ce(segment.frame))
    assert transfer.until(lambda w: not w.in_first_slow_start).ssthresh_pkts == 20
    until_quiet(transfer, pair)
    assert counters(pair.sender)["reactions_ece"] == 1
    assert any(s.flags & CWR for s in data(pair))


def test_a_server_answers_every_syn_as_the_table_says(pair: Pair) -> None:
    pair.enable("prague")
    pair.transfer()
    syn = pair.wire.sent[0]
    port = syn.frame[ETH_BYTES + 20 : ETH_BYTES + 22]
    expected = {}
    for bits in range(8):
        for ecn, code in CODES.items():
            number = 20000 + bits * 4 + ecn
            frame = bytearray(syn.frame)
            frame[ETH_BYTES + 20 : ETH_BYTES + 22] = number.to_bytes(2, "big")
            pair.wire.to_right(set_ecn(rewrite_tcp(bytes(frame), ack=0, flags=SYN | bits * ECE), ecn))
            # Linux grants no ECN of RFC 3168 to a SYN that is ECN-capable, as section 3.1.2 allows.
            rfc_3168 = 0b001 if ecn == NOT_ECT else 0
            expected[number] = {0: 0, 0b011: rfc_3168}.get(bits, code)
    deadline_s = time.monotonic() + 5
    answers: dict[int, int] = {}
    while len(answers) < len(expected) and time.monotonic() < deadline_s:
        time.sleep(0.05)
        answers = {s.destination_port: s.ace for s in list(pair.wire.answered) if s.flags & SYN}
        answers.pop(int.from_bytes(port, "big"), None)
    assert answers == expected


@dataclass
class Client:
    """A client of an address that no host has, made of single packets, so that a test chooses each flag."""

    pair: Pair
    port: int
    seq: int = 1000
    # The server's port; 0: that of the transfer.
    to: int = 0

    def send(self, flags: int, ace: int, ack: int = 0, payload: bytes = b"") -> None:
        to = self.to or int.from_bytes(self.pair.wire.sent[0].frame[ETH_BYTES + 22 : ETH_BYTES + 24], "big")
        header = struct.pack("!HHIIBBHHH", self.port, to, self.seq, 0, 5 << 4, 0, 65535, 0, 0)
        packet = ipv4(NOBODY, socket.inet_aton(RIGHT), PROTO_TCP, header + payload)
        frame = self.pair.wire.sent[0].frame[:ETH_BYTES] + packet
        self.pair.wire.to_right(rewrite_tcp(frame, ack=ack, flags=flags | ace * ECE))
        self.seq += len(payload) + bool(flags & SYN)

    def answer(self, number: int) -> Segment:
        """Wait for the answer with this number, from 0."""
        deadline_s = time.monotonic() + 5
        while time.monotonic() < deadline_s:
            found = [s for s in list(self.pair.wire.answered) if s.destination_port == self.port]
            if len(found) > number:
                return found[number]
            time.sleep(0.02)
        raise AssertionError(f"no answer {number} to port {self.port}")


def meet(pair: Pair) -> None:
    """Let the receiver send to the address of :class:`Client`."""
    link = pair.wire.sent[0].frame[6:12].hex(":")
    pair.receiver.run("ip", "neighbour", "add", socket.inet_ntoa(NOBODY), "lladdr", link, "dev", "h1")


def test_a_server_sends_ect_by_what_the_third_ack_says(pair: Pair) -> None:
    """RFC 9768, table 4: a changed SYN-ACK, or a client that gave up, ends ECT. The server counts in any case."""
    pair.enable("prague")
    pair.transfer()
    meet(pair)
    expected = {0b010: ECT1, 0b101: ECT1, 0b111: ECT1, 0b000: NOT_ECT, 0b011: NOT_ECT, 0b110: NOT_ECT}
    found = {}
    for third_ack in expected:
        client = Client(pair, 30000 + third_ack)
        client.send(SYN, 0b111)
        syn_ack = client.answer(0)
        assert syn_ack.ace == 0b010
        ack = syn_ack.seq + 1
        client.send(ACK, third_ack, ack)
        client.send(ACK | PSH, 5, ack, b"data")
        answer = client.answer(1)
        assert (answer.ack, answer.ace) == (client.seq, 5)
        found[third_ack] = answer.ecn
    assert found == expected


def test_the_first_syn_of_a_handshake_decides(pair: Pair) -> None:
    """RFC 9768, section 3.1.5. Two kinds of ECN in a handshake end it; after a SYN without ECN no ECT is sent."""
    pair.enable("prague")
    pair.transfer()
    meet(pair)
    for number, (first, second) in enumerate([(0b111, 0b011), (0b011, 0b111), (0b111, 0)]):
        client = Client(pair, 31000 + number)
        client.send(SYN, first)
        code = client.answer(0).ace
        assert code == (0b010 if first == 0b111 else 0b001)
        client.seq -= 1
        client.send(SYN, second)
        if second:
            time.sleep(0.3)
            assert len([s for s in pair.wire.answered if s.destination_port == client.port]) == 1
            continue
        repeated = client.answer(1)
        assert repeated.ace == code
        client.send(ACK, 0b010, repeated.seq + 1)
        client.send(ACK | PSH, 5, repeated.seq + 1, b"data")
        answer = client.answer(2)
        assert (answer.ack, answer.ace, answer.ecn) == (client.seq, 5, NOT_ECT)


@pytest.mark.parametrize("passive", [False, True])
def test_a_late_or_forged_syn_ack_changes_no_count(pair: Pair, passive: bool) -> None:
    """The ACK that answers it, or the next one, is for data: it has the counter."""
    pair.enable("prague")
    transfer = pair.transfer(passive=passive)
    for number in range(6):
        frame = bytearray(pair.wire.newest_data().frame)
        frame[ETH_BYTES + 24 : ETH_BYTES + 28] = number.to_bytes(4, "big")
        pair.wire.to_right(rewrite_tcp(bytes(frame), ack=number, flags=SYN | ACK | 0b010 * ECE))
        time.sleep(0.1)
    until_quiet(transfer, pair)
    assert {s.ace for s in pure_acks(pair)[passive:]} == {5}


def test_a_syn_ack_that_the_kernel_refuses_settles_nothing(pair: Pair) -> None:
    """A SYN-ACK of Accurate ECN with a wrong checksum arrives before the true one, which is of RFC 3168."""
    pair.enable("prague", receiver_algo="ecn")

    def answer_first() -> None:
        syn_ack = pair.wire.answered[0]
        frame = bytearray(rewrite_tcp(syn_ack.frame, ack=syn_ack.ack, flags=SYN | ACK | 0b010 * ECE))
        frame[ETH_BYTES + 20 + 16] ^= 0x55
        pair.wire.to_left(bytes(frame))

    pair.when(lambda: bool(pair.wire.answered), answer_first)
    pair.transfer()
    assert counters(pair.sender)["accecn_fallback_rfc3168"] == 1
    assert {s.ecn for s in data(pair)} == {ECT0}


@pytest.mark.parametrize("side", ["sender", "receiver"])
def test_a_bridge_and_its_port_are_both_enabled(pair: Pair, side: str) -> None:
    """Each handshake packet passes the programs twice."""
    ns, port = (pair.sender, "h0") if side == "sender" else (pair.receiver, "h1")
    address = ns.run("ip", "-o", "-4", "address", "show", "dev", port).stdout.split()[3]
    ns.run("ip", "link", "add", "br0", "type", "bridge")
    ns.run("ip", "address", "del", address, "dev", port)
    ns.run("ip", "link", "set", port, "master", "br0")
    ns.run("ip", "link", "set", "br0", "up")
    ns.run("ip", "address", "add", address, "dev", "br0")
    pair.enable("prague")
    quench_host(ns, "enable", "--algo", "prague", "--dev", "br0", "--paper")
    pair.transfer()
    assert [pair.wire.sent[0].ace, pair.wire.answered[0].ace] == [0b111, 0b010]
    assert {s.ecn for s in data(pair)} == {ECT1}
    for host in (pair.sender, pair.receiver):
        assert counters(host)["accecn_negotiated"] == 1


def test_a_flood_of_syns_leaves_a_handshake_as_it_is(pair: Pair) -> None:
    """More SYNs than the map has entries arrive before the third ACK."""
    pair.enable("prague")
    pair.transfer()
    meet(pair)
    client = Client(pair, 32000)
    client.send(SYN, 0b111)
    ack = client.answer(0).seq + 1
    for port in range(1024, 29000):
        Client(pair, port).send(SYN, 0b111)
    client.send(ACK, 0b010, ack)
    client.send(ACK | PSH, 5, ack, b"data")
    # The SYN-ACK may come again during a slow flood.
    number = 1
    while (answer := client.answer(number)).flags & SYN:
        number += 1
    assert (answer.ack, answer.ace, answer.ecn) == (client.seq, 5, ECT1)
    assert "accecn_fallback_rfc3168" not in counters(pair.receiver)


def test_a_handshake_that_came_to_nothing_leaves_nothing(pair: Pair) -> None:
    """After `disable` a process's own q_prague goes on, and no tc program sees the next SYN of that port."""
    pair.enable("prague")
    pair.transfer()
    meet(pair)
    with pair.receiver.inside():
        listener = socket.create_server((RIGHT, 0))
    with listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"q_prague")
        client = Client(pair, 32000, to=listener.getsockname()[1])
        client.send(SYN, 0b111)
        assert client.answer(0).ace == 0b010
        client.send(RST, 0)
        quench_host(pair.receiver, "disable", "--dev", "h1")
        pair.receiver.run("sysctl", "-qw", "net.ipv4.tcp_ecn=1")
        client.seq = 5000
        client.send(SYN, 0b011)
        syn_ack = client.answer(1)
        assert syn_ack.ace == 0b001
        client.send(ACK, 0, syn_ack.seq + 1)
        client.send(ACK | PSH, 0, syn_ack.seq + 1, b"data")
        assert client.answer(2).ace == 0


def test_a_listener_grants_what_its_sockets_will_run(pair: Pair) -> None:
    """They have the default of the moment at which they are accepted, whatever the listener runs."""
    with pair.receiver.inside():
        listener = socket.create_server((RIGHT, 0))
    with listener:
        pair.enable("prague")
        pair.transfer()
        meet(pair)
        for port, congestion_control, code in ((32000, "q_prague", 0b010), (32010, "reno", 0b001)):
            pair.receiver.run("sysctl", "-qw", f"net.ipv4.tcp_congestion_control={congestion_control}")
            # One listener is older than `enable`, the other is younger.
            for number, to in enumerate((listener.getsockname()[1], 0)):
                client = Client(pair, port + number, to=to)
                client.send(SYN, 0b111)
                syn_ack = client.answer(0)
                assert syn_ack.ace == code
                counter = 5 if code == 0b010 else 0
                client.send(ACK, counter and code, syn_ack.seq + 1)
                client.send(ACK | PSH, counter, syn_ack.seq + 1, b"data")
                answer = client.answer(1)
                assert (answer.ack, answer.ace) == (client.seq, counter)


def test_a_lost_syn_is_followed_by_one_without_ecn(pair: Pair) -> None:
    pair.enable("prague", paper=False)
    pair.wire.lose_syns = 1
    pair.transfer()
    assert [s.ace for s in pair.wire.sent if s.flags & SYN] == [0b111, 0]
    assert {s.ecn for s in data(pair)} == {NOT_ECT}
    assert counters(pair.sender)["accecn_fallback_plain"] == 1


def test_ipv6(pair: Pair) -> None:
    for end, device, address in ((pair.sender, "h0", "fd00::1"), (pair.receiver, "h1", "fd00::2")):
        end.run("sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=0")
        end.run("ip", "address", "add", f"{address}/64", "dev", device, "nodad")
    pair.enable("prague")
    transfer = Transfer(pair.sender, pair.receiver, "fd00::2", 4999)
    try:
        transfer.until(lambda w: w.cwnd_pkts == 40)
        pair.wire.once(lambda segment: set_ce(segment.frame))
        assert 20 <= transfer.until(lambda w: not w.in_first_slow_start).ssthresh_pkts <= 21
        assert pair.wire.sent[0].ace == 0b111
        assert {s.ecn for s in data(pair)} == {ECT1}
        assert all(checksums_ok(s.frame) for s in pair.wire.sent)
    finally:
        transfer.close()
    assert counters(pair.sender)["pkts_marked"] == 1
