# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Source quenches that must not be believed: refused, counted by reason, and without any effect."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest
from hostlab.hosts import LEFT, Pair, counters
from hostlab.packets import Quench, Segment
from hostlab.transfer import Transfer

COPIES = 200
NOP_OPTIONS = b"\x01" * 8


def deliver(pair: Pair, transfer: Transfer, forge: Callable[[Segment], Quench]) -> set[int]:
    """Send copies of a forged ISQ at the transfer and return the windows seen during the next round trips."""
    for _ in range(COPIES):
        segment = pair.wire.newest_data()
        pair.wire.to_left(forge(segment).about(segment.frame))
    return {w.cwnd_pkts for w in transfer.watch(0.15)}


FORGED: dict[str, tuple[str, Callable[[Segment], Quench]]] = {
    "truncated quote": ("truncated", lambda s: Quench(marked=True, quoted_bytes=27)),
    "no quote": ("truncated", lambda s: Quench(marked=True, quoted_bytes=0)),
    "quote shorter than its options": (
        "truncated",
        lambda s: Quench(marked=True, quoted_options=NOP_OPTIONS, quoted_bytes=28),
    ),
    "frame shorter than its length": ("truncated", lambda s: Quench(marked=True, cut_frame_bytes=4)),
    "ICMP checksum": ("bad_checksum", lambda s: Quench(marked=True, corrupt=True)),
    "IP checksum": ("bad_checksum", lambda s: Quench(marked=True, corrupt_outer=True)),
    "code": ("bad_code", lambda s: Quench(marked=True, code=1)),
    "fragment": ("fragment", lambda s: Quench(marked=True, fragment=0x2000)),
    "quotes UDP": ("not_tcp", lambda s: Quench(marked=True, quoted_proto=17)),
    "quotes another host": ("wrong_source", lambda s: Quench(marked=True, quoted_source=bytes([10, 9, 0, 77]))),
    "wrong port": ("no_socket", lambda s: Quench(marked=True, source_port=9)),
    "after what was sent": ("not_in_flight", lambda s: Quench(marked=True, seq=s.seq + (1 << 30))),
    "before what was sent": ("not_in_flight", lambda s: Quench(marked=True, seq=s.seq - (1 << 30))),
}


@pytest.mark.parametrize("kind", FORGED)
def test_forged_isq_is_refused(pair: Pair, kind: str) -> None:
    reason, forge = FORGED[kind]
    pair.enable("becn")
    transfer = pair.transfer()
    windows = deliver(pair, transfer, forge)
    count = counters(pair.sender)
    assert windows == {40}
    assert {name: n for name, n in count.items() if name.startswith("isq_")} == {
        "isq_received": COPIES,
        f"isq_refused_{reason}": COPIES,
    }
    assert not any(name.startswith("reactions") for name in count)


@pytest.mark.parametrize("offset_bytes", [-1, 0])
def test_first_byte_in_flight_is_the_limit(pair: Pair, offset_bytes: int) -> None:
    """A quote of the oldest unacknowledged byte is believed, of the one before it is not."""
    pair.enable("becn")
    pair.transfer()
    # With the wire cut no ACK moves the limit while the ISQ is on its way.
    pair.wire.cut = True
    cut_s = time.monotonic()
    time.sleep(2 * pair.wire.delay_s)
    unacked = [s.ack for s in pair.wire.answered if s.time_s < cut_s][-1]
    pair.wire.to_left(Quench(marked=True, seq=unacked + offset_bytes).about(pair.wire.newest_data().frame))
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
