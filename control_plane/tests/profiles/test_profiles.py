# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.client.pipelines import PLAIN_V1MODEL, V1MODEL
from quench.profiles import compile_profile, parse_settings
from quench.profiles.compile import CurveRow, curve_rows, decay_of
from quench.profiles.curve import Curve, curve_of
from quench.profiles.formats import (
    AVERAGE_KEY_TO_AVERAGE_SHIFT,
    AVERAGE_ONE_PKT,
    FRACTION_ONE,
    PROBABILITY_ONE,
    SLOPE_TO_PROBABILITY_SHIFT,
)
from quench.profiles.segment import Segment

N1 = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002}


def probability(row: CurveRow, average: int) -> float:
    """The result of the P4 action set_segment."""
    slope = row.level1_slope - (1 << 64) if row.level1_slope >> 63 else row.level1_slope
    return (row.level1_base + ((average - row.start) * slope >> SLOPE_TO_PROBABILITY_SHIFT)) / PROBABILITY_ONE


def row_at(rows: tuple[CurveRow, ...], average: int) -> CurveRow | None:
    key = average >> AVERAGE_KEY_TO_AVERAGE_SHIFT
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
        row = row_at(rows, int(average * AVERAGE_ONE_PKT))
        if expected is None:
            assert row is None
        else:
            assert row is not None
            assert probability(row, int(average * AVERAGE_ONE_PKT)) == pytest.approx(expected, abs=2e-6)


def flags(rows: tuple[CurveRow, ...], average_pkts: float) -> tuple[int, int]:
    row = row_at(rows, int(average_pkts * AVERAGE_ONE_PKT))
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
    assert rows.parameters.weight == round(0.002 * FRACTION_ONE)


def test_parameters() -> None:
    settings = parse_settings({"scheme": "ecn", **N1, "mark_at": "tail", "report_interval": "50ms"})
    parameters = compile_profile(settings, 10_000_000).parameters
    assert parameters.mean_transmission_q8_us == 800 * 256
    assert parameters.mark_at_tail == 1
    assert parameters.wait == 1
    assert parameters.count_per_packet == 0
    assert parameters.count_per_byte == round(FRACTION_ONE / 1000)
    assert parameters.report_interval_us == 50_000
    by_packets = compile_profile(parse_settings({"scheme": "ecn", **N1, "byte_mode": False}), 10_000_000).parameters
    assert (by_packets.count_per_packet, by_packets.count_per_byte) == (1 << 12, 0)


def test_who_finds_nobody_waiting_is_spared_where_the_profile_says_so() -> None:
    for setting, expected in (({}, 0), ({"spare_empty": False}, 0), ({"spare_empty": True}, 1)):
        settings = parse_settings({"scheme": "red", **N1, **setting})
        assert compile_profile(settings, 10_000_000).parameters.spare_empty == expected
    assert compile_profile(parse_settings({"scheme": "taildrop"}), 10_000_000).parameters.spare_empty == 0


@pytest.mark.parametrize("mean_bytes", [40, 1000, 1500])
def test_bytes_that_are_as_many_as_a_threshold_have_reached_it(mean_bytes: int) -> None:
    """``depth_per_byte`` makes packets of them, as depth.p4 does, with 28 bits of fraction."""
    settings = parse_settings({"scheme": "ecn", **N1, "depth": "now", "mean_packet_bytes": mean_bytes})
    factor = compile_profile(settings, 10_000_000).parameters.depth_per_byte
    for pkts in (1, 7, 20, 100):
        for depth_bytes, reached in ((pkts * mean_bytes, pkts), (pkts * mean_bytes - 1, pkts - 1)):
            assert depth_bytes * factor >> 4 >> 28 == reached
    average = compile_profile(parse_settings({"scheme": "ecn", **N1}), 10_000_000)
    assert average.parameters.depth_per_byte == 0


def test_a_program_without_the_bytes_that_wait_refuses_them() -> None:
    now = parse_settings({"scheme": "becn", **N1, "depth": "now"})
    with pytest.raises(ValueError, match=r"depth now: .* BMv2 cannot: leave it out, or compile quench.p4 with"):
        PLAIN_V1MODEL.compile(now, 10_000_000)
    average = parse_settings({"scheme": "becn", **N1})
    plain = list(PLAIN_V1MODEL.profile(1, PLAIN_V1MODEL.compile(average, 10_000_000)))
    extended = list(V1MODEL.profile(1, V1MODEL.compile(average, 10_000_000)))
    arguments = plain[0].action.args
    assert extended[0].action.args == {**arguments, "depth_per_byte": 0}
    assert plain[1:] == extended[1:]
    assert PLAIN_V1MODEL.found(plain[0], ()).parameters == V1MODEL.found(extended[0], ()).parameters


def test_a_ramp_that_is_steeper_than_the_grid_rises_in_one_step() -> None:
    points = [{"depth": "1pkts", "p1": 0}, {"depth": "1.001pkts", "p1": 1}, {"depth": "2pkts", "p1": 1}]
    rows = curve_rows(curve_of(parse_settings({"scheme": "curve", "points": points})))
    for average, expected in ((1, 0), (1.0625, 1), (1.5, 1)):
        row = row_at(rows, int(average * AVERAGE_ONE_PKT))
        assert row is not None
        assert probability(row, int(average * AVERAGE_ONE_PKT)) == pytest.approx(expected, abs=1e-6)


