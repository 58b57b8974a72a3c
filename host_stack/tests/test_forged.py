# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Forged source quenches: they are refused, counted by reason, and have no effect."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Mapping
from functools import partial
from socket import inet_aton

import pytest
from hostlab.hosts import LEFT, Pair, counters
from hostlab.packets import ETHERTYPE_SERVICE_VLAN, ETHERTYPE_VLAN, Quench, Segment
from hostlab.transfer import Transfer

COPIES = 10_000
# Less than the kernel's backlog of a device, so that none is lost before it can be refused.
BATCH = 500
NOP_OPTIONS = b"\x01" * 8
SOURCE_ROUTE = bytes([131, 7, 4, 10, 9, 0, 254, 0])
LIMIT_PKTS = 40


def until(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.001)


def has_sent(pair: Pair, frames: int) -> bool:
    return len(pair.wire.sent) >= frames


def has_received(pair: Pair, isqs: int) -> bool:
    return counters(pair.sender)["isq_received"] >= isqs


def judged(count: Mapping[str, int], kind: str) -> int:
    """Number of ISQs of that kind that have taken effect or were suppressed."""
    names = (f"reactions_isq_{kind}", "suppressed_isq", "isq_refused_not_in_flight")
    return sum(count.get(name, 0) for name in names)


def flood(pair: Pair, forge: Callable[[Segment], Quench], *, apart_pkts: int = 0) -> None:
    """Send forged ISQs at the transfer, each batch about the newest packet, and see all of them arrive.

    The transfer sends at least ``apart_pkts`` packets between two batches: round trips pass on a fast machine, too.
    """
    for sent in range(0, COPIES, BATCH):
        until(partial(has_sent, pair, len(pair.wire.sent) + apart_pkts))
        segment = pair.wire.newest_data()
        frame = forge(segment).about(segment.frame)
        pair.wire.flood_left(itertools.repeat(frame, BATCH))
        until(partial(has_received, pair, sent + BATCH))
    assert counters(pair.sender)["isq_received"] == COPIES


def assert_all_data_arrived_at_once(pair: Pair, transfer: Transfer) -> None:
    """No packet was lost, late or sent twice."""
    transfer.pause()
    sent_bytes = sum(s.payload_bytes for s in pair.wire.sent)
    until(lambda: transfer.received_bytes >= sent_bytes)
    assert transfer.received_bytes == sent_bytes
    assert transfer.window().retransmitted_pkts == 0


