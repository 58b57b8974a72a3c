# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Peers without ECN, with the algorithms that need it, and with plain."""

from __future__ import annotations

import pytest
from hostlab.hosts import RIGHT, Pair, counters, quench_host
from hostlab.packets import CWR, ECE, NOT_ECT, SYN, Quench, Segment
from hostlab.transfer import Transfer
from hostlab.wire import Rule

ALGOS = ["ecn", "ecn-becn", "ecn-mod", "mecn", "dctcp", "prague"]


@pytest.mark.parametrize("algo", ALGOS)
def test_without_ecn_at_the_peer_no_packet_is_ect_and_a_loss_halves(pair: Pair, algo: str) -> None:
    pair.enable(algo, receiver_algo="plain")
    transfer = pair.transfer()
    syn_ack = next(s for s in pair.wire.answered if s.flags & SYN)
    assert not syn_ack.flags & (ECE | CWR)
    pair.wire.once(lambda segment: None)
    assert transfer.until(lambda w: w.ssthresh_pkts < 40).ssthresh_pkts == 20
    assert {s.ecn for s in pair.wire.sent} == {NOT_ECT}
    assert counters(pair.sender)["reactions_loss"] == 1


@pytest.mark.parametrize("algo", ALGOS)
def test_as_a_receiver_it_accepts_a_peer_without_ecn(pair: Pair, algo: str) -> None:
    pair.enable("becn", receiver_algo=algo)
    quench_host(pair.sender, "disable", "--dev", "h0")
    quench_host(pair.sender, "enable", "--algo", "plain", "--dev", "h0", "--paper")
    transfer = Transfer(pair.sender, pair.receiver, RIGHT, 4999)
    transfer.until(lambda w: w.cwnd_pkts > 20)
    transfer.close()
    assert {s.ecn for s in pair.wire.answered} == {NOT_ECT}
    assert not any(s.flags & (ECE | CWR) for s in pair.wire.answered)


def test_ecn_becn_obeys_isqs_also_without_ecn_at_the_peer(pair: Pair) -> None:
    pair.enable("ecn-becn", receiver_algo="plain")
    transfer = pair.transfer()
    pair.wire.to_left(Quench(marked=True).about(pair.wire.newest_data().frame))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 20


def test_plain_halves_on_a_loss(pair: Pair) -> None:
    quench_host(pair.sender, "enable", "--algo", "plain", "--dev", "h0", "--paper")
    quench_host(pair.receiver, "enable", "--algo", "plain", "--dev", "h1", "--paper")
    transfer = Transfer(pair.sender, pair.receiver, RIGHT, 4999)
    transfer.until(lambda w: w.cwnd_pkts >= 40)
    lost: list[Segment] = []
    pair.wire.once(lose_into(lost))
    reduced = transfer.until(lambda w: not w.in_first_slow_start)
    transfer.close()
    # The kernel's own reno: half of what was in flight when the lost packet was sent again. Limited transmit (RFC 3042)
    # adds two packets to that.
    data = [s.seq for s in pair.wire.sent if s.payload_bytes]
    first = data.index(lost[0].seq)
    in_flight_pkts = data.index(lost[0].seq, first + 1) - first
    assert in_flight_pkts // 2 - 2 <= reduced.ssthresh_pkts <= in_flight_pkts // 2 + 1


def lose_into(lost: list[Segment]) -> Rule:
    """A rule that loses the segment and records it."""

    def lose(segment: Segment) -> None:
        lost.append(segment)

    return lose
