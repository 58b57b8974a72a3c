# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The data of an experiment's figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quench_experiments.definition.experiment import Experiment, Results
from quench_experiments.definition.expression import Label, Metric, Operation
from quench_experiments.definition.model import FigureModel
from quench_experiments.definition.quoted import QuotedPoint, quoted_points
from quench_experiments.definition.statistics import Sample
from quench_experiments.definition.table import SEED, MissingResultError, Table
from quench_experiments.simulation.base import MAX_BINS
from quench_experiments.simulation.names import SERIES_WORDS


@dataclass(frozen=True, slots=True)
class CurveData:
    """One curve."""

    label: str
    x: tuple[Label, ...] = ()
    y: tuple[float, ...] = ()
    half_width: tuple[float | None, ...] = ()
    """Half the 95 % confidence interval of each y; None with fewer than two seeds."""
    run_id: str | None = None
    """A time series: of this run."""
    series: str | None = None
    """A time series: its name."""
    average: str | None = None
    """A time series of a queue: the name of the average's."""
    levels: tuple[tuple[str, float], ...] = ()
    """A time series of a queue: name and depth in packets of each threshold."""
    quoted: tuple[QuotedPoint, ...] = ()
    """Values of others for its points."""


QUEUE, AVERAGE = "queue_pkts", "average_pkts"


@dataclass(frozen=True, slots=True)
class FigureData:
    """A figure with its numbers. A curve whose runs are missing is left out."""

    model: FigureModel
    x_label: str
    y_label: str
    curves: tuple[CurveData, ...]


def figure_data(experiment: Experiment, results: Results) -> list[FigureData]:
    """The figures in the file's order. ``results`` are metrics by run id."""
    table = experiment.table(results)
    return [
        FigureData(
            figure,
            figure.x_label or _label(experiment, figure.x),
            figure.y_label or _label(experiment, figure.y),
            tuple(_curves(experiment, figure, table, results)),
        )
        for figure in experiment.figures
    ]


def _label(experiment: Experiment, expression: Operation | None) -> str:
    """The title and unit of a metric of the experiment, or the name of another metric."""
    if not isinstance(expression, Metric):
        return ""
    column = expression.metric.rpartition(".")[2]
    metric = experiment.definition.metrics.get(expression.metric)
    if metric is None:
        return SERIES_WORDS.get(column, expression.metric)
    return f"{metric.title} ({metric.unit})" if metric.unit else metric.title


def _curves(experiment: Experiment, figure: FigureModel, table: Table, results: Results) -> Iterator[CurveData]:
    for label, at, y in _wanted(figure, table):
        if figure.kind == "time":
            yield from _time_curve(experiment, label, at, y, results)
            continue
        points = list(_sizes(table, at, y) if figure.kind == "sizes" else _points(figure, table, at, y))
        if figure.kind == "ranked":
            points.sort(key=lambda point: point[1].mean)
            points = [(rank, sample) for rank, (_, sample) in enumerate(points, 1)]
        if points:
            yield CurveData(
                label,
                tuple(x for x, _ in points),
                tuple(sample.mean for _, sample in points),
                tuple(sample.half_width for _, sample in points),
                quoted=tuple(_quoted(experiment, figure, at, y, points)),
            )


def _quoted(
    experiment: Experiment,
    figure: FigureModel,
    at: Mapping[str, Label],
    y: Operation,
    points: Sequence[tuple[Label, Sample]],
) -> Iterator[QuotedPoint]:
    if figure.kind == "lines" and isinstance(figure.x, Metric):
        means = [(x, sample.mean) for x, sample in points]
        yield from quoted_points(experiment.definition, figure.x.metric, at, y, means)


def _wanted(figure: FigureModel, table: Table) -> Iterator[tuple[str, dict[str, Label], Operation]]:
    """Label, fixed labels and y of each curve."""
    if figure.curves:
        for curve in figure.curves:
            yield curve.label, {**figure.at, **curve.at}, curve.y if curve.y is not None else figure.y
    elif figure.series is None:
        yield "", dict(figure.at), figure.y
    else:
        for point in table.points((figure.series,), figure.at):
            yield str(point[figure.series]), {**figure.at, **point}, figure.y


def _points(figure: FigureModel, table: Table, at: Mapping[str, Label], y: Operation) -> Iterator[tuple[Label, Sample]]:
    if figure.kind == "lines":
        axes: tuple[str, ...] = (figure.x.metric,) if isinstance(figure.x, Metric) else ()
    else:
        axes = figure.along or ()
    for point in table.points(axes, at):
        where = {**at, **point}
        try:
            sample = table.evaluate(y, where)
            x: Label = point[axes[0]]
            if figure.kind == "path" and figure.x is not None:
                x = table.evaluate(figure.x, where).mean
        except MissingResultError:
            continue
        if sample:
            yield x, sample


def of_bin(metric: str, number: int, column: str | None = None) -> str:
    """The metric of a bin of sizes, for that of all sizes; ``column`` in place of its last part."""
    part, _, own = metric.rpartition(".")
    return f"{part}.size.{number}.{column or own}"


def _sizes(table: Table, at: Mapping[str, Label], y: Operation) -> Iterator[tuple[Label, Sample]]:
    """The points of each bin, by the largest size in it."""
    if not isinstance(y, Metric):
        raise TypeError("the y of sizes is a metric's name")
    taken: set[str] = set()
    for number in range(1, MAX_BINS + 2):
        try:
            size = table.evaluate(Metric(metric=of_bin(y.metric, number, "size_bytes")), {**at, **y.at}).mean
        except MissingResultError:
            # There is no such bin, or no message in it.
            continue
        name = short_bytes(size)
        if name in taken:
            name = f"{name} ({number})"
        taken.add(name)
        try:
            sample = table.evaluate(Metric(metric=of_bin(y.metric, number)), {**at, **y.at})
        except MissingResultError:
            continue
        yield name, sample


def short_bytes(size: float) -> str:
    """A size with two digits, such as 46K."""
    rounded = float(f"{size:.1e}")
    for unit, scale in (("M", 1e6), ("K", 1e3)):
        if rounded >= scale:
            return f"{rounded / scale:g}{unit}"
    return f"{rounded:g}"


def _time_curve(
    experiment: Experiment, label: str, at: Mapping[str, Label], y: Operation, results: Results
) -> Iterator[CurveData]:
    """The first seed's run that has these labels."""
    if not isinstance(y, Metric):
        raise TypeError("the y of a time series is its name")
    found = [
        run_id
        for run_id, labels in experiment.labels(seeds=_seeds(results)).items()
        if run_id in results and all(labels.get(name) == value for name, value in at.items() if name != SEED)
    ]
    if found:
        direction, _, column = y.metric.rpartition(".")
        if column != QUEUE:
            yield CurveData(label, run_id=found[0], series=y.metric)
            return
        average = f"{direction}.{AVERAGE}"
        levels = _thresholds(experiment, found[0], direction)
        yield CurveData(label, run_id=found[0], series=y.metric, average=average, levels=levels)


def _thresholds(experiment: Experiment, run_id: str, direction: str) -> tuple[tuple[str, float], ...]:
    """Those of the direction's queue in this run; none if it is not a congested one."""
    setup = experiment.setup_of(run_id)
    if not setup.network.manages(direction):
        return ()
    return tuple(
        (f"{name} {depth}".strip(), setup.settings.in_pkts(depth)) for name, depth in setup.settings.named_depths()
    )


def _seeds(results: Results) -> list[int]:
    return sorted({int(run_id.rpartition("=")[2]) for run_id in results})
