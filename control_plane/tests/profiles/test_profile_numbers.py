# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A profile with any numbers is refused with a sentence, or the switch's tables hold it."""

from pathlib import Path
from typing import Any

import finsy as fy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError
from quench.client.pipelines import V1MODEL
from quench.profiles import compile_profile, parse_settings
from quench.profiles.settings import SCHEMES, fields_of

SCHEMA = fy.P4Schema(Path(__file__).resolve().parents[3] / "build" / "quench.p4info.txtpb")
NUMBERS = st.one_of(
    st.floats(),
    st.integers(),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(
        [1e-320, 5e-324, 1e18, 1e400, "1e-320pkts", "1e18B", "1e-300KB", "30pkts", "4000s", "1ns", "0", ""]
    ),
    st.builds("{}{}".format, st.floats(0, 1e20), st.sampled_from(["KB", "pkts", "ms", "Mbps", ""])),
)
POINTS = st.lists(
    st.dictionaries(st.sampled_from(["depth", "p1", "p2", "isq", "isq_level", "drop"]), NUMBERS), max_size=4
)


@st.composite
def profiles(draw: st.DrawFn) -> dict[str, Any]:
    scheme = draw(st.sampled_from(SCHEMES))
    names = sorted(fields_of(scheme) - {"scheme", "points"})
    usual: dict[str, Any] = {"minth": "15KB", "midth": "20KB", "becnthresh": "20KB", "maxth": "45KB"}
    values = {name: value for name, value in usual.items() if name in names}
    values |= draw(st.dictionaries(st.sampled_from(names), NUMBERS, max_size=3))
    return {"scheme": scheme, **values} | ({"points": draw(POINTS)} if scheme == "curve" else {})


@given(profiles(), st.one_of(st.integers(1, 10**18), st.sampled_from([1, 10_000_000, 10**30])))
@example({"scheme": "taildrop", "wq": 1e-320}, 10_000_000)
@example({"scheme": "ecn-mod", "minth": "15KB", "maxth": "1e18pkts"}, 10_000_000)
@example({"scheme": "ecn", "minth": "15KB", "maxth": "45KB"}, 1)
def test_any_numbers(values: dict[str, Any], rate_bps: int) -> None:
    try:
        rows = compile_profile(parse_settings(values), rate_bps)
    except (ValidationError, ValueError):
        return
    for entry in V1MODEL.profile(1, rows):
        entry.encode(SCHEMA)


@pytest.mark.parametrize("wq", [1e-320, 0, 1 / (1 << 25), -1, float("nan"), float("inf"), 1.1])
def test_a_weight_that_the_tables_round_to_nothing_is_refused(wq: float) -> None:
    with pytest.raises(ValidationError, match="wq"):
        parse_settings({"scheme": "taildrop", "wq": wq})
