# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``TableEntry``: match entries and default entries (specification, "TableEntry")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quench_switch.messages import p4r

from .errors import denied, exhausted, invalid, not_found
from .limits import ENTRY_METADATA_BYTES, PAGE
from .matches import decode_entry_key
from .pipeline import TableSpec
from .rates import check_cleared, decode_counter, decode_rates, encode_colors, encode_counter, encode_rates
from .state import DELETE, INSERT, State
from .updates import known

if TYPE_CHECKING:
    from quench_switch._native import Key, MeterRates

NO_ACTION = "NoAction"


def pack_metadata(entry: p4r.TableEntry) -> bytes:
    """Both opaque values of an entry in one: the data plane stores one byte string."""
    if not entry.controller_metadata and not entry.metadata:
        return b""
    if len(entry.metadata) > ENTRY_METADATA_BYTES:
        raise exhausted(f"{len(entry.metadata)} bytes of metadata, an entry has room for {ENTRY_METADATA_BYTES}")
    return entry.controller_metadata.to_bytes(8, "big") + entry.metadata


def unpack_metadata(packed: bytes, entry: p4r.TableEntry) -> None:
    """Inverse of :func:`pack_metadata`."""
    if packed:
        entry.controller_metadata = int.from_bytes(packed[:8], "big")
        entry.metadata = packed[8:]


def find_table(state: State, table_id: int) -> TableSpec:
    """The table of an id. Raises NOT_FOUND."""
    table = state.pipeline.tables.get(table_id)
    if table is None:
        removed = state.pipeline.removed_tables.get(table_id)
        if removed is not None:
            raise not_found(
                f"table {removed!r} is in P4Info, but no packet reaches it: the device config has no such table"
            )
        raise not_found(f"no table has id {table_id}")
    return table


def check_default_key(table: TableSpec, entry: p4r.TableEntry) -> None:
    """INVALID_ARGUMENT if what names the default entry names another one, too."""
    if entry.match or entry.priority:
        raise invalid(f"{table}: the default entry has neither match nor priority")