FORGED: dict[str, tuple[str, Callable[[Segment], Quench]]] = {
    "truncated quote": ("truncated", lambda s: Quench(marked=True, quoted_bytes=27)),
    "no quote": ("truncated", lambda s: Quench(marked=True, quoted_bytes=0)),
    "quote shorter than its options": (
        "truncated",
        lambda s: Quench(marked=True, quoted_options=NOP_OPTIONS, quoted_bytes=28),
    ),
    "frame shorter than its length": ("truncated", lambda s: Quench(marked=True, cut_frame_bytes=4)),
    "longer than any ICMP error": ("too_long", lambda s: Quench(marked=True, padding=bytes(556 - 36 + 1))),
    "ICMP checksum": ("bad_checksum", lambda s: Quench(marked=True, corrupt=True)),
    "IP checksum": ("bad_checksum", lambda s: Quench(marked=True, corrupt_outer=True)),
    "code": ("bad_code", lambda s: Quench(marked=True, code=1)),
    "fragment": ("fragment", lambda s: Quench(marked=True, fragment=0x2000)),
    "quotes no IPv4": ("bad_quote", lambda s: Quench(marked=True, quoted_version=6)),
    "quotes a later fragment": ("bad_quote", lambda s: Quench(marked=True, quoted_fragment=1)),
    "quotes a packet without room for TCP": ("bad_quote", lambda s: Quench(marked=True, quoted_total_bytes=39)),
    "quotes UDP": ("not_tcp", lambda s: Quench(marked=True, quoted_proto=17)),
    "quotes another host": ("wrong_source", lambda s: Quench(marked=True, quoted_source=bytes([10, 9, 0, 77]))),
    "another destination": ("no_socket", lambda s: Quench(marked=True, quoted_destination=bytes([10, 9, 0, 77]))),
    "wrong source port": ("no_socket", lambda s: Quench(marked=True, source_port=9)),
    "wrong destination port": ("no_socket", lambda s: Quench(marked=True, destination_port=9)),
    "after what was sent": ("not_in_flight", lambda s: Quench(marked=True, seq=s.seq + (1 << 30))),
    "before what was sent": ("not_in_flight", lambda s: Quench(marked=True, seq=s.seq - (1 << 30))),
    "another identification": ("identification", lambda s: Quench(marked=True, identification=s.identification + 1)),
    "may be fragmented": ("identification", lambda s: Quench(marked=True, quoted_fragment=0)),
    "acknowledges what never came": (
        "acknowledgment",
        lambda s: Quench(marked=True, quoted_tcp_bytes=20, ack=s.ack + 1),
    ),
    "acknowledges what came long ago": (
        "acknowledgment",
        lambda s: Quench(marked=True, quoted_tcp_bytes=20, ack=s.ack - (1 << 30)),
    ),
    "in a VLAN": ("vlan", lambda s: Quench(marked=True, vlan_tags=((ETHERTYPE_VLAN, 7),))),
    "in a VLAN inside another": (
        "vlan",
        lambda s: Quench(marked=True, vlan_tags=((ETHERTYPE_SERVICE_VLAN, 7), (ETHERTYPE_VLAN, 9))),
    ),
    "from the host itself": ("bad_address", lambda s: Quench(marked=True, router=inet_aton(LEFT))),
    "from a broadcast address": ("bad_address", lambda s: Quench(marked=True, router=bytes([10, 9, 0, 255]))),
    "with a source route": ("ip_options", lambda s: Quench(marked=True, outer_options=SOURCE_ROUTE)),
    "with no time to live": ("ttl", lambda s: Quench(marked=True, ttl=0)),
    "no router's address": ("unknown_router", lambda s: Quench(marked=True, router=bytes([192, 0, 2, 1]))),
}

FOUND_LATE = ("identification", "acknowledgment")
"""Reasons that are looked at only where the quoted data are in flight."""


@pytest.mark.parametrize("kind", FORGED)
def test_ten_thousand_forged_isqs_are_refused_and_do_nothing(pair: Pair, kind: str) -> None:
    reason, forge = FORGED[kind]
    pair.enable("becn")
    transfer = pair.transfer()
    received_before = transfer.received_bytes
    flood(pair, forge)
    windows = {w.cwnd_pkts for w in transfer.watch(3 * pair.wire.delay_s)}
    count = counters(pair.sender)
    isqs = {name: n for name, n in count.items() if name.startswith("isq_")}
    if reason in FOUND_LATE:
        # A busy machine may have acknowledged what is quoted before the last ISQ of a batch is read.
        isqs[f"isq_refused_{reason}"] += isqs.pop("isq_refused_not_in_flight", 0)
    assert isqs == {"isq_received": COPIES, f"isq_refused_{reason}": COPIES}
    assert not any(name.startswith(("reactions", "suppressed")) for name in count)
    # A window that had ever been reduced would have a threshold.
    assert windows == {LIMIT_PKTS}
    assert transfer.window().in_first_slow_start
    assert transfer.received_bytes > received_before
    assert_all_data_arrived_at_once(pair, transfer)


@pytest.mark.parametrize("algo", ["ecn", "ecn-mod"])
def test_ten_thousand_isqs_mean_nothing_to_an_algorithm_without_becn(pair: Pair, algo: str) -> None:
    pair.enable(algo)
    transfer = pair.transfer()
    flood(pair, lambda segment: Quench(marked=True))
    count = counters(pair.sender)
    assert {name: n for name, n in count.items() if name.startswith("isq_")} == {
        "isq_received": COPIES,
        "isq_refused_not_listening": COPIES,
    }
    assert transfer.window().in_first_slow_start
    assert_all_data_arrived_at_once(pair, transfer)