@given(
    minth=st.integers(0, 262_142),
    range_pkts=st.integers(1, 262_143),
    exponent=st.floats(-14, 0),
    share=st.floats(0.05, 0.99),
)
def test_a_ramp_is_followed_or_refused(minth: int, range_pkts: int, exponent: float, share: float) -> None:
    """Within 2 % of the exact line, over all depths that a queue can have, or one line says what to do."""
    maxp = 10**exponent
    values = {"scheme": "ecn", "minth": f"{minth}pkts", "maxth": f"{minth + range_pkts}pkts", "maxp": maxp}
    settings = parse_settings(values)
    try:
        rows = curve_rows(curve_of(settings))
    except ValueError as error:
        assert "the curve is too flat" in str(error)
        assert "give a larger one" in str(error)
        assert maxp < 1e-9
        return
    average = int((minth + share * range_pkts) * AVERAGE_ONE_PKT)
    row = row_at(rows, average)
    if row is None:
        assert share * range_pkts < 1 / 16
        return
    exact = maxp * (average / AVERAGE_ONE_PKT - minth) / range_pkts
    assert row.drop or probability(row, average) == pytest.approx(exact, rel=0.02, abs=2 / PROBABILITY_ONE)


@given(
    start=st.floats(0, 100),
    length=st.floats(0.001, 5),
    first=st.floats(0.001, 1),
    last=st.floats(0.001, 1),
    place=st.floats(0, 1),
)
@example(start=9.99, length=0.02, first=0.001, last=0.1, place=1.0)
@example(start=5.0, length=0.07, first=0.001, last=0.1, place=1.0)
@example(start=0.0, length=0.53125, first=1.0, last=0.25, place=1.0)
@example(start=5.0, length=0.07, first=1.0, last=0.001, place=1.0)
def test_no_row_leaves_the_range_of_its_line(
    start: float, length: float, first: float, last: float, place: float
) -> None:
    """Wherever a line begins and ends between two depths of the grid."""
    for row in curve_rows(Curve((Segment(start, start + length, first, last),))):
        begin, end = row.start, (row.high + 1 << AVERAGE_KEY_TO_AVERAGE_SHIFT) - 1
        found = probability(row, begin + int(place * (end - begin)))
        assert min(first, last) * 0.94 - 1e-9 <= found <= max(first, last) * 1.051 + 1e-9


def test_depths_beyond_what_a_queue_reports_are_refused_with_what_to_do() -> None:
    with pytest.raises(ValidationError, match=r"more than a queue reports \(524287\): give a lower one, or a larger"):
        parse_settings({"scheme": "red", "minth": "1pkts", "maxth": "600000pkts"})
    with pytest.raises(ValidationError, match=r"depth \(600000pkts\) is 600000 packets, more than a queue reports"):
        parse_settings({"scheme": "curve", "points": [{"depth": "600000pkts", "p1": 1}]})
    most = compile_profile(parse_settings({"scheme": "red", "minth": "1pkts", "maxth": "524287pkts"}), 10**11)
    assert most.curve[-1].low == 2 * 524287 * 16


PROBABILITIES = st.just(0.0) | st.floats(1e-9, 1)


@given(
    points=st.lists(
        st.tuples(st.integers(0, 4000), PROBABILITIES, PROBABILITIES),
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
    fixed_point = int(average * AVERAGE_ONE_PKT)
    row, segment = row_at(rows, fixed_point), curve.at(fixed_point / AVERAGE_ONE_PKT)
    assert (row is None) == (segment is None)
    if row is not None and segment is not None:
        assert probability(row, fixed_point) == pytest.approx(segment.p1(fixed_point / AVERAGE_ONE_PKT), abs=1e-9)


@given(
    wq=st.one_of(st.sampled_from([2**-24, 0.002, 0.9, 1.0]), st.floats(2**-24, 1)),
    rate=st.integers(8_000, 4 * 10**11),
    mean_packet_bytes=st.integers(40, 65535),
)
def test_the_decays_rate_is_that_of_the_weight(wq: float, rate: int, mean_packet_bytes: int) -> None:
    """Or the fastest, which leaves nothing of an average after a microsecond less a transmission time."""
    transmission_us = mean_packet_bytes * 8e6 / rate
    decay_rate, decay_shift = decay_of(wq, transmission_us)
    assert 0 <= decay_rate < 1 << 32
    assert 0 <= decay_shift < 128
    halvings_per_us = decay_rate / 2 ** (decay_shift + 32) * 256
    exact = (
        math.inf
        if wq == 1
        else -math.log2(1 - wq) / transmission_us
        if wq > 0.01
        else -math.log1p(-wq) / math.log(2) / transmission_us
    )
    if exact < 255:
        assert halvings_per_us == pytest.approx(exact, rel=1e-8)
    else:
        assert halvings_per_us == pytest.approx(256, rel=1e-2)
