# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing the configuration to a switch, and changing profiles under traffic."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import finsy as fy

from quench.config.model import MeterConfig, SwitchConfig
from quench.profiles.compile import CurveRow, Parameters, ProfileRows
from quench.switch import entries
from quench.switch.session import Session

LOGGER = logging.getLogger(__name__)

PROFILE_TABLES = (
    entries.PROFILE_PARAMETERS,
    entries.INGRESS_DECAY,
    entries.EGRESS_DECAY,
    entries.INGRESS_CURVE,
    entries.EGRESS_CURVE,
)
QueueKey = tuple[int, int]
"""Port and queue."""
BATCH = 200
"""Updates per write request: keeps each message far below gRPC's limit."""


class SwitchWriter:
    """Writes routes and profiles to one connected switch, of which it is the primary controller."""

    def __init__(self, switch: Session) -> None:
        self._switch = switch
        self._lock = asyncio.Lock()
        self._used: dict[QueueKey, int] = {}
        self._before: dict[QueueKey, int] = {}
        self._next_id = 1

    async def program(
        self, switch: SwitchConfig, profiles: Mapping[QueueKey, ProfileRows], isq_limit: MeterConfig | None
    ) -> None:
        """Make the switch's tables what the configuration says, without a moment without routes.

        Entries that are right already stay, so a controller that restarts disturbs no traffic.
        """
        async with self._lock:
            routes = [entries.route(route) for route in switch.routes]
            await reconcile(self._switch, entries.ROUTES, routes)
            await reconcile(self._switch, [entries.DSCP_QUEUE], entries.classes(switch.classes))
            await self._put(entries.clone_session(switch.cpu_port))
            await _put_default(self._switch, entries.isq_router(switch.router_address))
            await self.adopt()
            for number, queue in profiles:
                await self._put_meter(entries.isq_meter(number, queue, isq_limit))
            present = await self._profiles()
            for key, rows in profiles.items():
                if not self._is_present(present, self._used.get(key), rows):
                    await self._move(key, rows)
            for key in set(self._used) - set(profiles):
                await self._switch.write([-entries.pointer(*key, self._used[key])])
                self._before[key] = self._used.pop(key)
                await self._put_meter(entries.isq_meter(*key, None))
            await self._delete_profiles()

    async def adopt(self) -> None:
        """Learn which queue has which profile from the switch itself."""
        self._used = dict([entries.queue_of(entry) async for entry in self._read(entries.QUEUE_PROFILE)])

    async def set_profile(self, port: int, queue: int, rows: ProfileRows) -> int:
        """Give a queue a new profile under traffic; the id it got.

        The rows are written under an unused id, then the queue's pointer moves: no packet sees a mixture. Packets that
        wait in the queue still carry the old id, so its rows stay until the queue's next change.
        """
        async with self._lock:
            profile_id = await self._move((port, queue), rows)
            await self._delete_profiles()
            return profile_id

    async def set_isq_limit(self, limit: MeterConfig | None) -> None:
        """Limit the ISQs that the switch itself sends about each queue that has a profile."""
        async with self._lock:
            for port, queue in self._used:
                await self._put_meter(entries.isq_meter(port, queue, limit))

    async def sends_isqs(self, port: int, queue: int) -> bool:
        """Whether the switch itself sends the ISQs about a queue."""
        profile_id = self._used.get((port, queue))
        return profile_id is not None and any(
            [
                entries.profile_of(entry) == profile_id and entries.sends_isqs(entry)
                async for entry in self._read(entries.PROFILE_PARAMETERS)
            ]
        )

    async def rows(self, port: int, queue: int) -> tuple[Parameters, list[CurveRow]] | None:
        """The parameters and the curve that a queue's profile has on the switch; None: it has none."""
        profile_id = self._used.get((port, queue))
        parameters = [entry async for entry in self._read(entries.PROFILE_PARAMETERS)]
        found = [entries.parameters_of(entry) for entry in parameters if entries.profile_of(entry) == profile_id]
        if not found:
            return None
        curve = [entry async for entry in self._read(entries.EGRESS_CURVE) if entries.profile_of(entry) == profile_id]
        return found[0], [entries.curve_row_of(entry) for entry in curve]

    async def _move(self, key: QueueKey, rows: ProfileRows) -> int:
        profile_id = await self._free_id()
        try:
            await self._write(+entry for entry in entries.profile(profile_id, rows))
            pointer = entries.pointer(*key, profile_id)
            await self._switch.write([~pointer if key in self._used else +pointer])
        except BaseException:
            await self._delete_profiles()
            raise
        if key in self._used:
            self._before[key] = self._used[key]
        self._used[key] = profile_id
        return profile_id

    async def _profiles(self) -> dict[int, set[bytes]]:
        """All rows of all profiles on the switch, by profile."""
        profiles: dict[int, set[bytes]] = {}
        for table in PROFILE_TABLES:
            async for entry in self._read(table):
                profiles.setdefault(entries.profile_of(entry), set()).add(self._identity(entry))
        return profiles

    def _is_present(self, present: Mapping[int, set[bytes]], profile_id: int | None, rows: ProfileRows) -> bool:
        return profile_id is not None and present.get(profile_id) == {
            self._identity(entry) for entry in entries.profile(profile_id, rows)
        }

    async def _free_id(self) -> int:
        taken = {entries.profile_of(entry) async for entry in self._read(entries.PROFILE_PARAMETERS)}
        taken |= {*self._used.values(), *self._before.values()}
        for _ in range(entries.MAX_PROFILE_ID):
            candidate, self._next_id = self._next_id, self._next_id % entries.MAX_PROFILE_ID + 1
            if candidate not in taken:
                return candidate
        raise RuntimeError("all profile ids are in use: delete profiles first")

    async def _delete_profiles(self) -> None:
        """Delete the rows of profiles that no queue has, nor had before its last change."""
        keep = {*self._used.values(), *self._before.values()}
        for table in PROFILE_TABLES:
            stale = [entry async for entry in self._read(table) if entries.profile_of(entry) not in keep]
            await self._write(-entry for entry in stale)

    def _identity(self, entry: fy.P4TableEntry) -> bytes:
        """Key and action, with fields and parameters in one order."""
        encoded = _encoded(self._switch, entry)
        encoded.match.sort(key=lambda match: match.field_id)
        encoded.action.action.params.sort(key=lambda param: param.param_id)
        identity: bytes = encoded.SerializeToString()
        return identity

    async def _put_meter(self, meter: fy.P4MeterEntry) -> None:
        """Configure a meter, unless it is configured so already: writing would fill its buckets."""
        async for old in self._switch.read([fy.P4MeterEntry(meter.meter_id, index=meter.index)]):
            if old.config == meter.config:
                return
        await self._switch.write([~meter])

    async def _put(self, session: fy.P4CloneSessionEntry) -> None:
        """Insert or replace a clone session, unless it is there (P4Runtime has no upsert)."""
        present = [entry async for entry in self._switch.read([fy.P4CloneSessionEntry()])]
        old = [entry for entry in present if entry.session_id == session.session_id]
        if not any(entry.encode(self._switch.p4info) == session.encode(self._switch.p4info) for entry in old):
            await self._switch.write([~session if old else +session])

    def _read(self, table: str) -> AsyncIterator[fy.P4TableEntry]:
        return self._switch.read([fy.P4TableEntry(table)])

    async def _write(self, updates: Iterable[Any]) -> None:
        await _write(self._switch, updates)


