# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.profiles import parse_settings, tna
from quench.profiles.curve import Curve, Segment, curve_of
from quench.profiles.tna import ALWAYS, BY_DRAW, NEVER, CurveRow, compile_profile, curve_rows

N1 = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002}


def probability(selection: int, gap: int, packet: int) -> float:
    """The probability of a row, for a packet that counts so much."""
    return packet / gap if selection == BY_DRAW else float(selection == ALWAYS)


def row_at(rows: tuple[CurveRow, ...], cells: int) -> CurveRow | None:
    found = [row for row in rows if row.low <= cells <= row.high]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("scheme", "extra"),
    [
        ("red", {}),
        ("becn", {"isq_levels": True}),
        ("ecn-becn", {"becnthresh": "20KB"}),
        ("mecn", {"midth": "30KB"}),
        ("ecn-mod", {}),
    ],
)
def test_steps_stay_within_the_bounds(scheme: str, extra: dict[str, object]) -> None:
    settings = parse_settings({"scheme": scheme, "byte_mode": False, **N1, **extra})
    curve = curve_of(settings)
    rows = compile_profile(settings, 10_000_000).curve
    cells_per_pkt = tna.cells_of_packet(1000)
    assert cells_per_pkt == 13
    for cells in range(100 * cells_per_pkt):
        # The lower end of a cell: the upper end is the next one's, but for the last cell of a step, which ends there.
        depth_pkts = cells / cells_per_pkt
        segment, row = curve.at(depth_pkts), row_at(rows, cells)
        if segment is None:
            assert row is None
            continue
        assert row is not None
        assert (row.isq, row.drop) == (segment.isq, segment.drop)
        assert abs(row.isq_level - segment.isq_level(depth_pkts)) <= tna.LEVEL_TOLERANCE + 1
        for selection, gap, value, top in (
            (
                row.level1_selection,
                row.level1_most - row.level1_least,
                segment.p1,
                max(segment.p1_start, segment.p1_end),
            ),
            (
                row.level2_selection,
                row.level2_most - row.level2_least,
                segment.p2,
                max(segment.p2_start, segment.p2_end),
            ),
        ):
            true = value(depth_pkts)
            bound = max(tna.RELATIVE_TOLERANCE * true, tna.ABSOLUTE_TOLERANCE * top)
            # Where one cell is more than the bounds allow, a step is that cell.
            bound = max(bound, abs(value((cells + 1) / cells_per_pkt) - true) / 2)
            # Counts are whole numbers, of which a packet has 16.
            found = probability(selection, gap, tna.COUNTS_PER_PACKET)
            assert abs(found - true) <= bound + found**2 / tna.COUNTS_PER_PACKET + 1e-6, (cells, true)


def test_rows_are_few() -> None:
    for extra in ({}, {"minth": "1500KB", "maxth": "4500KB"}):
        rows = compile_profile(parse_settings({"scheme": "ecn", **N1, **extra}), 100_000_000_000).curve
        assert len(rows) <= 120


def test_rows_cover_the_curve_without_overlap_up_to_the_last_cell() -> None:
    rows = compile_profile(parse_settings({"scheme": "becn", **N1}), 10_000_000).curve
    assert rows[0].low == 15 * 13
    assert all(left.high + 1 == right.low for left, right in pairwise(rows))
    assert rows[-1].high == tna.AVERAGE_KEY_MAX
    assert (rows[-1].level1_selection, rows[-1].drop) == (ALWAYS, 1)
    assert all(row.level2_selection == NEVER for row in rows)


PROBABILITIES = st.just(0.0) | st.floats(tna.FLATTEST_RAMP, 1)


@given(st.floats(0, 1000), st.floats(1e-3, 1000), PROBABILITIES, PROBABILITIES, st.sampled_from([1, 2, 13, 20]))
def test_any_segment_is_covered(start: float, length: float, first: float, last: float, cells_per_pkt: int) -> None:
    rows = curve_rows(Curve((Segment(start, start + length, first, last),)), cells_per_pkt, 1, wait=False)
    covered = sum(row.high - row.low + 1 for row in rows)
    low, end = (math.ceil(round(depth * cells_per_pkt, 6)) for depth in (start, start + length))
    assert covered == end - low


