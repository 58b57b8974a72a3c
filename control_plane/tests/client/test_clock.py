# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.client.clock import CLOCK_BITS, DISTRUST_S, DRIFT, SwitchClock

LIMIT_S = 0.2
MODULUS = 1 << CLOCK_BITS
STARTS = st.integers(0, MODULUS - 1)
GAPS_S = st.floats(0, 2)
DELAYS_S = st.floats(0, 5)
ROUNDING_S = 1e-5


@given(STARTS, st.floats(0, 1e6), st.lists(st.tuples(GAPS_S, DELAYS_S), min_size=1, max_size=50))
def test_an_age_is_the_delay_beyond_the_smallest(
    start_us: int, offset_s: float, packets: list[tuple[float, float]]
) -> None:
    """Never more, and less only by the drift that is allowed for. The switch's clock may wrap meanwhile."""
    clock = SwitchClock(LIMIT_S)
    sent_s, arrived_s, smallest_s, smallest_at_s = 0.0, 0.0, math.inf, 0.0
    for gap_s, delay_s in packets:
        sent_s += gap_s
        # Messages of one connection do not overtake each other.
        arrived_s = max(arrived_s, sent_s + delay_s)
        age_s = clock.age_s((start_us + round(sent_s * 1e6)) % MODULUS, offset_s + arrived_s)
        true_s = arrived_s - sent_s
        if true_s <= smallest_s:
            smallest_s, smallest_at_s = true_s, sent_s
        assert age_s <= true_s - smallest_s + ROUNDING_S
        assert age_s >= true_s - smallest_s - sent_s * DRIFT - ROUNDING_S
        assert smallest_at_s <= sent_s
    assert clock.restarts == 0


@given(STARTS, st.floats(1, 100_000), st.integers(1, 300))
def test_what_waited_for_a_frozen_controller_is_old(start_us: int, freeze_s: float, waiting: int) -> None:
    """However long the freeze was: the buffers hold packets from its whole length, or from its start."""
    clock = SwitchClock(LIMIT_S)
    for second in range(10):
        assert clock.age_s(start_us + second * 1_000_000, second + 0.01) <= LIMIT_S
    for number in range(waiting):
        sent_s = 10 + freeze_s * number / waiting
        age_s = clock.age_s(start_us + round(sent_s * 1e6), 10 + freeze_s + number * 1e-4)
        waited_s = 10 + freeze_s - sent_s
        if waited_s - (sent_s - 9) * DRIFT > LIMIT_S + 0.1:
            assert age_s > LIMIT_S
    after_s = 10 + freeze_s + 1
    assert clock.age_s(start_us + round(after_s * 1e6), after_s + 0.01) <= LIMIT_S


def test_a_clock_that_was_set_back_starts_anew() -> None:
    clock = SwitchClock(LIMIT_S)
    assert clock.age_s(50_000_000, 1.0) == 0
    assert clock.age_s(50_010_000, 1.5) == pytest.approx(0.49, abs=1e-3)
    assert clock.age_s(1_000, 2.0) == 0
    assert clock.restarts == 1
    assert clock.age_s(2_000, 2.3) == pytest.approx(0.299, abs=1e-3)


def test_packets_that_overtake_each_other_a_little_are_no_restart() -> None:
    clock = SwitchClock(LIMIT_S)
    clock.age_s(1_000_000, 1.0)
    assert clock.age_s(950_000, 1.0) == pytest.approx(0.05)
    assert clock.restarts == 0


def test_one_time_stamp_from_the_future_does_no_lasting_harm() -> None:
    clock = SwitchClock(LIMIT_S)
    clock.age_s(1_000_000, 1.0)
    clock.age_s(900_000_000_000, 1.1)
    assert clock.age_s(1_200_000, 1.2) == 0
    assert clock.age_s(1_300_000, 1.35) == pytest.approx(0.05, abs=1e-3)


def test_a_clock_that_is_far_too_slow_is_found_out() -> None:
    """It loses a tenth: without that every packet would be too old for ever."""
    clock = SwitchClock(LIMIT_S)
    ages = [clock.age_s(round(second * 0.9e6), second) for second in range(200)]
    assert clock.restarts >= 1
    assert sum(age <= LIMIT_S for age in ages) >= 200 / (DISTRUST_S + 4)


def test_a_controller_that_freezes_again_and_again_does_not_take_old_for_new() -> None:
    clock = SwitchClock(LIMIT_S)
    clock.age_s(0, 0.0)
    for freeze in range(1, 50):
        assert clock.age_s(freeze * 1000, freeze * 10.0) > LIMIT_S
    assert clock.restarts == 0


@given(st.lists(st.tuples(st.integers(0, MODULUS - 1), st.floats(0, 1e9)), max_size=200))
def test_any_time_stamps_give_an_age(stamps: list[tuple[int, float]]) -> None:
    clock = SwitchClock(LIMIT_S)
    for time_us, now_s in sorted(stamps, key=lambda stamp: stamp[1]):
        age_s = clock.age_s(time_us, now_s)
        assert age_s >= 0
        assert math.isfinite(age_s)


@given(st.lists(st.integers(0, MODULUS - 1), max_size=30))
def test_without_a_limit_nothing_is_too_old(stamps: list[int]) -> None:
    clock = SwitchClock(math.inf)
    for second, time_us in enumerate(stamps):
        assert clock.age_s(time_us, float(second)) <= math.inf
