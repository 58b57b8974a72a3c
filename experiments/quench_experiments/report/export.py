# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs, distributions and figures as CSV, a piece at a time: an experiment may have gigabytes."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from quench_experiments.definition import Experiment, FigureData, Results
from quench_experiments.definition.expression import Label
from quench_experiments.simulation.names import DISTRIBUTIONS
from quench_experiments.simulation.result import read_parquet

FIGURE_COLUMNS = ("figure", "curve", "x", "mean", "half_width_95")
DISTRIBUTION_COLUMNS = ("distribution", "share", "time_s")
_TABLE = f"{DISTRIBUTIONS}.parquet"
_Labels = Mapping[str, Mapping[str, Label]]


def runs_csv(experiment: Experiment, results: Results) -> Iterator[bytes]:
    """A row for each run: its id, its labels, and every metric that any run has."""
    labels = experiment.labels_of(results)
    axes = _axes(labels)
    metrics = list(dict.fromkeys(name for run in labels for name in results[run]))
    yield _row(("run", *axes, *metrics))
    for run, own in labels.items():
        values = results[run]
        yield _row((run, *_cells(own, axes), *(values.get(name) for name in metrics)))


def distributions_csv(experiment: Experiment, tables: Mapping[str, Mapping[str, Path]]) -> Iterator[bytes]:
    """A row for each point of each run's distributions. ``tables`` are the runs' Parquet files."""
    labels = experiment.labels_of(run for run, files in tables.items() if _TABLE in files)
    axes = _axes(labels)
    yield _row(("run", *axes, *DISTRIBUTION_COLUMNS))
    for run, own in labels.items():
        table = read_parquet(tables[run][_TABLE], DISTRIBUTION_COLUMNS)
        columns = (table[name].tolist() for name in DISTRIBUTION_COLUMNS)
        before = (run, *_cells(own, axes))
        yield b"".join(_row((*before, *point)) for point in zip(*columns, strict=True))


def figures_csv(figures: Iterable[FigureData]) -> Iterator[bytes]:
    """A row for each point of each figure that is no time series: the mean over the seeds, and its interval."""
    yield _row(FIGURE_COLUMNS)
    for figure in figures:
        for curve in figure.curves:
            for x, mean, half_width in zip(curve.x, curve.y, curve.half_width, strict=True):
                yield _row((figure.model.name, curve.label, x, mean, half_width))


def has_distributions(tables: Mapping[str, Mapping[str, Path]]) -> bool:
    """Whether any run has completion times."""
    return any(_TABLE in files for files in tables.values())


def _axes(labels: _Labels) -> Sequence[str]:
    """The names of all labels. Parts may have axes of their own; the seed stands last."""
    names = dict.fromkeys(name for own in labels.values() for name in own)
    return sorted(names, key=lambda name: name == "seed")


def _cells(labels: Mapping[str, Label], axes: Iterable[str]) -> Iterator[Label | None]:
    return (labels.get(name) for name in axes)


def _row(cells: Iterable[object]) -> bytes:
    """RFC 4180. Numbers have all their digits; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()
