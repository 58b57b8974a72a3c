# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``DirectCounterEntry`` and ``DirectMeterEntry``: the "Direct Resources" of table entries."""

from __future__ import annotations

from collections.abc import Iterator

from quench_switch.messages import p4r

from .errors import invalid, not_found
from .matches import decode_entry_key
from .pipeline import TableSpec
from .rates import check_cleared, decode_counter, decode_rates
from .state import DELETE, INSERT, State
from .tables import TableEntries, check_default_key, find_table


class DirectCounters:
    """Writes and reads of ``DirectCounterEntry``."""

    def __init__(self, state: State, tables: TableEntries) -> None:
        self._state = state
        self._tables = tables

    def write(self, kind: int, entry: p4r.DirectCounterEntry) -> None:
        """Set the counter of an entry."""
        table = find_table(self._state, entry.table_entry.table_id)
        _check_direct(kind, table, table.direct_counter, "counter")
        if entry.table_entry.is_default_action:
            check_default_key(table, entry.table_entry)
            if entry.HasField("data"):
                self._state.changes.default_counter_write(table.name, *decode_counter(entry.data, str(table)))
            return
        key, priority = decode_entry_key(table, entry.table_entry)
        if entry.HasField("data"):
            packets, octets = decode_counter(entry.data, str(table))
            self._state.changes.direct_counter_write(table.name, key, priority, packets, octets)
        else:
            self._state.changes.table_check(table.name, key, priority)

    def read(self, entry: p4r.DirectCounterEntry) -> Iterator[p4r.Entity | None]:
        """Counters of the entries that the request selects."""
        for found in _direct_entries(self._state, self._tables, entry.table_entry, "direct_counter"):
            if found is None:
                yield None
                continue
            data = found.counter_data
            key = _key_only(found)
            yield p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=key, data=data))


class DirectMeters:
    """Writes and reads of ``DirectMeterEntry``."""

    def __init__(self, state: State, tables: TableEntries) -> None:
        self._state = state
        self._tables = tables

    def write(self, kind: int, entry: p4r.DirectMeterEntry) -> None:
        """Configure the meter of an entry; without a config it passes everything as green."""
        table = find_table(self._state, entry.table_entry.table_id)
        _check_direct(kind, table, table.direct_meter, "meter")
        if entry.HasField("counter_data"):
            check_cleared(entry.counter_data, str(table))
        rates = None
        if entry.HasField("config"):
            rates = decode_rates(entry.config, table.meter, str(table))
        changes = self._state.changes
        if entry.table_entry.is_default_action:
            check_default_key(table, entry.table_entry)
            changes.default_meter_write(table.name, rates)
            if entry.HasField("counter_data"):
                changes.default_colors_clear(table.name)
            return
        key, priority = decode_entry_key(table, entry.table_entry)
        changes.direct_meter_write(table.name, key, priority, rates)
        if entry.HasField("counter_data"):
            changes.direct_colors_clear(table.name, key, priority)

    def read(self, entry: p4r.DirectMeterEntry) -> Iterator[p4r.Entity | None]:
        """Configurations of the entries that the request selects."""
        for found in _direct_entries(self._state, self._tables, entry.table_entry, "direct_meter"):
            if found is None:
                yield None
                continue
            message = p4r.DirectMeterEntry(table_entry=_key_only(found))
            if found.HasField("meter_config"):
                message.config.CopyFrom(found.meter_config)
            if entry.HasField("counter_data"):
                message.counter_data.CopyFrom(found.meter_counter_data)
            yield p4r.Entity(direct_meter_entry=message)


def _check_direct(kind: int, table: TableSpec, present: bool, what: str) -> None:
    if kind in (INSERT, DELETE):
        raise invalid(f"{table}: a direct {what} can only be modified")
    if not present:
        raise invalid(f"{table} has no direct {what}")


def _direct_entries(
    state: State, tables: TableEntries, request: p4r.TableEntry, resource: str
) -> Iterator[p4r.TableEntry | None]:
    """Entries with their direct resources; NOT_FOUND where the request names one that does not exist."""
    wanted = p4r.TableEntry()
    wanted.CopyFrom(request)
    wanted.ClearField("action")
    wanted.counter_data.SetInParent()
    wanted.meter_config.SetInParent()
    wanted.meter_counter_data.SetInParent()
    if request.table_id:
        table = find_table(state, request.table_id)
        if not getattr(table, resource):
            raise invalid(f"{table} has no {resource.replace('_', ' ')}")
        selected = [table]
    else:
        if request.match:
            raise invalid("a match needs a table_id")
        selected = [table for table in state.pipeline.tables.values() if getattr(table, resource)]
    for table in selected:
        count = 0
        for entry in tables.select(table, wanted):
            count += entry is not None
            yield entry
        if request.match and not count:
            raise not_found(f"{table} has no such entry")


def _key_only(entry: p4r.TableEntry) -> p4r.TableEntry:
    return p4r.TableEntry(
        table_id=entry.table_id,
        match=entry.match,
        priority=entry.priority,
        is_default_action=entry.is_default_action,
    )
