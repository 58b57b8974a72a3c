# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Batching and acknowledgements, with the clock in the test's hand."""

import itertools

import pytest
from finsy.proto import p4r
from quench_switch.p4runtime.device import Device
from quench_switch.p4runtime.digest_stream import DigestStreams
from quench_switch.p4runtime.limits import DIGEST_KNOWN_BYTES, DIGEST_LIST_BYTES, MESSAGE_OVERHEAD_BYTES

MS = 1_000_000


@pytest.fixture
def learn(server, config, names):
    """Maker of a stream with a configuration, and a function that learns one MAC address."""

    def make(**fields):
        device = Device(server.switch, cpu_port=510)
        device.load(config)
        state = device.running.state
        state.digests.settled[names.id("learned_t")] = p4r.DigestEntry.Config(**fields)
        streams = DigestStreams(state)
        (native_id,) = state.pipeline.digest_ids

        def learn(source, now_ns):
            return list(streams.learn(native_id, [[source, b"\1"]], now_ns))

        return streams, learn

    return make


def macs(digest):
    return [data.struct.members[0].bitstring for data in digest.data]


def test_without_a_timeout_every_message_is_a_list(learn):
    _, learn_one = learn(max_timeout_ns=0, max_list_size=10)
    assert [macs(digest) for digest in learn_one(b"\1", 0)] == [[b"\1"]]
    assert [macs(digest) for digest in learn_one(b"\1", 1)] == [[b"\1"]]


def test_a_list_is_sent_when_it_is_full(learn):
    _, learn_one = learn(max_timeout_ns=100 * MS, max_list_size=2)
    assert learn_one(b"\1", 0) == []
    assert learn_one(b"\1", 1) == []  # a duplicate does not count
    (digest,) = learn_one(b"\2", 2)
    assert macs(digest) == [b"\1", b"\2"]


def test_a_list_is_sent_when_its_first_message_has_waited_long_enough(learn):
    streams, learn_one = learn(max_timeout_ns=100 * MS, max_list_size=0)
    learn_one(b"\1", 0)
    learn_one(b"\2", 90 * MS)
    assert list(streams.due(99 * MS)) == []
    (digest,) = streams.due(100 * MS)
    assert macs(digest) == [b"\1", b"\2"]
    assert list(streams.due(900 * MS)) == []


def test_what_was_sent_is_not_repeated_until_acknowledged_or_timed_out(learn, names):
    streams, learn_one = learn(max_list_size=1, ack_timeout_ns=500 * MS)
    (first,) = learn_one(b"\1", 0)
    assert learn_one(b"\1", 10 * MS) == []
    streams.acknowledge(p4r.DigestListAck(digest_id=names.id("learned_t"), list_id=first.list_id + 1))
    assert learn_one(b"\1", 20 * MS) == []
    streams.acknowledge(p4r.DigestListAck(digest_id=names.id("learned_t"), list_id=first.list_id))
    (second,) = learn_one(b"\1", 30 * MS)
    assert second.list_id != first.list_id
    assert learn_one(b"\1", 529 * MS) == []
    assert len(learn_one(b"\1", 530 * MS)) == 1


def test_nothing_is_streamed_before_it_is_enabled_or_after_it_is_disabled(learn, names):
    streams, learn_one = learn(max_timeout_ns=100 * MS)
    learn_one(b"\1", 0)
    streams._state.digests.settled.clear()
    assert list(streams.due(1000 * MS)) == []
    assert learn_one(b"\2", 1000 * MS) == []


def test_list_ids_are_unique(learn):
    _, learn_one = learn(max_list_size=1)
    ids = [
        digest.list_id
        for source, now in zip((b"\1", b"\2", b"\3"), itertools.count())
        for digest in learn_one(source, now)
    ]
    assert len(set(ids)) == 3


def test_digest_configurations_are_written_and_read(primary, names):
    entry = p4r.DigestEntry(digest_id=names.id("learned_t"))
    entry.config.max_timeout_ns = 5
    entry.config.max_list_size = 6
    entry.config.ack_timeout_ns = 7
    primary.insert(digest_entry=entry)
    assert primary.read(digest_entry=p4r.DigestEntry()) == [entry]
    entry.config.max_list_size = 1
    primary.modify(digest_entry=entry)
    assert primary.read(digest_entry=p4r.DigestEntry(digest_id=entry.digest_id)) == [entry]
    primary.delete(digest_entry=entry)
    assert primary.read(digest_entry=p4r.DigestEntry()) == []


def test_rules_of_digest_configurations(primary, names):
    known = p4r.DigestEntry(digest_id=names.id("learned_t"))
    unknown = p4r.DigestEntry(digest_id=99)
    negative = p4r.DigestEntry(digest_id=names.id("learned_t"))
    negative.config.max_timeout_ns = -1
    codes = primary.try_write(
        *(
            p4r.Update(type=kind, entity=p4r.Entity(digest_entry=entry))
            for kind, entry in [
                (p4r.Update.INSERT, unknown),
                (p4r.Update.MODIFY, known),
                (p4r.Update.DELETE, known),
                (p4r.Update.INSERT, negative),
                (p4r.Update.INSERT, known),
                (p4r.Update.INSERT, known),
            ]
        )
    )
    assert [code.name for code in codes] == [
        "NOT_FOUND",
        "NOT_FOUND",
        "NOT_FOUND",
        "INVALID_ARGUMENT",
        "OK",
        "ALREADY_EXISTS",
    ]


def test_lists_that_nobody_acknowledges_are_limited_in_bytes(learn):
    streams, learn_one = learn(max_timeout_ns=0, max_list_size=1, ack_timeout_ns=2**62)
    sent = sum(len(learn_one(number.to_bytes(6, "big"), number)) for number in range(50_000))
    assert 1000 < sent < DIGEST_KNOWN_BYTES // MESSAGE_OVERHEAD_BYTES
    assert streams.dropped == 50_000 - sent
    # An acknowledgement makes room for as much.
    streams.acknowledge(p4r.DigestListAck(digest_id=next(iter(streams._streams)), list_id=7))
    assert len(learn_one(b"\xff" * 6, 60_000)) == 1
    assert learn_one(b"\xfe" * 6, 60_000) == []


def test_a_large_list_is_sent_even_if_its_config_allows_more(learn):
    _, learn_one = learn(max_timeout_ns=2**62, max_list_size=2**31 - 1)
    lists = [digest for number in range(2000) for digest in learn_one(number.to_bytes(6, "big"), number)]
    assert lists
    assert all(digest.ByteSize() <= DIGEST_LIST_BYTES for digest in lists)


class Compared(bytes):
    """Counts how often it is compared with another."""

    count = 0

    __hash__ = bytes.__hash__

    def __eq__(self, other):
        Compared.count += 1
        return bytes.__eq__(self, other)


def test_what_was_sent_is_not_searched(learn):
    streams, learn_one = learn(max_timeout_ns=0, max_list_size=1, ack_timeout_ns=2**62)
    number = 3000
    Compared.count = 0
    for place in range(number):
        assert len(learn_one(Compared(place.to_bytes(6, "big")), place)) == 1
        assert learn_one(Compared(place.to_bytes(6, "big")), place) == []
    (digest_id,) = streams._streams
    for list_id in range(number, 0, -1):
        streams.acknowledge(p4r.DigestListAck(digest_id=digest_id, list_id=list_id))
    assert streams._streams[digest_id].known_bytes == 0
    # Once for each message that came again and once for each that went; a search takes millions.
    assert Compared.count < 10 * number
