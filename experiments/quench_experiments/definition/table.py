# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Results of an experiment's runs, found by their labels; metric expressions worked out over them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod
from itertools import pairwise

from quench_experiments.definition.expression import (
    Constant,
    Count,
    Difference,
    Gain,
    Greatest,
    Interpolated,
    Label,
    Least,
    Less,
    Mean,
    Metric,
    Operation,
    Product,
    Ratio,
    Scaled,
    Share,
    Sum,
)
from quench_experiments.definition.statistics import Sample, combine, divided

SEED = "seed"


class MissingResultError(Exception):
    """The runs that an expression needs are not there, or lack the metric."""


class OpenLabelError(Exception):
    """An expression leaves a label open that its runs differ in."""


@dataclass(frozen=True, slots=True)
class Row:
    """A run's labels and metrics."""

    labels: Mapping[str, Label]
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Table:
    """The rows, and the expressions of the experiment's own metrics."""

    rows: tuple[Row, ...]
    definitions: Mapping[str, Operation] = field(default_factory=dict)
    _indices: dict[tuple[str, ...], dict[tuple[Label, ...], list[Row]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Rows by the values of some labels, made when first asked for."""

    def evaluate(self, expression: Operation, at: Mapping[str, Label] | None = None) -> Sample:
        """The expression's value by seed. Raises MissingResultError and OpenLabelError."""
        outside = dict(at or {})
        if isinstance(expression, Interpolated):
            return self._interpolated(expression, outside)
        return self._evaluate(expression, {**outside, **expression.at})

    def points(self, axes: Iterable[str], at: Mapping[str, Label]) -> list[dict[str, Label]]:
        """All combinations of the axes' labels that rows with these labels have, in the rows' order."""
        found: dict[tuple[Label, ...], None] = {}
        names = tuple(axes)
        for row in self._rows(at):
            if all(name in row.labels for name in names):
                found.setdefault(tuple(row.labels[name] for name in names))
        return [dict(zip(names, each, strict=True)) for each in found]

    def _rows(self, at: Mapping[str, Label]) -> Sequence[Row]:
        names = tuple(sorted(at))
        index = self._indices.get(names)
        if index is None:
            index = self._indices[names] = {}
            for row in self.rows:
                if all(name in row.labels for name in names):
                    index.setdefault(tuple(row.labels[name] for name in names), []).append(row)
        return index.get(tuple(at[name] for name in names), ())

    @singledispatchmethod
    def _evaluate(self, expression: Operation, at: Mapping[str, Label]) -> Sample:
        raise NotImplementedError(type(expression).__name__)

    @_evaluate.register
    def _metric(self, expression: Metric, at: Mapping[str, Label]) -> Sample:
        if (definition := self.definitions.get(expression.metric)) is not None:
            return self.evaluate(definition, at)
        rows = self._rows(at)
        if not rows:
            raise MissingResultError(f"no runs with {describe(at) or 'any labels'}")
        _refuse_open_labels(rows)
        values: dict[int | None, float] = {}
        for row in rows:
            value = row.metrics.get(expression.metric)
            if value is None or math.isnan(value):
                raise MissingResultError(f"no value of {expression.metric} with {describe(row.labels)}")
            seed = row.labels.get(SEED)
            values[int(seed) if seed is not None else None] = value
        return Sample(values)

    @_evaluate.register
    def _constant(self, expression: Constant, _at: Mapping[str, Label]) -> Sample:
        return Sample({None: expression.constant})

    @_evaluate.register
    def _gain(self, expression: Gain, at: Mapping[str, Label]) -> Sample:
        both = self.evaluate(expression.gain, at), self.evaluate(expression.over, at)
        return combine(lambda value, base: 100 * (divided(value, base) - 1), *both)

    @_evaluate.register
    def _less(self, expression: Less, at: Mapping[str, Label]) -> Sample:
        both = self.evaluate(expression.less, at), self.evaluate(expression.than, at)
        return combine(lambda value, base: 100 * (1 - divided(value, base)), *both)

    @_evaluate.register
    def _ratio(self, expression: Ratio, at: Mapping[str, Label]) -> Sample:
        return combine(divided, self.evaluate(expression.ratio, at), self.evaluate(expression.to, at))

    @_evaluate.register
    def _difference(self, expression: Difference, at: Mapping[str, Label]) -> Sample:
        both = self.evaluate(expression.difference, at), self.evaluate(expression.to, at)
        return combine(lambda value, base: value - base, *both)

    @_evaluate.register
    def _share(self, expression: Share, at: Mapping[str, Label]) -> Sample:
        both = self.evaluate(expression.share, at), self.evaluate(expression.with_, at)
        return combine(lambda value, other: divided(value, value + other), *both)

    @_evaluate.register
    def _sum(self, expression: Sum, at: Mapping[str, Label]) -> Sample:
        return combine(lambda *values: math.fsum(values), *(self.evaluate(each, at) for each in expression.sum))

    @_evaluate.register
    def _product(self, expression: Product, at: Mapping[str, Label]) -> Sample:
        return combine(lambda *values: math.prod(values), *(self.evaluate(each, at) for each in expression.product))

    @_evaluate.register
    def _scaled(self, expression: Scaled, at: Mapping[str, Label]) -> Sample:
        return combine(lambda value: value * expression.by, self.evaluate(expression.scaled, at))

    @_evaluate.register
    def _greatest(self, expression: Greatest, at: Mapping[str, Label]) -> Sample:
        return max(self._along(expression.greatest, expression.over, at), key=lambda sample: sample.mean)

    @_evaluate.register
    def _least(self, expression: Least, at: Mapping[str, Label]) -> Sample:
        return min(self._along(expression.least, expression.over, at), key=lambda sample: sample.mean)

    @_evaluate.register
    def _mean(self, expression: Mean, at: Mapping[str, Label]) -> Sample:
        samples = self._along(expression.mean, expression.over, at)
        return combine(lambda *values: math.fsum(values) / len(values), *samples)

    @_evaluate.register
    def _count(self, expression: Count, at: Mapping[str, Label]) -> Sample:
        samples = self._along(expression.count, expression.over, at)
        return Sample({None: float(sum(abs(sample.mean) > expression.beyond for sample in samples))})

    def _interpolated(self, expression: Interpolated, outside: Mapping[str, Label]) -> Sample:
        at = {**outside, **expression.at}
        where = self.evaluate(expression.where, outside)
        xs = self._along(expression.x, (expression.along,), at)
        ys = self._along(expression.interpolated, (expression.along,), at)
        count = len(xs)
        return combine(
            lambda at_x, *values: _interpolate(list(zip(values[:count], values[count:], strict=True)), at_x),
            where,
            *xs,
            *ys,
        )

    def _along(self, expression: Operation, axes: Iterable[str], at: Mapping[str, Label]) -> list[Sample]:
        points = self.points(axes, at)
        if not points:
            raise MissingResultError(f"no runs with {describe(at) or 'any labels'} along {', '.join(axes)}")
        return [self.evaluate(expression, {**at, **point}) for point in points]


def describe(labels: Mapping[str, Label]) -> str:
    """Labels in a sentence, the seed apart."""
    return ", ".join(f"{name} {value}" for name, value in labels.items() if name != SEED)


def _refuse_open_labels(rows: Sequence[Row]) -> None:
    """All rows must be of one point: only their seeds may differ."""
    for row in rows[1:]:
        for name in row.labels.keys() | rows[0].labels.keys():
            if name != SEED and row.labels.get(name) != rows[0].labels.get(name):
                values = f"{rows[0].labels.get(name)}, {row.labels.get(name)}"
                raise OpenLabelError(f"{name} is left open ({values}, ...): fix it by 'at'")


def _interpolate(curve: list[tuple[float, float]], where: float) -> float:
    """The value on the straight lines between the points, ordered by x. Raises MissingResultError beyond the ends."""
    points = sorted(curve)
    if not points[0][0] <= where <= points[-1][0]:
        raise MissingResultError(f"{where:.4g} lies beyond the curve, {points[0][0]:.4g} to {points[-1][0]:.4g}")
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= where <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (where - x0) / (x1 - x0)
    return points[0][1]
