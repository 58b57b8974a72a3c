# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Idle timeouts: each notification restarts an entry's timer (specification, "Table Idle Timeout Notification")."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quench_switch.messages import p4r

from .limits import NOTIFICATION_ENTRIES
from .pipeline import TableSpec
from .state import State
from .tables import TableEntries

if TYPE_CHECKING:
    from quench_switch._native import Entry, MatchField


@dataclass(frozen=True, slots=True)
class _Idle:
    """An entry that was reported and is still idle as far as is known."""

    table: TableSpec
    key: list[MatchField]
    priority: int


class IdleTimeouts:
    """Entries to report. The data plane reports each once; while it stays idle, it is reported again every timeout."""

    def __init__(self, state: State, tables: TableEntries) -> None:
        self._state = state
        self._tables = tables
        self._due: list[tuple[int, int, _Idle]] = []
        """The times at which each is looked at again, the soonest first."""
        self._places = itertools.count()
        self.supported = any(table.idle_timeout for table in state.pipeline.tables.values())

    def notification(self, now_ns: int) -> p4r.IdleTimeoutNotification | None:
        """The entries to report at a monotonic time, or None."""
        message = p4r.IdleTimeoutNotification()
        empty = p4r.TableEntry()
        again = list(self._again(now_ns))
        for table, entry in (*again, *self._new(NOTIFICATION_ENTRIES - len(again))):
            idle = _Idle(table, entry["key"], entry["priority"])
            heapq.heappush(self._due, (now_ns + entry["idle_timeout_ns"], next(self._places), idle))
            entity = self._tables.entity(table, entry["key"], entry["priority"], empty)
            if entity is not None:
                message.table_entry.append(entity.table_entry)
        return message if message.table_entry else None

    def _new(self, count: int) -> Iterator[tuple[TableSpec, Entry]]:
        for name, entry in self._state.control.expired_entries(count):
            table = self._state.pipeline.tables_by_name.get(name)
            if table is not None:
                yield table, entry

    def _again(self, now_ns: int) -> Iterator[tuple[TableSpec, Entry]]:
        """Half of a notification at most, so that new ones are not kept waiting."""
        for _ in range(NOTIFICATION_ENTRIES // 2):
            if not self._due or self._due[0][0] > now_ns:
                return
            _, _, idle = heapq.heappop(self._due)
            entry = self._state.control.table_get(idle.table.name, idle.key, idle.priority)
            idle_ns = entry["since_hit_ns"] if entry is not None else None
            if entry is not None and idle_ns is not None and 0 < entry["idle_timeout_ns"] <= idle_ns:
                yield idle.table, entry
