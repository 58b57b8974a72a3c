# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The results of a simulation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.metrics import Metrics, all_metrics
from quench_experiments.simulation.scenario import Scenario

SERIES_FILE = "series.parquet"
SCENARIO_KEY = b"quench.scenario"
"""The metadata of the files in which the scenario is, as JSON, for ``quench live`` and others that show them."""

Column: TypeAlias = npt.NDArray[Any]
Table: TypeAlias = dict[str, Column]
"""Columns by name, of one length."""


@dataclass(frozen=True, slots=True)
class Series:
    """A quantity over time."""

    time_s: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]


class Result:
    """Numbers, time series and records of one run. All but the series begin at the warm-up's end."""

    def __init__(self, scenario: Scenario, raw: Mapping[str, Any], tallies: Sequence[Tally]) -> None:
        self.scenario = scenario
        self.measured_s: float = raw["measured_s"]
        self.events: int = raw["events"]
        """The number of events that the simulator went through, from the beginning on."""
        self.hosts: dict[str, dict[str, Any]] = {host["name"]: host for host in raw["hosts"]}
        self.series: dict[str, Series] = _series(raw["series"])
        """Time series by ``LINK.ab.COLUMN`` or ``source.NAME.COLUMN``."""
        names = np.array([source.name for source in scenario.sources], dtype=object)
        self.records: dict[str, Table] = {
            kind: {**table, "source": names[table["source"]]} for kind, table in raw["records"].items()
        }
        """``objects``, ``files`` and ``calls``, those too that began before the warm-up's end."""
        self._parts = all_metrics(scenario, raw, tallies)

    def link(self, direction: str) -> Metrics:
        """The metrics of a direction, ``LINK.ab`` or ``LINK.ba``. Raises KeyError."""
        return self._parts[f"link.{direction}"]

    @property
    def sources(self) -> dict[str, Metrics]:
        """The metrics of each source."""
        return {source.name: self._parts[f"source.{source.name}"] for source in self.scenario.sources}

    @property
    def groups(self) -> dict[str, Metrics]:
        """The metrics of each group of sources."""
        return {name.removeprefix("group."): part for name, part in self._parts.items() if name.startswith("group.")}

    def metrics(self) -> dict[str, float]:
        """All numbers by name (docs/reference/simulator.md)."""
        return {f"{part}.{name}": value for part, values in self._parts.items() for name, value in values.items()}

    def to_parquet(self, directory: Path | str) -> list[Path]:
        """Write ``metrics``, ``series`` and the kinds of records that there are, each a file; the files."""
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        metrics = self.metrics()
        tables: dict[str, Table] = {
            "metrics": {
                "name": np.array(list(metrics), dtype=object),
                "value": np.array(list(metrics.values()), dtype=np.float64),
            }
        }
        if self.series:
            tables["series"] = {
                "series": np.repeat(
                    np.array(list(self.series), dtype=object), [len(each.time_s) for each in self.series.values()]
                ),
                "time_s": np.concatenate([each.time_s for each in self.series.values()]),
                "value": np.concatenate([each.value for each in self.series.values()]),
            }
        tables |= {kind: table for kind, table in self.records.items() if len(table["source"])}
        metadata = {SCENARIO_KEY: self.scenario.model_dump_json(by_alias=True).encode()}
        return [_write(folder / f"{name}.parquet", table, metadata) for name, table in tables.items()]


def read_parquet(path: Path | str) -> Table:
    """The columns of a file that ``to_parquet`` wrote."""
    table = pq.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def _write(path: Path, table: Table, metadata: Mapping[bytes, bytes]) -> Path:
    pq.write_table(pa.table(table, metadata=dict(metadata)), path, compression="zstd")
    return path


def _series(raw: Sequence[Mapping[str, Any]]) -> dict[str, Series]:
    return {
        f"{_place(series['name'])}.{column}": Series(series["time_s"], series["values"][:, place])
        for series in raw
        for place, column in enumerate(series["columns"])
    }


def _place(name: str) -> str:
    """The place of a series: a direction's name has a dot, a source's has none."""
    return name if "." in name else f"source.{name}"
