# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Multilevel ECN between two hosts: the handshake, the codes on the wire, and the reaction of the window."""

from __future__ import annotations

import time

import pytest
from hostlab.hosts import LEFT, RIGHT, NewNamespace, Pair, counters, quench_host, status
from hostlab.mecn import (
    CODES,
    INCIPIENT,
    MODERATE,
    NONE,
    OPTION,
    REDUCED,
    WINDOWS,
    code,
    codes,
    handshake,
    is_sent_once,
    mark,
    wait_for,
)
from hostlab.netns import connect
from hostlab.packets import ACK, CE, CWR, ECE, ECT0, NOT_ECT, SYN, Segment, checksums_ok, rewrite_tcp, set_ecn
from hostlab.transfer import Transfer, settle


@pytest.mark.parametrize("paper", [True, False])
@pytest.mark.parametrize("passive", [False, True])
def test_both_ends_offer_and_accept_by_an_option(pair: Pair, passive: bool, paper: bool) -> None:
    """With either end as the opener, and with many other options or few."""
    pair.enable("mecn", paper=paper)
    pair.transfer(passive=passive)
    syn, syn_ack = handshake(pair)
    assert syn.options.endswith(OPTION)
    assert syn_ack.options.endswith(OPTION)
    # ECN is negotiated by RFC 3168 as well.
    assert (code(syn), code(syn_ack)) == (ECE | CWR, ECE)
    assert (syn.ecn, syn_ack.ecn) == (NOT_ECT, NOT_ECT)
    assert not any(OPTION in s.options for s in pair.wire.sent + pair.wire.answered if not s.flags & SYN)
    # From the ACK that ends the handshake on, every packet has the code "no congestion".
    assert set(codes(pair.wire.sent + pair.wire.answered)) == {NONE}
    for end in (pair.sender, pair.receiver):
        count = counters(end)
        assert (count["connections"], count["mecn_negotiated"]) == (1, 1)
        assert not any(name.startswith("mecn_fallback") for name in count)


@pytest.mark.parametrize("level", ["incipient", "moderate"])
def test_each_level_takes_its_share(pair: Pair, level: str) -> None:
    pair.enable("mecn")
    transfer = pair.transfer()
    pair.wire.once(mark(level))
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    assert (cut.cwnd_pkts, cut.ssthresh_pkts) == (WINDOWS[level], WINDOWS[level])
    assert WINDOWS[level] <= transfer.window().cwnd_pkts <= WINDOWS[level] + 4
    count = counters(pair.sender)
    assert {name: n for name, n in count.items() if name.startswith("reactions")} == {f"reactions_{level}": 1}
    assert count[f"echoes_{level}_received"] == 1
    assert counters(pair.receiver)[f"marks_{level}_received"] == 1


def test_the_side_that_was_called_reacts_too(pair: Pair) -> None:
    pair.enable("mecn")
    transfer = pair.transfer(passive=True)
    pair.wire.once(mark("incipient"))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 32


def test_loss_takes_half(pair: Pair) -> None:
    pair.enable("mecn")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: None)
    cut = transfer.until(lambda w: w.ssthresh_pkts < 40)
    settle(transfer)
    assert cut.ssthresh_pkts == 20
    assert 20 <= transfer.window().cwnd_pkts <= 23
    assert counters(pair.sender)["reactions_loss"] == 1


@pytest.mark.parametrize(("level", "expected_pkts"), [("incipient", 36), ("moderate", 28), ("loss", 16)])
def test_the_shares_are_parameters(pair: Pair, level: str, expected_pkts: int) -> None:
    pair.enable("mecn", "beta1_percent=10", "beta2_percent=30", "beta3_percent=60")
    transfer = pair.transfer()
    pair.wire.once((lambda segment: None) if level == "loss" else mark(level))
    assert transfer.until(lambda w: w.ssthresh_pkts < 40).ssthresh_pkts == expected_pkts


def test_one_reaction_per_round_trip_whatever_the_levels(pair: Pair) -> None:
    pair.enable("mecn")
    transfer = pair.transfer()
    # The marks are so far apart that no ACK covers two, and all are of one window.
    for level in ("incipient", "incipient", "moderate"):
        pair.wire.once(mark(level))
        for _ in range(5):
            pair.wire.once(lambda segment: segment.frame)
    transfer.until(lambda w: w.ssthresh_pkts == 32)
    settle(transfer)
    assert transfer.window().cwnd_pkts >= 32
    count = counters(pair.sender)
    assert (count["reactions_incipient"], count["suppressed_incipient"], count["suppressed_moderate"]) == (1, 1, 1)
    assert "reactions_moderate" not in count
    transfer.until(lambda w: w.cwnd_pkts == 40)
    pair.wire.once(mark("moderate"))
    transfer.until(lambda w: w.ssthresh_pkts == 24)
    assert counters(pair.sender)["reactions_moderate"] == 1


