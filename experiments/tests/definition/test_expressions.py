# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metric expressions over a table made by hand."""

import pytest
from pydantic import TypeAdapter, ValidationError
from quench_experiments.definition.expression import Expression
from quench_experiments.definition.table import MissingResultError, OpenLabelError, Row, Table

EXPRESSION = TypeAdapter(Expression)
GOODPUT = {
    ("ecn", 10): (100.0, 110.0),
    ("ecn", 40): (40.0, 50.0),
    ("becn", 10): (100.0, 99.0),
    ("becn", 40): (60.0, 60.0),
}
ROWS = tuple(
    Row({"scheme": scheme, "n": n, "seed": seed}, {"goodput": value, "delay": float(n)})
    for (scheme, n), values in GOODPUT.items()
    for seed, value in enumerate(values, 1)
)
TABLE = Table(ROWS, {"per_flow": EXPRESSION.validate_python({"scaled": "goodput", "by": 0.5})})


def evaluate(expression, **at):
    return TABLE.evaluate(EXPRESSION.validate_python(expression), at).values


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("goodput", {1: 60, 2: 60}),
        (7, {None: 7}),
        ({"metric": "per_flow"}, {1: 30, 2: 30}),
        ({"gain": "goodput", "over": {"metric": "goodput", "at": {"scheme": "ecn"}}}, {1: 50, 2: 20}),
        ({"less": {"metric": "goodput", "at": {"scheme": "ecn"}}, "than": "goodput"}, {1: 100 / 3, 2: 50 / 3}),
        ({"ratio": "goodput", "to": {"metric": "goodput", "at": {"n": 10}}}, {1: 0.6, 2: 60 / 99}),
        ({"difference": "goodput", "to": 50}, {1: 10, 2: 10}),
        ({"share": "goodput", "with": {"metric": "goodput", "at": {"scheme": "ecn"}}}, {1: 0.6, 2: 60 / 110}),
        ({"sum": ["goodput", "goodput", 1]}, {1: 121, 2: 121}),
        ({"product": ["goodput", 0.5, "delay"]}, {1: 1200, 2: 1200}),
        ({"scaled": "goodput", "by": 0.01}, {1: 0.6, 2: 0.6}),
    ],
)
def test_operations(expression, values):
    """At becn, 40 flows."""
    assert evaluate(expression, scheme="becn", n=40) == pytest.approx(values)


def test_mean():
    """Seed by seed."""
    assert evaluate({"mean": "goodput", "over": "scheme"}, n=40) == {1: 50, 2: 55}
    assert evaluate({"mean": "goodput", "over": ["scheme", "n"]}) == {1: 75, 2: 79.75}


def test_greatest_and_least_choose_by_the_mean():
    """Seed 2 alone would choose ecn at n = 10 as the greatest by 110, and so does the mean, 105 against 99.5."""
    assert evaluate({"greatest": "goodput", "over": "scheme"}, n=10) == {1: 100, 2: 110}
    assert evaluate({"least": "goodput", "over": ["scheme", "n"]}) == {1: 40, 2: 50}


def test_count_is_of_the_means():
    """Gains of becn over ecn: -0, -10 % at 10 flows, 50 and 20 % at 40."""
    gain = {
        "gain": {"metric": "goodput", "at": {"scheme": "becn"}},
        "over": {"metric": "goodput", "at": {"scheme": "ecn"}},
    }
    assert evaluate({"count": gain, "beyond": 6, "over": "n"}) == {None: 1}
    assert evaluate({"count": gain, "beyond": 4, "over": "n"}) == {None: 2}, "either way counts"


def test_an_inner_at_wins():
    assert evaluate({"metric": "goodput", "at": {"n": 10}}, scheme="becn", n=40) == {1: 100, 2: 99}
    outer = {"ratio": {"metric": "goodput", "at": {"n": 10}}, "to": "goodput", "at": {"scheme": "becn", "n": 40}}
    assert evaluate(outer) == pytest.approx({1: 100 / 60, 2: 99 / 60})


def test_interpolation():
    """Half way between 10 and 40 on the curve (delay, goodput) of ecn: 70 and 80."""
    where = {"scaled": {"sum": [{"metric": "delay", "at": {"n": 10}}, {"metric": "delay", "at": {"n": 40}}]}, "by": 0.5}
    expression = {"interpolated": "goodput", "x": "delay", "along": "n", "where": where, "at": {"scheme": "ecn"}}
    assert evaluate(expression, scheme="becn") == pytest.approx({1: 70, 2: 80})
    assert evaluate({**expression, "where": 25}, scheme="becn") == pytest.approx({1: 70, 2: 80})


def test_interpolation_ends_with_the_curve():
    where = {"scaled": {"metric": "delay", "at": {"n": 40}}, "by": 2}
    expression = {"interpolated": "goodput", "x": "delay", "along": "n", "where": where, "at": {"scheme": "ecn"}}
    with pytest.raises(MissingResultError, match="80 lies beyond the curve, 10 to 40"):
        evaluate(expression, scheme="becn")


def test_a_missing_run_or_metric_is_said():
    with pytest.raises(MissingResultError, match="no runs with scheme ecn, n 15"):
        evaluate("goodput", scheme="ecn", n=15)
    with pytest.raises(MissingResultError, match="no value of loss with scheme ecn, n 10"):
        evaluate("loss", scheme="ecn", n=10)


def test_an_open_label_is_refused():
    with pytest.raises(OpenLabelError, match="n is left open"):
        evaluate("goodput", scheme="ecn")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"median": "goodput"}, "not a metric's name, a number, or a mapping with one of metric, constant, gain"),
        ({"gain": "goodput"}, "Field required"),
        ({"gain": "goodput", "over": "x", "under": "y"}, "Extra inputs are not permitted"),
        (True, "not a metric's name"),
    ],
)
def test_what_is_no_expression(expression, message):
    with pytest.raises(ValidationError, match=message):
        EXPRESSION.validate_python(expression)
