# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What quotes and figures refer to must exist: labels, values of labels, axes; and leave nothing open."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from quench_experiments.definition.expression import (
    Count,
    Greatest,
    Interpolated,
    Label,
    Least,
    Mean,
    Metric,
    Operation,
)
from quench_experiments.definition.table import SEED, describe

if TYPE_CHECKING:
    from quench_experiments.definition.experiment import Experiment

Place = tuple[str | int, ...]
Fault = tuple[Place, str]
_ALONG = (Greatest, Least, Mean, Count)


def check_references(experiment: "Experiment") -> Iterator[Fault]:
    """Faults of the expressions, with their places in the file."""
    checker = _Checker(experiment)
    for index, quote in enumerate(experiment.quotes):
        place: Place = ("quotes", index)
        for name in ("metric", "above", "below"):
            expression = getattr(quote, name)
            if isinstance(expression, Operation):
                yield from checker.check(expression, quote.at, frozenset(), (*place, name))
    for index, figure in enumerate(experiment.figures):
        place = ("figures", index)
        free = set(figure.along or ())
        if figure.kind == "lines" and isinstance(figure.x, Metric):
            free.add(figure.x.metric)
        if not figure.curves and figure.series is not None:
            free.add(figure.series)
        for axis in free:
            yield from checker.check_axis(axis, (*place, "along" if axis in (figure.along or ()) else "series"))
        curves = figure.curves or (None,)
        for number, curve in enumerate(curves):
            at = {**figure.at, **(curve.at if curve else {})}
            y: Operation = curve.y if curve and curve.y is not None else figure.y
            expressions: dict[str, Operation] = {"y": y} if figure.kind != "time" else {}
            if figure.kind == "path" and figure.x is not None:
                expressions["x"] = figure.x
            for name, expression in expressions.items():
                where: Place = (*place, "curves", number) if curve else (*place, name)
                yield from checker.check(expression, at, frozenset(free), where)
            if figure.kind == "time":
                yield from checker.check_labels(at, frozenset(free), place)


class _Checker:
    def __init__(self, experiment: "Experiment") -> None:
        self._points = [point.labels for part in experiment.parts for point in part.points()]
        self._metrics = experiment.definition.metrics
        self._axes = {name for labels in self._points for name in labels}

    def check(
        self, expression: Operation, at: Mapping[str, Label], free: frozenset[str], place: Place
    ) -> Iterator[Fault]:
        """``free``: axes along which the expression is evaluated point by point."""
        outside, at = at, {**at, **expression.at}
        for name in expression.at:
            yield from self.check_axis(name, (*place, "at"))
        if isinstance(expression, Metric):
            if expression.metric in self._metrics:
                yield from self.check(self._metrics[expression.metric].value, at, free, place)
            else:
                yield from self.check_labels(at, free, place)
            return
        if isinstance(expression, _ALONG):
            for axis in expression.over:
                yield from self.check_axis(axis, (*place, "over"))
            free |= set(expression.over)
        if isinstance(expression, Interpolated):
            yield from self.check_axis(expression.along, (*place, "along"))
            yield from self.check(expression.where, outside, free - {expression.along}, place)
            free |= {expression.along}
            for each in (expression.interpolated, expression.x):
                yield from self.check(each, at, free, place)
            return
        for part in expression.parts():
            yield from self.check(part, at, free, place)

    def check_axis(self, axis: str, place: Place) -> Iterator[Fault]:
        """The axis must be one of the labels."""
        if axis not in self._axes:
            yield place, f"runs have no label {axis!r}: they have {', '.join(sorted(self._axes))}"

    def check_labels(self, at: Mapping[str, Label], free: frozenset[str], place: Place) -> Iterator[Fault]:
        """There are such points, and they differ only in what is free."""
        found = [labels for labels in self._points if all(labels.get(name) == value for name, value in at.items())]
        if not found:
            yield place, f"no run has {describe(at)}"
            return
        for name in sorted(self._axes - free - {SEED}):
            values = {labels.get(name): None for labels in found}
            if len(values) > 1:
                yield place, f"{name} is left open ({', '.join(str(value) for value in values)}): fix it by 'at'"
                return
