# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Running a plan: runs in the cache are taken from there, others are simulated and kept as they end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from rich.console import Console

from quench_experiments.runner.folder import Folder
from quench_experiments.runner.plan import Job, Plan
from quench_experiments.runner.progress import Tally, display
from quench_experiments.runner.work import Outcome, Task

Look = Callable[[Mapping[str, float]], None]
"""Is told now and then which share of each run under way is done, by its key."""
Execute = Callable[[Sequence[Task], Look], AbstractContextManager[Iterator[Outcome]]]
"""Simulates, here or on a cluster; outcomes come in any order. The end of the block ends what is under way."""


@dataclass(slots=True)
class Summary:
    """The result of a plan."""

    cached: int
    done: int = 0
    simulated_s: float = 0.0
    """Sum over the runs, of however many processes."""
    failed: list[tuple[Job, str, str]] = field(default_factory=list)
    """Job, error, and the file that has the scenario."""


def run_plan(plan: Plan, folder: Folder, execute: Execute, console: Console) -> Summary:
    """Simulate what is missing. A run that fails is written down, and others go on.

    Interrupted at any time, it keeps what is finished: the next call goes on from there.
    """
    missing = {job.key: job for job in plan.jobs if not folder.cache.has(job.key)}
    summary = Summary(cached=len(plan.jobs) - len(missing))
    if not missing:
        return summary
    tally = Tally(sum(job.packets for job in missing.values()), len(missing))
    tally.begin()
    tasks = [Task(job.key, job.scenario, plan.environment.engine) for job in missing.values()]

    def look(shares: Mapping[str, float]) -> None:
        tally.under_way = {key: share * missing[key].packets for key, share in shares.items()}
        shown.look(tally)

    # The display comes second: it may start a thread, and processes are forked before there are any.
    with execute(tasks, look) as outcomes, display(console, tally.total_packets, tally.runs) as shown:
        for outcome in outcomes:
            job = missing[outcome.key]
            if outcome.error is None:
                folder.cache.store(outcome)
                folder.forget_failure(job.key)
                summary.done += 1
                summary.simulated_s += outcome.seconds
            else:
                summary.failed.append((job, outcome.error, str(folder.keep_failure(job, outcome))))
            tally.add(job.key, job.packets, failed=outcome.error is not None)
            shown.update(tally, job.name, outcome.seconds, outcome.error)
    return summary
