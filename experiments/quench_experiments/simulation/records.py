# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Web objects, files and calls that began in the measured time: their metrics, and distributions of their times."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from quench_experiments.simulation.names import FILE_TIME, FLOW_TIME, OBJECT_DELAY, PERCENTILES

MOST_POINTS = 1001
"""The most points of a distribution: steps of 0.1 %."""
_Floats: TypeAlias = npt.NDArray[np.float64]
_Metrics: TypeAlias = dict[str, float]
_Table: TypeAlias = Mapping[str, npt.NDArray[Any]]


class Records:
    """The records of the measured time."""

    def __init__(self, raw: Mapping[str, _Table], warmup_s: float) -> None:
        self._tables: dict[str, _Table] = {}
        self._rows: dict[str, tuple[npt.NDArray[np.intp], npt.NDArray[Any]]] = {}
        """The rows of each table in the order of their sources, and the source of each of these rows."""
        for kind, began in (("objects", "requested_s"), ("files", "started_s"), ("calls", "started_s")):
            table = raw[kind]
            counts = table[began] >= warmup_s
            self._tables[kind] = {name: column[counts] for name, column in table.items()}
            sources = self._tables[kind]["source"]
            by_source = np.argsort(sources, kind="stable")
            self._rows[kind] = by_source, sources[by_source]

    def of_source(self, source: int) -> _Metrics:
        """The metrics of a source's records, of each kind that it has."""
        return self._metrics([source])

    def of_group(self, sources: Sequence[int]) -> _Metrics:
        """The metrics of several sources' records, and the completion times of their flows."""
        return self._metrics(sources) | _percentiles(FLOW_TIME, self._flow_times(sources))

    def distributions(self, parts: Mapping[str, Sequence[int]]) -> dict[str, tuple[_Floats, _Floats]]:
        """Shares and completion times by ``PART.file_time`` and so on; ``parts`` are sources by the part's name."""
        found: dict[str, tuple[_Floats, _Floats]] = {}
        for part, sources in parts.items():
            times = {
                OBJECT_DELAY: _finished(self._of("objects", sources), "requested_s"),
                FILE_TIME: _finished(self._of("files", sources), "started_s"),
            }
            if not part.startswith("source."):
                times[FLOW_TIME] = self._flow_times(sources)
            found |= {f"{part}.{name}": _distribution(times_s) for name, times_s in times.items() if len(times_s)}
        return found

    def _metrics(self, sources: Sequence[int]) -> _Metrics:
        return self._objects(sources) | self._files(sources) | self._calls(sources)

    def _of(self, kind: str, sources: Sequence[int]) -> _Table:
        by_source, ordered = self._rows[kind]
        first, last = (np.searchsorted(ordered, sources, side) for side in ("left", "right"))
        theirs = np.concatenate([by_source[:0], *(by_source[slice(*ends)] for ends in zip(first, last, strict=True))])
        theirs.sort()
        return {name: column[theirs] for name, column in self._tables[kind].items()}

    def _objects(self, sources: Sequence[int]) -> _Metrics:
        table = self._of("objects", sources)
        delays_s = _finished(table, "requested_s")
        metrics = _times("object", OBJECT_DELAY, len(table["source"]), delays_s)
        index = fairness(delays_s)
        return metrics if index is None else metrics | {"object_delay_fairness": float(index)}

    def _files(self, sources: Sequence[int]) -> _Metrics:
        table = self._of("files", sources)
        times_s = _finished(table, "started_s")
        metrics = _times("file", FILE_TIME, len(table["source"]), times_s)
        if len(times_s):
            rates = 8 * table["bytes"][~np.isnan(table["acked_s"])] / times_s
            metrics["file_rate_mean_bps"] = float(rates.mean())
        return metrics

    def _flow_times(self, sources: Sequence[int]) -> _Floats:
        """The mean time of its files, for each source that has finished a file."""
        table = self._of("files", sources)
        times_s = _finished(table, "started_s")
        if not len(times_s):
            return times_s
        _, flows = np.unique(table["source"][~np.isnan(table["acked_s"])], return_inverse=True)
        means: _Floats = np.bincount(flows, weights=times_s) / np.bincount(flows)
        return means

    def _calls(self, sources: Sequence[int]) -> _Metrics:
        table = self._of("calls", sources)
        if not len(table["source"]):
            return {}
        sent, received = table["sent_pkts"].sum(), table["received_pkts"].sum()
        metrics = {
            "calls": float(len(table["source"])),
            "calls_blocked": float(table["blocked"].sum()),
            "call_blocking": float(table["blocked"].mean()),
        }
        if sent:
            metrics["call_loss"] = float(1 - received / sent)
        for name, column in (
            ("delay_mean_s", "mean_delay_s"),
            ("delay_max_s", "max_delay_s"),
            ("jitter_s", "jitter_s"),
        ):
            values = table[column][~np.isnan(table[column])]
            if len(values):
                metrics[f"call_{name}"] = float(values.max() if name == "delay_max_s" else values.mean())
        return metrics


def percentiles(values: Sequence[float] | _Floats, percents: Sequence[float] | _Floats) -> _Floats:
    """The value at the place ``(n - 1) * percent / 100`` of ``n`` values in ascending order, counted from 0.

    Between two values it lies on the straight line that joins them (definition 7 of Hyndman and Fan, 1996).
    """
    every, wanted = (np.asarray(each, dtype=np.float64) for each in (values, percents))
    return np.percentile(every, wanted, method="linear")


def fairness(goodputs: Iterable[float]) -> float | None:
    """Jain's index (sum T)^2 / (N sum T^2), 1/N to 1; None if all are 0."""
    values = list(goodputs)
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def _finished(table: _Table, began: str) -> _Floats:
    """The times of the records that came to their end."""
    times_s: _Floats = table["acked_s"] - table[began]
    return times_s[~np.isnan(times_s)]


def _times(what: str, name: str, count: int, done: _Floats) -> _Metrics:
    """The number of records, and the times of those that came to their end."""
    if not count:
        return {}
    metrics = {f"{what}s": float(count), f"{what}s_unfinished": float(count - len(done))}
    if len(done):
        metrics |= {f"{name}_mean_s": float(done.mean()), f"{name}_sd_s": float(done.std())}
    return metrics | _percentiles(name, done)


def _percentiles(name: str, times_s: _Floats) -> _Metrics:
    if not len(times_s):
        return {}
    values = percentiles(times_s, list(PERCENTILES.values()))
    return {f"{name}_{each}_s": float(value) for each, value in zip(PERCENTILES, values, strict=True)}


def _distribution(times_s: _Floats) -> tuple[_Floats, _Floats]:
    """Evenly spaced shares from 0 to 1, and the percentile at each: up to 1001 values these are the values."""
    shares = np.linspace(0.0, 1.0, max(2, min(len(times_s), MOST_POINTS)))
    return shares, percentiles(times_s, 100 * shares)
