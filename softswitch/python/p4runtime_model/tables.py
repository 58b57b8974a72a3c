# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules of table entries, default entries and direct resources (specification, "TableEntry")."""

from __future__ import annotations

from collections.abc import Callable

from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

from .actions import judge_table_action
from .matching import judge_entry_key
from .program import Table
from .rates import judge_colors, judge_counter, judge_rates
from .state import Entry, State, calls
from .verdict import Verdict

INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE

Effect = Callable[[], None]
"""The change of the state by an accepted update."""


def nothing() -> None:
    """The effect of an update without one."""


def judge_entry(state: State, kind: int, given: p4r.TableEntry, verdict: Verdict) -> Effect:
    """One update of a ``TableEntry``."""
    table = state.program.tables.get(given.table_id)
    if table is None:
        verdict.refuse(Code.NOT_FOUND, f"table {given.table_id}")
        return nothing
    if given.is_const:
        verdict.invalid("is_const belongs to the program")
    if given.is_default_action:
        return _judge_default(state, kind, table, given, verdict)
    if table.is_const and kind != MODIFY:
        verdict.refuse(Code.PERMISSION_DENIED, "the table is constant")
    place = judge_entry_key(table, given, verdict)
    entries = state.tables[table.id].entries
    old = None if place is None else entries.get(place)
    if place is not None and kind != INSERT and old is None:
        verdict.refuse(Code.NOT_FOUND, "there is no such entry")
    is_const = table.is_const or (old is not None and old.is_const)
    if kind == DELETE:
        if is_const:
            verdict.refuse(Code.PERMISSION_DENIED, "the entry is constant")
        return nothing if place is None else lambda: entries.__delitem__(place)
    if place is not None and kind == INSERT and old is not None:
        verdict.refuse(Code.ALREADY_EXISTS, "there is such an entry")
    if kind == INSERT and old is None and len(entries) >= table.info.size:
        verdict.refuse(Code.RESOURCE_EXHAUSTED, "the table is full")
    new = Entry(
        action=None,
        metadata=given.metadata,
        controller_metadata=given.controller_metadata,
        idle_timeout_ns=given.idle_timeout_ns,
        is_const=is_const,
    )
    _judge_timeouts(table, given, verdict)
    _judge_resources(table, given, verdict)
    if given.HasField("meter_config"):
        config = given.meter_config
        new.meter = (config.cir, config.cburst, config.pir, config.pburst, config.eburst)
    if is_const and (given.HasField("action") or new.metadata or new.controller_metadata or new.idle_timeout_ns):
        verdict.refuse(Code.PERMISSION_DENIED, "of a constant entry only direct resources can be modified")
    if kind == INSERT or given.HasField("action"):
        new.action = judge_table_action(state, table, given.action, False, verdict)
    elif old is not None:
        new.action = old.action
    if given.HasField("counter_data"):
        new.counter = (given.counter_data.packet_count, given.counter_data.byte_count)
    elif old is not None:
        new.counter = old.counter
    return nothing if place is None else lambda: entries.__setitem__(place, new)


def _judge_timeouts(table: Table, given: p4r.TableEntry, verdict: Verdict) -> None:
    if given.idle_timeout_ns < 0 or (given.idle_timeout_ns and not table.has_idle_timeout):
        verdict.invalid(f"idle timeout {given.idle_timeout_ns}")
    if given.HasField("time_since_last_hit"):
        verdict.invalid("time_since_last_hit is for reads")


def _judge_resources(table: Table, given: p4r.TableEntry, verdict: Verdict) -> None:
    if given.HasField("meter_counter_data") and table.meter is None:
        verdict.invalid("the table has no direct meter")
    judge_colors(given.meter_counter_data, verdict)
    if given.HasField("counter_data"):
        if not table.counter:
            verdict.invalid("the table has no direct counter")
        judge_counter(given.counter_data, verdict)
    if given.HasField("meter_config"):
        if table.meter is None:
            verdict.invalid("the table has no direct meter")
        else:
            judge_rates(given.meter_config, table.meter, verdict)


def _judge_default(state: State, kind: int, table: Table, given: p4r.TableEntry, verdict: Verdict) -> Effect:
    if kind != MODIFY:
        verdict.invalid("the default entry can only be modified")
    _judge_default_key(given, verdict)
    if given.idle_timeout_ns or given.HasField("time_since_last_hit"):
        verdict.invalid("the default entry has no idle timeout")
    if table.info.const_default_action_id:
        verdict.refuse(Code.PERMISSION_DENIED, "the default action is constant")
    _judge_resources(table, given, verdict)
    current = state.tables[table.id]
    new = Entry(action=calls(table.default), counter=current.default.counter)
    if given.HasField("action"):
        new.action = judge_table_action(state, table, given.action, True, verdict)
        new.metadata, new.controller_metadata = given.metadata, given.controller_metadata
    if given.HasField("counter_data"):
        new.counter = (given.counter_data.packet_count, given.counter_data.byte_count)
    if given.HasField("meter_config"):
        config = given.meter_config
        new.meter = (config.cir, config.cburst, config.pir, config.pburst, config.eburst)

    def apply() -> None:
        current.default = new
        current.default_is_set = given.HasField("action")

    return apply


def _judge_default_key(given: p4r.TableEntry, verdict: Verdict) -> None:
    if given.match or given.priority:
        verdict.invalid("the default entry has neither match nor priority")


def judge_direct_counter(state: State, kind: int, given: p4r.DirectCounterEntry, verdict: Verdict) -> Effect:
    """One update of a ``DirectCounterEntry``."""
    table = _direct_table(state, kind, given.table_entry, verdict)
    if table is None:
        return nothing
    if not table.counter:
        verdict.invalid("the table has no direct counter")
    value = judge_counter(given.data, verdict)
    entry = _direct_entry(state, table, given.table_entry, verdict)
    if entry is None or not given.HasField("data"):
        return nothing

    def apply() -> None:
        entry.counter = value

    return apply


def judge_direct_meter(state: State, kind: int, given: p4r.DirectMeterEntry, verdict: Verdict) -> Effect:
    """One update of a ``DirectMeterEntry``."""
    table = _direct_table(state, kind, given.table_entry, verdict)
    judge_colors(given.counter_data, verdict)
    if table is None:
        return nothing
    rates = None
    if table.meter is None:
        verdict.invalid("the table has no direct meter")
    elif given.HasField("config"):
        rates = judge_rates(given.config, table.meter, verdict)
    entry = _direct_entry(state, table, given.table_entry, verdict)
    if entry is None:
        return nothing

    def apply() -> None:
        entry.meter = rates

    return apply


def _direct_table(state: State, kind: int, given: p4r.TableEntry, verdict: Verdict) -> Table | None:
    if kind != MODIFY:
        verdict.invalid("direct resources can only be modified")
    table = state.program.tables.get(given.table_id)
    if table is None:
        verdict.refuse(Code.NOT_FOUND, f"table {given.table_id}")
    return table


def _direct_entry(state: State, table: Table, given: p4r.TableEntry, verdict: Verdict) -> Entry | None:
    if given.is_default_action:
        _judge_default_key(given, verdict)
        return state.tables[table.id].default
    place = judge_entry_key(table, given, verdict)
    if place is None:
        return None
    entry = state.tables[table.id].entries.get(place)
    if entry is None:
        verdict.refuse(Code.NOT_FOUND, "there is no such entry")
    return entry
