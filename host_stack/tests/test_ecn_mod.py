# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""ecn-mod in the kernel: the echo of each packet's mark, the reaction of the window, and peers without ecn-mod."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hostlab.hosts import NewNamespace, Pair, counters, quench_host, status
from hostlab.marks import Marker, acks, until_quiet, wait_for_marker
from hostlab.packets import CWR, ECE, ECT0, NOT_ECT, SYN, set_ce

C1, C2 = 0.0625, 0.25
LIMIT_PKTS = 40


@pytest.fixture
def quick_pair(new_namespace: NewNamespace) -> Iterator[Pair]:
    """A pair with a round trip of 4 ms, for statistics over many of them."""
    made = Pair(new_namespace, one_way_delay_s=0.002)
    yield made
    made.close()


def test_ecn_is_negotiated_as_rfc_3168_says_and_then_each_mark_echoed(pair: Pair) -> None:
    pair.enable("ecn-mod")
    transfer = pair.transfer()
    syn = next(s for s in pair.wire.sent if s.flags & SYN)
    syn_ack = next(s for s in pair.wire.answered if s.flags & SYN)
    assert (syn.flags & (ECE | CWR), syn.ecn) == (ECE | CWR, NOT_ECT)
    assert (syn_ack.flags & (ECE | CWR), syn_ack.ecn) == (ECE, NOT_ECT)
    assert {s.ecn for s in pair.wire.sent if s.payload_bytes} == {ECT0}
    assert transfer.congestion_control == "q_ecnmod_echo"
    for host in (pair.sender, pair.receiver):
        count = counters(host)
        assert (count["connections"], count["connections_echoing"]) == (1, 1)


def test_a_mark_takes_c2_of_the_window(pair: Pair) -> None:
    pair.enable("ecn-mod")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    cut = transfer.until(lambda w: not w.in_first_slow_start)
    assert cut.ssthresh_pkts == 30
    assert 30 <= cut.cwnd_pkts < LIMIT_PKTS
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    assert (count["pkts_marked"], count["reactions_ece"]) == (1, 1)
    assert "suppressed_ece" not in count


def test_each_mark_counts_also_within_one_round_trip(pair: Pair) -> None:
    pair.enable("ecn-mod")
    transfer = pair.transfer()
    for _ in range(3):
        pair.wire.once(lambda segment: set_ce(segment.frame))
        pair.wire.once(lambda segment: segment.frame)
    # 40 * (3/4)^3 is 16.9, and the few packets in between add 1/16 each.
    transfer.until(lambda w: w.ssthresh_pkts in (16, 17))
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    assert (count["pkts_marked"], count["reactions_ece"]) == (3, 3)


def replay(pair: Pair, *, first_marked_end: int) -> list[float]:
    """The windows, in packets, that the algorithm should have had at each packet acknowledged since marking began."""
    window, windows, marking = float(LIMIT_PKTS), [], False
    for ack in acks(pair):
        for end in ack.end_seqs:
            marking = marking or end == first_marked_end
            if not marking:
                continue
            windows.append(window)
            window = max(1.0, window * (1 - C2)) if ack.ece else min(float(LIMIT_PKTS), window + C1)
    return [*windows, window]


def test_unmarked_packets_add_c1_each(pair: Pair) -> None:
    """Three marks leave 16.9 packets, 300 unmarked packets add 18.75; NewReno would come to 30, slow start to 40."""
    pair.enable("ecn-mod")
    transfer = pair.transfer()
    marker = pair.wire.always = Marker(0.0, seed=0)
    for _ in range(3):
        pair.wire.once(lambda segment: set_ce(marker(segment)))
    wait_for_marker(marker, 303)
    until_quiet(transfer, pair)
    windows = replay(pair, first_marked_end=next(iter(marker.marked)))
    assert 34 <= windows[303] < 37
    # The kernel's window is the replayed one in whole packets. The ACKs after the application stopped may not count.
    assert 34 <= transfer.window().cwnd_pkts <= windows[-1]


