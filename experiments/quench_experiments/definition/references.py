# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The metrics, time series and labels that an experiment's quotes and figures name: there are such."""

from collections.abc import Iterator, Mapping, Sequence

from quench_experiments.definition.experiment import COMPUTED, Experiment, Part, Point
from quench_experiments.definition.expression import (
    Count,
    Greatest,
    Interpolated,
    Keys,
    Label,
    Least,
    Mean,
    Metric,
    Operation,
)
from quench_experiments.definition.figures import of_bin
from quench_experiments.definition.measurable import Measurable, measurable, near, near_series, senders
from quench_experiments.definition.model import FigureModel
from quench_experiments.definition.table import SEED, describe

Fault = tuple[Keys, str]
_ALONG = (Greatest, Least, Mean, Count)


def reference_faults(experiment: Experiment) -> Iterator[Fault]:
    """Faults of the expressions, with their places in the file: misspelt names first."""
    checker = _Checker(experiment)
    yield from checker.names()
    for index, quote in enumerate(experiment.quotes):
        place: Keys = ("quotes", index)
        for name in ("metric", "above", "below"):
            expression = getattr(quote, name)
            if isinstance(expression, Operation):
                yield from checker.check(expression, quote.at, frozenset(), (*place, name))
    for index, figure in enumerate(experiment.figures):
        yield from _figure_faults(checker, figure, ("figures", index))


def _figure_faults(checker: "_Checker", figure: FigureModel, place: Keys) -> Iterator[Fault]:
    free = dict.fromkeys(figure.along or (), "along")
    if figure.kind == "lines" and isinstance(figure.x, Metric):
        free[figure.x.metric] = "x"
    if not figure.curves and figure.series is not None:
        free[figure.series] = "series"
    for axis, key in free.items():
        yield from checker.check_axis(axis, (*place, key))
    for number, curve in enumerate(figure.curves or (None,)):
        at = {**figure.at, **(curve.at if curve else {})}
        y: Operation = curve.y if curve and curve.y is not None else figure.y
        expressions: dict[str, Operation] = {"y": y}
        if figure.kind == "path" and figure.x is not None:
            expressions["x"] = figure.x
        for name, expression in expressions.items():
            where: Keys = (*place, "curves", number) if curve else (*place, name)
            if figure.kind == "sizes" and isinstance(expression, Metric):
                each = expression.model_copy(update={"metric": of_bin(expression.metric, 1)})
                yield from checker.check_bins(each, {**at, **expression.at}, frozenset(free), where)
            elif figure.kind == "time" and isinstance(expression, Metric):
                named = (*where, "y") if curve and curve.y is not None else (*place, "y")
                yield from checker.check_series(expression.metric, at, frozenset(free), named)
            else:
                yield from checker.check(expression, at, frozenset(free), where)


def _expressions(experiment: Experiment) -> Iterator[tuple[Keys, Operation]]:
    """Every expression of metrics, and its place; time series and axes are none."""
    for name, metric in experiment.definition.metrics.items():
        yield ("metrics", name, "value"), metric.value
    for index, quote in enumerate(experiment.quotes):
        for key in ("metric", "above", "below"):
            if (expression := getattr(quote, key)) is not None:
                yield ("quotes", index, key), expression
    for index, figure in enumerate(experiment.figures):
        if figure.kind in ("sizes", "time"):
            continue
        place: Keys = ("figures", index)
        yield (*place, "y"), figure.y
        if figure.kind == "path" and figure.x is not None:
            yield (*place, "x"), figure.x
        for number, curve in enumerate(figure.curves):
            if curve.y is not None:
                yield (*place, "curves", number, "y"), curve.y


def _metrics_of(place: Keys, expression: Operation) -> Iterator[tuple[Keys, str]]:
    """The names of metrics in an expression, and their places. A name may be bare: its last key is not in the file."""
    if isinstance(expression, Metric):
        yield (*place, "metric"), expression.metric
    for keys, part in expression.parts():
        yield from _metrics_of((*place, *keys), part)


