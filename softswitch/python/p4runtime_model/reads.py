# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The right answer to a read (specification, "Read RPC" and "Wildcard Reads")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .arrays import judge_index
from .keys import Key
from .matching import judge_entry_key
from .program import Table
from .render import (
    cell_message,
    colors_message,
    counter_message,
    digest_message,
    entry_message,
    group_message,
    key_message,
    member_message,
    rates_message,
    value_set_message,
)
from .state import Entry, State
from .verdict import Verdict

Value = TypeVar("Value")


def judge_read(state: State, request: p4r.Entity, verdict: Verdict) -> Iterator[p4r.Entity]:
    """The entities that one request selects."""
    kind = request.WhichOneof("entity")
    if kind is None:
        verdict.invalid("no entity")
        return iter(())
    if kind == "extern_entry":
        verdict.refuse(Code.UNIMPLEMENTED, kind)
        return iter(())
    return _READS[kind](state, getattr(request, kind), verdict)


def _entries(state: State, request: p4r.TableEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    for table, place, entry in _select(state, request, verdict):
        if request.HasField("action"):
            call = entry.action.call if entry.action is not None else None
            if call is None or call[0].id != request.action.action.action_id:
                continue
        yield entry_message(table, place, entry, request)


Place = tuple[Key, int] | None


def _select(state: State, request: p4r.TableEntry, verdict: Verdict) -> list[tuple[Table, Place, Entry]]:
    """The entries of a request, by table, match, priority and metadata."""
    if request.table_id == 0:
        if request.match:
            verdict.invalid("a match needs a table")
        if request.priority or request.metadata or request.controller_metadata or request.HasField("action"):
            verdict.may_refuse(Code.INVALID_ARGUMENT, "Wildcard Reads: without a table no other filter can be used")
        tables: Sequence[Table] = list(state.program.tables.values())
    elif request.table_id in state.program.tables:
        tables = [state.program.tables[request.table_id]]
    else:
        verdict.refuse(Code.NOT_FOUND, f"table {request.table_id}")
        return []
    if request.HasField("action") and request.action.WhichOneof("type") != "action":
        # The server finds it only where there is an entry to compare with.
        verdict.may_refuse(Code.INVALID_ARGUMENT, "Wildcard Reads: only action_id is a filter")
    found: list[tuple[Table, Place, Entry]] = []
    for table in tables:
        if request.table_id and request.HasField("time_since_last_hit") and not table.has_idle_timeout:
            verdict.invalid("the table has no idle timeouts")
        held = state.tables[table.id]
        if request.is_default_action:
            if request.match or request.priority:
                verdict.invalid("the default entry has neither match nor priority")
            found.append((table, None, held.default))
        elif request.match:
            place = judge_entry_key(table, request, verdict)
            if place in held.entries:
                found.append((table, place, held.entries[place]))
        else:
            found.extend((table, place, entry) for place, entry in held.entries.items())
    return [
        (table, place, entry)
        for table, place, entry in found
        if (not request.priority or place is None or place[1] == request.priority)
        and request.metadata in (b"", entry.metadata)
        and request.controller_metadata in (0, entry.controller_metadata)
    ]


def _direct(
    state: State, request: p4r.TableEntry, has: Callable[[Table], bool], verdict: Verdict
) -> list[tuple[Table, Place, Entry]]:
    table = state.program.tables.get(request.table_id)
    if table is not None and not has(table):
        verdict.invalid("the table has no such direct resource")
    wanted = p4r.TableEntry()
    wanted.CopyFrom(request)
    wanted.ClearField("action")
    found = [item for item in _select(state, wanted, verdict) if has(item[0])]
    if request.match and not found:
        verdict.refuse(Code.NOT_FOUND, "there is no such entry")
    return found


def _direct_counters(state: State, request: p4r.DirectCounterEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    for table, place, entry in _direct(state, request.table_entry, lambda table: table.counter, verdict):
        message = p4r.DirectCounterEntry(table_entry=key_message(table, place), data=counter_message(entry.counter))
        yield p4r.Entity(direct_counter_entry=message)


def _direct_meters(state: State, request: p4r.DirectMeterEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    for table, place, entry in _direct(state, request.table_entry, lambda table: table.meter is not None, verdict):
        message = p4r.DirectMeterEntry(table_entry=key_message(table, place))
        if entry.meter is not None:
            message.config.CopyFrom(rates_message(entry.meter))
        if request.HasField("counter_data"):
            message.counter_data.CopyFrom(colors_message())
        yield p4r.Entity(direct_meter_entry=message)


def _known(numbers: Mapping[int, Any], number: int, verdict: Verdict) -> list[int]:
    """The objects that an id selects, 0 being all."""
    if number == 0:
        return list(numbers)
    if number not in numbers:
        verdict.refuse(Code.NOT_FOUND, f"id {number}")
        return []
    return [number]


def _members(state: State, request: p4r.ActionProfileMember, verdict: Verdict) -> Iterator[p4r.Entity]:
    for profile_id in _known(state.members, request.action_profile_id, verdict):
        for number, call in state.members[profile_id].items():
            if request.member_id in (0, number):
                yield member_message(profile_id, number, call)


def _groups(state: State, request: p4r.ActionProfileGroup, verdict: Verdict) -> Iterator[p4r.Entity]:
    for profile_id in _known(state.groups, request.action_profile_id, verdict):
        for number, group in state.groups[profile_id].items():
            if request.group_id in (0, number):
                yield group_message(state.program.profiles[profile_id], number, group)


def _cells(
    arrays: Mapping[int, list[Value]], number: int, index: p4r.Index | None, verdict: Verdict
) -> Iterator[tuple[int, int, Value]]:
    if number == 0 and index is not None:
        verdict.invalid("an index needs an array")
        return
    for array_id in _known(arrays, number, verdict):
        cells = arrays[array_id]
        if index is None:
            yield from ((array_id, place, value) for place, value in enumerate(cells))
            continue
        judge_index(index.index, len(cells), verdict)
        if 0 <= index.index < len(cells):
            yield array_id, index.index, cells[index.index]


def _counters(state: State, request: p4r.CounterEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    index = request.index if request.HasField("index") else None
    for number, place, value in _cells(state.counters, request.counter_id, index, verdict):
        message = p4r.CounterEntry(counter_id=number, index=p4r.Index(index=place), data=counter_message(value))
        yield p4r.Entity(counter_entry=message)


def _meters(state: State, request: p4r.MeterEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    index = request.index if request.HasField("index") else None
    for number, place, value in _cells(state.meters, request.meter_id, index, verdict):
        message = p4r.MeterEntry(meter_id=number, index=p4r.Index(index=place))
        if value is not None:
            message.config.CopyFrom(rates_message(value))
        if request.HasField("counter_data"):
            message.counter_data.CopyFrom(colors_message())
        yield p4r.Entity(meter_entry=message)


def _registers(state: State, request: p4r.RegisterEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    index = request.index if request.HasField("index") else None
    for number, place, value in _cells(state.registers, request.register_id, index, verdict):
        data = cell_message(state.program.registers[number][1], value)
        message = p4r.RegisterEntry(register_id=number, index=p4r.Index(index=place), data=data)
        yield p4r.Entity(register_entry=message)


def _value_sets(state: State, request: p4r.ValueSetEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    for number in _known(state.value_sets, request.value_set_id, verdict):
        yield value_set_message(state, number)


def _replication(state: State, request: p4r.PacketReplicationEngineEntry, _: Verdict) -> Iterator[p4r.Entity]:
    which = request.WhichOneof("type")
    if which in (None, "multicast_group_entry"):
        for number, group in state.multicast_groups.items():
            if request.multicast_group_entry.multicast_group_id in (0, number):
                message = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
                yield p4r.Entity(packet_replication_engine_entry=message)
    if which in (None, "clone_session_entry"):
        for number, session in state.clone_sessions.items():
            if request.clone_session_entry.session_id in (0, number):
                message = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
                yield p4r.Entity(packet_replication_engine_entry=message)


def _digests(state: State, request: p4r.DigestEntry, verdict: Verdict) -> Iterator[p4r.Entity]:
    for number in _known(state.program.digests, request.digest_id, verdict):
        if number in state.digests:
            yield digest_message(number, state.digests[number])


_READS: Mapping[str, Callable[[State, Any, Verdict], Iterator[p4r.Entity]]] = {
    "table_entry": _entries,
    "direct_counter_entry": _direct_counters,
    "direct_meter_entry": _direct_meters,
    "action_profile_member": _members,
    "action_profile_group": _groups,
    "counter_entry": _counters,
    "meter_entry": _meters,
    "register_entry": _registers,
    "value_set_entry": _value_sets,
    "packet_replication_engine_entry": _replication,
    "digest_entry": _digests,
}
