# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes that change only what is not as it should be yet, of any P4 program."""

from collections.abc import Iterable, Iterator
from typing import Any

import finsy as fy
from finsy.proto import p4r

from quench.switch.session import Session

BATCH = 200
"""Updates per write request: keeps each message far below gRPC's limit."""


async def reconcile(session: Session, tables: Iterable[str], wanted: Iterable[fy.P4TableEntry]) -> None:
    """Make tables hold exactly these entries, and have these default entries if any are given."""
    have: dict[bytes, tuple[fy.P4TableEntry, Any]] = {}
    for table in tables:
        async for entry in session.read([fy.P4TableEntry(table)]):
            if not entry.is_const:
                encoded = encode(session, entry)
                have[_key(encoded)] = entry, encoded.action
    updates: list[Any] = []
    for entry in wanted:
        if entry.is_default_action:
            await put_default(session, entry)
            continue
        encoded = encode(session, entry)
        old = have.pop(_key(encoded), None)
        if old is None:
            updates.append(+entry)
        elif old[1] != encoded.action:
            updates.append(~entry)
    updates.extend(-entry for entry, _ in have.values())
    await write(session, updates)


async def put_default(session: Session, entry: fy.P4TableEntry) -> None:
    """Set a default entry, unless it is set."""
    present = await default_of(session, entry.table_id)
    if present is None or encode(session, present).action != encode(session, entry).action:
        await session.write([~entry])


async def default_of(session: Session, table: str) -> fy.P4TableEntry | None:
    """The default entry of a table, with its action."""
    async for entry in session.read([fy.P4TableEntry(table, is_default_action=True)]):
        return entry
    return None


async def put_meter(session: Session, meter: fy.P4MeterEntry) -> None:
    """Configure a meter, unless it is configured so already: writing would fill its buckets."""
    async for old in session.read([fy.P4MeterEntry(meter.meter_id, index=meter.index)]):
        if old.config == meter.config:
            return
    await session.write([~meter])


async def put_sessions(session: Session, wanted: Iterable[fy.P4CloneSessionEntry]) -> None:
    """Insert or replace clone sessions, but those that are there (P4Runtime has no upsert)."""
    present = {entry.session_id: entry async for entry in session.read([fy.P4CloneSessionEntry()])}
    for each in wanted:
        old = present.get(each.session_id)
        if old is None or old.encode(session.p4info) != each.encode(session.p4info):
            await session.write([+each if old is None else ~each])


async def write(session: Session, updates: Iterable[Any]) -> None:
    """Write updates, in as many requests as they need."""
    for batch in batches(updates):
        await session.write(batch)


def batches(updates: Iterable[Any]) -> Iterator[list[Any]]:
    """The updates in write requests of at most ``BATCH``."""
    batch: list[Any] = []
    for update in updates:
        batch.append(update)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def encode(session: Session, entry: fy.P4TableEntry) -> Any:
    """The message of an entry."""
    return entry.encode(session.p4info).table_entry


def _key(encoded: Any) -> bytes:
    """The parts of an entry that identify it (P4Runtime specification, "TableEntry"), fields in one order."""
    key = p4r.TableEntry(table_id=encoded.table_id, priority=encoded.priority)
    key.match.extend(sorted(encoded.match, key=lambda match: int(match.field_id)))
    return key.SerializeToString()