@pytest.mark.parametrize("read_bytes", [1 << 20, 16], ids=["idle", "busy"])
@pytest.mark.parametrize("algo", ["ecn-mod", "ecn"])
def test_receiver_echoes_each_packets_mark_with_delayed_acks(pair: Pair, algo: str, read_bytes: int) -> None:
    """RFC 8257 3.2, with every algorithm of the sender: an ACK covers packets of one kind, with the right ECE.

    Also while a process uses the receiving socket, when Linux defers even ACKs that are due at once.
    """
    pair.enable(algo, "min_cwnd_pkts=20", receiver_algo="ecn-mod", paper=False)
    transfer = pair.transfer()
    transfer.read_bytes = read_bytes
    marker = pair.wire.always = Marker(0.3, seed=1)
    wait_for_marker(marker, 1000)
    until_quiet(transfer, pair)
    received = list(acks(pair))
    for ack in received:
        assert {marker.marked.get(end, False) for end in ack.end_seqs} == {ack.ece}
    # ACKs were delayed, and CWR, which ends the echo of RFC 3168, did not end this one.
    assert any(len(ack.end_seqs) > 1 for ack in received if ack.ece)
    assert any(len(ack.end_seqs) > 1 for ack in received if not ack.ece)
    assert any(s.flags & CWR for s in pair.wire.sent if s.payload_bytes)


def test_sender_counts_marked_packets_exactly(pair: Pair) -> None:
    pair.enable("ecn-mod", "c2=0.01", paper=False)
    transfer = pair.transfer()
    marker = pair.wire.always = Marker(0.2, seed=2)
    wait_for_marker(marker, 1000)
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    data = sum(bool(s.payload_bytes) for s in pair.wire.sent)
    assert (count["pkts_marked"], count["pkts_unmarked"]) == (marker.marks, data - marker.marks)


@pytest.mark.parametrize("probability", [0.02, 0.04])
def test_mean_window_is_that_of_the_theory(quick_pair: Pair, probability: float) -> None:
    """c1 * W^alpha * (1 - p) = c2 * W^beta * p, for alpha 0 and beta 1 (eq. 4 to 6 of the paper).

    The window's relative deviation is about sqrt(c2 / 2) and its memory 1 / (c2 * p) packets, which gives the standard
    error; four of them are allowed (significance 0.0001).
    """
    memory_pkts = 1 / (C2 * probability)
    quick_pair.enable("ecn-mod")
    transfer = quick_pair.transfer()
    marker = quick_pair.wire.always = Marker(probability, seed=3)
    wait_for_marker(marker, int(60 * memory_pkts))
    until_quiet(transfer, quick_pair)
    windows = replay(quick_pair, first_marked_end=next(iter(marker.marked)))
    # The kernel's window is the replayed one in whole packets, after thousands of steps; the last ACKs, after the
    # application stopped, may not have opened it any more.
    assert transfer.window().cwnd_pkts in (math.floor(windows[-1]), math.floor(windows[-1]) - 1)
    steady = windows[int(5 * memory_pkts) :]
    theory = C1 * (1 - probability) / (C2 * probability)
    mean = sum(steady) / len(steady)
    standard_error = theory * math.sqrt(C2 / 2 * 2 * memory_pkts / len(steady))
    assert abs(mean - theory) < 4 * standard_error, f"mean {mean:.2f}, theory {theory:.2f} +- {standard_error:.2f}"


def test_parameters_reach_the_kernel(pair: Pair) -> None:
    pair.enable("ecn-mod", "c1=0.5", "c2=0.5", "alpha=0.25", "beta=0.75", "initial_slow_start=off")
    params = status(pair.sender)["params"]
    assert {name: params[name] for name in ("c1", "c2", "alpha", "beta", "initial_slow_start")} == {
        "c1": 0.5,
        "c2": 0.5,
        "alpha": 0.25,
        "beta": 0.75,
        "initial_slow_start": "off",
    }
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    # 40 - 0.5 * 40^0.75
    assert transfer.until(lambda w: not w.in_first_slow_start).ssthresh_pkts == 32


