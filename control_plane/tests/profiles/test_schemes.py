# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The curves of mecn and ecn-mod, the level that source quenches carry, and curves that fall."""

import math
import re
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.profiles import compile_profile, parse_settings
from quench.profiles.compile import CurveRow, curve_rows
from quench.profiles.curve import curve_of
from quench.profiles.formats import (
    AVERAGE_KEY_MAX,
    AVERAGE_KEY_STEP_PKTS,
    AVERAGE_KEY_TO_AVERAGE_SHIFT,
    AVERAGE_ONE_PKT,
    FRACTION_ONE,
    ISQ_LEVEL_SLOPE_BITS,
    ISQ_LEVEL_SLOPE_SHIFT,
    PROBABILITY_ONE,
    SLOPE_BITS,
    SLOPE_TO_PROBABILITY_SHIFT,
)
from quench.profiles.schemes.dctcp import Dctcp
from quench.profiles.schemes.ecn_mod import ecn_mod
from quench.profiles.tna import ALWAYS, NEVER
from quench.profiles.tna import AVERAGE_KEY_MAX as TNA_KEY_MAX
from quench.profiles.tna import compile_profile as compile_for_tna

N1 = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002}
RATE_BPS = 10_000_000
CE, ECT1 = 0b11, 0b01


def signed(slope: int, bits: int = SLOPE_BITS) -> int:
    return slope - (1 << bits) if slope >> bits - 1 else slope


def rows_of(values: dict[str, Any]) -> tuple[CurveRow, ...]:
    return curve_rows(curve_of(parse_settings(values)))


def row_at(rows: tuple[CurveRow, ...], average: int) -> CurveRow:
    key = average >> AVERAGE_KEY_TO_AVERAGE_SHIFT
    (row,) = (row for row in rows if row.low <= key <= row.high)
    return row


def p1(rows: tuple[CurveRow, ...], average: int) -> float:
    """The result of the P4 action set_segment."""
    row = row_at(rows, average)
    rise = (average - row.start) * signed(row.level1_slope) >> SLOPE_TO_PROBABILITY_SHIFT
    return (row.level1_base + rise) / PROBABILITY_ONE


def p2(rows: tuple[CurveRow, ...], average: int) -> float:
    row = row_at(rows, average)
    rise = (average - row.start) * signed(row.level2_slope) >> SLOPE_TO_PROBABILITY_SHIFT
    return (row.level2_base + rise) / PROBABILITY_ONE


def isq_level(rows: tuple[CurveRow, ...], average: int) -> int:
    row = row_at(rows, average)
    slope = signed(row.isq_level_slope, ISQ_LEVEL_SLOPE_BITS)
    level = row.isq_level_base + ((average - row.start) * slope >> ISQ_LEVEL_SLOPE_SHIFT)
    assert 0 <= level < 1 << 16, "it would wrap"
    return min(127, level >> 8)


def fixed_point(average_pkts: float) -> int:
    return int(average_pkts * AVERAGE_ONE_PKT)


# ---- steps and contradictions


@pytest.mark.parametrize("gentle", [True, False])
@pytest.mark.parametrize("maxth", ["65pkts", "65KB"])
@pytest.mark.parametrize(
    ("scheme", "more"),
    [
        ("red", {"drop": 1}),
        ("ecn", {}),
        ("becn", {"isq": 1}),
        ("becn", {"isq": 1, "isq_levels": True}),
        ("ecn-becn", {"isq": 1}),
        ("mecn", {"level2_base": PROBABILITY_ONE}),
        ("ecn-mod", {}),
    ],
)
def test_a_step_chooses_everything_from_its_threshold_on(
    scheme: str, more: dict[str, Any], maxth: str, gentle: bool
) -> None:
    """DCTCP's K: Kmin = Kmax, and a probability of 100 %."""
    levels = {"isq_levels": True} if more.pop("isq_levels", False) else {}
    step = {"scheme": scheme, "minth": "65pkts", "maxth": maxth, "maxp": "100%", "gentle": gentle, **levels}
    settings = parse_settings(step).at_rate(RATE_BPS)
    (row,) = curve_rows(curve_of(settings))
    expected = {"level1_base": PROBABILITY_ONE, "level2_base": 0, "isq": 0, "drop": 0} | more
    assert {name: getattr(row, name) for name in expected} == expected
    assert (row.low, row.high, row.level1_slope) == (65 * 16, AVERAGE_KEY_MAX, 0)
    assert row.isq_level_base >> 8 == (127 if levels else 0)
    assert "2 maxth" not in dict(settings.named_depths())
    # The TNA program: below the step no row chooses.
    last = compile_for_tna(settings, 10**9).curve[-1]
    assert (last.level1_selection, last.drop) == (ALWAYS, expected["drop"])


