# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading and clearing tables, counters and registers of any P4 program, and their entries as plain values."""

from collections.abc import AsyncIterator
from typing import Any

import finsy as fy
from finsy import p4schema
from finsy.p4schema import P4MatchType
from finsy.p4values import DecodeFormat, format_exact, format_lpm

from quench.client.session import Session
from quench.client.tables import batches

_ADDRESS = DecodeFormat.ADDRESS | DecodeFormat.STRING
_ADDRESS_BITS = {48, 128}
"""Widths of MAC and IPv6 addresses, and of little else."""
ZERO = fy.P4CounterData(byte_count=0, packet_count=0)


async def entries_of(session: Session, table: p4schema.P4Table) -> AsyncIterator[fy.P4TableEntry]:
    """The entries of a table, with their direct counters."""
    wanted = fy.P4CounterData() if table.direct_counter is not None else None
    async for entry in session.read([fy.P4TableEntry(table.name, counter_data=wanted)]):
        if not entry.is_default_action:
            yield entry


async def default_of(session: Session, table: p4schema.P4Table) -> AsyncIterator[fy.P4TableEntry]:
    """The default entry of a table."""
    async for entry in session.read([fy.P4TableEntry(table.name, is_default_action=True)]):
        yield entry


async def clear_table(session: Session, table: p4schema.P4Table) -> int:
    """Delete the entries of a table that may be deleted; how many there were."""
    count = 0
    found = [entry async for entry in session.read([fy.P4TableEntry(table.name)]) if not entry.is_default_action]
    for batch in batches(-entry for entry in found if not entry.is_const):
        await session.write(batch)
        count += len(batch)
    return count


async def clear_counter(session: Session, counter: p4schema.P4Counter | p4schema.P4DirectCounter) -> int:
    """Set the cells of a counter to 0; how many were not."""
    used: list[fy.P4CounterEntry | fy.P4DirectCounterEntry] = []
    if isinstance(counter, p4schema.P4DirectCounter):
        async for entry in session.read([fy.P4DirectCounterEntry(counter.name)]):
            if entry.packet_count or entry.byte_count:
                entry.data = ZERO
                used.append(entry)
    else:
        async for cell in session.read([fy.P4CounterEntry(counter.name)]):
            if cell.packet_count or cell.byte_count:
                cell.data = ZERO
                used.append(cell)
    for batch in batches(~entry for entry in used):
        await session.write(batch)
    return len(used)


def plain(entry: fy.P4TableEntry, table: p4schema.P4Table) -> dict[str, Any]:
    """An entry as texts and numbers: ``match`` and ``args`` by name, counters where the table has them."""
    values: dict[str, Any] = {"table": table.name}
    if not entry.is_default_action:
        values["match"] = _match(entry.match or fy.P4TableMatch(), table)
        if entry.priority:
            values["priority"] = entry.priority
    values |= _action(entry, table)
    for name in ("is_default_action", "is_const"):
        if getattr(entry, name):
            values[name] = True
    if entry.counter_data is not None:
        values |= {"packets": entry.counter_data.packet_count, "bytes": entry.counter_data.byte_count}
    return values


def _match(match: fy.P4TableMatch, table: p4schema.P4Table) -> dict[str, str]:
    """The keys as texts. One of 48 or 128 bits is an address, one of 32 bits if it has a prefix."""
    texts = match.format_dict(table)
    for field in table.match_fields:
        value = match.get(field.alias)
        if value is None:
            continue
        if field.match_type == P4MatchType.LPM and field.bitwidth in {32, *_ADDRESS_BITS}:
            texts[field.alias] = format_lpm(value, field.bitwidth, _ADDRESS)
        elif field.match_type == P4MatchType.EXACT and field.bitwidth in _ADDRESS_BITS:
            texts[field.alias] = format_exact(value, field.bitwidth, _ADDRESS)
    return texts


def _action(entry: fy.P4TableEntry, table: p4schema.P4Table) -> dict[str, Any]:
    if isinstance(entry.action, fy.P4TableAction):
        found = table.actions[entry.action.name]
        args = {
            name: format_exact(value, found.params[name].bitwidth, _ADDRESS)
            if found.params[name].bitwidth in _ADDRESS_BITS
            else found.params[name].format_param(value)
            for name, value in entry.action.args.items()
        }
        return {"action": found.name, "args": args}
    if entry.action is not None:
        return {"action": entry.action.format_str(table), "args": {}}
    return {"action": None, "args": {}}
