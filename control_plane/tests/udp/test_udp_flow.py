# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""When packets are due, and what a receiver says of those that arrive, in virtual time."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.udp import OnOff
from quench.udp.flow import MAX_GAPS, Arrival, Flow, FlowReport, Sequence
from quench.udp.schedule import Schedule
from quench.udp.wire import DataHeader

MS = 1_000_000
CE, ECT1 = 0b11, 0b01


def dues(schedule: Schedule, gap_s: float, count: int) -> list[float]:
    """The times of the next packets, each sent when it is due."""
    times = []
    for _ in range(count):
        due_s = schedule.due_s(gap_s)
        assert schedule.due_s(gap_s) == due_s
        schedule.sent(due_s, due_s)
        times.append(due_s)
    return times


def test_packets_are_due_at_a_constant_rate() -> None:
    assert dues(Schedule(5.0), 0.25, 4) == [5.0, 5.25, 5.5, 5.75]


def test_a_late_packet_does_not_delay_those_behind_it_but_a_long_sleep_is_forgotten() -> None:
    schedule = Schedule(0.0)
    schedule.sent(0.01, 0.0)
    assert schedule.due_s(0.125) == 0.125
    schedule.sent(100.0, 0.125)
    assert schedule.due_s(0.125) == pytest.approx(100.0 - Schedule.MAX_LAG_S + 0.125)


def test_a_new_gap_counts_from_the_last_packet() -> None:
    schedule = Schedule(0.0)
    schedule.sent(0.0, 0.0)
    assert (schedule.due_s(10.0), schedule.due_s(0.5)) == (10.0, 0.5)


def test_talk_and_silence_last_as_long_as_asked_for() -> None:
    times = dues(Schedule(0.0, OnOff(0.4, 0.6, seed=7)), 0.02, 20_000)
    gaps = [b - a for a, b in pairwise(times)]
    silences = [gap for gap in gaps if gap > 0.0200001]
    # Each spurt has one packet at its start, and then one per 20 ms of talk: 1 / (1 - exp(-0.02 / 0.4)) on average.
    # Bounds of five standard deviations: of a geometric and of an exponential mean over about 975 spurts.
    spurts = len(silences) + 1
    assert abs(20_000 / spurts - 20.5) < 5 * 20.0 / spurts**0.5
    assert abs(sum(silences) / len(silences) - 0.6) < 0.02 + 5 * 0.6 / spurts**0.5
    assert times == dues(Schedule(0.0, OnOff(0.4, 0.6, seed=7)), 0.02, 20_000)
    assert times != dues(Schedule(0.0, OnOff(0.4, 0.6, seed=8)), 0.02, 20_000)


@pytest.mark.parametrize(("on_s", "off_s"), [(0, 1), (1, 0), (-1, 1)])
def test_times_of_talk_that_make_no_sense_are_refused(on_s: float, off_s: float) -> None:
    with pytest.raises(ValueError, match="not both above 0"):
        OnOff(on_s, off_s)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=80))
def test_loss_is_that_of_a_set_of_numbers(numbers: list[int]) -> None:
    sequence = Sequence(numbers[0])
    seen: set[int] = set()
    for number in numbers:
        if number < numbers[0]:
            expected = Arrival.EARLIER
        elif number in seen:
            expected = Arrival.DUPLICATE
        elif seen and number < max(seen):
            expected = Arrival.REORDERED
        else:
            expected = Arrival.IN_ORDER
        assert sequence.arrived(number) is expected
        if number >= numbers[0]:
            seen.add(number)
        assert sequence.lost_pkts == max(seen) - numbers[0] + 1 - len(seen)


def test_gaps_are_kept_in_bounded_memory() -> None:
    sequence = Sequence(0)
    for number in range(0, 3 * (MAX_GAPS + 10), 3):
        sequence.arrived(number)
    assert sequence.lost_pkts == 2 * (MAX_GAPS + 9)
    assert sequence.arrived(1) is Arrival.DUPLICATE
    assert sequence.arrived(3 * MAX_GAPS + 1) is Arrival.REORDERED
    assert sequence.arrived(2**63) is Arrival.IN_ORDER
    assert sequence.lost_pkts > 2**62


def report(arrivals: list[tuple[int, int, int, int]], warm_up_s: float = 0.0) -> FlowReport:
    """The report of packets of 1000 bytes: number, time of sending and of arrival in ms, TOS octet."""
    flow = Flow("10.0.1.1:4000", 0xAB, warm_up_s)
    for number, sent_ms, arrival_ms, tos in arrivals:
        flow.received(arrival_ms * MS, DataHeader(0xAB, number, sent_ms * MS), 1000, tos)
    return flow.report()


def test_a_flow_is_reported() -> None:
    got = report(
        [(0, 0, 10, 0b10), (1, 1, 12, CE), (3, 3, 13, ECT1), (2, 2, 14, CE), (3, 3, 15, 0b10), (6, 6, 18, 0b10)]
    )
    assert (got.source, got.flow) == ("10.0.1.1:4000", "00000000000000ab")
    assert (got.received_pkts, got.lost_pkts, got.reordered_pkts, got.duplicate_pkts) == (5, 2, 1, 1)
    assert got.loss == pytest.approx(2 / 7)
    assert (got.ce_pkts, got.ect1_pkts) == (2, 1)
    # Four packets of 8000 bits in the 8 ms after the first one.
    assert (got.seconds, got.goodput_bps) == (pytest.approx(0.008), pytest.approx(4_000_000))
    # Delays of 10, 11, 10, 12 and 12 ms.
    assert got.jitter_s == pytest.approx((1 + 1 + 2 + 0) / 4 / 1000)
    assert (got.delay_mean_s, got.delay_max_s) == (pytest.approx(0.011), pytest.approx(0.012))


def test_the_time_before_does_not_count() -> None:
    got = report([(0, 0, 0, CE), (5, 5, 5, CE), (9, 10, 10, 0), (4, 4, 11, CE), (11, 12, 12, 0)], warm_up_s=0.01)
    assert (got.received_pkts, got.lost_pkts, got.reordered_pkts, got.ce_pkts) == (2, 1, 0, 0)
    assert got.seconds == pytest.approx(0.002)


def test_one_packet_has_neither_rate_nor_jitter() -> None:
    got = report([(0, 0, 1, 0)])
    assert (got.seconds, got.goodput_bps, got.jitter_s, got.loss) == (0, 0, 0, 0)
    assert report([], 1.0).received_pkts == 0
