# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls in processes of this machine. A process that dies costs the call that it was busy with, and no other.

The processes are forks of one that was forked before anything else: they have all modules and the calls already, and
only a call's number and its result pass between. That one, the nursery, has no threads, so a process that takes a dead
one's place does not copy locks of those that show the progress. Each process has a connection to this one, and ends
at once when that is closed, in whichever way.

Not concurrent.futures: it fails as a whole when a process dies and does not say which call that was, it starts each
process anew (0.8 s for our modules), and it holds locks where a signal may come. Pebble 5.2.3 never finished a call
whose process ended with status 0.
"""

import gc
import mmap
import multiprocessing
import os
import select
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import connection, reduction
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from quench.signals import ENDING, signals_deferred

from quench_experiments.errors import ExperimentError
from quench_experiments.runner.environment import engine_loaded
from quench_experiments.runner.work import Outcome, Progress, Simulate, Task, one_line, perform

T = TypeVar("T")
DEATH = "the process that simulated ended by itself (out of memory, or a fault of the native module): try fewer --jobs"
LOOK_S = 1.0
"""The time without a result after which the caller may look at what is under way."""
_FORK = multiprocessing.get_context("fork")


class Death:
    """The mark in the place of a call's result: its process ended before the call did."""


class _Shares:
    """The share of each run that is done, in memory that all processes have: each writes that of its own run."""

    def __init__(self, runs: int) -> None:
        self._shares = memoryview(mmap.mmap(-1, 8 * max(1, runs))).cast("d")

    def put(self, index: int, share: float) -> None:
        self._shares[index] = share

    def under_way(self, tasks: Sequence[Task]) -> dict[str, float]:
        """Those of runs that have begun and whose result has not come yet, by key."""
        return {task.key: share for task, share in zip(tasks, self._shares, strict=False) if share}


@contextmanager
def run_in_processes(
    tasks: Sequence[Task],
    program: Path,
    simulate: Simulate,
    jobs: int,
    look: Callable[[Mapping[str, float]], None] | None = None,
) -> Iterator[Iterator[Outcome]]:
    """Outcomes as they come, of ``jobs`` processes, which end with the block.

    ``look`` is called when none came for a while, with the share that is done of each run under way, by its key.
    """
    engine_loaded()  # while it is the code that was imported
    shares = _Shares(len(tasks))
    calls = [(task, program, simulate, partial(shares.put, index)) for index, task in enumerate(tasks)]
    with in_processes(perform, calls, jobs, look and (lambda: look(shares.under_way(tasks)))) as results:
        yield (_outcome(tasks[index], result, partial(shares.put, index)) for index, result in results)


def _outcome(task: Task, result: Outcome | Death, progress: Progress) -> Outcome:
    progress(0.0)
    return Outcome(task.key, 0.0, error=DEATH) if isinstance(result, Death) else result


@contextmanager
def in_processes(
    function: Callable[..., T],
    calls: Sequence[tuple[Any, ...]],
    jobs: int,
    idle: Callable[[], None] | None = None,
) -> Iterator[Iterator[tuple[int, T | Death]]]:
    """The index and the result of each call, as they come, of ``jobs`` processes. An exception of a call is raised.

    ``idle`` is called when no result came for a while. The processes end with the block, busy or not.
    """
    nursery = _Nursery(function, calls)
    try:
        try:
            nursery.start()
            yield _results(nursery, len(calls), jobs, idle)
        finally:
            # If a signal comes just here, it is closed by the other block, which no second one disturbs.
            nursery.close()
    finally:
        nursery.close()


def _results(nursery: "_Nursery", calls: int, jobs: int, idle: Callable[[], None] | None) -> Iterator[tuple[int, Any]]:
    waiting = iter(range(calls))
    suspects = []
    busy = {nursery.give(index): index for index in islice(waiting, jobs)}
    while busy:
        ready = connection.wait(list(busy), LOOK_S if idle is not None else None)
        if not ready and idle is not None:
            idle()
        for worker in ready:
            assert isinstance(worker, Connection)
            index = busy.pop(worker)
            result = nursery.result(worker)
            following = next(waiting, None)
            if following is None:
                nursery.end(worker)
            else:
                # Before the result is looked at: the process does not wait for that.
                busy[nursery.give(following, worker)] = following
            if result is None:
                suspects.append(index)
            else:
                yield index, result.value()
    # Perhaps there was too little memory for all: each is made once more, alone.
    for index in suspects:
        worker = nursery.give(index)
        result = nursery.result(worker)
        nursery.end(worker)
        yield index, Death() if result is None else result.value()


