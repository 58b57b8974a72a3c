# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Schedules of calls and of constant rates, and the figures from the packets' delays."""

from collections import defaultdict, deque
from itertools import pairwise, takewhile
from math import sqrt

import pytest
from quench_topologies.datagram_traffic import DatagramRecord, SentDatagram
from quench_topologies.datagrams import ConstantRate, Departure, VoiceCalls
from quench_topologies.demo.figures import quantile
from quench_topologies.demo.summary import jitter_s


def until(load: VoiceCalls | ConstantRate, end_s: float, seed: int = 1) -> list[Departure]:
    return list(takewhile(lambda departure: departure.time_s < end_s, load.schedule(seed)))


def test_the_same_seed_gives_the_same_calls() -> None:
    assert until(VoiceCalls(), 5) == until(VoiceCalls(), 5)
    assert until(VoiceCalls(), 5) != until(VoiceCalls(), 5, seed=2)


def test_packets_leave_in_order_and_a_call_keeps_its_clock() -> None:
    packets = until(VoiceCalls(), 20)
    assert all(earlier.time_s <= later.time_s for earlier, later in pairwise(packets))
    calls = defaultdict(list)
    for packet in packets:
        calls[packet.stream].append(packet.time_s)
    for times in calls.values():
        for earlier, later in pairwise(times):
            ticks = (later - earlier) / 0.02
            assert ticks == pytest.approx(round(ticks), abs=1e-6)
            assert round(ticks) >= 1


def test_the_load_is_what_the_parameters_say() -> None:
    calls = VoiceCalls(arrivals_per_s=2.0, holding_s=5.0, limit=100)
    packets = until(calls, 600)
    # 10 calls on average, each talking 0.3875 of the time, 50 packets a second. A mean over 600 s of a process that
    # forgets within a call's 5 s: sd about 10 * sqrt(2 * 5 / 600 / 10) calls; talk and silence add little.
    expected = 10 * 1.004 / (1.004 + 1.587) * 50
    sd = expected * sqrt(2 * 5 / 600 / 10) * 1.5
    assert abs(len(packets) / 600 - expected) < 4 * sd


def test_calls_beyond_the_limit_are_blocked() -> None:
    def most_at_once(limit: int) -> int:
        calls = VoiceCalls(arrivals_per_s=5.0, holding_s=10.0, limit=limit, talk_s=1e9, silence_s=1e-9)
        spans: dict[int, list[float]] = defaultdict(list)
        for packet in until(calls, 30):
            spans[packet.stream].append(packet.time_s)
        moments = [times[0] for times in spans.values()]
        return max(sum(times[0] <= moment <= times[-1] for times in spans.values()) for moment in moments)

    assert most_at_once(8) == 8
    assert most_at_once(100) > 20


def test_a_constant_rate_comes_and_goes() -> None:
    load = ConstantRate(128_000, packet_bytes=100, on_s=2.0)
    packets = until(load, 40)
    gaps = [later.time_s - earlier.time_s for earlier, later in pairwise(packets)]
    interval_s = 8 * 100 / 128_000
    pauses = [gap for gap in gaps if gap > 2 * interval_s]
    assert all(gap == pytest.approx(interval_s) for gap in gaps if gap <= 2 * interval_s)
    assert pauses == pytest.approx([2.0 + interval_s] * len(pauses))
    # Half of the time at 160 packets a second, but for the first and the last period.
    assert abs(len(packets) - 40 / 2 * 160) <= 2 * 160


def test_a_constant_rate_without_pauses_has_none() -> None:
    packets = until(ConstantRate(128_000, packet_bytes=100, on_s=1.0, off_s=0.0), 10)
    interval_s = 8 * 100 / 128_000
    assert [later.time_s - earlier.time_s for earlier, later in pairwise(packets)] == pytest.approx(
        [interval_s] * (len(packets) - 1)
    )


def test_jitter_is_within_streams_and_of_those_that_arrived() -> None:
    def packet(stream: int, delay_ms: int | None) -> SentDatagram:
        return SentDatagram(stream, 0, None if delay_ms is None else delay_ms * 1_000_000)

    packets = [packet(1, 10), packet(2, 50), packet(1, 13), packet(2, None), packet(2, 45), packet(1, 12)]
    assert jitter_s(packets) == pytest.approx((3 + 1 + 5) / 3 / 1000)
    assert jitter_s([packet(1, 10)]) is None


def test_a_record_is_cut_by_when_packets_were_sent() -> None:
    packets = [SentDatagram(1, time) for time in (5, 10, 19, 20)]
    assert DatagramRecord(200, deque(packets)).between(10, 20) == packets[1:3]


def test_quantile_is_a_value_that_occurs() -> None:
    values = [float(value) for value in range(1, 101)]
    assert quantile(values, 0.99) == 99
    assert quantile(values, 1.0) == 100
    assert quantile([7.0], 0.5) == 7