@pytest.mark.parametrize("level", ["incipient", "moderate"])
def test_the_echo_is_that_of_table_2(pair: Pair, level: str) -> None:
    """One ACK echoes the mark, the next data has "window reduced", and all other packets "no congestion"."""
    pair.enable("mecn")
    transfer = pair.transfer()
    marked: list[Segment] = []

    def mark_and_record(segment: Segment) -> bytes:
        marked.append(segment)
        return mark(level)(segment)

    pair.wire.once(mark_and_record)
    transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    answers = codes(pair.wire.answered)
    assert answers.count(CODES[level]) == 1
    assert answers.count(NONE) == len(answers) - 1
    echo = next(s for s in pair.wire.answered if code(s) == CODES[level] and not s.flags & SYN)
    before = [s for s in pair.wire.answered if s.time_s < echo.time_s][-1]
    assert (before.ack - marked[0].end_seq) & 0x80000000
    assert not (echo.ack - marked[0].end_seq) & 0x80000000
    answered = codes(pair.wire.sent)
    assert is_sent_once(answered, REDUCED)
    assert answered.count(NONE) == len(answered) - answered.count(REDUCED)
    reduced = next(s for s in pair.wire.sent if code(s) == REDUCED)
    assert reduced.payload_bytes
    assert reduced.time_s > echo.time_s
    assert all(checksums_ok(s.frame) for s in pair.wire.sent + pair.wire.answered)


def test_one_ack_echoes_the_highest_level_of_what_it_covers(pair: Pair) -> None:
    pair.enable("mecn")
    transfer = pair.transfer()
    for level in ("incipient", "moderate", "incipient", "moderate"):
        pair.wire.once(mark(level))
    transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    echoes = [c for c in codes(pair.wire.answered) if c != NONE]
    # A delayed ACK covers two packets; the kernel hastens those for CE.
    assert 2 <= len(echoes) <= 4
    assert echoes.count(MODERATE) == 2
    assert counters(pair.receiver)["marks_moderate_received"] == 2


def test_echo_until_reduced_repeats_the_level(pair: Pair) -> None:
    pair.enable("mecn")
    quench_host(pair.receiver, "enable", "--algo", "mecn", "--dev", "h1", "--paper", "--set", "echo_rule=until-reduced")
    transfer = pair.transfer()
    pair.wire.once(mark("incipient"))
    transfer.until(lambda w: w.cwnd_pkts == 32)
    settle(transfer)
    answers = codes(pair.wire.answered)
    first = answers.index(INCIPIENT)
    echoes = answers.count(INCIPIENT)
    # From the marked packet to "window reduced": about a round trip of ACKs, and none after it.
    assert echoes >= 5
    assert answers[first : first + echoes] == [INCIPIENT] * echoes
    assert answers[first + echoes :].count(NONE) == len(answers) - first - echoes
    count = counters(pair.sender)
    assert count["reactions_incipient"] == 1
    assert count["suppressed_incipient"] == echoes - 1
    assert transfer.window().cwnd_pkts >= 32


def test_both_ends_may_send_and_be_marked(pair: Pair) -> None:
    """Data in the other direction carries the echo, and neither end misreads the code."""
    pair.enable("mecn")
    transfer = pair.transfer()
    pair.wire.once(mark("incipient"))
    pair.wire.once(mark("moderate"), from_right=True)
    transfer.talk_back(100_000)
    wait_for(pair.sender, "reactions_incipient")
    wait_for(pair.receiver, "reactions_moderate")
    settle(transfer)
    assert transfer.window().ssthresh_pkts == 32
    left, right = counters(pair.sender), counters(pair.receiver)
    for count, echoed, seen in ((left, "incipient", "moderate"), (right, "moderate", "incipient")):
        assert count[f"marks_{seen}_received"] == 1
        assert count[f"echoes_{echoed}_received"] == 1
        assert {name: n for name, n in count.items() if name.startswith("reactions")} == {f"reactions_{echoed}": 1}
    for segments, echo in ((pair.wire.answered, INCIPIENT), (pair.wire.sent, MODERATE)):
        answers = codes(segments)
        assert answers.count(echo) == 1
        assert is_sent_once(answers, REDUCED)
        assert answers.count(NONE) == len(answers) - answers.count(REDUCED) - 1
    assert any(s.payload_bytes for s in pair.wire.answered)


