# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulations on a Dask cluster."""

import atexit
import importlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from quench.temporary import temporary_folder
from quench_switch.outside.files import write_files

from quench_experiments.errors import ExperimentError
from quench_experiments.runner.environment import Engine, engine_loaded, info_of, read_program
from quench_experiments.runner.work import Outcome, Simulate, Task, one_line, perform

CONNECT_S = 15.0
"""The time within which the scheduler must answer."""


@contextmanager
def run_on_cluster(
    tasks: Sequence[Task], program: Path, simulate: Simulate, address: str
) -> Iterator[Iterator[Outcome]]:
    """Outcomes as they come. The workers need the same Quench as this machine, not its files.

    The end of the block takes back what has not begun. Raises ExperimentError where there is no cluster, or another
    Quench.
    """
    distributed: Any = importlib.import_module("distributed")  # slow to import, and without types
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ExperimentError(f"--dask {address}: no scheduler answers: {one_line(error)}") from error
    files = read_program(program)
    with client:
        check_workers(client, address)
        # The program is a task of its own: it does not travel with every run, and comes again where a worker was lost.
        content = client.submit(tuple, files, pure=False)
        futures = {_submit(client, task, content, simulate): task for task in tasks}
        try:
            yield _outcomes(client, futures, files, simulate)
        finally:
            client.cancel(list(futures))


def _outcomes(
    client: Any, futures: dict[Any, Task], files: tuple[bytes, bytes], simulate: Simulate
) -> Iterator[Outcome]:
    """Takes those that are over out of ``futures``."""
    distributed: Any = importlib.import_module("distributed")
    suspects: list[Task] = []
    for future in distributed.as_completed(list(futures), loop=client.loop):
        task = futures.pop(future)
        if isinstance(future.exception(), distributed.KilledWorker):
            suspects.append(task)
        else:
            yield _outcome(future, task)
        future.release()
    # Dask gives up all tasks of a worker that died: each is tried once more, alone.
    for task in suspects:
        yield _outcome(_submit(client, task, client.submit(tuple, files, pure=False), simulate), task)


def check_workers(client: Any, address: str) -> None:
    """Raises ExperimentError where there is none, or one whose code differs from ours: its results would, too."""
    ours = engine_loaded()
    try:
        theirs: dict[str, Engine] = client.run(engine_loaded)
    except Exception as error:  # whichever part a worker lacks
        raise ExperimentError(f"--dask {address}: a worker cannot run Quench: {one_line(error)}") from error
    if not theirs:
        raise ExperimentError(f"--dask {address}: the cluster has no workers: start some with 'dask worker {address}'")
    for worker, engine in theirs.items():
        if engine != ours:
            raise ExperimentError(f"--dask {address}: worker {worker} has another build of Quench: install the same")


def _submit(client: Any, task: Task, content: Any, simulate: Simulate) -> Any:
    return client.submit(_perform_there, task, content, simulate, key=f"quench-{task.key}", pure=False)


def _outcome(future: Any, task: Task) -> Outcome:
    error = future.exception()
    if error is None:
        outcome: Outcome = future.result()
        return outcome
    return Outcome(task.key, 0.0, error=f"on the cluster: {one_line(error)}")


def _perform_there(task: Task, content: tuple[bytes, bytes], simulate: Simulate) -> Outcome:
    return perform(task, _program_file(content), simulate)


@cache
def _program_file(content: tuple[bytes, bytes]) -> Path:
    """The program in files of this worker's, written once and there until it ends."""
    folder = ExitStack()
    atexit.register(folder.close)
    path = folder.enter_context(temporary_folder("program")) / "quench.json"
    write_files(*zip((path, info_of(path)), content, strict=True))
    return path