class _Checker:
    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._points = [(part, point) for part in experiment.parts for point in part.points()]
        self._metrics = experiment.definition.metrics
        self._axes = {name for _, point in self._points for name in point.labels}
        self._known: dict[int, Measurable] = {}

    def names(self) -> Iterator[Fault]:
        """Names that are neither a metric of any run nor one of the experiment's own."""
        seen: set[str] = set()
        every = range(len(self._points))
        for place, expression in _expressions(self._experiment):
            for where, name in _metrics_of(place, expression):
                if name in seen or name in self._metrics or self._some_has(name, every):
                    seen.add(name)
                    continue
                meant = near(name, (self._names(index) for index in every), self._metrics)
                otherwise = senders(name) or "docs/reference/simulator.md lists them"
                yield where, f"no run has a metric {name!r}: {_advice(meant, otherwise)}"

    def check(
        self, expression: Operation, at: Mapping[str, Label], free: frozenset[str], place: Keys
    ) -> Iterator[Fault]:
        """``free``: axes along which the expression is evaluated point by point."""
        outside, at = at, {**at, **expression.at}
        for name in expression.at:
            yield from self.check_axis(name, (*place, "at"))
        if isinstance(expression, Metric):
            if expression.metric in self._metrics:
                yield from self.check(self._metrics[expression.metric].value, at, free, place)
            else:
                yield from self._check_metric(expression.metric, at, free, place)
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
        for _, part in expression.parts():
            yield from self.check(part, at, free, place)

    def check_axis(self, axis: str, place: Keys) -> Iterator[Fault]:
        """The axis must be one of the labels."""
        if axis not in self._axes:
            yield place, f"runs have no label {axis!r}: they have {', '.join(sorted(self._axes))}"

    def check_series(self, name: str, at: Mapping[str, Label], free: frozenset[str], place: Keys) -> Iterator[Fault]:
        """The runs that are drawn keep this time series."""
        yield from self._check_labels(at, free, place)
        found = self._found(at)
        if found and not any(name in self._names(index).series for index in found):
            meant = near_series(name, (self._names(index) for index in found))
            otherwise = "name its direction under 'measure.series', or set 'measure.cwnd'"
            yield place, f"no run keeps a time series {name!r}: {_advice(meant, otherwise)}"

    def check_bins(self, metric: Metric, at: Mapping[str, Label], free: frozenset[str], place: Keys) -> Iterator[Fault]:
        """The runs that are drawn have this metric of the first bin of sizes."""
        yield from self._check_labels(at, free, place)
        found = self._found(at)
        if found and not self._some_has(metric.metric, found):
            what = "give 'measure.size_bins', and a metric such as group.NAME.slowdown_p99"
            yield place, f"no run has a metric {metric.metric!r}: {what}"

    def _check_metric(self, name: str, at: Mapping[str, Label], free: frozenset[str], place: Keys) -> Iterator[Fault]:
        yield from self._check_labels(at, free, place)
        found = self._found(at)
        if found and not self._some_has(name, found):
            yield place, f"no run with {describe(at) or 'any labels'} has a metric {name!r}"

    def _check_labels(self, at: Mapping[str, Label], free: frozenset[str], place: Keys) -> Iterator[Fault]:
        """There are such points, and they differ only in what is free."""
        found = [self._points[index][1].labels for index in self._found(at)]
        if not found:
            yield place, f"no run has {describe(at)}"
            return
        for name in sorted(self._axes - free - {SEED}):
            values = {labels.get(name): None for labels in found}
            if len(values) > 1:
                yield place, f"{name} is left open ({', '.join(str(value) for value in values)}): fix it by 'at'"
                return

    def _found(self, at: Mapping[str, Label]) -> list[int]:
        """The numbers of the points with these labels."""
        return [
            index
            for index, (_, point) in enumerate(self._points)
            if all(point.labels.get(name) == value for name, value in at.items())
        ]

    def _some_has(self, name: str, points: Sequence[int]) -> bool:
        return any(self._names(index).has_metric(name) for index in points)

    def _names(self, index: int) -> Measurable:
        """The names of a point's runs, worked out when first asked for."""
        if index not in self._known:
            self._known[index] = self._names_of(*self._points[index])
        return self._known[index]

    def _names_of(self, part: Part, point: Point) -> Measurable:
        if self._experiment.is_computed:
            return Measurable({"": frozenset(COMPUTED)})
        return measurable(part.setup(point))


def _advice(meant: str | None, otherwise: str) -> str:
    return otherwise if meant is None else f"did you mean {meant!r}?"
