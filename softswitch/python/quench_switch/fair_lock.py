# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A lock that threads get in the order in which they asked for it."""

from __future__ import annotations

import threading
from collections import deque


class FairLock:
    """A thread that gives it back and asks again comes after those that wait; with ``threading.Lock`` it comes first.

    So the longest wait is bounded by the number of threads and the longest time that one of them holds the lock.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_held = False
        self._waiting: deque[threading.Lock] = deque()

    def acquire(self) -> None:
        """Wait for the lock."""
        with self._mutex:
            if not self._is_held:
                self._is_held = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest."""
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()
