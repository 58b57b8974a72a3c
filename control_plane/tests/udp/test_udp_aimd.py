# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The rate that obeys source quenches, in virtual time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.udp import Aimd, AimdSettings

SETTINGS = AimdSettings(ceiling_bps=1000, floor_bps=100, increase_bps=10, decrease=0.5, interval_s=1.0)
STEP_S = 1 / 8
"""Times are multiples of it: exact as floating-point numbers."""


def test_it_starts_at_the_ceiling_or_a_given_rate_and_grows_by_the_interval() -> None:
    assert Aimd(SETTINGS, 0).advance(100) == 1000
    rate = Aimd(AimdSettings(ceiling_bps=1000, start_bps=500, floor_bps=100, increase_bps=10, interval_s=1), 5)
    assert [rate.advance(now) for now in (5, 5.9, 6, 6.9, 7, 17, 1000)] == [500, 500, 510, 510, 520, 620, 1000]


def test_a_dropped_packet_halves_the_rate_and_increases_go_on() -> None:
    rate = Aimd(SETTINGS, 0)
    assert rate.quenched(10.5, marked=False)
    assert [rate.advance(now) for now in (10.5, 11.4, 11.5, 12.5)] == [500, 500, 510, 520]


def test_a_marked_packet_halves_the_rate_and_holds_it_for_an_interval() -> None:
    rate = Aimd(SETTINGS, 0)
    assert rate.quenched(10.5, marked=True)
    assert [rate.advance(now) for now in (10.5, 11.5, 12.4, 12.5, 13.5)] == [500, 500, 500, 510, 520]


def test_there_is_one_decrease_an_interval() -> None:
    rate = Aimd(SETTINGS, 0)
    heard = [rate.quenched(now, marked=True) for now in (10.0, 10.0, 10.5, 10.9, 11.0, 11.5, 12.0)]
    assert heard == [True, False, False, False, True, False, True]
    assert (rate.rate_bps, rate.decreases) == (125, 3)


def test_a_quench_that_is_not_heard_does_not_put_the_increase_off() -> None:
    rate = Aimd(SETTINGS, 0)
    rate.quenched(10.0, marked=False)
    assert not rate.quenched(10.9, marked=True)
    assert rate.advance(11.0) == 510


def test_the_floor_holds() -> None:
    rate = Aimd(SETTINGS, 0)
    for now in range(20):
        rate.quenched(now, marked=True)
    assert (rate.rate_bps, rate.lowest_bps) == (100, 100)


@pytest.mark.parametrize(("level", "kept"), [(0, 0.875), (127, 0.5), (63.5, 0.6875)])
def test_with_levels_the_decrease_grows_from_an_eighth_to_the_full_one(level: float, kept: float) -> None:
    settings = AimdSettings(ceiling_bps=1000, floor_bps=100, decrease=0.5, levels=True)
    rate = Aimd(settings, 0)
    rate.quenched(0, marked=True, level=level)  # type: ignore[arg-type]
    assert rate.rate_bps == pytest.approx(1000 * kept, rel=1e-12)
    plain = Aimd(SETTINGS, 0)
    plain.quenched(0, marked=True, level=3)
    assert plain.rate_bps == 500


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"floor_bps": 0}, "floor 0 bit/s"),
        ({"floor_bps": 2000}, "floor 2000 bit/s does not lie between 0 and ceiling 1000 bit/s"),
        ({"start_bps": 50}, "rate 50 bit/s does not lie between floor 100 bit/s and ceiling 1000 bit/s"),
        ({"start_bps": 1001}, "rate 1001 bit/s"),
        ({"increase_bps": -1}, "increase -1 bit/s"),
        ({"decrease": 1}, "decrease 1 does not"),
        ({"decrease": 0}, "decrease 0 does not"),
        ({"decrease": 0.1, "levels": True}, "decrease 0.1 is below that of level 0, 0.125"),
        ({"interval_s": 0}, "interval 0 s"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AimdSettings(**{"ceiling_bps": 1000, "floor_bps": 100, **changes})  # type: ignore[arg-type]


@given(
    events=st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["look", "marked", "dropped"])), max_size=60),
    increase=st.integers(0, 200),
    decrease=st.sampled_from([0.125, 0.25, 0.5, 0.75]),
)
def test_in_any_history_the_rules_hold(events: list[tuple[int, str]], increase: int, decrease: float) -> None:
    settings = AimdSettings(
        ceiling_bps=1000, floor_bps=100, increase_bps=increase, decrease=decrease, interval_s=8 * STEP_S
    )
    watched, unwatched = Aimd(settings, 0), Aimd(settings, 0)
    now, last_decrease, hold_until, last_rate = 0.0, -100.0, -1.0, watched.rate_bps
    for steps, event in events:
        # One of the two is looked at at every step, the other only when something happens.
        for _ in range(steps):
            now += STEP_S
            rate = watched.advance(now)
            assert last_rate <= rate <= min(1000, last_rate + increase)
            assert rate == last_rate or now >= hold_until
            last_rate = rate
        if event == "look":
            continue
        marked = event == "marked"
        heard = watched.quenched(now, marked=marked)
        assert heard == unwatched.quenched(now, marked=marked)
        assert heard == (now - last_decrease >= 1)
        if heard:
            assert watched.rate_bps == max(100, last_rate * (1 - decrease))
            last_decrease, hold_until = now, now + (2 if marked else 1)
        last_rate = watched.rate_bps
        assert 100 <= last_rate <= 1000
    assert watched.advance(now) == unwatched.advance(now)
