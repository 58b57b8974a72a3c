# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulations in processes of this machine."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path

from quench_experiments.runner.work import Outcome, Simulate, Task, perform

DEATH = "the process that simulated ended by itself: out of memory, or a fault of the native module"


def run_in_processes(
    tasks: Sequence[Task], program: Path, simulate: Simulate, jobs: int
) -> Generator[Outcome, None, None]:
    """Outcomes as they come, of ``jobs`` processes. Left early (closed, or by an exception), it ends them at once."""
    waiting = list(reversed(tasks))
    while waiting:
        suspects: list[Task] = []
        with _pool(jobs) as pool:
            yield from _until_a_death(pool, waiting, suspects, program, simulate, jobs)
        # When a process dies, nobody knows with which task: each is tried once more, alone.
        for task in suspects:
            with _pool(1) as pool:
                yield _alone(pool, task, program, simulate)


def _until_a_death(
    pool: ProcessPoolExecutor,
    waiting: list[Task],
    suspects: list[Task],
    program: Path,
    simulate: Simulate,
    jobs: int,
) -> Iterator[Outcome]:
    """Work off what is waiting; what was under way when a process died is left in ``suspects``."""
    under_way: dict[Future[Outcome], Task] = {}
    while waiting or under_way:
        # No more than there are processes: what waits in the pool would be suspect, too.
        while waiting and len(under_way) < jobs and not suspects:
            task = waiting.pop()
            try:
                under_way[_submit(pool, task, program, simulate)] = task
            except BrokenProcessPool:
                suspects.append(task)
        if not under_way:
            return
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            task = under_way.pop(future)
            try:
                outcome = future.result()
            except BrokenProcessPool:
                suspects.append(task)
            else:
                yield outcome


def _alone(pool: ProcessPoolExecutor, task: Task, program: Path, simulate: Simulate) -> Outcome:
    try:
        return _submit(pool, task, program, simulate).result()
    except BrokenProcessPool:
        return Outcome(task.key, 0.0, error=DEATH)


def _submit(pool: ProcessPoolExecutor, task: Task, program: Path, simulate: Simulate) -> Future[Outcome]:
    with _deaf_to_interrupts():  # the pool starts its processes here
        return pool.submit(perform, task, program, simulate)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started in here never get SIGINT: Ctrl-C in a terminal reaches this process only, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that do not outlive the block, whatever they are doing."""
    others = set(multiprocessing.active_children())
    # Fresh processes: a fork would copy the locks of the threads that show the progress.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        # The pool's own thread waits for its processes: two that wait for one take its status from each other.
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Even where the parent was killed and could not end this process."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    with contextlib.suppress(OSError):
        connection.wait([sentinel])
    os._exit(1)
