# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment run``."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from quench.signals import Interrupted, signals_as_exceptions
from quench_switch.cli.output import complain
from quench_switch.outside.text import counted

from quench_experiments.cli.catalogue import (
    OUT,
    PROGRAM,
    KeysArgument,
    OutOption,
    ProgramOption,
    SeedsOption,
    chosen,
    faults_in_one_line,
    file_of,
)
from quench_experiments.errors import ExperimentError

if TYPE_CHECKING:
    from rich.console import Console

    from quench_experiments.definition import Experiment
    from quench_experiments.runner.plan import Job, Plan
    from quench_experiments.runner.session import Look, Summary
    from quench_experiments.runner.work import Outcome, Simulate, Task

LONG_S = 3600.0
"""A run that takes longer is announced."""
SIMULATE: "Simulate | None" = None
"""Runs a scenario; the tests replace it. None: the P4 program does."""


def run(
    keys: KeysArgument,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer seeds, shorter runs, fewer points: as each experiment says.")
    ] = False,
    seeds: SeedsOption = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", metavar="PROCESSES", min=1, help="Simulations at a time.", show_default="cores/threads"
        ),
    ] = None,
    threads: Annotated[
        str,
        typer.Option(
            metavar="COUNT|auto",
            help="Threads of each simulation, for networks of 16 routers or more; auto: the cores that "
            "--jobs leaves, or all for one simulation at a time. The results are the same.",
        ),
    ] = "1",
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask cluster of this scheduler.")
    ] = None,
    program: ProgramOption = PROGRAM,
    out: OutOption = OUT,
) -> None:
    """Simulate the runs that are not in DIR yet.

    Finished runs are kept: interrupted, the same command goes on where it stopped.
    """
    from rich.console import Console

    from quench_experiments.runner.cluster import run_on_cluster
    from quench_experiments.runner.environment import snapshot_of
    from quench_experiments.runner.folder import Choice, Folder
    from quench_experiments.runner.plan import make_plan
    from quench_experiments.runner.processes import run_in_processes
    from quench_experiments.runner.session import run_plan
    from quench_experiments.runner.work import prepare, simulate_with_p4

    console = Console()
    with faults_in_one_line("run"):
        try:
            with signals_as_exceptions(), snapshot_of(program) as (path, environment):
                processes, of_each = _shares(jobs, threads)
                work = SIMULATE or partial(simulate_with_p4, threads=of_each)
                experiments = chosen(keys)
                folder = Folder(out)
                plan = make_plan([(each.key, each.runs(quick, seeds)) for each in experiments], environment)
                folder.choose({each.key: Choice(quick, seeds, file_of(each)) for each in experiments})
                _announce(console, experiments, plan, quick)
                _warn_of_long_runs(console, [job for job in plan.jobs if not folder.cache.has(job.key)])

                def execute(tasks: "Sequence[Task]", look: "Look") -> "AbstractContextManager[Iterator[Outcome]]":
                    if dask is not None:
                        return run_on_cluster(tasks, path, work, dask)
                    if SIMULATE is None:
                        prepare(path)
                    return run_in_processes(tasks, path, work, processes, look)

                summary = run_plan(plan, folder, execute, console)
        except Interrupted as interruption:
            console.print("interrupted; finished runs are kept, and the same command goes on from here")
            raise typer.Exit(interruption.exit_status) from None
    _conclude(console, summary)
    if summary.failed:
        raise typer.Exit(1)


def _announce(console: "Console", experiments: "Sequence[Experiment]", plan: "Plan", quick: bool) -> None:
    runs = sum(len(keys) for keys in plan.keys.values())
    shared = f", of which {runs - len(plan.jobs)} are the same as others" if runs > len(plan.jobs) else ""
    kind = "quick, " if quick else ""
    _say(console, f"{counted(len(experiments), 'experiment')} ({kind}{counted(runs, 'run')}{shared})")


def _warn_of_long_runs(console: "Console", missing: "Sequence[Job]") -> None:
    """Say before it starts that a run is long: interrupted, it begins again, as only finished runs are kept."""
    from quench_experiments.runner.progress import readable

    found = [job for job in missing if job.about_s > LONG_S]
    if found:
        longest = max(found, key=lambda job: job.about_s)
        what = f"{counted(len(found), 'run')} of more than an hour on one core, the longest about"
        _say(console, f"{what} {readable(longest.about_s)}: {longest.name}; interrupted, such a run begins again")


def _conclude(console: "Console", summary: "Summary") -> None:
    from quench_experiments.runner.progress import readable

    _say(
        console,
        f"{summary.done} simulated (in {readable(summary.simulated_s)} of one core), "
        f"{summary.cached} were there already, {len(summary.failed)} failed; "
        "'quench experiment report' shows what comes out",
    )
    for job, error, path in summary.failed:
        complain("quench experiment run", f"{job.name} failed: {error} (its scenario: {path})")


def _say(console: "Console", text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _shares(jobs: int | None, threads: str) -> tuple[int, int]:
    """The simulations at a time and the threads of each, so that by default there are no more threads than cores.

    Raises ExperimentError.
    """
    # The native module, which no other command needs.
    from quench_simulator import MAX_THREADS

    if threads == "auto":
        return jobs or 1, min(MAX_THREADS, max(1, _cores() // (jobs or 1)))
    if not (threads.isascii() and threads.isdecimal() and len(threads) <= 3 and 1 <= int(threads) <= MAX_THREADS):
        raise ExperimentError(f"--threads {threads!r}: give a number from 1 to {MAX_THREADS}, or auto")
    return jobs or max(1, _cores() // int(threads)), int(threads)


def _cores() -> int:
    return len(os.sched_getaffinity(0))
