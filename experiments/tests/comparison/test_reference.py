# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""bench/ns2/reference.yaml: complete, and with the known results of the papers' simulator."""

from pathlib import Path

import pytest
from quench_experiments.comparison.cases import all_cases
from quench_experiments.comparison.ns2 import REFERENCE, Measured, read_reference, write_measured
from quench_experiments.errors import ComparisonError

LOSS_SHARE = 0.1
"""Twice the deviation between seeds, about, where a per cent is lost."""


def test_each_case_has_numbers_of_ns2() -> None:
    reference = read_reference(REFERENCE)
    assert [case.key for case in all_cases() if not reference.of(case.key)] == []
    assert len(reference.measured.seeds) == 3


def test_extended_numbers_say_how_they_were_got() -> None:
    extended = read_reference(REFERENCE).extended
    assert "arrives" in extended.how
    keys = {case.key for case in all_cases() if not case.in_ns2}
    assert set(extended.cases) == keys


@pytest.mark.parametrize(
    ("key", "loss"),
    [
        ("n1-40ms-45-red", 0.046),
        ("n1-40ms-45-ecn", 0.0119),
        ("n1-250ms-45-red", 0.0086),
        ("n1-250ms-45-ecn", 0.0077),
    ],
)
def test_the_settings_give_the_losses_that_the_papers_quote(key: str, loss: float) -> None:
    assert read_reference(REFERENCE).of(key)["loss"].mean == pytest.approx(loss, rel=LOSS_SHARE)


def test_recording_keeps_the_extended_numbers(tmp_path: Path) -> None:
    copy = tmp_path / "reference.yaml"
    copy.write_text(REFERENCE.read_text(encoding="utf-8"), encoding="utf-8")
    write_measured(copy, Measured(version="test", seeds=[1], cases={"n1-40ms-45-ecn": {"loss": (0.0123456789, 0.0)}}))
    written = read_reference(copy)
    assert written.extended == read_reference(REFERENCE).extended
    assert written.measured.cases == {"n1-40ms-45-ecn": {"loss": (0.0123457, 0.0)}}
    assert copy.read_text(encoding="utf-8").startswith("# SPDX-FileCopyrightText")


def test_a_broken_file_is_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "reference.yaml"
    broken.write_text("measured: [", encoding="utf-8")
    with pytest.raises(ComparisonError, match=r"reference\.yaml:1:12: expected the node content") as error:
        read_reference(broken)
    assert "\n" not in str(error.value)
