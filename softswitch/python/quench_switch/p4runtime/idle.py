# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Idle timeouts: each notification restarts an entry's timer (specification, "Table Idle Timeout Notification")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from finsy.proto import p4r

from .pipeline import TableSpec
from .state import State
from .tables import TableEntries

if TYPE_CHECKING:
    from quench_switch._native import Entry


@dataclass(frozen=True, slots=True)
class _Idle:
    """An entry that was reported and is still idle as far as is known."""

    table: TableSpec
    entry: Entry
    due_ns: int


class IdleTimeouts:
    """Entries to report. The data plane reports each once; while it stays idle, it is reported again every timeout."""

    def __init__(self, state: State, tables: TableEntries) -> None:
        self._state = state
        self._tables = tables
        self._reported: dict[tuple[int, str], _Idle] = {}
        self.supported = any(table.idle_timeout for table in state.pipeline.tables.values())

    def notification(self, now_ns: int) -> p4r.IdleTimeoutNotification | None:
        """What has to be reported at a monotonic time, None if nothing."""
        message = p4r.IdleTimeoutNotification()
        empty = p4r.TableEntry()
        for table, entry in (*self._again(now_ns), *self._new()):
            due_ns = now_ns + entry["idle_timeout_ns"]
            self._reported[table.id, repr((entry["key"], entry["priority"]))] = _Idle(table, entry, due_ns)
            message.table_entry.append(self._tables.message(table, entry, empty))
        return message if message.table_entry else None

    def _new(self) -> Iterator[tuple[TableSpec, Entry]]:
        for name, entry in self._state.control.expired_entries():
            table = self._state.pipeline.tables_by_name.get(name)
            if table is not None:
                yield table, entry

    def _again(self, now_ns: int) -> list[tuple[TableSpec, Entry]]:
        due = [(identity, idle) for identity, idle in self._reported.items() if idle.due_ns <= now_ns]
        still_idle = []
        for identity, idle in due:
            del self._reported[identity]
            entry = self._state.control.table_get(idle.table.name, idle.entry["key"], idle.entry["priority"])
            idle_ns = entry["since_hit_ns"] if entry is not None else None
            if entry is not None and idle_ns is not None and 0 < entry["idle_timeout_ns"] <= idle_ns:
                still_idle.append((idle.table, entry))
        return still_idle
