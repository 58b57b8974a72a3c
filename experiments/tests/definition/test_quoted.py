# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The quotes that belong to each curve of a figure, and their places on it."""

from typing import Any

import pytest
from quench_experiments.definition import NS2, QuotedPoint
from quench_experiments.definition.expression import Label
from quench_experiments.definition.model import Definition, FigureModel
from quench_experiments.definition.quoted import quoted_points

OURS: list[tuple[Label, float]] = [(10, 5.0), (15, 3.0), (45, 9.0)]


def found(
    quote: dict[str, Any], at: dict[str, Label] | None = None, y: object = "loss", paper: str = "P1"
) -> list[Any]:
    values = {
        "title": "An experiment",
        "paper": paper,
        "section": "here",
        "about": "Quotes beside the curve of a figure.",
        "quotes": [{"name": "q", "text": "t", "tolerance": {"absolute": 1}, "metric": "loss", **quote}],
    }
    figure = FigureModel.model_validate({"name": "f", "title": "F", "x": "n", "y": y})
    labels = {"scheme": "ecn"} if at is None else at
    return list(quoted_points(Definition.model_validate(values), "n", labels, figure.y, OURS))


def test_a_value_and_ns2s_stand_at_their_place() -> None:
    quote = {"value": 1.2, "at": {"scheme": "ecn", "n": 45}, "ns2": {"value": 1.1, "deviation": 0.1}}
    assert found(quote) == [QuotedPoint("P1, quoted", 45, 1.2), QuotedPoint(NS2, 45, 1.1, 0.1)]
    assert found(quote, paper="Quench")[0].by == "expected"


@pytest.mark.parametrize(
    "differs",
    [
        {"metric": "queue"},
        {"at": {"scheme": "becn", "n": 45}},
        {"at": {"scheme": "ecn"}},
        {"at": {"scheme": "ecn", "n": 45, "delay": "40ms"}},
        {"metric": {"gain": "loss", "over": {"metric": "loss", "at": {"scheme": "red"}}}},
        {"metric": {"least": "loss", "over": "delay"}, "at": {"scheme": "ecn", "n": 45}},
    ],
)
def test_quotes_about_something_else_are_left_out(differs: dict[str, Any]) -> None:
    assert found({"value": 1.2, "at": {"scheme": "ecn", "n": 45}, **differs}) == []


def test_labels_may_stand_in_the_metric() -> None:
    metric = {"metric": "loss", "at": {"scheme": "ecn", "n": 15}}
    assert [point.x for point in found({"value": 1.2, "metric": metric})] == [15]
    assert found({"value": 1.2, "metric": metric}, {"scheme": "red"}, {"metric": "loss", "at": {"scheme": "ecn"}})


@pytest.mark.parametrize(("operation", "place"), [("least", 15), ("greatest", 45)])
def test_an_extreme_value_stands_where_ours_is(operation: str, place: int) -> None:
    quote = {"value": 1.2, "metric": {operation: "loss", "over": "n"}, "at": {"scheme": "ecn"}}
    assert found(quote) == [QuotedPoint("P1, quoted", place, 1.2)]


def test_a_direction_without_a_value_has_no_point() -> None:
    quote = {"value": None, "tolerance": None, "above": 0, "at": {"scheme": "ecn", "n": 45}}
    assert found(quote) == []