@pytest.mark.parametrize("algo", ["becn", "ecn-becn"])
@pytest.mark.parametrize("marked", [True, False], ids=["marked", "dropped"])
def test_ten_thousand_believable_isqs_cost_one_halving_per_window(pair: Pair, algo: str, marked: bool) -> None:
    """An attacker on the path can forge ISQs with right quotes. They reduce a window once per round trip at most."""
    pair.enable(algo, "min_cwnd_pkts=4")
    transfer = pair.transfer()
    start_s = time.monotonic()
    # A window has 40 packets at the most: these are two windows.
    flood(pair, lambda segment: Quench(marked=marked), apart_pkts=2 * LIMIT_PKTS * BATCH // COPIES)
    round_trips = (time.monotonic() - start_s) / (2 * pair.wire.delay_s)
    received_bytes = transfer.received_bytes
    kind = "marked" if marked else "dropped"
    # The last one takes effect at the next ACK. Then each is accounted for: it was the first of its window, or one of
    # the same window, or came after the ACK of what it quotes.
    until(lambda: judged(counters(pair.sender), kind) == COPIES)
    count = counters(pair.sender)
    assert 2 <= count[f"reactions_isq_{kind}"] <= round_trips + 1
    accepted = count[f"isq_accepted_{kind}"]
    assert accepted == count[f"reactions_isq_{kind}"] + count["suppressed_isq"]
    assert accepted > COPIES // 2
    assert not any(count.get(f"reactions_{cause}") for cause in ("ece", "loss", "rto"))
    until(lambda: transfer.received_bytes > received_bytes)
    assert_all_data_arrived_at_once(pair, transfer)


@pytest.mark.parametrize("offset_bytes", [-1, 0])
def test_first_byte_in_flight_is_the_limit(pair: Pair, offset_bytes: int) -> None:
    """A quote of the oldest unacknowledged byte is accepted, a quote of the byte before it is refused."""
    pair.enable("becn")
    pair.transfer()
    # With the wire cut no ACK moves the limit while the ISQ is on its way.
    pair.wire.cut = True
    cut_s = time.monotonic()
    time.sleep(2 * pair.wire.delay_s)
    unacked = [s.ack for s in pair.wire.answered if s.time_s < cut_s][-1]
    oldest = next(s for s in pair.wire.sent if s.seq == unacked and s.payload_bytes)
    pair.wire.to_left(Quench(marked=True, seq=unacked + offset_bytes).about(oldest.frame))
    time.sleep(0.02)
    expected = "isq_accepted_marked" if offset_bytes == 0 else "isq_refused_not_in_flight"
    assert counters(pair.sender)[expected] == 1
    pair.wire.cut = False


@pytest.mark.parametrize(
    "good",
    [Quench(marked=True, outer_options=NOP_OPTIONS), Quench(marked=True, quoted_options=NOP_OPTIONS)],
    ids=["outer", "quoted"],
)
def test_isq_with_ip_options_is_understood(pair: Pair, good: Quench) -> None:
    pair.enable("becn")
    transfer = pair.transfer()
    pair.wire.to_left(good.about(pair.wire.newest_data().frame))
    assert transfer.until(lambda w: w.cwnd_pkts < 40).cwnd_pkts == 20


def test_level_bits_do_not_change_the_kind(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    pair.wire.to_left(Quench(marked=False, level=127).about(pair.wire.newest_data().frame))
    time.sleep(0.05)
    assert counters(pair.sender)["reactions_isq_dropped"] == 1


def test_listening_socket_is_no_target(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    with pair.sender.inside(), socket.create_server((LEFT, 7000)):
        pair.wire.to_left(Quench(marked=True, source_port=7000).about(pair.wire.newest_data().frame))
        time.sleep(0.02)
        assert counters(pair.sender)["isq_refused_no_socket"] == 1
