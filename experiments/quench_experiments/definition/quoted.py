# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The places of a paper's quoted values, and of ns-2's, among the points of a figure's curve."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quench_experiments.definition.expression import Greatest, Label, Least, Operation
from quench_experiments.definition.model import Definition, Quote

NS2 = "ns-2"


@dataclass(frozen=True, slots=True)
class QuotedPoint:
    """A value that is not ours."""

    by: str
    """The owner of the value, for people."""
    x: Label
    y: float
    deviation: float | None = None
    """Standard deviation over seeds, where it is known."""


def quoted_points(
    definition: Definition, axis: str, at: Mapping[str, Label], y: Operation, ours: Sequence[tuple[Label, float]]
) -> Iterator[QuotedPoint]:
    """Those about the curve of ``y`` over an axis with these labels. ``ours`` are our own points.

    A least or greatest value over the axis stands where ours is least or greatest, for the text says no more.
    """
    wanted = _labels(at, y, without=axis)
    by = f"{definition.paper}, quoted" if definition.is_of_a_paper else "expected"
    for quote in definition.quotes:
        inner = quote.metric
        place: Label | None
        if isinstance(inner, Least | Greatest) and inner.over == (axis,):
            extreme = min if isinstance(inner, Least) else max
            place = extreme(ours, key=lambda point: point[1])[0] if ours else None
            inner = inner.least if isinstance(inner, Least) else inner.greatest
        else:
            place = {**quote.at, **inner.at}.get(axis)
        labels = _labels({**quote.at, **quote.metric.at}, inner, without=axis)
        if place is not None and labels == wanted and _bare(inner) == _bare(y):
            yield from _of(quote, place, by)


def _of(quote: Quote, x: Label, by: str) -> Iterator[QuotedPoint]:
    if quote.value is not None:
        yield QuotedPoint(by, x, quote.value)
    if quote.ns2 is not None:
        yield QuotedPoint(NS2, x, quote.ns2.value, quote.ns2.deviation)


def _labels(at: Mapping[str, Label], expression: Operation, without: str) -> dict[str, Label]:
    return {name: value for name, value in {**at, **expression.at}.items() if name != without}


def _bare(expression: Operation) -> Operation:
    """The expression without its own labels."""
    return expression.model_copy(update={"at": {}})
