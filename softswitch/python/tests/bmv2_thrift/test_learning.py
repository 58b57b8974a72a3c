# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Digests for subscribers of nanomsg's protocol, and their acknowledgements by Thrift."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from bm_runtime.standard import ttypes as t
from hypothesis import given, settings
from hypothesis import strategies as st
from quench_switch.bmv2_thrift import learning
from quench_switch.bmv2_thrift.attaching import Attaching
from quench_switch.bmv2_thrift.learning import Learning, Notifications
from quench_switch.bmv2_thrift.listener import ThriftListener, Users
from quench_switch.bmv2_thrift.start import bind
from quench_switch.p4runtime.device import Device

MAC = bytes(range(6))


@pytest.fixture
def notifications(device: Device) -> Notifications:
    return Notifications("tcp://127.0.0.1:1", device, device.switch, 7)


@pytest.fixture
def server(device: Device, notifications: Notifications) -> Iterator[ThriftListener]:
    listener = bind(
        "127.0.0.1:0",
        device,
        device.switch,
        device_id=7,
        attaching=Attaching({}),
        users=Users(),
        priority_queues=4,
        notifications=notifications,
    )
    listener.start()
    yield listener
    listener.stop()


@pytest.fixture
def published(device: Device, notifications: Notifications, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    messages: list[bytes] = []
    monkeypatch.setattr(notifications.learning, "_publish", messages.append)
    return messages


def header(buffer_id: int, samples: int, number: int = 1) -> bytes:
    """The header as BMv2's clients unpack it."""
    return struct.pack("<4sQiiQi", b"LEA|", 7, 0, number, buffer_id, samples)


def learn(of: Learning, *ports: int) -> None:
    of.learn([(1, [[MAC, struct.pack(">H", port)] for port in ports], 0)])


def sample(port: int) -> bytes:
    return MAC + struct.pack(">H", port)


def test_a_sample_is_sent_once_until_it_is_acknowledged(
    clients: SimpleNamespace, notifications: Notifications, published: list[bytes]
) -> None:
    api = clients.standard
    assert api.bm_mgmt_get_info().notifications_socket == "tcp://127.0.0.1:1"
    learn(notifications.learning, 3, 4, 3)
    assert published == [header(0, 1) + sample(3), header(1, 1) + sample(4)]
    api.bm_learning_ack_buffer(0, 1, 0)
    api.bm_learning_ack_buffer(0, 1, 0)
    learn(notifications.learning, 4, 3)
    assert published[2:] == [header(2, 1) + sample(3)]


def test_buffers_and_single_samples(
    clients: SimpleNamespace, notifications: Notifications, published: list[bytes]
) -> None:
    api = clients.standard
    api.bm_learning_set_buffer_size(0, 1, 3)
    api.bm_learning_set_timeout(0, 1, 0)
    learn(notifications.learning, 1, 2)
    notifications.learning.send_due()
    assert published == []
    learn(notifications.learning, 3, 4)
    assert published == [header(0, 3) + sample(1) + sample(2) + sample(3)]
    api.bm_learning_ack(0, 1, 0, [0, 2, 2, 9, -1])
    learn(notifications.learning, 1, 2, 3)
    assert published[1:] == [header(1, 3) + sample(4) + sample(1) + sample(3)]
    learn(notifications.learning, 9)
    api.bm_learning_set_buffer_size(0, 1, 1)
    notifications.learning.send_due()
    assert published[2:] == [header(2, 1) + sample(9)]


def test_a_sample_waits_for_others_only_so_long(
    clients: SimpleNamespace, notifications: Notifications, published: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = SimpleNamespace(monotonic_ns=lambda: 5_000_000_000)
    monkeypatch.setattr(learning, "time", now)
    clients.standard.bm_learning_set_buffer_size(0, 1, 10)
    clients.standard.bm_learning_set_timeout(0, 1, 200)
    learn(notifications.learning, 1, 2)
    now.monotonic_ns = lambda: 5_199_999_999
    notifications.learning.send_due()
    assert published == []
    now.monotonic_ns = lambda: 5_200_000_000
    notifications.learning.send_due()
    notifications.learning.send_due()
    assert published == [header(0, 2) + sample(1) + sample(2)]


def test_lists_that_are_not_there_are_refused(clients: SimpleNamespace) -> None:
    api = clients.standard
    calls = [
        lambda number, value: api.bm_learning_ack(0, number, value, []),
        lambda number, value: api.bm_learning_ack_buffer(0, number, value),
        lambda number, value: api.bm_learning_set_timeout(0, number, value),
        lambda number, value: api.bm_learning_set_buffer_size(0, number, value),
    ]
    for call in calls:
        with pytest.raises(t.InvalidLearnOperation) as caught:
            call(2, 1)
        assert caught.value.code == t.LearnOperationErrorCode.INVALID_LIST_ID
    for call in calls[2:]:
        with pytest.raises(t.InvalidLearnOperation):
            call(1, -1)


def test_a_program_begins_anew(clients: SimpleNamespace, notifications: Notifications, published: list[bytes]) -> None:
    learn(notifications.learning, 1)
    clients.standard.bm_reset_state()
    learn(notifications.learning, 1)
    assert published == 2 * [header(0, 1) + sample(1)]
    # These are of a program that was there before.
    notifications.learning.learn([(1, [[MAC]], 0), (2, [[MAC, b"\0\1"]], 0)])
    assert len(published) == 2


def test_what_nobody_acknowledges_takes_limited_memory(
    notifications: Notifications, published: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    most = learning.DIGEST_KNOWN_BYTES // (learning.MESSAGE_OVERHEAD_BYTES + len(sample(0)))
    learn(notifications.learning, *range(most))
    assert (len(published), notifications.learning.dropped) == (most, 0)
    learn(notifications.learning, *range(most, most + 500))
    assert (len(published), notifications.learning.dropped) == (most, 500)
    assert len(caplog.messages) == 1
    assert notifications.learning.acknowledge(1, 0)
    learn(notifications.learning, most)
    assert len(published) == most + 1
    # It is said again of what is dropped after room was made.
    learn(notifications.learning, *range(most + 1, most + 10))
    assert len(caplog.messages) == 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("learn"), st.integers(0, 8)),
            st.tuples(st.just("ack"), st.integers(-1, 6)),
            st.tuples(st.just("one"), st.integers(0, 6)),
            st.tuples(st.just("size"), st.integers(0, 4)),
            st.tuples(st.just("due"), st.just(0)),
        ),
        max_size=60,
    )
)
def test_no_sample_is_sent_again_before_it_is_acknowledged(steps: list[tuple[str, int]]) -> None:
    sent: list[bytes] = []
    running = object()
    device = SimpleNamespace(running=running)
    fields = [{"name": "a", "bits": 48}, {"name": "b", "bits": 9}]
    switch = SimpleNamespace(program=lambda: {"digests": [{"id": 1, "name": "d", "fields": fields}]})
    made = Learning(device, switch, 7, sent.append)  # type: ignore[arg-type]
    out: dict[tuple[int, int], bytes] = {}
    waiting: set[bytes] = set()
    taken = 0
    for step, value in steps:
        if step == "learn":
            learn(made, value)
            if sample(value) not in out.values():
                waiting.add(sample(value))
        elif step == "ack":
            made.acknowledge(1, value)
            out = {place: each for place, each in out.items() if place[0] != value}
        elif step == "one":
            made.acknowledge(1, value, [0])
            out.pop((value, 0), None)
        elif step == "size":
            made.set_most_samples(1, value)
        else:
            made.send_due()
        for message in sent[taken:]:
            *_, buffer_id, count = struct.unpack("<4sQiiQi", message[:32])
            samples = [message[place : place + 8] for place in range(32, len(message), 8)]
            assert len(samples) == count > 0
            for place, each in enumerate(samples):
                assert each in waiting
                assert each not in out.values()
                out[buffer_id, place] = each
                waiting.discard(each)
        taken = len(sent)
