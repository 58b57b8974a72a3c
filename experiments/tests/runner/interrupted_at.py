# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``in_processes`` with a signal at every fourth line of the pool's code that the main thread runs, from the N-th on.

Prints how many of these lines there are.
"""

import multiprocessing
import signal
import sys
from multiprocessing import connection
from types import FrameType
from typing import Any

from quench.signals import Interrupted, signals_as_exceptions
from quench_experiments.runner import processes

PLACES = (processes.__file__, connection.__file__)
CALLS = [(number, 2) for number in range(4)]


def ends_at(place: int) -> bool:
    """Whether there is such a line, at which the signal ended the calls and all processes."""
    lines = 0
    where = ""

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines, where
        if not frame.f_code.co_filename.startswith(PLACES):
            return None
        if event == "line":
            lines += 1
            if lines == place:
                where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                signal.raise_signal(signal.SIGINT)
        return trace

    interrupted = False
    try:
        with signals_as_exceptions():
            sys.settrace(trace)
            try:
                with processes.in_processes(pow, CALLS, 2) as results:
                    assert sorted(results) == [(number, number * number) for number in range(4)]
            finally:
                sys.settrace(None)
    except Interrupted:
        interrupted = True
    assert interrupted == (where != ""), f"a signal at {where} is lost"
    # The last that ends is the one that all others are children of.
    assert not multiprocessing.active_children(), f"a signal at {where} leaves processes"
    return interrupted


if __name__ == "__main__":
    place = int(sys.argv[1])
    while ends_at(place):
        place += 4
    print(place // 4)  # noqa: T201