@given(st.floats(1e-4, 0.99), st.sampled_from([tna.COUNTS_PER_PACKET, 40, 1000, 9000]))
def test_counts_are_the_gaps_of_red(share: float, packet: int) -> None:
    """From 1 to 1 / p packets; with ``wait`` the count that includes the packet itself is from 1 / p to 2 / p."""
    curve = Curve((Segment(0, 100, share, share, share / 2, share / 2),))
    (row,) = curve_rows(curve, 1, packet, wait=False)
    assert row.level1_most == pytest.approx(packet / share, abs=0.5)
    assert row.level2_most == pytest.approx(2 * packet / share, abs=0.5)
    assert (row.level1_least, row.level2_least) == (0, 0)
    (row,) = curve_rows(curve, 1, packet, wait=True)
    assert row.level1_least + packet == pytest.approx(packet / share, abs=0.5)
    assert row.level1_most + packet == pytest.approx(2 * packet / share, abs=0.5)
    assert row.level2_least + packet == pytest.approx(2 * packet / share, abs=0.5)


def test_no_count_overflows() -> None:
    """The smallest probabilities are rounded up, so that what is counted stays a positive number of 32 bits."""
    least = tna.FLATTEST_RAMP
    for packet in (tna.COUNTS_PER_PACKET, 40, 1000, 65535):
        (row,) = curve_rows(Curve((Segment(0, 100, least, least),)), 1, packet, wait=True)
        assert row.level1_most + tna.MAX_IP_BYTES < 2**31
        assert row.level1_most - row.level1_least >= packet * 2**13


def test_a_ramp_that_random_numbers_cannot_say_is_refused() -> None:
    ramp = Curve((Segment(0, 100, 0, 0.9 * tna.FLATTEST_RAMP),))
    with pytest.raises(ValueError, match=r"between 0 and 100 packets is lower than .* give a larger one"):
        curve_rows(ramp, 13, 1000, wait=True)


def test_random_numbers_have_their_logarithm() -> None:
    rows = sorted(tna.number_rows(), key=lambda row: row.low)
    assert (rows[0].low, rows[-1].high) == (0, (1 << tna.NUMBER_BITS) - 1)
    for left, right in pairwise(rows):
        assert left.high + 1 == right.low
    for row in rows:
        length = row.high - row.low + 1
        assert (length.bit_count(), row.low % length) == (1, 0)
        inverse = 2 ** (row.code / tna.CODES_PER_OCTAVE)
        most, least = ((1 << tna.NUMBER_BITS) / (row.low or 0.5), (1 << tna.NUMBER_BITS) / (row.high + 1))
        assert least * 0.997 <= inverse <= most * 1.003
        assert row.low < 1 << tna.NUMBER_DIGITS or most / least <= 1 + 2**-tna.NUMBER_DIGITS


def test_reaches_are_those_of_their_codes() -> None:
    reaches = dict(tna.reach_rows())
    assert sorted(reaches) == list(range(tna.REACH_CODES))
    for code, reach in reaches.items():
        assert reach == pytest.approx(min(2 ** (code / tna.CODES_PER_OCTAVE), 2**31), abs=0.5)
    assert reaches[tna.SIZE_CODE_LIMIT] == tna.COUNTS_PER_PACKET
    assert min(row.code for row in tna.size_rows()) > tna.SIZE_CODE_LIMIT


def test_size_classes_cover_all_sizes() -> None:
    rows = tna.size_rows()
    assert rows[0].low == 0
    assert rows[-1].high == 65535
    assert all(left.high + 1 == right.low for left, right in pairwise(rows))
    assert len(rows) <= 256


