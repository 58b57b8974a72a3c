# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""dctcp in the kernel: the handshake, the exact echo, and the reaction to the share of marks."""

from __future__ import annotations

import pytest
from hostlab.hosts import Pair, counters, status
from hostlab.marks import Marker, acks, until_quiet, wait_for_marker
from hostlab.packets import CWR, ECE, ECT0, NOT_ECT, SYN, set_ce


def test_ecn_is_negotiated_as_rfc_3168_says_without_ect_on_syns(pair: Pair) -> None:
    pair.enable("dctcp")
    transfer = pair.transfer()
    syn = next(s for s in pair.wire.sent if s.flags & SYN)
    syn_ack = next(s for s in pair.wire.answered if s.flags & SYN)
    assert (syn.flags & (ECE | CWR), syn.ecn) == (ECE | CWR, NOT_ECT)
    assert (syn_ack.flags & (ECE | CWR), syn_ack.ecn) == (ECE, NOT_ECT)
    assert {s.ecn for s in pair.wire.sent if s.payload_bytes} == {ECT0}
    assert transfer.congestion_control == "q_dctcp_echo"
    for host in (pair.sender, pair.receiver):
        count = counters(host)
        assert (count["connections"], count["connections_echoing"]) == (1, 1)
    assert status(pair.sender)["params"]["g"] == 0.0625


@pytest.mark.parametrize(
    ("g", "least_pkts", "most_pkts"),
    [
        # The estimate stands at 1, as it began: half of the window.
        ("0.00002", 20, 20),
        # The estimate is the last window's share, 0; or 1/40, should the marked ACK be the last of its window.
        ("1", 39, 40),
    ],
)
def test_a_mark_takes_half_of_the_estimate(pair: Pair, g: str, least_pkts: int, most_pkts: int) -> None:
    pair.enable("dctcp", f"g={g}")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    cut = transfer.until(lambda w: not w.in_first_slow_start)
    assert least_pkts <= cut.ssthresh_pkts <= most_pkts
    until_quiet(transfer, pair)
    count = counters(pair.sender)
    assert (count["pkts_marked"], count["reactions_ece"], count["cwr_queued"]) == (1, 1, 1)


def test_marks_alone_leave_two_packets(pair: Pair) -> None:
    pair.enable("dctcp")
    transfer = pair.transfer()
    pair.wire.always = lambda segment: set_ce(segment.frame)
    assert transfer.until(lambda w: w.cwnd_pkts <= 2).cwnd_pkts == 2
    assert all(window.cwnd_pkts == 2 for window in transfer.watch(0.5))
    until_quiet(transfer, pair)
    assert "reactions_rto" not in counters(pair.sender)


def test_marks_are_echoed_and_counted_one_by_one_with_delayed_acks(pair: Pair) -> None:
    """RFC 8257 3.2: an ACK covers packets of one kind, with the right ECE."""
    pair.enable("dctcp", "min_cwnd_pkts=20", paper=False)
    transfer = pair.transfer()
    marker = pair.wire.always = Marker(0.3, seed=5)
    wait_for_marker(marker, 1000)
    until_quiet(transfer, pair)
    received = list(acks(pair))
    for ack in received:
        assert {marker.marked.get(end, False) for end in ack.end_seqs} == {ack.ece}
    assert any(len(ack.end_seqs) > 1 for ack in received if ack.ece)
    assert any(len(ack.end_seqs) > 1 for ack in received if not ack.ece)
    count = counters(pair.sender)
    data = sum(bool(s.payload_bytes) for s in pair.wire.sent)
    assert (count["pkts_marked"], count["pkts_unmarked"]) == (marker.marks, data - marker.marks)


def test_a_peer_of_ecn_gets_the_echo_that_it_knows(pair: Pair) -> None:
    """A standard sender halves once for a mark that dctcp echoes, and then goes on."""
    pair.enable("ecn", receiver_algo="dctcp")
    transfer = pair.transfer()
    pair.wire.once(lambda segment: set_ce(segment.frame))
    assert transfer.until(lambda w: not w.in_first_slow_start).ssthresh_pkts == 20
    until_quiet(transfer, pair)
    assert counters(pair.sender)["reactions_ece"] == 1
    assert sum(ack.ece for ack in acks(pair)) == 1
