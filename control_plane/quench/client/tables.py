# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writes that change only what is not as it should be yet, of any P4 program."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import finsy as fy
from finsy.proto import p4r

from quench.client.session import Session

Numbered = TypeVar(
    "Numbered", fy.P4ActionProfileMember, fy.P4ActionProfileGroup, fy.P4CloneSessionEntry, fy.P4MulticastGroupEntry
)
BATCH = 100
"""Updates per write request, of each of which a refusal has the code."""


async def reconcile(session: Session, tables: Iterable[str], wanted: Iterable[fy.P4TableEntry]) -> set[bytes]:
    """Make tables hold exactly these entries, and have these default entries if any are given.

    The identities of the entries that were inserted or replaced are given back: both leave their meters without rates.
    """
    have: dict[bytes, tuple[fy.P4TableEntry, Any]] = {}
    for table in tables:
        async for entry in session.read([fy.P4TableEntry(table)]):
            if not entry.is_const:
                encoded = entry.encode(session.p4info)
                have[identity(encoded)] = entry, encoded.table_entry.action
    updates: list[Any] = []
    written: set[bytes] = set()
    for entry in wanted:
        if entry.is_default_action:
            await put_default(session, entry)
            continue
        encoded = entry.encode(session.p4info)
        key = identity(encoded)
        old = have.pop(key, None)
        if old is not None and old[1] == encoded.table_entry.action:
            continue
        updates.append(+entry if old is None else ~entry)
        written.add(key)
    updates.extend(-entry for entry, _ in have.values())
    await write(session, updates)
    return written


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


async def put_numbered(session: Session, kinds: Iterable[Numbered], wanted: Iterable[Numbered]) -> list[Numbered]:
    """Insert or replace what has a number, in its order, but what is right already (P4Runtime has no upsert).

    ``kinds`` are empty entities of the kinds that are read. The switch's entities that are not in ``wanted`` are
    returned.
    """
    present = {}
    async for entity in session.read(list(kinds)):
        encoded = entity.encode(session.p4info)
        present[identity(encoded)] = entity, encoded
    updates: list[Any] = []
    for each in wanted:
        encoded = each.encode(session.p4info)
        old = present.pop(identity(encoded), None)
        if old is None:
            updates.append(+each)
        elif old[1] != encoded:
            updates.append(~each)
    await write(session, updates)
    return [entity for entity, _ in present.values()]


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


def entry_of(rates: fy.P4DirectMeterEntry, schema: fy.P4Schema) -> bytes:
    """The identity of the entry that the rates of a direct meter are of."""
    assert rates.table_entry is not None
    return identity(rates.table_entry.encode(schema))


def identity(entity: p4r.Entity) -> bytes:
    """The parts of an entity that identify it, in one order: two that have the same parts are one."""
    key = p4r.Entity()
    match entity.WhichOneof("entity"):
        case "table_entry":
            key.table_entry.CopyFrom(_identity_of_entry(entity.table_entry))
        case "direct_meter_entry":
            key.direct_meter_entry.table_entry.CopyFrom(_identity_of_entry(entity.direct_meter_entry.table_entry))
        case "action_profile_member":
            key.action_profile_member.action_profile_id = entity.action_profile_member.action_profile_id
            key.action_profile_member.member_id = entity.action_profile_member.member_id
        case "action_profile_group":
            key.action_profile_group.action_profile_id = entity.action_profile_group.action_profile_id
            key.action_profile_group.group_id = entity.action_profile_group.group_id
        case "packet_replication_engine_entry":
            own, its = key.packet_replication_engine_entry, entity.packet_replication_engine_entry
            if its.HasField("clone_session_entry"):
                own.clone_session_entry.session_id = its.clone_session_entry.session_id
            else:
                own.multicast_group_entry.multicast_group_id = its.multicast_group_entry.multicast_group_id
        case "register_entry":
            key.register_entry.register_id = entity.register_entry.register_id
            if entity.register_entry.HasField("index"):
                key.register_entry.index.CopyFrom(entity.register_entry.index)
        case "meter_entry":
            key.meter_entry.meter_id = entity.meter_entry.meter_id
            if entity.meter_entry.HasField("index"):
                key.meter_entry.index.CopyFrom(entity.meter_entry.index)
        case "value_set_entry":
            key.value_set_entry.value_set_id = entity.value_set_entry.value_set_id
        case other:
            raise ValueError(f"{other} has no identity here")
    return key.SerializeToString(deterministic=True)


def _identity_of_entry(entry: p4r.TableEntry) -> p4r.TableEntry:
    """The specification's ("TableEntry"), fields in one order."""
    key = p4r.TableEntry(table_id=entry.table_id, priority=entry.priority, is_default_action=entry.is_default_action)
    key.match.extend(sorted(entry.match, key=lambda match: int(match.field_id)))
    return key
