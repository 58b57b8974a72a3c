# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A mapping whose changes wait until they are known to take effect."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class _Removed:
    """Stands for a key that will not be there."""


_REMOVED: Final = _Removed()


class Staged(Generic[K, V]):
    """Settled values, and on top of them the changes that one writing thread has staged.

    All others read ``settled``. The writer reads by :meth:`get`, which has its own earlier changes, too.
    """

    __slots__ = ("_changes", "settled")

    def __init__(self) -> None:
        self.settled: dict[K, V] = {}
        self._changes: dict[K, V | _Removed] = {}

    def get(self, key: K) -> V | None:
        """The value with the changes that are staged."""
        if key not in self._changes:
            return self.settled.get(key)
        value = self._changes[key]
        return None if isinstance(value, _Removed) else value

    def put(self, key: K, value: V) -> None:
        """Stage a value."""
        self._changes[key] = value

    def remove(self, key: K) -> None:
        """Stage that a key is not there."""
        self._changes[key] = _REMOVED

    def commit(self) -> None:
        """Settle what is staged."""
        for key, value in self._changes.items():
            if isinstance(value, _Removed):
                self.settled.pop(key, None)
            else:
                self.settled[key] = value
        self._changes.clear()

    def discard(self) -> None:
        """Forget what is staged."""
        self._changes.clear()
