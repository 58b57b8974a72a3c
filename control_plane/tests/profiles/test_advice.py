# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The advice of source quenches: its texts, its bits, and where the schemes put it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.advice import MAX_PAUSE_US, PAUSE_BIT, format_advice, parse_advice
from quench.profiles import compile_profile, parse_settings
from quench.profiles.recover import settings_of
from quench.profiles.tna import compile_profile as compile_for_tna
from quench_switch.outside.units import UnitError

N1 = {"minth": "15KB", "maxth": "45KB", "becnthresh": "20KB"}
RATE_BPS = 10_000_000
POINT = {"depth": 0, "p1": 1.0, "isq": True}

texts = st.one_of(
    st.just("none"),
    st.integers(1, 100).map("{}%".format),
    st.integers(1, MAX_PAUSE_US).map("{}us".format),
    st.integers(1, MAX_PAUSE_US // 1000).map("{}ms".format),
)


@given(texts)
def test_texts_become_bits_and_the_same_texts_again(text: str) -> None:
    bits = parse_advice(text)
    assert 0 <= bits <= 0xFFFF
    assert parse_advice(format_advice(bits)) == bits
    assert format_advice(bits) == text or text.endswith("us")


@pytest.mark.parametrize(
    ("text", "bits"),
    [("none", 0), (None, 0), ("1%", 1), ("100%", 100), ("1us", PAUSE_BIT | 1), ("0.032767s", 0xFFFF)],
)
def test_the_bits_are_those_of_the_program(text: str | None, bits: int) -> None:
    assert parse_advice(text) == bits


@pytest.mark.parametrize(
    "text", ["0%", "0.5%", "101%", "0us", "1.5us", "32768us", "1s", "20KB", "", 30, 0.3, True, [1]]
)
def test_what_the_bits_cannot_say_is_refused(text: Any) -> None:
    with pytest.raises(UnitError, match="is no advice: write a reduction from 1% to 100%, a pause"):
        parse_advice(text)


@pytest.mark.parametrize("compiled", [compile_profile, compile_for_tna])
def test_advice_is_in_the_rows_that_send_source_quenches(compiled: Any) -> None:
    settings = {"scheme": "ecn-becn", **N1, "advice": "30%"}
    for more, at_maxth in (({}, 30), ({"advice_at_maxth": "none"}, 0), ({"advice_at_maxth": "1ms"}, PAUSE_BIT | 1000)):
        rows = compiled(parse_settings(settings | more), RATE_BPS).curve
        found = {(row.isq, row.drop, row.isq_advice) for row in rows}
        assert found == {(0, 0, 0), (1, 0, 30), (1, 1, at_maxth)}


def test_a_step_has_the_advice_from_its_threshold_on() -> None:
    step = {"scheme": "becn", "minth": "20KB", "maxth": "20KB", "maxp": 1, "advice": "5%"}
    (row,) = compile_profile(parse_settings(step), RATE_BPS).curve
    assert (row.isq, row.drop, row.isq_advice) == (1, 0, 5)


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"scheme": "becn", "minth": "20KB", "maxth": "20KB", "maxp": 1}, "advice_at_maxth is about drops"),
        ({"scheme": "ecn-becn", **N1, "becnthresh": "45KB"}, "becnthresh at maxth leaves none"),
    ],
)
def test_advice_that_no_row_has_is_refused(settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        parse_settings(settings | {"advice_at_maxth": "30%"})


def test_a_change_of_advice_that_was_recovered_counts_for_drops_too() -> None:
    rows = compile_profile(parse_settings({"scheme": "becn", "advice": "30%"}), RATE_BPS)
    found = settings_of(rows.parameters, rows.curve, RATE_BPS)
    assert (found.advice, found.advice_at_maxth) == (30, None)


def test_each_point_of_a_curve_has_its_own() -> None:
    points = [POINT | {"advice": "10%"}, POINT | {"depth": "20KB"}, POINT | {"depth": "40KB", "advice": "50us"}]
    rows = compile_profile(parse_settings({"scheme": "curve", "points": points}), RATE_BPS).curve
    assert [row.isq_advice for row in rows] == [10, 0, PAUSE_BIT | 50]


def test_advice_without_a_source_quench_is_refused() -> None:
    with pytest.raises(ValidationError, match="advice is for source quenches: give the point isq: true"):
        parse_settings({"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "advice": "10%"}]})
