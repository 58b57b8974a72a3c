# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One simulation, wherever it runs: in a process of this machine or in a worker of a cluster."""

import importlib
import time
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from quench_experiments.errors import SimulationError
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

    def parquet(self, only: Collection[str] | None = None) -> dict[str, bytes]:
        """Series, records and distributions as files by name, one a table; ``only`` chooses some by their names."""


Progress = Callable[[float], None]
"""Is told now and then which share of a run is done, from 0 to 1."""
Simulate = Callable[[Scenario, Path, Progress], SimulationResult]
"""A function of a scenario and the P4 program's JSON file. Other processes import it by its name."""


def unseen(share: float) -> None:
    """A progress that nobody looks at."""


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
    """Processor time of the simulation; of its first thread, if it has several."""
    metrics: dict[str, float] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    """Parquet, by name."""
    error: str | None = None
    """One line."""
    traceback: str = ""


def simulate_with_p4(
    scenario: Scenario, program: Path, progress: Progress = unseen, threads: int = 1
) -> SimulationResult:
    """The simulator."""
    # Imported here: a cluster's client plans and reports without the native module.
    from quench_experiments.simulation.run import simulate

    return simulate(scenario, program=program, threads=threads, progress=progress)


def prepare(program: Path) -> None:
    """Import and read what every simulation needs, before processes are forked that share it."""
    importlib.import_module("quench_experiments.simulation.run")
    from quench_experiments.simulation.program import load_program

    with suppress(SimulationError):  # each run says it
        load_program(program)


def perform(task: Task, program: Path, simulate: Simulate, progress: Progress = unseen) -> Outcome:
    """Simulate. An error is part of the outcome, so that other runs go on."""
    if engine_loaded() != task.engine:
        return Outcome(task.key, 0.0, error=REBUILT)
    began_s = time.thread_time()
    try:
        result = simulate(task.scenario, program, progress)
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
    return {name: content for name, content in sorted(result.parquet(only).items()) if name != METRICS}