def test_initial_slow_start_off_grows_by_c1_from_the_first_ack(pair: Pair) -> None:
    pair.enable("ecn-mod", "c1=0.25", "initial_slow_start=off", "initial_cwnd_pkts=8")
    transfer = pair.transfer()
    assert transfer.window().in_first_slow_start
    # From 8 to 40 by a quarter each; slow start would take 32 packets.
    in_time = [s.time_s for s in pair.wire.sent if s.payload_bytes]
    assert counters(pair.sender)["pkts_unmarked"] >= 4 * 32
    assert len(in_time) >= 4 * 32


def test_parameters_without_a_bounded_window_are_refused(pair: Pair) -> None:
    common = ("enable", "--algo", "ecn-mod", "--dev", "h0", "--set")
    result = quench_host(pair.sender, *common, "alpha=1", check=False)
    assert result.returncode == 1
    assert "alpha must be less than beta" in result.stderr
    assert not status(pair.sender)["enabled"]
    # The check includes the parameters in force.
    quench_host(pair.sender, *common, "alpha=0.5")
    assert quench_host(pair.sender, *common, "beta=0.5", check=False).returncode == 1
    assert status(pair.sender)["params"]["beta"] == 1


def test_with_a_standard_receiver_ecn_is_agreed_and_cwr_ends_its_ece(pair: Pair) -> None:
    """It repeats ECE until CWR, so the sender counts more marks than there were, but still works."""
    pair.enable("ecn-mod", receiver_algo="ecn")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    transfer.until(lambda w: w.cwnd_pkts < 30)
    # The echo ends about a round trip later, and the window grows again.
    transfer.until(lambda w: w.cwnd_pkts == LIMIT_PKTS, timeout_s=6)
    count = counters(pair.sender)
    assert count["connections_echoing"] == 1
    assert 1 < count["pkts_marked"] <= 2 * LIMIT_PKTS
    assert sum(bool(s.flags & CWR) for s in pair.wire.sent if s.payload_bytes) >= 1
    assert "reactions_rto" not in count


def test_a_standard_sender_halves_once_for_a_mark_that_ecn_mod_echoes(pair: Pair) -> None:
    pair.enable("ecn", receiver_algo="ecn-mod")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    assert transfer.until(lambda w: not w.in_first_slow_start).ssthresh_pkts == 20
    until_quiet(transfer, pair)
    assert counters(pair.sender)["reactions_ece"] == 1
    assert sum(ack.ece for ack in acks(pair)) == 1


def test_without_ecn_it_is_newreno_with_c1(pair: Pair) -> None:
    pair.enable("ecn-mod", receiver_algo="plain")
    transfer = pair.transfer()
    assert transfer.congestion_control == "q_ecnmod"
    assert {s.ecn for s in pair.wire.sent} == {NOT_ECT}
    pair.wire.once(lambda segment: None)
    assert transfer.until(lambda w: w.ssthresh_pkts < LIMIT_PKTS).ssthresh_pkts == 20
    assert "connections_echoing" not in counters(pair.sender)


def test_a_loss_halves_once_among_marks(pair: Pair) -> None:
    pair.enable("ecn-mod", "c2=0.00002")
    transfer = pair.transfer()
    marker = pair.wire.always = Marker(0.5, seed=4)
    pair.wire.once(lambda segment: None)
    pair.wire.once(marker)
    pair.wire.once(lambda segment: None)
    wait_for_marker(marker, 200)
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    # Marks take next to nothing with this c2, so the threshold is that of the loss.
    assert count["reactions_loss"] == 1
    assert count["reactions_ece"] > 10
    assert "reactions_rto" not in count