@pytest.mark.parametrize(
    ("k", "key", "cells"), [("20pkts", 20 * 16, 20 * 13), ("30KB", 30 * 16, 30 * 13), ("1500B", 24, 20), (0, 0, 0)]
)
def test_dctcp_is_a_step_at_the_queue_of_the_moment(k: Any, key: int, cells: int) -> None:
    """One row marks every ECT packet from K on; below it, and on TNA in cells of 80 bytes below it, there is none."""
    settings = parse_settings({"scheme": "dctcp", "k": k})
    rows = compile_profile(settings, RATE_BPS)
    assert rows.parameters.weight == FRACTION_ONE
    (row,) = rows.curve
    assert (row.low, row.high) == (key, AVERAGE_KEY_MAX)
    assert (row.level1_base, row.level1_slope) == (PROBABILITY_ONE, 0)
    assert row.level2_base == row.level2_slope == row.isq == row.drop == 0
    tna = compile_for_tna(settings, RATE_BPS)
    assert tna.time_constant_ns == 1
    (row_tna,) = tna.curve
    assert (row_tna.low, row_tna.high) == (cells, TNA_KEY_MAX)
    assert (row_tna.level1_selection, row_tna.level2_selection, row_tna.isq, row_tna.drop) == (ALWAYS, NEVER, 0, 0)


