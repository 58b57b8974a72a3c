# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""hpcc.p4: the records that a router adds, against the format written down in Python, and hostile packets."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import pytest
from datacentre import (
    ACK,
    DATA,
    ETHERNET_BYTES,
    FIN,
    HPCC,
    IPV4_BYTES,
    NACK,
    OWN_BYTES,
    RECEIVER,
    RECEIVER_ADDRESS,
    SENDER,
    SENDER_ADDRESS,
    Own,
    Seen,
    Switch,
    changed,
    frame,
)
from hypothesis import example, given
from hypothesis import strategies as st

HEADER_BYTES, TELEMETRY_BYTES, RECORDS = IPV4_BYTES + OWN_BYTES, 42, 5
LEAST_BYTES = HEADER_BYTES + TELEMETRY_BYTES
RATES = {25: (1, 0), 50: (2, 1), 100: (3, 2), 200: (4, 3), 400: (5, 4), 10: (6, 0), 40: (7, 0)}
"""Code and shift of the units by Gb/s."""
SETTINGS = dict(zip(("rate", "unit_shift"), RATES[100], strict=True)) | {"are_acks_first": 1}
pytestmark = pytest.mark.parametrize("extended", [True, False], ids=["extended", "bmv2"])


@dataclass(frozen=True)
class Record:
    """A router's record, in the header's units."""

    rate: int
    time_ns: int
    sent: int
    queue: int

    @staticmethod
    def decode(value: int) -> Record:
        return Record(value >> 61, value >> 37 & (1 << 24) - 1, value >> 17 & (1 << 20) - 1, value & (1 << 17) - 1)

    @staticmethod
    def of(gbps: int, time_ns: int, sent_bytes: int, queue_bytes: int) -> Record:
        code, _ = RATES[gbps]
        multi = max(1, gbps // 25)
        return Record(
            code,
            time_ns % (1 << 24),
            sent_bytes // (128 * multi) % (1 << 20),
            min(queue_bytes // (80 * multi), (1 << 17) - 1),
        )


def hpcc(own: Own, telemetry: bytes = bytes(TELEMETRY_BYTES), payload: int = 0) -> bytes:
    return frame(own.encode() + telemetry + bytes(payload), HPCC)


def telemetry_of(seen: Seen) -> tuple[int, list[int]]:
    """The count, and the records as numbers."""
    count, *records = struct.unpack_from("!H5Q", seen.ip, HEADER_BYTES)
    return count, records


def records_of(seen: Seen) -> list[Record]:
    count, records = telemetry_of(seen)
    assert all(each == 0 for each in records[count:])
    return [Record.decode(each) for each in records[:count]]


def test_a_record_is_of_the_departure(extended: bool) -> None:
    """Four packets at once at 100 Gb/s, 80 ns each. The first has left before the others come."""
    switch = Switch("hpcc", SETTINGS, extended=extended)
    switch.wait(5000)
    for number in range(4):
        switch.receive(hpcc(Own(DATA, message=number), payload=1000 - LEAST_BYTES))
    seen = switch.wait(10**6)
    for number, each in enumerate(seen):
        assert each.is_right
        left_ns = 5000 + 80 * number
        time_ns = left_ns if extended else left_ns // 1000 * 1000
        assert records_of(each) == [Record.of(100, time_ns, 1000 * number, 1000 * (3 - number) if number else 0)]
        assert each.own == Own(DATA, message=number, hops=1)
    assert switch.register("sent_bytes") == 4000


@given(
    gbps=st.sampled_from(list(RATES)),
    sent_bytes=st.integers(0, (1 << 64) - 1),
    queue_bytes=st.integers(0, (1 << 32) - 1),
    time_us=st.integers(0, 10**9),
    interpreted=st.booleans(),
)
@example(gbps=100, sent_bytes=127, queue_bytes=79, time_us=0, interpreted=False)
@example(
    gbps=400,
    sent_bytes=128 * 16 * ((1 << 20) - 1),
    queue_bytes=80 * 16 * ((1 << 17) - 1),
    time_us=16777,
    interpreted=False,
)
@example(gbps=400, sent_bytes=128 * 16 << 20, queue_bytes=(80 * 16 << 17) - 1, time_us=16778, interpreted=True)
@example(gbps=25, sent_bytes=(1 << 64) - 1, queue_bytes=(1 << 32) - 1, time_us=10**9, interpreted=True)
def test_units_and_saturation(
    extended: bool, gbps: int, sent_bytes: int, queue_bytes: int, time_us: int, interpreted: bool
) -> None:
    """The registers are written: nothing can wait that long. With the extension the switch knows the queue itself."""
    code, shift = RATES[gbps]
    switch = Switch("hpcc", {"rate": code, "unit_shift": shift}, extended=extended, interpreted=interpreted)
    switch.switch.register_write("sent_bytes", RECEIVER, sent_bytes.to_bytes(8, "big"))
    if extended:
        queue_bytes = 0
    else:
        switch.switch.register_write("waiting_bytes", RECEIVER, queue_bytes.to_bytes(4, "big"))
    switch.receive(hpcc(Own(DATA)), time_us * 1000)
    (seen,) = switch.wait(10**6)
    # A counter that is full takes no more bytes, and gives back those that it took.
    waits = min(queue_bytes + LEAST_BYTES, (1 << 32) - 1) - LEAST_BYTES if queue_bytes else 0
    assert records_of(seen) == [Record.of(gbps, time_us * 1000, sent_bytes, waits)]
    assert switch.register("sent_bytes") == (sent_bytes + LEAST_BYTES) % (1 << 64)


def test_six_routers_leave_five_records(extended: bool) -> None:
    data = hpcc(Own(DATA))
    for number in range(6):
        gbps = list(RATES)[number]
        code, shift = RATES[gbps]
        switch = Switch("hpcc", {"rate": code, "unit_shift": shift}, extended=extended)
        switch.receive(data, 1000 * (number + 1))
        (seen,) = switch.wait(10**6)
        data = seen.data
        expected = [Record.of(list(RATES)[hop], 1000 * (hop + 1), 0, 0) for hop in range(min(number + 1, RECORDS))]
        assert records_of(seen) == expected
    assert seen.own.hops == 6


@pytest.mark.parametrize("count", [5, 6, 255, 256, 65535])
def test_a_full_stack_is_left_alone(extended: bool, count: int) -> None:
    telemetry = struct.pack("!H", count) + bytes(range(40))
    switch = Switch("hpcc", SETTINGS, extended=extended)
    switch.receive(hpcc(Own(DATA), telemetry))
    (seen,) = switch.wait(10**6)
    assert seen.ip[HEADER_BYTES:] == telemetry
    assert seen.is_right


@pytest.mark.parametrize("flags", [ACK, NACK, ACK | FIN, ACK | DATA, NACK | DATA, 0, FIN])
def test_what_is_no_data_gets_no_record(extended: bool, flags: int) -> None:
    """Its bytes count. What tells the sender something goes before data."""
    switch = Switch("hpcc", SETTINGS, extended=extended)
    switch.receive(hpcc(Own(flags), bytes(2) + bytes(range(40))))
    (seen,) = switch.wait(10**6)
    assert seen.ip[HEADER_BYTES:] == bytes(2) + bytes(range(40))
    assert seen.own == Own(flags, hops=1)
    assert switch.register("sent_bytes") == LEAST_BYTES
    queue = int(bool(flags & (ACK | NACK)))
    assert switch.switch.port_get(RECEIVER)["queue_stats"][queue]["tx_pkts"] == 1


def test_feedback_overtakes_data(extended: bool) -> None:
    switch = Switch("hpcc", SETTINGS, extended=extended)
    for flags in (DATA, DATA, DATA, ACK):
        switch.receive(hpcc(Own(flags), payload=900))
    assert [each.own.flags for each in switch.wait(10**6)] == [DATA, ACK, DATA, DATA]


def test_feedback_waits_with_data_where_it_is_not_to_go_first(extended: bool) -> None:
    switch = Switch("hpcc", SETTINGS | {"are_acks_first": 0}, extended=extended)
    for flags in (DATA, DATA, ACK, DATA):
        switch.receive(hpcc(Own(flags), payload=900))
    assert [each.own.flags for each in switch.wait(10**6)] == [DATA, DATA, ACK, DATA]


def test_hostile_packets(extended: bool) -> None:
    """Packets that are cut short or have options are routed without a record; those that are wrong are dropped."""
    switch = Switch("hpcc", SETTINGS, extended=extended)
    body = Own(DATA).encode() + bytes(TELEMETRY_BYTES)
    routed = [
        *(frame(body[:length], HPCC) for length in range(len(body))),
        frame(body, HPCC, total_length=LEAST_BYTES - 1),
        frame(body, HPCC, options=bytes([1, 1, 1, 0])),
        frame(body, HPCC, fragment=0x2000),
        frame(body, HPCC, fragment=1),
        frame(body, 196),
        frame(body, 17),
    ]
    for data in routed:
        switch.receive(data)
        (seen,) = switch.wait(10**6)
        assert seen.data[ETHERNET_BYTES + IPV4_BYTES :] == data[ETHERNET_BYTES + IPV4_BYTES :]
    dropped = [
        *(frame(body, HPCC, ihl=ihl) for ihl in (0, 4, 15)),
        frame(body, HPCC, version=6),
        *(frame(body, HPCC, total_length=total) for total in (0, 19, LEAST_BYTES + 1)),
    ]
    for data in dropped:
        switch.receive(data)
        assert switch.wait(10**6) == []
    assert switch.counter("port_dropped_invalid", SENDER) == len(dropped)
    for data in (frame(body, HPCC, ttl=1), frame(body, HPCC, destination=bytes([10, 9, 9, 9]))):
        switch.receive(data)
        assert switch.wait(10**6) == []


def test_the_limit_drops_before_the_buffer(extended: bool) -> None:
    switch = Switch("hpcc", SETTINGS | {"limit_bytes": 2000}, extended=extended)
    for _ in range(10):
        switch.receive(hpcc(Own(DATA), payload=1000 - LEAST_BYTES))
    assert switch.waiting_bytes() == 2000
    assert switch.counter("port_dropped_forced") == 7
    assert len(switch.wait(10**6)) == 3


def test_a_port_without_settings_writes_nothing(extended: bool) -> None:
    switch = Switch("hpcc", SETTINGS, extended=extended)
    own = Own(DATA, hops=255)
    data = frame(own.encode() + bytes(42), HPCC, source=RECEIVER_ADDRESS, destination=SENDER_ADDRESS)
    switch.receive(data, port=RECEIVER)
    (seen,) = switch.wait(10**6)
    assert (seen.port, seen.own, records_of(seen)) == (SENDER, changed(own, hops=255), [])
    assert switch.register("sent_bytes", SENDER) == 0
