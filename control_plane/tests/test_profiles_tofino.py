# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.profiles import parse_settings, tofino
from quench.profiles.curve import Curve, Segment, curve_of
from quench.profiles.formats import AVERAGE_KEY_MAX, PROBABILITY_ONE
from quench.profiles.tofino import ALWAYS, DRAW, NEVER, CurveRow, compile_profile, curve_rows

N1 = {"minth": "15KB", "maxth": "45KB", "maxp": 0.1, "wq": 0.002}
STEPS = dict(tofino.step_rows())


def signed(code: int) -> int:
    return code - (1 << 16) if code >> 15 else code


def chance(choice: int, code: int, ip_bytes: int | None = None) -> float:
    """The probability that the P4 takes for a packet: its row's code, and in byte mode that of its size."""
    if choice != DRAW:
        return float(choice == ALWAYS)
    size_code = 0
    if ip_bytes is not None:
        (size_code,) = (row.code for row in tofino.size_rows() if row.low <= ip_bytes <= row.high)
    return STEPS[(code + size_code) & 0xFFFF] / PROBABILITY_ONE


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
    cells_per_pkt = tofino.cells_of_packet(1000)
    assert cells_per_pkt == 13
    rounding = 2 ** (0.5 / tofino.CODES_PER_OCTAVE) - 1
    for cells in range(100 * cells_per_pkt):
        # The lower end of a cell: the upper end is the next one's, but for the last cell of a step, which ends there.
        depth_pkts = cells / cells_per_pkt
        segment, row = curve.at(depth_pkts), row_at(rows, cells)
        if segment is None:
            assert row is None
            continue
        assert row is not None
        assert (row.isq, row.drop) == (segment.isq, segment.drop)
        assert abs(row.isq_level - segment.isq_level(depth_pkts)) <= tofino.LEVEL_TOLERANCE + 1
        for choice, code, value, top in (
            (row.level1_choice, row.level1_code, segment.p1, max(segment.p1_start, segment.p1_end)),
            (row.level2_choice, row.level2_code, segment.p2, max(segment.p2_start, segment.p2_end)),
        ):
            true = value(depth_pkts)
            bound = max(tofino.RELATIVE_TOLERANCE * true, tofino.ABSOLUTE_TOLERANCE * top)
            # Where one cell is more than the bounds allow, a step is that cell.
            bound = max(bound, abs(value((cells + 1) / cells_per_pkt) - true) / 2)
            assert abs(chance(choice, code) - true) <= bound + rounding * (true + bound) + 1e-6, (cells, true)


def test_rows_are_few() -> None:
    for extra in ({}, {"minth": "1500KB", "maxth": "4500KB"}):
        rows = compile_profile(parse_settings({"scheme": "ecn", **N1, **extra}), 100_000_000_000).curve
        assert len(rows) <= 120


def test_rows_cover_the_curve_without_overlap_up_to_the_last_cell() -> None:
    rows = compile_profile(parse_settings({"scheme": "becn", **N1}), 10_000_000).curve
    assert rows[0].low == 15 * 13
    assert all(left.high + 1 == right.low for left, right in pairwise(rows))
    assert rows[-1].high == AVERAGE_KEY_MAX
    assert (rows[-1].level1_choice, rows[-1].drop) == (ALWAYS, 1)
    assert all(row.level2_choice == NEVER for row in rows)


@given(st.floats(0, 1000), st.floats(1e-3, 1000), st.floats(0, 1), st.floats(0, 1), st.sampled_from([1, 2, 13, 20]))
def test_any_segment_is_covered(start: float, length: float, first: float, last: float, cells_per_pkt: int) -> None:
    rows = curve_rows(Curve((Segment(start, start + length, first, last),)), cells_per_pkt, 1)
    covered = sum(row.high - row.low + 1 for row in rows)
    low, end = (math.ceil(round(depth * cells_per_pkt, 6)) for depth in (start, start + length))
    assert covered == end - low


@given(st.floats(1e-4, 0.9), st.integers(40, 9000), st.integers(40, 9000))
def test_a_packet_counts_for_its_size(probability: float, mean_bytes: int, ip_bytes: int) -> None:
    """RED's byte mode: the probability times size over mean size."""
    (row,) = curve_rows(Curve((Segment(0, 100, probability, probability),)), 1, mean_bytes)
    true = probability * ip_bytes / mean_bytes
    # Half a code for the probability, half a class of sizes, and at small steps a unit of the step.
    bound = 2 ** ((0.5 + tofino.SIZE_CODES_PER_CLASS / 2) / tofino.CODES_PER_OCTAVE) - 1
    assert abs(chance(row.level1_choice, row.level1_code, ip_bytes) - true) <= bound * true + 0.5 / PROBABILITY_ONE