@pytest.mark.parametrize(
    ("rate_bps", "pkts"),
    [(10**7, 20), (10**9, 20), (10**10, 63), (4 * 10**10, 126), (10**11, 200), (4 * 10**11, 400)],
)
def test_the_default_of_k_follows_the_rate(rate_bps: int, pkts: int) -> None:
    at_port = parse_settings({"scheme": "dctcp"}).at_rate(rate_bps)
    assert isinstance(at_port, Dctcp)
    assert str(at_port.k) == f"{pkts}pkts"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"wq": 0.002}, "greater than or equal to 1"),
        ({"minth": "15KB"}, "Extra inputs are not permitted"),
        ({"maxp": 1}, "Extra inputs are not permitted"),
        ({"k": "2000000pkts"}, "k (2000000pkts) is 2e+06 packets, more than a queue reports"),
        ({"k": "-1pkts"}, "'-1pkts'"),
        ({"k": "30"}, "'30'"),
    ],
)
def test_dctcp_refuses_what_is_no_step_of_a_queue(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        parse_settings({"scheme": "dctcp", **values})


def test_sonics_settings() -> None:
    """A ramp from Kmin to Kmax that ends at 5 %, and one at 100 %."""
    wred = {"scheme": "ecn", "minth": "1000KB", "maxth": "2000KB", "gentle": False}
    for maxp in ("5%", "100%"):
        ramp, above = curve_of(parse_settings({**wred, "maxp": maxp})).segments
        assert (ramp.start_pkts, ramp.end_pkts, ramp.p1_end) == (1000, 2000, float(maxp[:-1]) / 100)
        assert above.p1_start == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"minth": "20KB", "maxth": "20pkts"},
            "minth (20KB) and maxth (20pkts) are the same, which is a step: it needs maxp 100%; "
            "the scheme 'curve' takes any shape",
        ),
        (
            {"minth": "21KB", "maxth": "20KB", "maxp": 1},
            "minth (21KB) must be less than maxth (20KB); the scheme 'curve' takes any shape",
        ),
        (
            {"scheme": "mecn", "minth": "20KB", "maxth": "20KB", "maxp": 1, "midth": "21KB"},
            "midth (21KB) must lie between minth (20KB) and maxth (20KB); the scheme 'curve' takes any shape",
        ),
    ],
)
def test_contradictory_thresholds_lead_to_the_curve(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        parse_settings({"scheme": "ecn", **values})


# ---- mecn (Durresi et al.)


@pytest.mark.parametrize("gentle", [True, False])
def test_mecn_has_two_ramps(gentle: bool) -> None:
    rows = rows_of({"scheme": "mecn", "midth": "30KB", "gentle": gentle, **N1})
    for average in (15.5, 20, 29.9, 30, 37.5, 44.9):
        assert p1(rows, fixed_point(average)) == pytest.approx(0.1 * (average - 15) / 30, abs=2e-6)
        assert p2(rows, fixed_point(average)) == pytest.approx(max(0.0, 0.1 * (average - 30) / 15), abs=2e-6)
        assert row_at(rows, fixed_point(average)).drop == 0
    for average in (45, 60, 89.9, 90, 1000):
        expected = min(1.0, 0.1 + 0.9 * (average - 45) / 45) if gentle else 1.0
        assert p1(rows, fixed_point(average)) == pytest.approx(expected, abs=2e-6)
        assert row_at(rows, fixed_point(average)).drop == 1
        assert p2(rows, fixed_point(average)) == 0, "a drop has one level"
    assert all(row.isq == 0 for row in rows)


def test_mecn_marks_ect1_and_ce() -> None:
    parameters = compile_profile(parse_settings({"scheme": "mecn", "midth": "30KB", **N1}), RATE_BPS).parameters
    assert (parameters.level1_codepoint, parameters.level2_codepoint) == (ECT1, CE)
    parameters = compile_profile(parse_settings({"scheme": "ecn", **N1}), RATE_BPS).parameters
    assert (parameters.level1_codepoint, parameters.level2_codepoint) == (CE, CE)


def test_mecn_with_midth_at_maxth_has_no_moderate_marks() -> None:
    mecn = rows_of({"scheme": "mecn", "midth": "45KB", **N1})
    assert mecn == rows_of({"scheme": "ecn", **N1})


def test_mecn_with_midth_at_minth_has_equal_ramps() -> None:
    rows = rows_of({"scheme": "mecn", "midth": "15KB", **N1})
    assert rows[0].level1_slope == rows[0].level2_slope != 0


@pytest.mark.parametrize("midth", ["14KB", "46KB"])
def test_midth_outside_is_refused(midth: str) -> None:
    with pytest.raises(ValidationError, match=r"midth \(\d+KB\) must lie between minth \(15KB\) and maxth \(45KB\)"):
        parse_settings({"scheme": "mecn", "midth": midth, **N1})


# ---- ecn-mod (Misra and Ott)


def test_ecn_mod_gives_the_mean_window_of_tcp() -> None:
    for probability in (0.001, 0.01, 0.1, 0.5):
        tcp_window = math.sqrt(2 * (1 - probability) / probability)
        for c1 in (0.0625, 0.125, 0.25):
            p_mod = ecn_mod(probability, c1, 0.25)
            # The window at which what unmarked ACKs add is what marked ones take.
            assert c1 * (1 - p_mod) == pytest.approx(0.25 * tcp_window * p_mod)
    assert ecn_mod(0.0, 0.1, 0.25) == 0
    assert ecn_mod(1.0, 0.1, 0.25) == 1


ECN_MODS = {
    "minth": st.floats(0, 100),
    "range_pkts": st.floats(0.01, 300),
    "maxp": st.floats(0.001, 1),
    "c1": st.one_of(st.sampled_from([0.0625, 0.125, 0.25]), st.floats(0.01, 100)),
    "c2": st.one_of(st.just(0.25), st.floats(0.01, 1)),
    "gentle": st.booleans(),
}


@settings(deadline=None)
@example(minth=15.0, range_pkts=30.0, maxp=0.1, c1=0.0625, c2=0.25, gentle=True)
@example(minth=20.0, range_pkts=60.0, maxp=1.0, c1=0.25, c2=0.25, gentle=False)
@example(minth=0.0, range_pkts=1.0, maxp=1.0, c1=100.0, c2=0.01, gentle=True)  # as steep as the grid allows
@given(**ECN_MODS)
def test_ecn_mod_is_followed_within_1_percent(
    minth: float, range_pkts: float, maxp: float, c1: float, c2: float, gentle: bool
) -> None:
    maxth = minth + range_pkts
    assume(maxth > minth)
    values = {
        "scheme": "ecn-mod",
        "minth": f"{minth}pkts",
        "maxth": f"{maxth}pkts",
        "maxp": maxp,
        "c1": c1,
        "c2": c2,
        "gentle": gentle,
    }
    rows = rows_of(values)
    for key in range(math.ceil(round(minth * 16, 6)), math.ceil(round(maxth * 16, 6))):
        average = key * AVERAGE_KEY_STEP_PKTS
        found = p1(rows, key << AVERAGE_KEY_TO_AVERAGE_SHIFT)
        assert 0 <= found <= 1
        if average >= minth + AVERAGE_KEY_STEP_PKTS:
            exact = ecn_mod(maxp * (average - minth) / (maxth - minth), c1, c2)
            # Four steps of the fixed point are more than 1 % only of probabilities below 4e-10.
            assert abs(found - exact) < max(0.01 * exact, 4 / PROBABILITY_ONE), average
        assert row_at(rows, key << AVERAGE_KEY_TO_AVERAGE_SHIFT).drop == 0
    behind = p1(rows, math.ceil(round(2 * maxth * 16, 6)) + 1 << AVERAGE_KEY_TO_AVERAGE_SHIFT)
    assert behind == 1


@pytest.mark.parametrize(("maxp", "c1"), [(0.1, 0.0625), (0.1, 0.25), (1.0, 0.0625), (0.2, 0.125)])
def test_ecn_mod_takes_no_more_rows_than_it_must(maxp: float, c1: float) -> None:
    values = {"scheme": "ecn-mod", "minth": "15pkts", "maxth": "45pkts", "maxp": maxp, "c1": c1, "gentle": False}
    depths = [15 + step / 16 for step in range(1, 481)]
    exact = [ecn_mod(maxp * (depth - 15) / 30, c1, 0.25) for depth in depths]
    # Runs of depths that a straight line can serve, by comparing each two of them; neighbours share a depth.
    least, begin = 0, 0
    while begin < len(depths) - 1:
        end = begin + 1
        lowest, highest = -math.inf, math.inf
        while end < len(depths):
            for other in range(begin, end):
                gap = depths[end] - depths[other]
                lowest = max(lowest, (0.99 * exact[end] - 1.01 * exact[other]) / gap)
                highest = min(highest, (1.01 * exact[end] - 0.99 * exact[other]) / gap)
            if lowest > highest:
                break
            end += 1
        least, begin = least + 1, end - 1
    first_step, always = 1, 1
    assert len(rows_of(values)) in {first_step + least + always, first_step + least + 1 + always}


def test_ecn_mod_starts_as_steeply_as_eq_11() -> None:
    rows = rows_of({"scheme": "ecn-mod", "minth": "1pkts", "maxth": "2pkts", "maxp": 1, "c1": 10, "c2": 0.25})
    exact = ecn_mod(1 / 16, 10, 0.25)
    assert exact > 0.5, "a rise by more than 8 per packet"
    assert rows[0].low == rows[0].high == 16
    assert p1(rows, (17 << AVERAGE_KEY_TO_AVERAGE_SHIFT) - 1) == pytest.approx(exact, rel=1e-3)
    assert p1(rows, 17 << AVERAGE_KEY_TO_AVERAGE_SHIFT) == pytest.approx(exact, rel=0.01)


def test_ecn_mod_drops_above_maxth_as_ecn_does() -> None:
    ecn, modified = rows_of({"scheme": "ecn", **N1}), rows_of({"scheme": "ecn-mod", **N1})
    assert modified[-2:] == ecn[-2:]
    assert [row.drop for row in modified[:-2]] == [0] * (len(modified) - 2)


@pytest.mark.parametrize(("key", "value"), [("c1", 0), ("c2", 0), ("c2", 1.5), ("c1", -1)])
def test_senseless_constants_are_refused(key: str, value: float) -> None:
    with pytest.raises(ValidationError, match=key):
        parse_settings({"scheme": "ecn-mod", key: value, **N1})


# ---- Multi-level BECN


@settings(deadline=None)
@given(
    minth=st.integers(0, 800),
    ramp=st.integers(1, 3000),
    before=st.floats(0, 0.999),
    place=st.floats(0, 1.5),
)
@example(minth=240, ramp=480, before=0.0, place=0.999999)
def test_a_level_grows_with_the_average(minth: int, ramp: int, before: float, place: float) -> None:
    maxth = (minth + ramp) / 16
    becnthresh = minth / 16 + before * ramp / 16
    thresholds = {"minth": f"{minth / 16}pkts", "maxth": f"{maxth}pkts", "becnthresh": f"{becnthresh}pkts"}
    values = {"scheme": "ecn-becn", **thresholds, "isq_levels": True}
    rows = rows_of({**values, "maxp": min(0.1, ramp / 16)})
    first = math.ceil(round(becnthresh * 16, 6)) / 16
    average = fixed_point(first + place * (maxth - first))
    rise = 128 * (average / AVERAGE_ONE_PKT - becnthresh) / (maxth - becnthresh)
    exact = 127.0 if average >= fixed_point(maxth) else rise
    found = isq_level(rows, average)
    # The fixed point may take the step from one level to the next at another average, by less than 1/50 of a level.
    assert min(127, math.floor(exact - 0.02)) <= found <= min(127, math.floor(exact + 0.02))


def test_levels_of_the_papers_thresholds() -> None:
    becn = rows_of({"scheme": "becn", "isq_levels": True, **N1})
    assert [isq_level(becn, fixed_point(average)) for average in (15, 30, 44.99, 45, 100)] == [0, 64, 127, 127, 127]
    combined = rows_of({"scheme": "ecn-becn", "becnthresh": "20KB", "isq_levels": True, **N1})
    assert [isq_level(combined, fixed_point(average)) for average in (16, 20, 32.5, 45, 100)] == [0, 0, 64, 127, 127]


@pytest.mark.parametrize("values", [{"scheme": "becn"}, {"scheme": "ecn-becn", "becnthresh": "20KB"}])
def test_levels_are_off_by_default(values: dict[str, Any]) -> None:
    assert all(row.isq_level_base == row.isq_level_slope == 0 for row in rows_of({**values, **N1}))


def test_levels_with_becnthresh_at_maxth_are_those_of_ecn() -> None:
    combined = rows_of({"scheme": "ecn-becn", "becnthresh": "45KB", "isq_levels": True, **N1})
    assert combined == rows_of({"scheme": "ecn", **N1})


def test_levels_that_rise_within_a_step_of_the_grid() -> None:
    rows = rows_of(
        {"scheme": "ecn-becn", "minth": "15pkts", "becnthresh": "45pkts", "maxth": "45.001pkts", "isq_levels": True}
    )
    assert isq_level(rows, fixed_point(45)) == 0
    assert isq_level(rows, fixed_point(45.0625)) == 127


def test_a_drawn_curve_has_levels_of_its_own() -> None:
    points = [
        {"depth": "10pkts", "p1": 0.1, "isq": True, "isq_level": 100},
        {"depth": "20pkts", "p1": 0.1, "isq_level": 50},
    ]
    rows = rows_of({"scheme": "curve", "points": points})
    assert [isq_level(rows, fixed_point(average)) for average in (10, 15, 19.9, 20, 500)] == [100, 75, 50, 50, 50]
    with pytest.raises(ValidationError, match="less than or equal to 127"):
        parse_settings({"scheme": "curve", "points": [{"depth": "1pkts", "p1": 0, "isq_level": 128}]})


# ---- Once per path


@pytest.mark.parametrize(
    ("value", "mask"),
    [(None, 0), (False, 0), (0, 0), (True, 0b000011), (0b000011, 0b000011), (0b100000, 0b100000), (1, 1)],
)
@pytest.mark.parametrize(
    "values",
    [
        {"scheme": "red", **N1},
        {"scheme": "ecn", **N1},
        {"scheme": "becn", **N1},
        {"scheme": "ecn-becn", "becnthresh": "20KB", **N1},
        {"scheme": "mecn", "midth": "20KB", **N1},
        {"scheme": "ecn-mod", **N1},
        {"scheme": "curve", "points": [{"depth": "1pkts", "p1": 1}]},
    ],
    ids=lambda values: values["scheme"],
)
def test_once_per_path_is_a_mask_of_dscp_bits(values: dict[str, Any], value: Any, mask: int) -> None:
    given_ = {} if value is None else {"once_per_path": value}
    assert compile_profile(parse_settings({**values, **given_}), RATE_BPS).parameters.once_per_path_mask == mask


@pytest.mark.parametrize("mask", [-1, 64, "yes"])
def test_a_mask_has_six_bits(mask: Any) -> None:
    with pytest.raises(ValidationError, match="once_per_path"):
        parse_settings({"scheme": "becn", "once_per_path": mask, **N1})


# ---- Any curve


@settings(deadline=None)
@given(
    points=st.lists(
        st.tuples(st.floats(0, 60), st.floats(0, 1), st.floats(0, 1), st.floats(0, 127)), min_size=1, max_size=8
    ),
    data=st.data(),
)
def test_nothing_wraps_where_a_curve_falls(
    points: list[tuple[float, float, float, float]], data: st.DataObject
) -> None:
    points.sort(key=lambda point: point[0])
    corners = [
        {"depth": f"{depth}pkts", "p1": first, "p2": second, "isq": True, "isq_level": level}
        for depth, first, second, level in points
    ]
    try:
        rows = rows_of({"scheme": "curve", "points": corners})
    except ValueError as error:
        assert "the curve is too flat" in str(error)
        return
    row = data.draw(st.sampled_from(rows))
    last = (row.high + 1 << AVERAGE_KEY_TO_AVERAGE_SHIFT) - 1
    for average in (row.start, last, data.draw(st.integers(row.start, last))):
        assert p1(rows, average) >= 0
        assert p2(rows, average) >= 0
        assert 0 <= isq_level(rows, average) <= 127


def test_a_curve_that_begins_just_behind_a_depth_of_the_grid() -> None:
    rows = rows_of(
        {"scheme": "curve", "points": [{"depth": "0.000000001pkts", "p1": 0.0}, {"depth": "1pkts", "p1": 1.0}]}
    )
    assert [row.level1_base for row in rows] == [0, PROBABILITY_ONE]
    assert p1(rows, 0) == 0


def test_a_curve_that_falls_to_zero_between_two_depths_of_the_grid() -> None:
    points = [{"depth": "10pkts", "p1": 0.5}, {"depth": "10.52pkts", "p1": 0.0}]
    rows = rows_of({"scheme": "curve", "points": points})
    assert 0 <= p1(rows, fixed_point(10.5625) - 1) < 0.01
    assert p1(rows, fixed_point(10.5625)) == 0


def test_the_isq_mode_is_a_parameter_of_the_profile() -> None:
    profile = parse_settings({"scheme": "becn", **N1})
    assert compile_profile(profile, RATE_BPS).parameters.isq_in_dataplane == 0
    assert compile_profile(profile, RATE_BPS, isq_in_dataplane=True).parameters.isq_in_dataplane == 1
