# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.profiles import compile_profile, parse_settings
from quench.profiles.compile import CurveRow, IdleRow, curve_rows, idle_rows
from quench.profiles.curve import curve_of
from quench.profiles.formats import (
    AVERAGE_KEY_MAX,
    IDLE_KEY_MAX,
    IDLE_KEY_STEP_US,
    IDLE_SLOPE_ONE,
    PROBABILITY_ONE,
)

N1 = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002}


def probability(row: CurveRow, average_q16: int) -> float:
    """The result of the P4 action set_segment."""
    slope = row.level1_slope - (1 << 32) if row.level1_slope >> 31 else row.level1_slope
    return (row.level1_base + ((average_q16 - row.start) * slope >> 20)) / PROBABILITY_ONE


def row_at(rows: tuple[CurveRow, ...], average_q16: int) -> CurveRow | None:
    key = min(average_q16 >> 12, AVERAGE_KEY_MAX)
    found = [row for row in rows if row.low <= key <= row.high]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize("scheme", ["red", "ecn", "becn", "ecn-becn"])
@pytest.mark.parametrize("gentle", [True, False])
def test_rows_follow_reds_formula(scheme: str, gentle: bool) -> None:
    extra = {"becnthresh": "20KB"} if scheme == "ecn-becn" else {}
    rows = curve_rows(curve_of(parse_settings({"scheme": scheme, "gentle": gentle, **N1, **extra})))
    for average in (0, 14.9, 15.1, 19.9, 20.0, 30, 44.9, 45, 60, 89.9, 90, 1000, 70000):
        if average < 15:
            expected = None
        elif average < 45:
            expected = 0.1 * (average - 15) / 30
        elif average < 90 and gentle:
            expected = 0.1 + 0.9 * (average - 45) / 45
        else:
            expected = 1.0
        row = row_at(rows, int(average * 65536))
        if expected is None:
            assert row is None
        else:
            assert row is not None
            assert probability(row, int(average * 65536)) == pytest.approx(expected, abs=2e-6)


def flags(rows: tuple[CurveRow, ...], average_pkts: float) -> tuple[int, int]:
    row = row_at(rows, int(average_pkts * 65536))
    assert row is not None
    return row.isq, row.drop


def test_each_schemes_regions() -> None:
    regions = {
        "red": [(0, 1), (0, 1), (0, 1), (0, 1)],
        "ecn": [(0, 0), (0, 0), (0, 1), (0, 1)],
        "becn": [(1, 0), (1, 0), (1, 1), (1, 1)],
        "ecn-becn": [(0, 0), (1, 0), (1, 1), (1, 1)],
    }
    for scheme, expected in regions.items():
        extra = {"becnthresh": "20KB"} if scheme == "ecn-becn" else {}
        rows = curve_rows(curve_of(parse_settings({"scheme": scheme, **N1, **extra})))
        if scheme == "red":
            assert [flags(rows, average)[1] for average in (17, 30, 60, 100)] == [1, 1, 1, 1]
            assert [flags(rows, average)[0] for average in (17, 30, 60, 100)] == [0, 0, 0, 0]
        else:
            assert [flags(rows, average) for average in (17, 30, 60, 100)] == expected


@pytest.mark.parametrize(("becnthresh", "same_as"), [("15KB", "becn"), ("45KB", "ecn")])
def test_becnthresh_at_its_ends_is_becn_or_ecn(becnthresh: str, same_as: str) -> None:
    combined = compile_profile(parse_settings({"scheme": "ecn-becn", "becnthresh": becnthresh, **N1}), 10_000_000)
    assert combined == compile_profile(parse_settings({"scheme": same_as, **N1}), 10_000_000)


@pytest.mark.parametrize("becnthresh", ["14KB", "46KB"])
def test_becnthresh_outside_is_refused_with_a_sentence(becnthresh: str) -> None:
    with pytest.raises(ValidationError, match=r"becnthresh \(1?4[46]?KB\) must lie between minth \(15KB\)"):
        parse_settings({"scheme": "ecn-becn", "becnthresh": becnthresh, **N1})