def test_no_packet_is_without_a_step() -> None:
    """A sum that has no code would count as the largest step: even the smallest probability and packet have one."""
    for mean_bytes in (40, 1000, 65535):
        (row,) = curve_rows(Curve((Segment(0, 100, 1e-9, 1e-9),)), 1, mean_bytes)
        for size in tofino.size_rows():
            assert 0 <= signed(row.level1_code) + size.code < tofino.STEP_CODES


def test_size_classes_cover_all_sizes() -> None:
    rows = tofino.size_rows()
    assert rows[0].low == 0
    assert rows[-1].high == 65535
    assert all(left.high + 1 == right.low for left, right in pairwise(rows))
    assert len(rows) <= 256


def test_packet_mode_leaves_the_size_out() -> None:
    packet_mode = compile_profile(parse_settings({"scheme": "ecn", "byte_mode": False, **N1}), 10_000_000)
    byte_mode = compile_profile(parse_settings({"scheme": "ecn", **N1}), 10_000_000)
    assert (packet_mode.parameters.size_mask, byte_mode.parameters.size_mask) == (0, 0xFFFF)
    for plain, scaled in zip(packet_mode.curve, byte_mode.curve, strict=True):
        if plain.level1_choice == DRAW:
            whole = signed(scaled.level1_code) + tofino.code_of_bytes(1000)
            assert abs(whole - plain.level1_code) <= 1


def test_numbers_are_those_of_the_p4() -> None:
    types = (Path(__file__).parents[2] / "p4src/include/tna/types.p4").read_text()
    defines = {name: int(value) for name, value in re.findall(r"^#define (\w+) (\d+)$", types, re.MULTILINE)}
    constants = {
        name: int(value) for name, value in re.findall(r"^const choice_t (\w+) *= (\d+);", types, re.MULTILINE)
    }
    assert defines["STEP_CODES"] == tofino.STEP_CODES == len(STEPS)
    assert defines["SIZE_CLASSES"] >= len(tofino.size_rows())
    assert constants == {"CHOICE_NEVER": NEVER, "CHOICE_DRAW": DRAW, "CHOICE_ALWAYS": ALWAYS}


def test_parameters() -> None:
    settings = parse_settings({"scheme": "mecn", "midth": "30KB", "mark_at": "tail", "once_per_path": True, **N1})
    rows = compile_profile(settings, 10_000_000, isq_in_dataplane=True)
    assert rows.parameters == tofino.Parameters(
        size_mask=0xFFFF,
        wait=1,
        mark_at_tail=1,
        level1_codepoint=0b01,
        level2_codepoint=0b11,
        report_interval=97656,
        state_interval=12195,
        isq_in_dataplane=1,
        told_mask=0b000011,
    )
    assert compile_profile(parse_settings({"scheme": "taildrop"}), 10_000_000).curve == ()


def test_a_depth_beyond_the_key_is_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        compile_profile(parse_settings({"scheme": "ecn", "minth": "15KB", "maxth": "60MB"}), 10_000_000)


def test_what_ingress_cannot_know_is_refused() -> None:
    with pytest.raises(ValueError, match="spare_empty"):
        compile_profile(parse_settings({"scheme": "ecn", "spare_empty": True, **N1}), 10_000_000)


def test_the_filter_weighs_as_red_does() -> None:
    """exp(-t / time constant) is 1 - wq over the time of one packet, and RED's decay over an idle time."""
    time_constant_ns = tofino.filter_time_constant_ns(0.002, 1000, 10_000_000)
    packet_ns = 800_000
    assert 1 - math.exp(-packet_ns / time_constant_ns) == pytest.approx(0.002)
    assert math.exp(-100 * packet_ns / time_constant_ns) == pytest.approx(0.998**100)
    assert tofino.filter_time_constant_ns(1, 1000, 10_000_000) <= 1


def test_a_time_constant_that_no_filter_holds_is_refused() -> None:
    assert tofino.filter_time_constant_ns(0.002, 1000, 1_200_000) <= tofino.MAX_TIME_CONSTANT_NS
    with pytest.raises(ValueError, match=r"wq 0.002 at 1000000 bps is a time constant of 4 s: .* holds 3.5 s at most"):
        tofino.filter_time_constant_ns(0.002, 1000, 1_000_000)


def test_a_state_lives_at_least_as_long_as_asked() -> None:
    lifetime = (1 << 32) - tofino.state_lifetime(0.01)
    assert (lifetime - 1) * tofino.STAMP_UNIT_NS < 10_000_000 <= lifetime * tofino.STAMP_UNIT_NS
