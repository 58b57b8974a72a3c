# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Settings that are found again from the rows of the TNA program."""

from typing import Any

import pytest
from quench.profiles import parse_settings
from quench.profiles.curve import curve_of
from quench.profiles.settings import NAMED_SCHEMES, fields_of
from quench.profiles.tna import CELLS_PER_REPORTED_PACKET, cells_of_packet, compile_profile
from quench.profiles.tna_recover import Span, curve_of_rows, settings_of

N1 = {"minth": "15KB", "maxth": "45KB"}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"minth": "5pkts", "maxth": "15pkts", "maxp": 0.02, "byte_mode": False},
    {"minth": "1pkts", "maxth": "2pkts", "gentle": False, "k": 0},
    {"minth": "7.3pkts", "maxth": "17KB"},
    {"wq": 0.01, "mean_packet_bytes": 500, "mark_at": "tail", "wait": False, "report_interval": "1500us"},
    {"isq_levels": True, "once_per_path": 5, "report_interval": 0},
    {"advice": "30%", "advice_at_maxth": "2ms"},
    {"maxp": 1, "minth": 0, "maxth": "100KB", "mean_packet_bytes": 1500, "k": "30KB"},
]


BEYOND = {("ecn-mod", 2)}
"""In ecn-mod's curve maxp is found by gentle RED's slope alone."""


@pytest.mark.parametrize("rate_bps", [2_000_000, 10_000_000, 1_000_000_000])
@pytest.mark.parametrize("scheme", NAMED_SCHEMES)
@pytest.mark.parametrize("place", range(len(SETTINGS)))
def test_the_settings_of_a_named_scheme_make_the_same_rows(scheme: str, place: int, rate_bps: int) -> None:
    given = {name: value for name, value in SETTINGS[place].items() if name in fields_of(scheme)}
    rows = compile_profile(parse_settings({"scheme": scheme, **given}), rate_bps)
    if (scheme, place) in BEYOND:
        with pytest.raises(ValueError, match="give --scheme or --file"):
            settings_of(rows.parameters, rows.curve, rate_bps, rows.time_constant_ns)
        return
    found = settings_of(rows.parameters, rows.curve, rate_bps, rows.time_constant_ns)
    again = compile_profile(found, rate_bps)
    assert (found.scheme, again.parameters, again.curve) == (scheme, rows.parameters, rows.curve)
    assert again.time_constant_ns == pytest.approx(rows.time_constant_ns, rel=0.005)


def test_numbers_are_those_that_people_write() -> None:
    written = parse_settings({"scheme": "mecn", **N1, "maxp": 0.2, "wq": 0.002})
    rows = compile_profile(written, 10_000_000)
    found = settings_of(rows.parameters, rows.curve, 10_000_000).model_dump(mode="json")
    names = ("minth", "midth", "maxth", "maxp", "wq", "mean_packet_bytes", "report_interval")
    assert [found[name] for name in names] == ["15pkts", "30pkts", "45pkts", 0.2, 0.002, 1000, "100ms"]


def test_a_curve_of_ones_own_has_no_name() -> None:
    points = [{"depth": "5KB", "p1": 0}, {"depth": "15KB", "p1": 0.02, "isq": True}, {"depth": "60KB", "p1": 0.5}]
    rows = compile_profile(parse_settings({"scheme": "curve", "points": points}), 10_000_000)
    with pytest.raises(ValueError, match="give --scheme or --file"):
        settings_of(rows.parameters, rows.curve, 10_000_000, rows.time_constant_ns)


def test_a_weight_that_the_rows_do_not_tell_is_not_guessed() -> None:
    rows = compile_profile(parse_settings({"scheme": "ecn", "minth": "150KB", "maxth": "450KB"}), 10_000_000_000)
    assert settings_of(rows.parameters, rows.curve, 10_000_000_000, rows.time_constant_ns).wq == 0.002
    with pytest.raises(ValueError, match="does not tell the weight"):
        settings_of(rows.parameters, rows.curve, 10_000_000_000)


@pytest.mark.parametrize("byte_mode", [True, False])
def test_the_curve_of_rows_is_that_of_the_settings(byte_mode: bool) -> None:
    settings = parse_settings({"scheme": "ecn", "byte_mode": byte_mode, **N1})
    rows = compile_profile(settings, 10_000_000)
    curve, found = curve_of(settings), curve_of_rows(rows.parameters, rows.curve)
    scale = CELLS_PER_REPORTED_PACKET / cells_of_packet(1000)
    # A packet of 1280 bytes counts for more than one of mean size.
    more = 1280 / 1000 if byte_mode else 1.0
    for depth_pkts in (10, 20, 40, 60, 80, 200):
        true, there = curve.at(depth_pkts), found.at(depth_pkts / scale)
        if true is None:
            assert there is None
            continue
        assert there is not None
        assert there.p1(0) == pytest.approx(min(1.0, true.p1(depth_pkts) * more), rel=0.05)
        assert (there.isq, there.drop) == (true.isq, true.drop)


@pytest.mark.parametrize(
    ("span", "number"),
    [
        (Span(14.92, 15.0), 15.0),
        (Span(0.29, 0.3), 0.3),
        (Span(7.23, 7.307), 7.3),
        (Span(0.0, 1.0), 1.0),
        (Span(0.09991, 0.10004), 0.1),
        (Span(2.0, 1.0), None),
    ],
)
def test_the_number_of_the_fewest_digits(span: Span, number: float | None) -> None:
    assert span.shortest() == number
