# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""An orderly end by a signal, for commands with something to take back."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """SIGINT, SIGTERM or SIGHUP came. Like KeyboardInterrupt, no handler of errors may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_status = 128 + number


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """The first signal raises Interrupted in the main thread; later ones cannot disturb the end."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def handle(number: int, _: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Interrupted(number)

    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
