# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``in_processes`` with a signal at the N-th line of the pool's code that the main thread runs, or without.

Prints "interrupted" if the signal ended the calls, how many of these lines there were, and those during which a signal
would have raised an exception.
"""

import concurrent.futures
import multiprocessing
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from quench.signals import Interrupted, signals_as_exceptions
from quench_experiments.runner.processes import in_processes

FOLDER = str(Path(concurrent.futures.__file__).parent)
CALLS = [(number, 2) for number in range(4)]


def main(place: int) -> None:
    lines, exposed = 0, set()

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        if event == "line":
            lines += 1
            if signal.getsignal(signal.SIGINT) is raises:
                exposed.add(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")
            if lines == place:
                signal.raise_signal(signal.SIGINT)
        return trace

    try:
        with signals_as_exceptions():
            raises = signal.getsignal(signal.SIGINT)
            sys.settrace(trace)
            try:
                assert sorted(in_processes(pow, CALLS, 2)) == [(number, number * number) for number in range(4)]
            finally:
                sys.settrace(None)
    except Interrupted:
        print("interrupted")  # noqa: T201
    assert not multiprocessing.active_children()
    print(lines, *sorted(exposed))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