def test_taildrop_has_no_rows() -> None:
    rows = compile_profile(parse_settings({"scheme": "taildrop"}), 10_000_000)
    assert rows.curve == ()
    assert rows.parameters.weight == round(0.002 * (1 << 24))


def test_parameters() -> None:
    settings = parse_settings({"scheme": "ecn", **N1, "mark_at": "tail", "report_interval": "50ms"})
    parameters = compile_profile(settings, 10_000_000).parameters
    assert parameters.mean_transmission_us == 800
    assert parameters.mark_at_tail == 1
    assert parameters.wait == 1
    assert parameters.count_per_packet == 0
    assert parameters.count_per_byte == round((1 << 24) / 1000)
    assert parameters.report_interval_us == 50_000
    by_packets = compile_profile(parse_settings({"scheme": "ecn", **N1, "byte_mode": False}), 10_000_000).parameters
    assert (by_packets.count_per_packet, by_packets.count_per_byte) == (1 << 12, 0)


def test_who_finds_nobody_waiting_is_spared_where_the_profile_says_so() -> None:
    for setting, expected in (({}, 0), ({"spare_empty": False}, 0), ({"spare_empty": True}, 1)):
        settings = parse_settings({"scheme": "red", **N1, **setting})
        assert compile_profile(settings, 10_000_000).parameters.spare_empty == expected
    assert compile_profile(parse_settings({"scheme": "taildrop"}), 10_000_000).parameters.spare_empty == 0


def test_a_ramp_that_the_tables_cannot_hold_is_refused() -> None:
    settings = parse_settings(
        {
            "scheme": "curve",
            "points": [{"depth": "1pkts", "p1": 0}, {"depth": "1.0625pkts", "p1": 1}, {"depth": "2pkts", "p1": 1}],
        }
    )
    with pytest.raises(ValueError, match=r"too steep between 1 and 1\.0625 packets"):
        compile_profile(settings, 10_000_000)


@given(
    points=st.lists(
        st.tuples(st.integers(0, 4000), st.floats(0, 1), st.floats(0, 1)),
        min_size=1,
        max_size=12,
        unique_by=lambda p: p[0],
    ),
    average=st.floats(0, 5000),
)
def test_any_curve_is_followed(points: list[tuple[int, float, float]], average: float) -> None:
    points.sort()
    corners = [{"depth": f"{depth}pkts", "p1": p1, "p2": p2} for depth, p1, p2 in points]
    curve = curve_of(parse_settings({"scheme": "curve", "points": corners}))
    rows = curve_rows(curve)
    average_q16 = int(average * 65536)
    row, segment = row_at(rows, average_q16), curve.at(average_q16 / 65536)
    assert (row is None) == (segment is None)
    if row is not None and segment is not None:
        tolerance = 1e-6 + (average + 1) * 2**-28
        assert probability(row, average_q16) == pytest.approx(segment.p1(average_q16 / 65536), abs=tolerance)


def decay(rows: tuple[IdleRow, ...], key: int) -> float:
    """The result of the P4 action decay_by."""
    row = next(row for row in rows if row.low <= key <= row.high)
    return (row.base - ((key - row.start) * row.slope >> 8)) / PROBABILITY_ONE


@given(
    wq=st.sampled_from([0.0001, 0.002, 0.02, 0.2, 1.0]),
    rate=st.integers(100_000, 10**10),
    key=st.integers(1, IDLE_KEY_MAX),
)
def test_idle_decay_follows_the_power(wq: float, rate: int, key: int) -> None:
    transmission_us = 8e9 / rate
    rows = idle_rows(wq, transmission_us)
    assert rows[-1].high == IDLE_KEY_MAX
    assert all(left.high + 1 == right.low for left, right in pairwise(rows))
    assert all(0 <= row.slope < IDLE_SLOPE_ONE for row in rows)
    exact = 0.0 if wq == 1 else math.exp(math.log1p(-wq) * key * IDLE_KEY_STEP_US / transmission_us)
    assert decay(rows, key) == pytest.approx(exact, rel=3e-3, abs=1.1e-3)