class TableEntries:
    """Writes and reads of ``TableEntry``."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._control = state.control
        self._changes = state.changes

    def write(self, kind: int, entry: p4r.TableEntry) -> None:
        """Apply one update of a default entry; ``Forms`` has those of all others."""
        table = find_table(self._state, entry.table_id)
        if entry.is_const:
            raise invalid(f"{table}: is_const is the program's to set")
        self._write_default(kind, table, entry)

    def direct(self, data: bytes) -> tuple[tuple[int, int] | None, MeterRates | None]:
        """The direct resources of an entry, for ``Forms``."""
        entry = p4r.TableEntry.FromString(data)
        return self._direct_resources(find_table(self._state, entry.table_id), entry)

    def _direct_resources(
        self, table: TableSpec, entry: p4r.TableEntry
    ) -> tuple[tuple[int, int] | None, MeterRates | None]:
        counter = rates = None
        for resource in ("meter_config", "meter_counter_data"):
            if entry.HasField(resource) and not table.direct_meter:
                raise invalid(f"{table} has no direct meter")
        check_cleared(entry.meter_counter_data, str(table))
        if entry.HasField("counter_data"):
            if not table.direct_counter:
                raise invalid(f"{table} has no direct counter")
            counter = decode_counter(entry.counter_data, str(table))
        if entry.HasField("meter_config"):
            rates = decode_rates(entry.meter_config, table.meter, str(table))
        return counter, rates

    def _write_default(self, kind: int, table: TableSpec, entry: p4r.TableEntry) -> None:
        if kind in (INSERT, DELETE):
            raise invalid(f"{table}: the default entry can only be modified")
        check_default_key(table, entry)
        if entry.idle_timeout_ns or entry.HasField("time_since_last_hit"):
            raise invalid(f"{table}: the default entry has no idle timeout")
        if table.info.const_default_action_id:
            raise denied(f"{table}: the default action is constant")
        counter, rates = self._direct_resources(table, entry)
        action = None
        if entry.HasField("action"):
            action = self._state.forms.table_action(table.id, known(entry.action), is_default=True)
        metadata = pack_metadata(entry)
        self._changes.table_set_default(table.name, action)
        if action is None:
            self._state.default_metadata.remove(table.id)
        else:
            self._state.default_metadata.put(table.id, metadata)
        if counter is not None:
            self._changes.default_counter_write(table.name, *counter)
        if table.direct_meter:
            self._changes.default_meter_write(table.name, rates)
        if entry.HasField("meter_counter_data"):
            self._changes.default_colors_clear(table.name)

    def read(self, entry: p4r.TableEntry) -> Iterator[p4r.Entity | None]:
        """Entries that the request selects."""
        if entry.table_id == 0:
            if entry.match:
                raise invalid("a match needs a table_id")
            tables = list(self._state.pipeline.tables.values())
        else:
            tables = [find_table(self._state, entry.table_id)]
        for table in tables:
            yield from self._entities(table, entry)

    def select(self, table: TableSpec, request: p4r.TableEntry) -> Iterator[p4r.TableEntry | None]:
        """The entries of one table that a request selects, with the direct resources it asks for.

        None follows each page, for one in which nothing is selected takes its time too.
        """
        for entity in self._entities(table, request):
            yield None if entity is None else entity.table_entry

    def _entities(self, table: TableSpec, request: p4r.TableEntry) -> Iterator[p4r.Entity | None]:
        if request.table_id and request.HasField("time_since_last_hit") and not table.idle_timeout:
            raise invalid(f"{table} does not support idle timeouts (support_timeout in the program)")
        if request.is_default_action:
            check_default_key(table, request)
            default = self._default_message(table, request)
            if _selects_default(request, default):
                yield p4r.Entity(table_entry=default)
            return
        if request.match:
            entity = self.entity(table, *decode_entry_key(table, request), request)
            if entity is not None:
                yield entity
            return
        place: int | None = 0
        data = known(request)
        while place is not None:
            found, place = self._state.forms.entries(self._control, table.id, data, place, PAGE)
            yield from map(p4r.Entity.FromString, found)
            yield None

    def entity(self, table: TableSpec, key: Key, priority: int, request: p4r.TableEntry) -> p4r.Entity | None:
        """An entry if it is there and selected; ``request`` says which optional parts to fill in."""
        data = self._state.forms.entry(self._control, table.id, key, priority, known(request))
        return None if data is None else p4r.Entity.FromString(data)

    def _default_message(self, table: TableSpec, request: p4r.TableEntry) -> p4r.TableEntry:
        message = p4r.TableEntry(table_id=table.id, is_default_action=True)
        action = self._state.forms.default_action(self._control, table.id)
        if action:
            message.action.MergeFromString(action)
        elif action is None and table.profile_id:
            # BMv2's JSON has no default entry of a table with an action profile: what the program names never runs.
            nothing = next((action for action in table.actions.values() if action.name == NO_ACTION), None)
            if nothing is not None:
                message.action.action.action_id = nothing.id
        unpack_metadata(self._state.default_metadata.settled.get(table.id, b""), message)
        message.is_const = table.info.const_default_action_id != 0
        if request.HasField("counter_data") and table.direct_counter:
            counter = self._control.default_counter_read(table.name)
            if counter is not None:
                message.counter_data.CopyFrom(encode_counter(counter))
        meter = self._control.default_meter_read(table.name)
        if meter is not None:
            rates, colors = meter
            if request.HasField("meter_config") and rates is not None:
                message.meter_config.CopyFrom(encode_rates(rates))
            if request.HasField("meter_counter_data"):
                message.meter_counter_data.CopyFrom(encode_colors(colors))
        return message


def _selects_default(request: p4r.TableEntry, entry: p4r.TableEntry) -> bool:
    if request.priority and request.priority != entry.priority:
        return False
    if request.metadata and request.metadata != entry.metadata:
        return False
    if request.controller_metadata and request.controller_metadata != entry.controller_metadata:
        return False
    if request.HasField("action"):
        if request.action.WhichOneof("type") != "action":
            raise invalid("entries can be selected by action id only, not by member, group or set")
        has_plain_action = entry.action.WhichOneof("type") == "action"
        return has_plain_action and entry.action.action.action_id == request.action.action.action_id
    return True
