# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``in_processes`` with a signal at the N-th line of the pool's code that the main thread runs, or without.

Prints "interrupted" if the signal ended the calls, and how many of these lines there were.
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


def main(place: int) -> None:
    lines = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        # Python ignores exceptions in destructors.
        if not frame.f_code.co_filename.startswith(PLACES) or frame.f_code.co_name == "__del__":
            return None
        if event == "line":
            lines += 1
            if lines == place:
                signal.raise_signal(signal.SIGINT)
        return trace

    try:
        with signals_as_exceptions():
            sys.settrace(trace)
            try:
                with processes.in_processes(pow, CALLS, 2) as results:
                    assert sorted(results) == [(number, number * number) for number in range(4)]
            finally:
                sys.settrace(None)
    except Interrupted:
        print("interrupted")  # noqa: T201
    # The last that ends is the one that all others are children of.
    assert not multiprocessing.active_children()
    print(lines)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