@dataclass(frozen=True, slots=True)
class _Result:
    returned: Any = None
    raised: Exception | None = None

    def value(self) -> Any:
        if self.raised is not None:
            raise self.raised
        return self.returned


class _Nursery:
    """The process that forks others, and the connections to these."""

    def __init__(self, function: Callable[..., object], calls: Sequence[tuple[Any, ...]]) -> None:
        self._orders, self._theirs = _FORK.Pipe()
        self._process = _FORK.Process(target=_breed, args=(function, calls, self._theirs, self._orders))
        self._workers: set[Connection] = set()

    def start(self) -> None:
        """Fork it. Whatever comes of this, it is to be closed."""
        with signals_deferred():
            self._process.start()
            self._theirs.close()

    def close(self) -> None:
        """End all processes."""
        with signals_deferred():
            for each in (*self._workers, self._orders, self._theirs):
                each.close()
            if self._process.pid is not None:
                self._process.join()

    def give(self, index: int, worker: Connection | None = None) -> Connection:
        """Let a process make this call: the one at the other end, or a new one where that has ended. Returns its end.

        Raises ExperimentError if the nursery is no more.
        """
        with signals_deferred():
            if worker in self._workers:
                assert worker is not None
                with suppress(OSError):
                    worker.send(index)
                    return worker
                self.end(worker)
            try:
                self._orders.send(index)
                worker = Connection(reduction.recv_handle(self._orders))
            except (EOFError, OSError) as error:
                raise ExperimentError(
                    "the process that starts others ended by itself: run the command again"
                ) from error
            self._workers.add(worker)
            return worker

    def result(self, worker: Connection) -> _Result | None:
        """The result of its call, waited for; None: the process ended before."""
        try:
            result = worker.recv()
        except (EOFError, OSError):
            self.end(worker)
            return None
        assert isinstance(result, _Result)
        return result

    def end(self, worker: Connection) -> None:
        """Let the process at the other end end, if it has not."""
        with signals_deferred():
            worker.close()
            self._workers.discard(worker)


def _breed(
    function: Callable[..., object], calls: Sequence[tuple[Any, ...]], orders: Connection, far_end: Connection
) -> None:
    """Fork a process for the call of each number that comes, until the far end is closed; then wait for them all."""
    far_end.close()
    # Ctrl-C in a terminal reaches all its processes: the one at the other end decides.
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    gc.freeze()  # what is shared stays so
    with suppress(EOFError, OSError):
        while True:
            index = orders.recv()
            ours, theirs = _FORK.Pipe()
            _FORK.Process(target=_work, args=(function, calls, index, theirs, (ours, orders))).start()
            theirs.close()
            reduction.send_handle(orders, ours.fileno(), os.getppid())
            ours.close()
    # Where nothing can be forked any more, the other end hears of it, and ends the workers.
    orders.close()
    for each in multiprocessing.active_children():
        each.join()


def _work(
    function: Callable[..., object],
    calls: Sequence[tuple[Any, ...]],
    index: int,
    asking: Connection,
    others: Iterable[Connection],
) -> None:
    """Make the first call, and then those whose numbers come."""
    for each in others:
        each.close()
    for number in set(ENDING) - {signal.SIGINT}:
        signal.signal(number, signal.SIG_DFL)
    threading.Thread(target=_end_after, args=(asking,), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            asking.send_bytes(_answer(function, calls[index]))
            index = asking.recv()


def _answer(function: Callable[..., object], call: tuple[Any, ...]) -> Any:
    """The pickled result of a call."""
    try:
        result = _Result(function(*call))
    except Exception as error:  # noqa: BLE001  it is raised where the result is asked for
        result = _Result(raised=error)
    try:
        return reduction.ForkingPickler.dumps(result)
    except Exception as error:  # noqa: BLE001  whatever an object raises that cannot be pickled
        return reduction.ForkingPickler.dumps(_Result(raised=TypeError(f"it cannot be sent: {one_line(error)}")))


def _end_after(connected: Connection) -> None:
    """End this process, whatever it does, when the other end is closed."""
    poll = select.poll()
    poll.register(connected, 0)  # no data, only the end
    poll.poll()
    os._exit(1)