def test_packet_mode_leaves_the_size_out() -> None:
    packet_mode = compile_profile(parse_settings({"scheme": "ecn", "byte_mode": False, **N1}), 10_000_000)
    byte_mode = compile_profile(parse_settings({"scheme": "ecn", **N1}), 10_000_000)
    limits = [(each.parameters.size_code_limit, each.parameters.size_limit) for each in (packet_mode, byte_mode)]
    assert limits == [(tna.SIZE_CODE_LIMIT, tna.COUNTS_PER_PACKET), (0xFFFF, 0xFFFF)]
    for plain, scaled in zip(packet_mode.curve, byte_mode.curve, strict=True):
        if plain.level1_selection == BY_DRAW:
            assert scaled.level1_most / 1000 == pytest.approx(plain.level1_most / 16, abs=1 / 16)


def test_numbers_are_those_of_the_p4() -> None:
    types = (Path(__file__).parents[3] / "p4src/tna/types.p4").read_text()
    defines = {name: int(value) for name, value in re.findall(r"^#define (\w+) (\d+)$", types, re.MULTILINE)}
    (members,) = re.findall(r"^enum bit<2> selection_t {(.*?)}", types, re.MULTILINE | re.DOTALL)
    selections = {name: int(value) for name, value in re.findall(r"(\w+) *= (\d+)", members)}
    assert defines["REACH_CODES"] == tna.REACH_CODES
    assert defines["NUMBER_BITS"] == tna.NUMBER_BITS
    assert defines["NUMBER_CODES"] >= len(list(tna.number_rows()))
    assert defines["SIZE_CLASSES"] >= len(tna.size_rows())
    assert selections == {"NEVER": NEVER, "BY_DRAW": BY_DRAW, "ALWAYS": ALWAYS}


def test_parameters() -> None:
    settings = parse_settings({"scheme": "mecn", "midth": "30KB", "mark_at": "tail", "once_per_path": True, **N1})
    rows = compile_profile(settings, 10_000_000, isq_in_dataplane=True)
    assert rows.parameters == tna.Parameters(
        size_code_limit=0xFFFF,
        size_limit=0xFFFF,
        mark_at_tail=1,
        level1_codepoint=0b01,
        level2_codepoint=0b11,
        report_interval=97656,
        state_interval=6097,
        isq_in_dataplane=1,
        once_per_path_mask=0b000011,
        spare_empty=0,
    )
    spares = compile_profile(parse_settings({"scheme": "ecn", "spare_empty": True, **N1}), 10_000_000)
    assert spares.parameters.spare_empty == 1
    assert compile_profile(parse_settings({"scheme": "taildrop"}), 10_000_000).curve == ()


def test_the_bytes_of_the_moment_are_refused() -> None:
    with pytest.raises(ValueError, match="depth now: the TNA program decides by the average alone: leave it out"):
        compile_profile(parse_settings({"scheme": "ecn", "depth": "now", **N1}), 10_000_000)


def test_a_depth_beyond_the_key_is_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        compile_profile(parse_settings({"scheme": "ecn", "minth": "15KB", "maxth": "60MB"}), 10_000_000)


def test_the_filter_weighs_as_red_does() -> None:
    """exp(-t / time constant) is 1 - wq over the time of one packet, and RED's decay over an idle time."""
    time_constant_ns = tna.filter_time_constant_ns(0.002, 1000, 10_000_000)
    packet_ns = 800_000
    assert 1 - math.exp(-packet_ns / time_constant_ns) == pytest.approx(0.002)
    assert math.exp(-100 * packet_ns / time_constant_ns) == pytest.approx(0.998**100)
    assert tna.filter_time_constant_ns(1, 1000, 10_000_000) <= 1


def test_a_time_constant_that_no_filter_holds_is_refused() -> None:
    assert tna.filter_time_constant_ns(0.002, 1000, 1_200_000) <= tna.MAX_TIME_CONSTANT_NS
    with pytest.raises(ValueError, match=r"wq 0.002 at 1000000 bps is a time constant of 4 s: .* holds 3.5 s at most"):
        tna.filter_time_constant_ns(0.002, 1000, 1_000_000)


def test_a_state_lives_at_least_as_long_as_asked() -> None:
    lifetime = (1 << 32) - tna.state_lifetime(0.01)
    assert (lifetime - 1) * tna.STAMP_UNIT_NS < 10_000_000 <= lifetime * tna.STAMP_UNIT_NS
