# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Comparisons of recordings that are made up: nothing is measured here."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from figures import BenchError, Better, Figure, Kind, Part, Recording, compare, ratios, read_recording

HERE, ELSEWHERE = {"id": "here", "cores": 2}, {"id": "elsewhere", "cores": 2}


def figure(*values: float, name: str = "rate", better: Better = "more", kind: Kind = "ratio") -> Figure:
    return Figure(name, values, "times", better, kind)


def recording(*figures: Figure, machine: dict[str, Any] = HERE, quick: bool = False) -> Recording:
    return Recording(machine, {"wire": Part("2026-01-01T00:00:00+00:00", "abc", quick, figures)})


def slower(before: Recording, now: Recording) -> list[str]:
    return [change.now.name for change in compare(before, now, ["wire"]).slower]


@pytest.mark.parametrize(
    ("before", "now", "better", "is_slower"),
    [
        ((0.9, 1.0, 1.1), (0.8, 0.81, 0.82), "more", False),  # 0.19 worse, and the recorded spread is 0.2
        ((0.9, 1.0, 1.1), (0.78, 0.79, 0.8), "more", True),
        ((1.0, 1.0, 1.0), (0.5, 0.8, 1.0), "more", False),  # the spread of now, 0.5, counts too
        ((1.0, 1.0, 1.0), (0.99, 0.99, 0.99), "more", True),
        ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), "more", False),
        ((1.0, 1.1, 1.2), (1.5, 1.5, 1.5), "less", True),
        ((1.0, 1.1, 1.2), (0.5, 0.5, 0.5), "less", False),
        ((1.0, 1.1, 1.2), (5.0, 5.0, 5.0), "more", False),
    ],
)
def test_a_figure_is_slower_by_more_than_the_larger_spread(
    before: tuple[float, ...], now: tuple[float, ...], better: Better, is_slower: bool
) -> None:
    changed = slower(recording(figure(*before, better=better)), recording(figure(*now, better=better)))
    assert changed == (["rate"] if is_slower else [])


def test_ratios_are_compared_between_machines_and_absolute_figures_never_are() -> None:
    ratio, absolute = figure(1.0, 1.1, name="ratio"), figure(1.0, 1.1, name="time", kind="absolute")
    worse = [replace(each, values=(0.1, 0.1)) for each in (ratio, absolute)]
    before, now = recording(ratio, absolute), recording(*worse, machine=ELSEWHERE)
    found = compare(before, now, ["wire"])
    assert [change.now.name for change in found.slower] == ["ratio"]
    assert found.not_judged == {"wire: time": "absolute, and of another machine"}
    assert slower(before, recording(*worse)) == ["ratio", "time"]


def test_machines_without_an_id_are_never_the_same() -> None:
    absolute = figure(1.0, 1.1, kind="absolute")
    nameless = recording(absolute, machine={"id": None})
    assert compare(nameless, nameless, ["wire"]).changes == ()


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (recording(figure(0.1)), "one repetition has no spread"),
        (recording(figure(0.1, 0.1), quick=True), "one of the runs was quick"),
        (recording(figure(0.1, 0.1, better="less")), "recorded in another way"),
        (recording(figure(0.1, 0.1, name="other")), "not recorded"),
    ],
)
def test_what_cannot_be_judged_is_named_with_its_reason(now: Recording, reason: str) -> None:
    found = compare(recording(figure(1.0, 1.0)), now, ["wire"])
    assert found.changes == ()
    assert list(found.not_judged.values()) == [reason]


def test_the_worst_in_proportion_is_first() -> None:
    names = ("a", "b", "c")
    before = [figure(base, base, name=name) for base, name in zip((100.0, 1.0, 10.0), names, strict=True)]
    now = [figure(base, base, name=name) for base, name in zip((90.0, 0.5, 9.9), names, strict=True)]
    assert slower(recording(*before), recording(*now)) == ["b", "a", "c"]


def test_ratios_are_of_the_same_repetition() -> None:
    assert ratios("r", [2.0, 9.0], [1.0, 3.0], "more").values == (2.0, 3.0)
    with pytest.raises(ValueError, match="argument 2"):
        ratios("r", [2.0], [1.0, 3.0], "more")


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    written = recording(figure(1.0, 2.0), figure(3.0, name="time", better="less", kind="absolute"))
    written.write(path)
    assert read_recording(path) == written
    assert json.loads(path.read_text())["parts"]["wire"]["figures"]["rate"]["median"] == 1.5


def test_parts_that_were_not_measured_stay_but_not_from_another_machine() -> None:
    old = recording(figure(1.0))
    new = recording(figure(2.0)).parts["wire"]
    assert set(old.with_parts(HERE, {"control": new}).parts) == {"wire", "control"}
    assert set(old.with_parts(ELSEWHERE, {"control": new}).parts) == {"control"}
    assert old.with_parts(HERE, {"wire": new}).parts["wire"].figures[0].values == (2.0,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"machine": {}, "parts": 1}',
        '{"machine": {}, "parts": {"wire": {}}}',
        '{"machine": {}, "parts": {"wire": {"date": "", "commit": "", "quick": false, "figures": {"a": 1}}}}',
        '{"machine": {}, "parts": {"wire": {"date": "", "commit": "", "quick": false, "figures": '
        '{"a": {"values": [], "unit": "", "better": "more"}}}}}',
        '{"machine": {}, "parts": {"wire": {"date": "", "commit": "", "quick": false, "figures": '
        '{"a": {"values": [1], "unit": "", "better": "faster"}}}}}',
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bench.json"
    path.write_text(text)
    with pytest.raises(BenchError) as caught:
        read_recording(path)
    assert "\n" not in str(caught.value)


def test_a_recording_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"none\.json"):
        read_recording(tmp_path / "none.json")
