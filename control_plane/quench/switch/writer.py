# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Bringing a switch to what the configuration says, and changing profiles under traffic."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

import finsy as fy

from quench.config.model import Config, SwitchConfig
from quench.profiles.compile import ProfileRows, compile_profile
from quench.switch import entries
from quench.switch.reading import read

LOGGER = logging.getLogger(__name__)

MAX_PROFILE_ID = 0xFFFF
BATCH = 200
"""Updates per write request: keeps each message far below gRPC's limit."""


class SwitchWriter:
    """Writes routes and profiles to one connected switch, of which it is the primary controller."""

    def __init__(self, switch: fy.Switch) -> None:
        self._switch = switch
        self._lock = asyncio.Lock()
        self._used: dict[tuple[int, int], int] = {}
        self._next_id = 1

    async def program(self, config: Config, switch: SwitchConfig) -> None:
        """Make the switch's tables what the configuration says, without a moment without routes.

        What is right already stays, so a controller that restarts disturbs nothing.
        """
        async with self._lock:
            await self._reconcile([entries.route(route) for route in switch.routes])
            await self._put(entries.clone_session(switch.cpu_port))
            await self.adopt()
            wanted = {(number, port.queue) for number, port in switch.ports.items()}
            for number, port in switch.ports.items():
                rows = compile_profile(config.settings_of(port), port.rate)
                await self._move(number, port.queue, rows)
            for number, queue in set(self._used) - wanted:
                await self._switch.delete([entries.pointer(number, queue, self._used.pop((number, queue)))])
            await self._delete_profiles(keep=set(self._used.values()))

    async def adopt(self) -> None:
        """Learn which queue has which profile from the switch itself."""
        self._used = dict([entries.queue_of(entry) async for entry in self._read(entries.QUEUE_PROFILE)])

    async def set_profile(self, port: int, queue: int, rows: ProfileRows) -> int:
        """Give a queue a new profile under traffic; the id it got.

        The rows are written under an id that nobody uses, then the queue's pointer moves: no packet sees a mixture.
        Packets that wait in the queue still carry the id before, so its rows stay until the change after.
        """
        async with self._lock:
            before = self._used.get((port, queue))
            profile_id = await self._move(port, queue, rows)
            keep = set(self._used.values()) | ({before} if before is not None else set())
            await self._delete_profiles(keep)
            return profile_id

    async def _move(self, port: int, queue: int, rows: ProfileRows) -> int:
        profile_id = await self._free_id()
        try:
            await self._write(+entry for entry in entries.profile(profile_id, rows))
            pointer = entries.pointer(port, queue, profile_id)
            await self._switch.write([~pointer if (port, queue) in self._used else +pointer])
        except BaseException:
            await self._delete_profiles(keep=set(self._used.values()))
            raise
        self._used[port, queue] = profile_id
        return profile_id

    async def _free_id(self) -> int:
        taken = {entries.profile_of(entry) async for entry in self._read(entries.PROFILE_PARAMETERS)}
        taken |= set(self._used.values())
        for _ in range(MAX_PROFILE_ID):
            candidate, self._next_id = self._next_id, self._next_id % MAX_PROFILE_ID + 1
            if candidate not in taken:
                return candidate
        raise RuntimeError("all profile ids are in use; delete profiles first")

    async def _delete_profiles(self, keep: set[int]) -> None:
        for table in (entries.PROFILE_PARAMETERS, entries.IDLE_DECAY, entries.INGRESS_CURVE, entries.EGRESS_CURVE):
            stale = [entry async for entry in self._read(table) if entries.profile_of(entry) not in keep]
            await self._write(-entry for entry in stale)

    async def _reconcile(self, wanted: Sequence[fy.P4TableEntry]) -> None:
        """Make the route tables hold exactly these entries."""
        have = {}
        for table in (entries.IPV4_ROUTE, entries.IPV6_ROUTE):
            async for entry in self._read(table):
                have[self._key(entry)] = entry
        updates: list[Any] = []
        for entry in wanted:
            old = have.pop(self._key(entry), None)
            if old is None:
                updates.append(+entry)
            elif self._encoded(old).action != self._encoded(entry).action:
                updates.append(~entry)
        updates.extend(-entry for entry in have.values())
        await self._write(updates)

    def _encoded(self, entry: fy.P4TableEntry) -> Any:
        return entry.encode(self._switch.p4info).table_entry

    def _key(self, entry: fy.P4TableEntry) -> tuple[int, tuple[bytes, ...]]:
        encoded = self._encoded(entry)
        return encoded.table_id, tuple(sorted(match.SerializeToString() for match in encoded.match))

    async def _put(self, session: fy.P4CloneSessionEntry) -> None:
        """Insert or replace a clone session (P4Runtime has no upsert)."""
        present = [entry async for entry in read(self._switch, [fy.P4CloneSessionEntry()])]
        exists = any(entry.session_id == session.session_id for entry in present)
        await self._switch.write([~session if exists else +session])

    def _read(self, table: str) -> AsyncIterator[fy.P4TableEntry]:
        return read(self._switch, [fy.P4TableEntry(table)])

    async def _write(self, updates: Iterable[Any]) -> None:
        for batch in _batches(updates):
            await self._switch.write(batch)


def _batches(updates: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for update in updates:
        batch.append(update)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
