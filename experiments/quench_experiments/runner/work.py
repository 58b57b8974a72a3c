# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One simulation, wherever it runs: in a process of this machine or in a worker of a cluster."""

import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from quench.temporary import temporary_folder

from quench_experiments.runner.environment import Engine, engine_loaded
from quench_experiments.simulation.names import DISTRIBUTIONS
from quench_experiments.simulation.scenario import Scenario

METRICS = "metrics.parquet"
"""The name of a file that is not kept: the same numbers are kept as JSON."""
ALWAYS = (DISTRIBUTIONS,)
"""The tables that are kept although the scenario asks for no series."""


REBUILT = "Quench was built anew while it ran: run the same command again"


class SimulationResult(Protocol):
    """The result of a simulation, as the runner uses it."""

    def metrics(self) -> dict[str, float]:
        """All numbers by name."""

    def to_parquet(self, directory: Path, only: Collection[str] | None = None) -> object:
        """Write series, records and distributions, one file a table; ``only`` chooses some by their names."""


Simulate = Callable[[Scenario, Path], SimulationResult]
"""A function of a scenario and the P4 program's JSON file. Other processes import it by its name."""


@dataclass(frozen=True, slots=True)
class Task:
    """The work of a worker: one run."""

    key: str
    scenario: Scenario
    engine: Engine
    """The code that the key stands for."""

    @property
    def keeps_series(self) -> bool:
        """Whether the scenario asks for more than the metrics."""
        measure = self.scenario.measure
        return bool(measure.series) or measure.cwnd


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a worker. With an error there is nothing else."""

    key: str
    seconds: float
    """Processor time of the simulation."""
    metrics: dict[str, float] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """Parquet, by name."""
    error: str | None = None
    """One line."""
    traceback: str = ""


def simulate_with_p4(scenario: Scenario, program: Path) -> SimulationResult:
    """The simulator."""
    # Imported here: a cluster's client plans and reports without the native module.
    from quench_experiments.simulation.run import simulate

    return simulate(scenario, program=program)


def perform(task: Task, program: Path, simulate: Simulate) -> Outcome:
    """Simulate. An error is part of the outcome, so that other runs go on."""
    if engine_loaded() != task.engine:
        return Outcome(task.key, 0.0, error=REBUILT)
    began_s = time.thread_time()
    try:
        result = simulate(task.scenario, program)
        metrics = {name: float(value) for name, value in result.metrics().items()}
        files = _parquet(result, None if task.keeps_series else ALWAYS)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001  a panic of the native module is not an Exception
        seconds = time.thread_time() - began_s
        return Outcome(task.key, seconds, error=one_line(error), traceback=traceback.format_exc())
    return Outcome(task.key, time.thread_time() - began_s, metrics, files)


def one_line(error: BaseException) -> str:
    """An exception's kind and message in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _parquet(result: SimulationResult, only: Collection[str] | None) -> dict[str, bytes]:
    with temporary_folder("run") as folder:
        result.to_parquet(folder, only)
        paths = sorted(path for path in folder.glob("*.parquet") if path.name != METRICS)
        return {path.name: path.read_bytes() for path in paths}
