# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Multilevel ECN with peers that lack it or stop it, with repeated SYNs, and with other congestion controls."""

from __future__ import annotations

import time

import pytest
from hostlab.hosts import RIGHT, Pair, counters, quench_host
from hostlab.mecn import (
    INCIPIENT,
    NONE,
    OPTION,
    REDUCED,
    codes,
    handshake,
    is_sent_once,
    mark,
    wait_for,
)
from hostlab.packets import CWR, ECE, NOT_ECT, RST, SYN, Segment, forged_syn_ack
from hostlab.transfer import Transfer, settle


def test_beside_an_ordinary_receiver_it_is_ecn(pair: Pair) -> None:
    pair.enable("mecn", receiver_algo="ecn")
    transfer = pair.transfer()
    syn, syn_ack = handshake(pair)
    assert syn.options.endswith(OPTION)
    assert OPTION not in syn_ack.options
    assert set(codes(pair.wire.sent + pair.wire.answered)) == {0}
    # With this peer ECT(1) is no mark, and CE is one.
    pair.wire.once(mark("incipient"))
    assert transfer.stays_in_first_slow_start(0.15)
    pair.wire.once(mark("moderate"))
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    assert cut.cwnd_pkts == 20
    assert is_sent_once(codes(pair.wire.sent), CWR)
    assert codes(pair.wire.answered).count(ECE) >= 2
    count = counters(pair.sender)
    assert (count["mecn_fallback_rfc3168"], count["reactions_ece"]) == (1, 1)
    assert count["suppressed_ece"] >= 1
    assert not any("moderate" in name or "incipient" in name for name in count)


def test_for_an_ordinary_sender_it_is_a_receiver_of_rfc_3168(pair: Pair) -> None:
    pair.enable("ecn", receiver_algo="mecn")
    transfer = pair.transfer()
    assert not any(OPTION in s.options for s in handshake(pair))
    pair.wire.once(mark("moderate"))
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    assert cut.cwnd_pkts == 20
    said = codes(pair.wire.answered)
    assert set(said) == {0, ECE}
    assert said[-1] == 0
    count = counters(pair.receiver)
    assert count["mecn_fallback_rfc3168"] == 1
    assert "marks_moderate_received" not in count


@pytest.mark.parametrize("passive", [False, True])
def test_beside_a_plain_host_nothing_is_marked(pair: Pair, passive: bool) -> None:
    pair.enable("mecn", receiver_algo="plain")
    pair.transfer(passive=passive)
    assert {s.ecn for s in pair.wire.sent} == {NOT_ECT}
    assert set(codes(pair.wire.sent + pair.wire.answered)) == {0}
    syn, syn_ack = handshake(pair)
    assert (OPTION in syn.options, OPTION in syn_ack.options) == (not passive, False)
    assert counters(pair.sender)["mecn_fallback_plain"] == 1


def test_a_receiver_that_stops_is_noticed(pair: Pair) -> None:
    """`disable` under a running connection: the sender goes on by RFC 3168.

    The receiver's kernel has received CE before, and then our "window reduced", after which it does not repeat ECE.
    """
    pair.enable("mecn")
    transfer = pair.transfer()
    pair.wire.once(mark("moderate"))
    transfer.until(lambda w: w.ssthresh_pkts == 24)
    transfer.until(lambda w: w.cwnd_pkts == 40)
    quench_host(pair.receiver, "disable", "--dev", "h1")
    wait_for(pair.sender, "mecn_peer_silent")
    # A busy machine may let a probe be sent, after which the window grows once more; the counters below tell of marks.
    transfer.until(lambda w: w.cwnd_pkts == 40)
    time.sleep(2 * pair.wire.delay_s)
    since_s = time.monotonic()
    pair.wire.once(mark("moderate"))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 20
    settle(transfer)
    assert is_sent_once(codes([s for s in pair.wire.sent if s.time_s > since_s]), CWR)
    count = counters(pair.sender)
    assert (count["mecn_peer_silent"], count["reactions_moderate"], count["reactions_ece"]) == (1, 1, 1)


def test_a_sender_without_its_programs_is_not_misled(pair: Pair) -> None:
    """After `disable` nothing translates "no congestion", which looks like ECE, but the connection is not slowed."""
    pair.enable("mecn")
    transfer = pair.transfer()
    quench_host(pair.sender, "disable", "--dev", "h0")
    assert transfer.stays_in_first_slow_start(0.2)


def test_another_congestion_control_takes_a_level_for_ece(pair: Pair) -> None:
    """An application may choose one. The handshake and the codes do not depend on it."""
    pair.enable("mecn")
    for end in (pair.sender, pair.receiver):
        end.run("sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno")
    transfer = Transfer(pair.sender, pair.receiver, RIGHT, 4999)
    transfer.until(lambda w: w.cwnd_pkts >= 40)
    assert set(codes(pair.wire.sent + pair.wire.answered)) == {NONE}
    pair.wire.once(mark("incipient"))
    before = transfer.window()
    cut = transfer.until(lambda w: not w.in_first_slow_start)
    settle(transfer)
    transfer.close()
    assert cut.ssthresh_pkts >= before.cwnd_pkts // 2
    assert codes(pair.wire.answered).count(INCIPIENT) == 1
    assert is_sent_once(codes(pair.wire.sent), REDUCED)
    assert counters(pair.receiver)["marks_incipient_received"] == 1


@pytest.mark.parametrize("paper", [False, True])
def test_a_repeated_syn_offers_as_long_as_the_kernel_asks_for_ecn(pair: Pair, paper: bool) -> None:
    """Without `--paper` Linux gives up ECN when its SYN is lost, and Multilevel ECN with it."""
    pair.enable("mecn", paper=paper)
    pair.wire.lose_syns = 1
    pair.transfer()
    syns = [s for s in pair.wire.sent if s.flags & SYN]
    assert [OPTION in s.options for s in syns] == [True, paper]
    assert counters(pair.sender)["mecn_negotiated" if paper else "mecn_fallback_plain"] == 1


def test_a_forged_syn_ack_decides_nothing(pair: Pair) -> None:
    pair.enable("mecn")

    def syns() -> list[Segment]:
        return [s for s in pair.wire.sent if s.flags & SYN]

    def forge() -> None:
        pair.wire.to_left(forged_syn_ack(syns()[0]))

    # The first makes Linux repeat its SYN, and with it the offer, at once; the second does not.
    pair.when(lambda: bool(syns()), forge)
    pair.when(lambda: len(syns()) > 1, forge)
    pair.transfer()
    assert sum(bool(s.flags & RST) for s in pair.wire.sent) == 2
    assert counters(pair.sender)["mecn_negotiated"] == 1


def test_a_repeated_syn_ack_accepts_again(pair: Pair) -> None:
    pair.enable("mecn")

    def cut() -> None:
        pair.wire.cut = True
        pair.when(lambda: bool(pair.wire.answered), lambda: setattr(pair.wire, "cut", False))

    pair.when(lambda: bool(pair.wire.sent), cut)
    transfer = pair.transfer()
    syn_acks = [s for s in pair.wire.answered if s.flags & SYN]
    assert len(syn_acks) >= 2
    assert all(OPTION in s.options for s in syn_acks)
    for end in (pair.sender, pair.receiver):
        assert counters(end)["mecn_negotiated"] == 1
    pair.wire.once(mark("incipient"))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 32