def test_an_ack_of_what_was_not_sent_tells_nothing(pair: Pair) -> None:
    pair.enable("mecn")
    transfer = pair.transfer()
    template = next(s for s in reversed(pair.wire.answered) if not s.flags & SYN)
    for ahead in (1 << 24, -(1 << 24)):
        pair.wire.to_left(rewrite_tcp(template.frame, ack=template.ack + ahead, flags=ACK | MODERATE))
    assert transfer.stays_in_first_slow_start(0.15)
    assert "echoes_moderate_received" not in counters(pair.sender)


def test_a_mark_on_a_pure_ack_is_none(pair: Pair) -> None:
    """Only marks of data are echoed, as in RFC 3168."""
    pair.enable("mecn")
    pair.transfer()
    template = next(s for s in reversed(pair.wire.answered) if not s.flags & SYN)
    pair.wire.to_left(set_ecn(template.frame, CE))
    time.sleep(0.02)
    assert "marks_moderate_received" not in counters(pair.sender)


def test_data_of_a_multilevel_connection_is_ect0(pair: Pair) -> None:
    pair.enable("mecn")
    pair.transfer()
    assert {s.ecn for s in pair.wire.sent if s.payload_bytes} == {ECT0}
    assert {s.ecn for s in pair.wire.answered} == {NOT_ECT}


def test_ipv6(pair: Pair) -> None:
    for end, device, address in ((pair.sender, "h0", "fd00::1"), (pair.receiver, "h1", "fd00::2")):
        end.run("sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=0")
        end.run("ip", "address", "add", f"{address}/64", "dev", device, "nodad")
    pair.enable("mecn")
    transfer = Transfer(pair.sender, pair.receiver, "fd00::2", 4999)
    transfer.until(lambda w: w.cwnd_pkts == 40)
    for level in ("incipient", "moderate"):
        pair.wire.once(mark(level))
        assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == WINDOWS[level]
        transfer.until(lambda w: w.cwnd_pkts == 40)
    transfer.close()
    assert all(OPTION in s.options for s in handshake(pair))
    assert all(checksums_ok(s.frame) for s in pair.wire.sent + pair.wire.answered)
    assert counters(pair.receiver)["mecn_negotiated"] == 1


def test_offloads_corrupt_nothing(new_namespace: NewNamespace) -> None:
    """Packets of 64 KB whose checksums the device computes, in both directions at once."""
    left, right = new_namespace(), new_namespace()
    connect(left, "h0", right, "h1")
    for end, device, address in ((left, "h0", LEFT), (right, "h1", RIGHT)):
        end.run("ethtool", "-K", device, "rx", "on", "tx", "on", "sg", "on", "tso", "on", "gso", "on", "gro", "on")
        end.run("ip", "address", "add", f"{address}/24", "dev", device)
        quench_host(end, "enable", "--algo", "mecn", "--dev", device)
    transfer = Transfer(left, right, RIGHT, 4999)
    transfer.talk_back(100_000)
    deadline_s = time.monotonic() + 60
    while transfer.received_bytes < 50_000_000:
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    transfer.close()
    for end in (left, right):
        names, values = (line.split() for line in end.run("grep", "^Tcp:", "/proc/net/snmp").stdout.splitlines())
        errors = dict(zip(names, values, strict=True))
        assert (errors["InErrs"], errors["InCsumErrors"]) == ("0", "0")
        count = counters(end)
        assert count["mecn_negotiated"] == 1
        # The device's queue may have overflowed, or the machine was late; there must be no other signal.
        losses = {"reactions_loss", "suppressed_loss", "reactions_rto", "reactions_undone"}
        assert set(count) - losses == {"mecn_negotiated", "connections"}


def test_status_shows_which_end_speaks_it(pair: Pair) -> None:
    pair.enable("mecn", receiver_algo="ecn")
    for end, speaks in ((pair.sender, True), (pair.receiver, False)):
        (device,) = status(end)["devices"]
        assert device["speaks_mecn"] is speaks
