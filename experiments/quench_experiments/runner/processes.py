# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls in processes of this machine. A process that dies costs the call that it was busy with, and no other.

By concurrent.futures, which fails as a whole when a process dies, but always says so. Pebble fails the one call only;
but pebble 5.2.3 never finished a call whose process ended with status 0, and of 40 calls, 13 of which ended by SIGKILL,
it once left one waiting for ever: it had read the process's death before its receipt of the call.

Signals that end the command are deferred around each call of the pool. One that came within ``concurrent.futures.wait``
left the locks of its futures taken, and the pool waited for them for ever.
"""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from quench.signals import signals_deferred

from quench_experiments.runner.work import Outcome, Simulate, Task, perform

T = TypeVar("T")
DEATH = "the process that simulated ended by itself (out of memory, or a fault of the native module): try fewer --jobs"


class Death:
    """The mark in the place of a call's result: its process ended before the call did."""


def run_in_processes(
    tasks: Sequence[Task], program: Path, simulate: Simulate, jobs: int
) -> Generator[Outcome, None, None]:
    """Outcomes as they come, of ``jobs`` processes. Closed early, or left by an exception, it ends them at once."""
    with closing(in_processes(perform, [(task, program, simulate) for task in tasks], jobs)) as results:
        for index, result in results:
            yield Outcome(tasks[index].key, 0.0, error=DEATH) if isinstance(result, Death) else result


def in_processes(
    function: Callable[..., T], calls: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, T | Death], None, None]:
    """The index and the result of each call, as they come, of ``jobs`` processes. An exception of a call is raised.

    Closed early, or left by an exception, it ends all processes at once.
    """
    waiting = list(reversed(range(len(calls))))
    while waiting:
        suspects: list[int] = []
        with _pool(jobs) as pool:
            yield from _until_a_death(pool, function, calls, waiting, suspects, jobs)
        # A broken pool does not say which call's process died: each is made once more, alone.
        for index in suspects:
            with _pool(1) as pool:
                done: SimpleQueue[Future[T]] = SimpleQueue()
                try:
                    _submit(pool, function, calls[index], done)
                    result: T | Death = _result(done.get())
                except BrokenProcessPool:
                    result = Death()
            yield index, result


def _until_a_death(
    pool: ProcessPoolExecutor,
    function: Callable[..., T],
    calls: Sequence[tuple[Any, ...]],
    waiting: list[int],
    suspects: list[int],
    jobs: int,
) -> Iterator[tuple[int, T]]:
    """Make the calls in ``waiting``. Those under way when a process died are left in ``suspects``."""
    under_way: dict[Future[T], int] = {}
    done: SimpleQueue[Future[T]] = SimpleQueue()
    while waiting or under_way:
        # No more than there are processes: a call that waits in the pool would be a suspect, too.
        while waiting and len(under_way) < jobs and not suspects:
            index = waiting.pop()
            try:
                under_way[_submit(pool, function, calls[index], done)] = index
            except BrokenProcessPool:
                suspects.append(index)
        if not under_way:
            return
        future = done.get()
        index = under_way.pop(future)
        try:
            result = _result(future)
        except BrokenProcessPool:
            suspects.append(index)
        else:
            yield index, result


def _submit(
    pool: ProcessPoolExecutor, function: Callable[..., T], call: tuple[Any, ...], done: SimpleQueue[Future[T]]
) -> Future[T]:
    """A call under way, which is put to ``done`` when it is."""
    with signals_deferred(), _interrupts_blocked():  # the pool starts its processes here
        future = pool.submit(function, *call)
        future.add_done_callback(done.put)
        return future


def _result(future: Future[T]) -> T:
    with signals_deferred():
        return future.result()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Processes started in here never get SIGINT: Ctrl-C in a terminal reaches this process only, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes end with the block, busy or not."""
    others = set(multiprocessing.active_children())
    # Fresh processes: a fork would copy the locks of the threads that show the progress.
    context = multiprocessing.get_context("spawn")
    with signals_deferred():
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_end_with_parent)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        # The pool's own thread waits for its processes: two that wait for one take its status from each other.
        with signals_deferred():
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when its parent ends, also when the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    with contextlib.suppress(OSError):
        connection.wait([sentinel])
    os._exit(1)
