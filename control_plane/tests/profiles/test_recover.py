# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Settings that are found again from the rows on a switch."""

from typing import Any

import pytest
from quench.profiles import compile_profile, parse_settings
from quench.profiles.recover import settings_of
from quench.profiles.settings import NAMED_SCHEMES, fields_of

N1 = {"minth": "15KB", "maxth": "45KB"}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"minth": "5pkts", "maxth": "15pkts", "maxp": 0.02, "byte_mode": False},
    {"minth": "1pkts", "maxth": "2pkts", "gentle": False, "k": 0},
    {"minth": "7.3pkts", "maxth": "17KB"},
    {"wq": 0.01, "mean_packet_bytes": 500, "mark_at": "tail", "wait": False, "report_interval": "1500us"},
    {"isq_levels": True, "once_per_path": 5},
    {"depth": "now", "mark_at": "tail", "byte_mode": False, "mean_packet_bytes": 1500},
    {"spare_empty": True, "maxp": 1, "minth": 0, "maxth": "100KB", "k": "64KB"},
    {"advice": "30%"},
    {"advice": "7us", "advice_at_maxth": "100%"},
    {"advice_at_maxth": "32767us", "maxp": 0.2},
]
BEYOND = {("ecn-mod", 2), ("ecn-mod", 3)}
"""In ecn-mod's curve only the thresholds on the grid of the rows are found, with gentle RED's slope."""


@pytest.mark.parametrize("rate_bps", [500_000, 10_000_000, 1_000_000_000])
@pytest.mark.parametrize("scheme", NAMED_SCHEMES)
@pytest.mark.parametrize("place", range(len(SETTINGS)))
def test_the_settings_of_a_named_scheme_make_the_same_rows(scheme: str, place: int, rate_bps: int) -> None:
    given = {name: value for name, value in SETTINGS[place].items() if name in fields_of(scheme)}
    rows = compile_profile(parse_settings({"scheme": scheme, **given}), rate_bps)
    if (scheme, place) in BEYOND:
        with pytest.raises(ValueError, match="give --scheme or --file"):
            settings_of(rows.parameters, rows.curve, rate_bps)
        return
    found = settings_of(rows.parameters, rows.curve, rate_bps)
    assert (found.scheme, compile_profile(found, rate_bps)) == (scheme, rows)


def test_numbers_are_those_that_people_write() -> None:
    written = parse_settings({"scheme": "mecn", **N1, "maxp": 0.2, "wq": 0.002})
    rows = compile_profile(written, 10_000_000)
    found = settings_of(rows.parameters, rows.curve, 10_000_000).model_dump(mode="json")
    assert {name: found[name] for name in ("minth", "midth", "maxth", "maxp", "wq", "mean_packet_bytes")} == {
        "minth": "15pkts",
        "midth": "30pkts",
        "maxth": "45pkts",
        "maxp": 0.2,
        "wq": 0.002,
        "mean_packet_bytes": 1000,
    }


@pytest.mark.parametrize(("wq", "scheme", "threshold"), [(1.0, "dctcp", "k"), (0.5, "ecn", "minth")])
def test_a_step_at_the_queue_of_the_moment_is_dctcps(wq: float, scheme: str, threshold: str) -> None:
    step = parse_settings({"scheme": "ecn", "minth": "20pkts", "maxth": "20pkts", "maxp": 1, "wq": wq})
    rows = compile_profile(step, 10_000_000)
    found = settings_of(rows.parameters, rows.curve, 10_000_000)
    assert (found.scheme, str(getattr(found, threshold)), found.wq) == (scheme, "20pkts", wq)


def test_a_curve_of_ones_own_has_no_name() -> None:
    points = [{"depth": "5KB", "p1": 0}, {"depth": "15KB", "p1": 0.02, "isq": True}, {"depth": "60KB", "p1": 0.5}]
    rows = compile_profile(parse_settings({"scheme": "curve", "points": points}), 10_000_000)
    with pytest.raises(ValueError, match="give --scheme or --file"):
        settings_of(rows.parameters, rows.curve, 10_000_000)
