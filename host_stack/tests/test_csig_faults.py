# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""CSIG where tags get lost, where the peer stops, and where tags and options are forged."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hostlab.csig import BANDWIDTH, DELAY, OFFER, Tag, enable, option, returned, rewrite, wait_for
from hostlab.hosts import Pair, counters, quench_host, status
from hostlab.packets import ACK, ECE, Segment, rewrite_tcp, split_tag
from hostlab.transfer import Transfer

FORM = "compact"


def goes_on(transfer: Transfer) -> None:
    """Wait for half a megabyte more to arrive."""
    deadline_s, goal_bytes = time.monotonic() + 20, transfer.received_bytes + 500_000
    while transfer.received_bytes < goal_bytes:
        assert time.monotonic() < deadline_s, f"{goal_bytes - transfer.received_bytes} bytes are missing"
        time.sleep(0.01)


def test_a_path_that_loses_tags_loses_a_few_packets_only(pair: Pair) -> None:
    """As one of devices that know no such EtherType. Each round one packet asks, and after seven the sender stops."""
    lost: list[Segment] = []

    def lose(segment: Segment) -> bytes | None:
        if segment.tag:
            lost.append(segment)
            return None
        return segment.frame

    pair.wire.always = lose
    enable(pair, FORM)
    transfer = Transfer(pair.sender, pair.receiver, "10.9.0.2", 4999)
    count = wait_for(pair.sender, "csig_peer_silent")
    goes_on(transfer)
    transfer.close()
    assert len(lost) == count["csig_tagged"] == 7
    assert (counters(pair.sender)["csig_tagged"], status(pair.sender)["csig"]["delay"]) == (7, None)


def test_a_switch_that_removes_tags_is_no_good_news(pair: Pair) -> None:
    pair.wire.always = lambda segment: split_tag(segment.frame)[1]
    enable(pair, FORM)
    pair.transfer()
    count = wait_for(pair.sender, "csig_peer_silent")
    assert count["csig_tagged"] == 7
    assert status(pair.sender)["csig"] == {"delay": None, "bandwidth": None}
    assert "csig_received" not in counters(pair.receiver)


@pytest.mark.parametrize("who", ["receiver", "sender"])
def test_a_connection_outlives_its_end_of_csig(pair: Pair, who: str) -> None:
    """The kernel of the receiver then drops packets with tags. Retransmissions have none."""
    enable(pair, FORM)
    transfer = pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    ns, device = (pair.receiver, "h1") if who == "receiver" else (pair.sender, "h0")
    quench_host(ns, "disable", "--dev", device)
    goes_on(transfer)
    if who == "receiver":
        wait_for(pair.sender, "csig_peer_silent")
    # The window of a sender that is disabled has no limit: packets with tags may wait in front of the wire for long.
    deadline_s = time.monotonic() + 40
    while any(s.tag for s in pair.wire.sent[-20:]):
        assert time.monotonic() < deadline_s, "packets still have tags"
        time.sleep(0.1)
    goes_on(transfer)


def test_a_lost_answer_is_no_reason_to_stop(pair: Pair) -> None:
    enable(pair, FORM)
    transfer = pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    pair.wire.once(lambda segment: None)
    transfer.until(lambda w: w.ssthresh_pkts < 40)
    wait_for(pair.sender, "csig_reported", counters(pair.sender)["csig_reported"] + 50)
    assert "csig_peer_silent" not in counters(pair.sender)


def test_absurd_tags_are_returned_and_do_no_harm(pair: Pair) -> None:
    """A type that nobody has asked for, or that is not defined."""
    enable(pair, FORM)
    pair.wire.always = rewrite(FORM, lambda tag: Tag(about=1 if tag.about == DELAY else 7, number=31, locator=127))
    transfer = pair.transfer()
    wait_for(pair.receiver, "csig_unknown")
    wait_for(pair.sender, "csig_refused")
    goes_on(transfer)
    assert status(pair.sender)["csig"] == {"delay": None, "bandwidth": None}
    assert {t.about for s in pair.wire.answered if (t := returned(s, FORM))} == {1}
    assert "csig_reported" not in counters(pair.sender)


def test_forged_options_are_refused(pair: Pair) -> None:
    """ACKs of what was not sent, options of other lengths and formats, and types that nobody has asked for."""
    enable(pair, FORM)
    pair.wire.always = rewrite(FORM, lambda tag: replace(tag, number=9, locator=1))
    pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    # Timestamps come first.
    assert pair.wire.answered[-1].options[:4] == b"\1\1\x08\x0a"
    bad = Tag(DELAY, 31, 99)
    contents = [
        (1 << 24, option(FORM, bad)),
        (-(1 << 24), option(FORM, bad)),
        (0, option("wide", bad)),
        (0, option(FORM, replace(bad, about=1))),
        (0, OFFER),
        (0, b"\xfd\x05CS\0\1\1\1"),
        (0, b"\xfd\x0cCS" + bytes(8)),
        (0, b"\xfd\xffCS"),
        (0, b"\1\1\xfd\1"),
    ]
    for ahead, content in contents:
        template = pair.wire.answered[-1]
        ack = rewrite_tcp(template.frame, ack=template.ack + ahead, flags=ACK, options=template.options[:12] + content)
        pair.wire.to_left(ack)
        time.sleep(0.01)
    wait_for(pair.sender, "csig_refused", 5)
    answers = status(pair.sender)["csig"]
    assert (answers["delay"], answers["bandwidth"]) == ({"number": 9, "locator": 1},) * 2


def test_tags_of_no_connection_are_dropped(pair: Pair) -> None:
    """They are of unknown ports, of no TCP, without data, cut short, one behind another, and in front of no IP."""
    enable(pair, FORM)
    transfer = pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    data = next(s for s in reversed(pair.wire.sent) if s.tag)
    bare = split_tag(data.frame)[1]
    tag = data.frame[12:16]

    def tagged(frame: bytes) -> bytes:
        return frame[:12] + tag + frame[12:]

    other_port = bare[:36] + b"\x13\x37" + bare[38:]
    udp = bare[:23] + b"\x11" + bare[24:]
    pure_ack = rewrite_tcp(bare, ack=data.ack, flags=ACK | ECE, options=b"")
    unknown = [tagged(other_port), tagged(udp), tagged(pure_ack)]
    unread = [data.frame[:n] for n in (14, 15, 16, 17)]
    unread += [tagged(tagged(bare[:-4])), bare[:12] + tag + b"\x12\x34" + bare[14:]]
    for frame in unread + unknown:
        pair.wire.to_right(frame)
    wait_for(pair.receiver, "csig_unknown", len(unknown))
    goes_on(transfer)
    assert counters(pair.receiver)["csig_unknown"] == len(unknown)


def test_a_flood_of_offers_is_forgotten(pair: Pair) -> None:
    """The table of offers is bounded, and connections do not depend on it."""
    enable(pair, FORM)
    pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    syn = pair.wire.sent[0]
    assert OFFER in syn.options
    for source in range(1, 20_000):
        frame = bytearray(syn.frame)
        frame[34:36] = source.to_bytes(2, "big")
        pair.wire.to_right(bytes(frame))
    reported = counters(pair.sender)["csig_reported"]
    wait_for(pair.sender, "csig_reported", reported + 20)
    assert status(pair.sender)["csig"]["bandwidth"] is not None
    assert {t.about for s in pair.wire.answered if (t := returned(s, FORM))} == {DELAY, BANDWIDTH}
