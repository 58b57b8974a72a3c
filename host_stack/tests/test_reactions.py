# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""The reaction of the kernel's TCP to each congestion signal."""

from __future__ import annotations

import threading
import time

import pytest
from hostlab.hosts import Pair, algorithms, counters, quench_host
from hostlab.packets import ACK, CE, CWR, ECE, ECT0, NOT_ECT, SYN, Quench, Segment, set_ce
from hostlab.transfer import Transfer, Window, settle

BECN_ALGOS = ["becn", "ecn-becn"]
ECN_ALGOS = ["ecn", "ecn-becn"]
ALL_ALGOS = [algo for algo in algorithms() if algo != "plain"]


def quench(pair: Pair, *, marked: bool) -> float:
    """Answer the newest data packet with an ISQ and return when."""
    pair.wire.to_left(Quench(marked=marked).about(pair.wire.newest_data().frame))
    return time.monotonic()


def first_growth(samples: list[Window]) -> float | None:
    """Seconds from the first sample to the first larger window."""
    return next((s.time_s - samples[0].time_s for s in samples if s.cwnd_pkts > samples[0].cwnd_pkts), None)


@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_isq_marked_halves_and_holds_for_one_srtt(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    quench(pair, marked=True)
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    samples = transfer.watch(3 * cut.srtt_us / 1e6)
    growth_s = first_growth(samples)
    assert (cut.cwnd_pkts, cut.ssthresh_pkts) == (20, 20)
    assert growth_s is not None
    assert growth_s > 0.9 * cut.srtt_us / 1e6
    count = counters(pair.sender)
    assert (count["isq_accepted_marked"], count["reactions_isq_marked"]) == (1, 1)


@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_isq_dropped_halves_and_growth_goes_on(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    quench(pair, marked=False)
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    growth_s = first_growth(transfer.watch(2 * cut.srtt_us / 1e6))
    # A whole window of ACKs is under way, and each opens the window.
    assert cut.ssthresh_pkts == 20
    assert 20 <= cut.cwnd_pkts <= 22
    assert growth_s is not None
    assert growth_s < 0.8 * cut.srtt_us / 1e6
    count = counters(pair.sender)
    assert (count["isq_accepted_dropped"], count["reactions_isq_dropped"]) == (1, 1)


def test_hold_rule_none_lets_the_window_grow_at_once(pair: Pair) -> None:
    pair.enable("becn", "hold_rule=none")
    transfer = pair.transfer()
    quench(pair, marked=True)
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    growth_s = first_growth(transfer.watch(2 * cut.srtt_us / 1e6))
    assert growth_s is not None
    assert growth_s < 0.8 * cut.srtt_us / 1e6


@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_isqs_of_one_window_count_once_and_of_the_next_again(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    quench(pair, marked=True)
    transfer.until(lambda w: w.cwnd_pkts == 20)
    quench(pair, marked=True)
    time.sleep(0.01)
    quench(pair, marked=False)
    settle(transfer)
    assert transfer.window().cwnd_pkts >= 20
    count = counters(pair.sender)
    assert count["isq_accepted_marked"] + count["isq_accepted_dropped"] == 3
    assert (count["reactions_isq_marked"], count["suppressed_isq"]) == (1, 2)
    before = transfer.window().cwnd_pkts
    quench(pair, marked=True)
    transfer.until(lambda w: w.cwnd_pkts in (before // 2, (before + 1) // 2))
    assert counters(pair.sender)["reactions_isq_marked"] == 2


@pytest.mark.parametrize("algo", ECN_ALGOS)
def test_ece_halves_once_and_is_answered_by_cwr(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    cut = transfer.until(lambda w: w.cwnd_pkts < 40)
    settle(transfer)
    assert (cut.cwnd_pkts, cut.ssthresh_pkts) == (20, 20)
    assert transfer.window().cwnd_pkts >= 20
    count = counters(pair.sender)
    assert count["reactions_ece"] == 1
    assert count["suppressed_ece"] >= 1
    assert any(s.flags & ECE for s in pair.wire.answered if not s.flags & SYN)
    assert sum(bool(s.flags & CWR) for s in pair.wire.sent if not s.flags & SYN) == 1


@pytest.mark.parametrize("algo", ECN_ALGOS)
def test_ece_and_a_loss_of_one_window_count_once_and_of_the_next_again(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    pair.wire.once(lambda segment: segment.frame)
    pair.wire.once(lambda segment: None)
    transfer.until(lambda w: w.cwnd_pkts == 20)
    settle(transfer)
    before = transfer.window().cwnd_pkts
    assert before >= 20
    count = counters(pair.sender)
    assert (count["reactions_ece"], count["suppressed_loss"]) == (1, 1)
    assert "reactions_loss" not in count
    pair.wire.once(lambda segment: set_ce(segment.frame))
    transfer.until(lambda w: w.cwnd_pkts in (before // 2, (before + 1) // 2))
    assert counters(pair.sender)["reactions_ece"] == 2


def test_becn_ignores_ece(pair: Pair) -> None:
    pair.enable("becn")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    assert transfer.stays_in_first_slow_start(0.2)
    assert any(s.flags & ECE for s in pair.wire.answered if not s.flags & SYN)


@pytest.mark.parametrize("algo", ["ecn", "ecn-mod"])
def test_ecn_and_ecn_mod_ignore_isqs(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    quench(pair, marked=True)
    assert transfer.stays_in_first_slow_start(0.15)
    assert counters(pair.sender)["isq_refused_not_listening"] == 1


def test_ecn_becn_reacts_once_to_isq_and_ece_of_one_mark(pair: Pair) -> None:
    pair.enable("ecn-becn")
    transfer = pair.transfer()

    def mark_and_quench(segment: Segment) -> bytes:
        pair.wire.to_left(Quench(marked=True).about(segment.frame))
        return set_ce(segment.frame)

    pair.wire.once(mark_and_quench)
    transfer.until(lambda w: w.cwnd_pkts == 20)
    settle(transfer)
    assert transfer.window().cwnd_pkts >= 20
    count = counters(pair.sender)
    assert count["reactions_isq_marked"] == 1
    assert count["suppressed_ece"] >= 1
    assert "reactions_ece" not in count


@pytest.mark.parametrize("algo", ALL_ALGOS)
def test_loss_halves_and_is_retransmitted_at_once(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    lost: list[Segment] = []

    def lose(segment: Segment) -> None:
        lost.append(segment)

    pair.wire.once(lose)
    cut = transfer.until(lambda w: w.ssthresh_pkts < 40)
    settle(transfer)
    assert cut.ssthresh_pkts == 20
    assert 20 <= transfer.window().cwnd_pkts <= 23
    repeats = [s for s in pair.wire.sent if s.seq == lost[0].seq and s.payload_bytes]
    assert len(repeats) == 2
    assert repeats[1].time_s - repeats[0].time_s < 0.1
    count = counters(pair.sender)
    assert count["reactions_loss"] == 1
    assert "reactions_rto" not in count


@pytest.mark.parametrize("paper", [True, False])
def test_three_losses_in_a_window_are_one_reaction_without_a_timeout(pair: Pair, paper: bool) -> None:
    pair.enable("ecn-becn", paper=paper)
    transfer = pair.transfer()
    lost: list[int] = []

    def lose(segment: Segment) -> None:
        lost.append(segment.seq)

    for rule in (lose, lambda s: s.frame, lose, lambda s: s.frame, lose):
        pair.wire.once(rule)
    transfer.until(lambda w: w.ssthresh_pkts == 20)
    time.sleep(0.4)
    assert len(lost) == 3
    assert all(sum(s.seq == seq and s.payload_bytes > 0 for s in pair.wire.sent) == 2 for seq in lost)
    assert transfer.window().cwnd_pkts >= 20
    count = counters(pair.sender)
    assert count["reactions_loss"] == 1
    assert "reactions_rto" not in count


def test_needless_reaction_to_reordering_is_undone(pair: Pair) -> None:
    """A packet arrives after it was sent again. The receiver's DSACK shows it, and the window is restored."""
    pair.enable("becn", paper=False)
    transfer = pair.transfer()
    late: list[threading.Timer] = []

    def delay(segment: Segment) -> None:
        late.append(threading.Timer(3 * pair.wire.delay_s, pair.wire.to_right, [segment.frame]))
        late[0].start()

    pair.wire.once(delay)
    deadline_s = time.monotonic() + 20
    while "reactions_undone" not in counters(pair.sender):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    late[0].join()
    assert transfer.until(lambda w: w.cwnd_pkts == 40).in_first_slow_start
    assert counters(pair.sender)["reactions_loss"] == 1


@pytest.mark.parametrize(("restart", "initial_cwnd_pkts", "expected_pkts"), [(1, 0, 10), (1, 14, 14), (0, 0, 40)])
def test_window_restarts_after_idle_time_if_the_kernel_is_told_to(
    pair: Pair, restart: int, initial_cwnd_pkts: int, expected_pkts: int
) -> None:
    pair.enable("ecn", f"initial_cwnd_pkts={initial_cwnd_pkts}", paper=False)
    pair.sender.run("sysctl", "-qw", f"net.ipv4.tcp_slow_start_after_idle={restart}")
    transfer = pair.transfer()
    transfer.pause()
    # More than two retransmission timeouts, which are at least 200 ms.
    time.sleep(1.2)
    assert transfer.window().cwnd_pkts == 40
    transfer.resume()
    assert transfer.until(lambda w: w.unacked_pkts > 0).cwnd_pkts == expected_pkts


@pytest.mark.parametrize("algo", BECN_ALGOS)
def test_isq_dropped_and_its_loss_count_once(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()

    def drop_and_quench(segment: Segment) -> None:
        pair.wire.to_left(Quench(marked=False).about(segment.frame))

    pair.wire.once(drop_and_quench)
    transfer.until(lambda w: w.cwnd_pkts <= 20)
    settle(transfer)
    assert transfer.window().cwnd_pkts >= 20
    count = counters(pair.sender)
    assert (count["reactions_isq_dropped"], count["suppressed_loss"]) == (1, 1)
    assert "reactions_loss" not in count


@pytest.mark.parametrize("algo", ALL_ALGOS)
def test_timeout_restarts_from_one_packet(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    pair.sender.run("sysctl", "-qw", "net.ipv4.tcp_rto_min_us=500000")
    transfer = pair.transfer()
    pair.wire.cut = True
    timed_out = transfer.until(lambda w: w.cwnd_pkts == 1)
    pair.wire.cut = False
    assert timed_out.ssthresh_pkts == 20
    recovered = transfer.until(lambda w: w.cwnd_pkts >= 22)
    assert recovered.ssthresh_pkts == 20
    assert counters(pair.sender)["reactions_rto"] >= 1


def test_next_new_segment_after_isq_marked_carries_cwr(pair: Pair) -> None:
    pair.enable("ecn-becn")
    transfer = pair.transfer()
    quench(pair, marked=True)
    cut = transfer.until(lambda w: w.cwnd_pkts == 20)
    settle(transfer)
    # The halved window is full at first, so nothing leaves between the reduction and the moment it was seen.
    first = next(s for s in pair.wire.sent if s.time_s > cut.time_s and s.payload_bytes)
    assert first.flags & CWR
    assert first.ecn == ECT0
    assert [s for s in pair.wire.sent if s.flags & CWR and not s.flags & SYN] == [first]
    assert counters(pair.sender)["cwr_queued"] == 1


def test_cwr_rule_never(pair: Pair) -> None:
    pair.enable("ecn-becn", "cwr_rule=never")
    transfer = pair.transfer()
    quench(pair, marked=True)
    transfer.until(lambda w: w.cwnd_pkts == 20)
    settle(transfer)
    assert not [s for s in pair.wire.sent if s.flags & CWR and not s.flags & SYN]


def test_parameters_change_under_a_running_connection(pair: Pair) -> None:
    pair.enable("becn")
    transfer = pair.transfer()
    quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", "--paper", "--set", "max_cwnd_pkts=44")
    transfer.until(lambda w: w.cwnd_pkts == 44)
    quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", "--paper", "--set", "min_cwnd_pkts=30")
    quench(pair, marked=True)
    assert transfer.until(lambda w: w.cwnd_pkts < 44).cwnd_pkts == 30


@pytest.mark.parametrize("receiver_algo", ["plain", "ecn"])
def test_becn_sends_ect_to_a_receiver_that_knows_nothing_of_it(pair: Pair, receiver_algo: str) -> None:
    pair.enable("becn", receiver_algo=receiver_algo)
    transfer = pair.transfer()
    assert {s.ecn for s in pair.wire.sent} == {ECT0}
    assert not next(s for s in pair.wire.answered if s.flags & SYN).flags & ECE
    quench(pair, marked=True)
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 20


@pytest.mark.parametrize("algo", ECN_ALGOS)
def test_ecn_is_negotiated_as_rfc_3168_says(pair: Pair, algo: str) -> None:
    pair.enable(algo, receiver_algo="ecn")
    pair.transfer()
    syn = next(s for s in pair.wire.sent if s.flags & SYN)
    syn_ack = next(s for s in pair.wire.answered if s.flags & SYN)
    assert syn.flags & (ECE | CWR) == ECE | CWR
    assert syn.ecn == NOT_ECT
    assert syn_ack.flags & (ECE | CWR) == ECE
    assert {s.ecn for s in pair.wire.sent if s.payload_bytes} == {ECT0}
    assert {s.ecn for s in pair.wire.answered if s.flags & ACK and not s.flags & SYN} == {NOT_ECT}


def test_plain_neither_negotiates_ecn_nor_sends_ect(pair: Pair) -> None:
    quench_host(pair.sender, "enable", "--algo", "plain", "--dev", "h0", "--paper")
    quench_host(pair.receiver, "enable", "--algo", "ecn", "--dev", "h1", "--paper")
    transfer = Transfer(pair.sender, pair.receiver, "10.9.0.2", 4999)
    transfer.until(lambda w: w.cwnd_pkts > 20)
    transfer.close()
    assert {s.ecn for s in pair.wire.sent} == {NOT_ECT}
    assert not any(s.flags & (ECE | CWR) for s in pair.wire.sent)
    assert CE not in {s.ecn for s in pair.wire.answered}
