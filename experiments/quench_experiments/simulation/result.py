# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The results of a simulation."""

import io
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from quench_switch.outside.files import write_files

from quench_experiments.errors import ScenarioError, SimulationError
from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.messages import Messages
from quench_experiments.simulation.metrics import Metrics, all_metrics, members
from quench_experiments.simulation.names import DISTRIBUTIONS
from quench_experiments.simulation.records import Records
from quench_experiments.simulation.scenario import Scenario

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SERIES_FILE = "series.parquet"
SCENARIO_KEY = b"quench.scenario"
"""The metadata of the files in which the scenario is, as JSON, for ``quench live`` and others that show them."""

MOST_BYTES = 256 << 20
"""The largest file that is read."""
MOST_VALUES = 20_000_000
"""The most rows in it: a file of zeros has few bytes."""
_MOST_TEXT = (1 << 31) - 1
"""The most bytes of an Arrow column of strings that is in one piece."""

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
            kind: {**table, "source": names[table["source"]]}
            for kind, table in raw["records"].items()
            if kind != "messages"
        }
        """``objects``, ``files``, ``calls`` and ``messages``."""
        messages = Messages(scenario, raw)
        self.records["messages"] = {**messages.table, "source": names[messages.table["source"]]}
        measured = Records(raw["records"], scenario.warmup_s)
        self._parts = all_metrics(scenario, raw, tallies, measured, messages)
        sources = {f"source.{source.name}": [number] for number, source in enumerate(scenario.sources)}
        self.distributions = measured.distributions({**members(scenario), **sources})
        """Shares from 0 to 1 and completion times, by ``PART.object_delay``, ``.file_time`` and ``.flow_time``."""

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

    def _tables(self) -> dict[str, Table]:
        """Metrics, series, distributions and the kinds of records that there are."""
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
        if self.distributions:
            tables[DISTRIBUTIONS] = _joined(self.distributions)
        return tables | {kind: table for kind, table in self.records.items() if len(table["source"])}

    def to_pandas(self) -> "dict[str, pandas.DataFrame]":
        """The tables that ``to_parquet`` writes, by name, as pandas has them. Raises ImportError without pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas, which is not installed: pip install pandas") from error
        return {name: pandas.DataFrame(table) for name, table in self._tables().items()}

    def plot(self, *names: str) -> "Figure":
        """A picture of the series of these names, or of all: a panel for each quantity. Raises SimulationError."""
        from quench_experiments.simulation.picture import plot

        return plot(self.series, names)

    def to_parquet(self, directory: Path | str, only: Collection[str] | None = None) -> list[Path]:
        """Write ``metrics``, ``series``, ``distributions`` and the kinds of records that there are; the files.

        Each is a file of this name; ``only`` chooses some.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        files = [(folder / name, content) for name, content in self.parquet(only).items()]
        write_files(*files)
        return [path for path, _ in files]

    def parquet(self, only: Collection[str] | None = None) -> dict[str, bytes]:
        """The contents of the files of ``to_parquet`` by their names."""
        metadata = {SCENARIO_KEY: self.scenario.model_dump_json(by_alias=True).encode()}
        # Distributions are kept of every run: without the scenario they are a fifth as large.
        return {
            f"{name}.parquet": _parquet(table, {} if name == DISTRIBUTIONS else metadata)
            for name, table in self._tables().items()
            if only is None or name in only
        }


@contextmanager
def parquet_file(path: Path) -> Iterator[pq.ParquetFile]:
    """A file that ``to_parquet`` wrote. Raises SimulationError where it is another, also by what the block reads."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            raise SimulationError(f"{path}: it is no file of at most {MOST_BYTES} bytes")
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_VALUES:
                raise SimulationError(f"{path}: it has more than {MOST_VALUES} values")
            yield file
    except FileNotFoundError as error:
        raise SimulationError(f"{path}: {error.strerror}") from error
    except (pa.ArrowException, OSError, KeyError, ValueError, ScenarioError) as error:
        # pyarrow raises OSError for bytes that it cannot read, too.
        raise SimulationError(f"{path}: it is no table of a simulation: {' '.join(str(error).split())}") from error


def read_parquet(path: Path | str, columns: Sequence[str] | None = None) -> Table:
    """The columns of a file that ``to_parquet`` wrote, or some of them. Raises SimulationError."""
    with parquet_file(Path(path)) as file:
        names = file.schema_arrow.names if columns is None else columns
        table = file.read(list(names))
        return {name: table.column(name).to_numpy() for name in names}


def _joined(distributions: Mapping[str, tuple[Column, Column]]) -> Table:
    """One below the other: the name, the share of the completion times, and the time below which they lie."""
    return {
        "distribution": np.repeat(
            np.array(list(distributions), dtype=object), [len(shares) for shares, _ in distributions.values()]
        ),
        "share": np.concatenate([shares for shares, _ in distributions.values()]),
        "time_s": np.concatenate([times_s for _, times_s in distributions.values()]),
    }


def _parquet(table: Table, metadata: Mapping[bytes, bytes]) -> bytes:
    file = io.BytesIO()
    columns = {name: _arrow(column) for name, column in table.items()}
    pq.write_table(pa.table(columns, metadata=dict(metadata)), file, compression="zstd")
    return file.getvalue()


def _arrow(column: Column) -> pa.Array:
    """``pa.array`` of a column. That function imports pandas first, which takes as long as a short run."""
    if column.dtype.kind in "iuf":
        buffer = pa.py_buffer(np.ascontiguousarray(column))
        return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), [None, buffer])
    if column.dtype.kind == "O":
        texts = [text.encode() for text in column]
        ends = np.cumsum([0, *map(len, texts)])
        if ends[-1] <= _MOST_TEXT:
            buffers = (pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(texts)))
            return pa.StringArray.from_buffers(len(texts), *buffers)
    return pa.array(column)


def _series(raw: Sequence[Mapping[str, Any]]) -> dict[str, Series]:
    return {
        f"{_place(series['name'])}.{column}": Series(series["time_s"], series["values"][:, place])
        for series in raw
        for place, column in enumerate(series["columns"])
    }


def _place(name: str) -> str:
    """The place of a series: a direction's name has a dot, a source's has none."""
    return name if "." in name else f"source.{name}"