async def reconcile(session: Session, tables: Iterable[str], wanted: Iterable[fy.P4TableEntry]) -> None:
    """Make tables hold exactly these entries, and have these default entries if any are given."""
    have = {}
    for table in tables:
        async for entry in session.read([fy.P4TableEntry(table)]):
            if not entry.is_const:
                have[_key(session, entry)] = entry
    updates: list[Any] = []
    for entry in wanted:
        if entry.is_default_action:
            await _put_default(session, entry)
            continue
        old = have.pop(_key(session, entry), None)
        if old is None:
            updates.append(+entry)
        elif _encoded(session, old).action != _encoded(session, entry).action:
            updates.append(~entry)
    updates.extend(-entry for entry in have.values())
    await _write(session, updates)


async def _put_default(session: Session, entry: fy.P4TableEntry) -> None:
    """Set a default entry, unless it is set."""
    pattern = fy.P4TableEntry(entry.table_id, is_default_action=True)
    async for old in session.read([pattern]):
        if _encoded(session, old).action == _encoded(session, entry).action:
            return
    await session.write([~entry])


def _encoded(session: Session, entry: fy.P4TableEntry) -> Any:
    return entry.encode(session.p4info).table_entry


def _key(session: Session, entry: fy.P4TableEntry) -> tuple[int, int, tuple[bytes, ...]]:
    """The parts of an entry that identify it (P4Runtime specification, "TableEntry")."""
    encoded = _encoded(session, entry)
    return encoded.table_id, encoded.priority, tuple(sorted(match.SerializeToString() for match in encoded.match))


async def _write(session: Session, updates: Iterable[Any]) -> None:
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
