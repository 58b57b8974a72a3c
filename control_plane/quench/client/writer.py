# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing the configuration to a switch, and changing profiles under traffic."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from ipaddress import IPv6Address
from typing import Any

import finsy as fy

from quench.client import entries
from quench.client.filter_writer import FilterWriter
from quench.client.pipelines import Found, Pipeline
from quench.client.pipelines.pipeline import QueueKey, profile_of, queue_of
from quench.client.session import Session
from quench.client.tables import default_of, encode, put_default, put_meter, put_numbered, reconcile, write
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import SwitchConfig, TnaConfig


class SwitchWriter:
    """Writes routes and profiles to one connected switch, of which it is the primary controller."""

    def __init__(self, switch: Session, pipeline: Pipeline[Any]) -> None:
        self._switch = switch
        self._pipeline = pipeline
        self._filters = FilterWriter(switch, pipeline)
        self._options: TnaConfig | None = None
        self._lock = asyncio.Lock()
        self._used: dict[QueueKey, int] = {}
        self._before: dict[QueueKey, int] = {}
        self._next_id = 1

    async def program(self, switch: SwitchConfig, profiles: Mapping[QueueKey, Any], isq: IsqConfig) -> None:
        """Make the switch's tables what the configuration says, without a moment without routes.

        Entries that are right already stay, so a controller that restarts disturbs no traffic. Raises SessionError,
        fy.P4ClientError.
        """
        async with self._lock:
            self._options = switch.tna
            self._filters.configure(switch)
            await self._put_routes(switch)
            await reconcile(self._switch, [entries.DSCP_QUEUE], entries.classes(switch.classes))
            sessions = self._pipeline.sessions(switch.cpu_port, switch.tna)
            await put_numbered(self._switch, [fy.P4CloneSessionEntry()], sessions)
            for table, rows in self._pipeline.constants().items():
                await reconcile(self._switch, [table], rows)
            await self._put_domain(isq, switch.router_ipv6_address)
            await put_default(self._switch, entries.isq_router(switch.router_address, switch.router_ipv6_address))
            for default in self._pipeline.shared(profiles.values(), switch.tna):
                await put_default(self._switch, default.entry)
            await self.adopt()
            for number, queue in profiles:
                await put_meter(self._switch, entries.isq_meter(number, queue, isq.per_queue))
            found = await self._profile_rows()
            present = self._by_profile(found)
            for key, compiled in profiles.items():
                if self._is_present(present, self._used.get(key), compiled):
                    await self._filters.put(key, compiled)
                else:
                    await self._move(key, compiled, found)
            for key in set(self._used) - set(profiles):
                await self._switch.write([-self._pipeline.pointer(*key, self._used[key])])
                self._before[key] = self._used.pop(key)
                await put_meter(self._switch, entries.isq_meter(*key, None))
            await self._delete_profiles(found)

    async def _put_domain(self, isq: IsqConfig, ipv6_address: IPv6Address | None) -> None:
        """In an order in which no source of the old domain and of the new one is outside in between."""
        if not isq.domain:
            await self._put_outside(isq)
        await reconcile(self._switch, entries.DOMAINS, entries.isq_domain(isq, ipv6_address))
        if isq.domain:
            await self._put_outside(isq)

    async def _put_outside(self, isq: IsqConfig) -> None:
        for entry in entries.isq_outside(isq):
            await put_default(self._switch, entry)

    async def _put_routes(self, switch: SwitchConfig) -> None:
        """A group of next hops never changes: another gets a number of its own before a route names it."""
        if not self._pipeline.takes_groups:
            await reconcile(self._switch, entries.ROUTES, map(entries.route, switch.routes))
            return
        await put_default(self._switch, entries.flow_seed(switch.name))
        found = {entries.group_of(entry): entry async for entry in self._read(entries.NEXT_HOP)}
        present = {self._members(entry): number for number, entry in found.items()}
        free = (number for number in range(1, entries.MAX_GROUP + 1) if number not in found)
        numbers, missing = {}, []
        for hops in entries.groups_of(switch.routes):
            old = present.get(self._members(entries.group(1, hops)))
            numbers[hops] = next(free) if old is None else old
            if old is None:
                missing.append(+entries.group(numbers[hops], hops))
        await write(self._switch, missing)
        await reconcile(self._switch, entries.ROUTES, [entries.route(each, numbers) for each in switch.routes])
        used = set(numbers.values())
        await write(self._switch, (-entry for number, entry in found.items() if number not in used))

    def _members(self, group: fy.P4TableEntry) -> bytes:
        members: bytes = encode(self._switch, group).action.SerializeToString(deterministic=True)
        return members

    async def adopt(self) -> None:
        """Learn which queue has which profile from the switch itself."""
        self._used = dict([queue_of(entry) async for entry in self._read(self._pipeline.queue_profile)])

    async def set_profile(self, port: int, queue: int, rows: Any) -> int:
        """Give a queue a new profile under traffic; the id it got.

        The rows are written under an unused id, then the queue's pointer moves: no packet sees a mixture. Packets that
        wait in the queue still carry the old id, so its rows stay until the queue's next change.
        """
        async with self._lock:
            for default in self._pipeline.shared([rows], self._options):
                present = await default_of(self._switch, default.entry.table_id)
                if present is None or not default.is_done_by(present):
                    await self._switch.write([~default.entry])
            found = await self._profile_rows()
            profile_id = await self._move((port, queue), rows, found)
            await self._delete_profiles(found)
            return profile_id

    def number(self, port: int, queue: int) -> int | None:
        """The id of a queue's profile; None: it has none."""
        return self._used.get((port, queue))

    async def set_isq_limit(self, limit: MeterConfig | None) -> None:
        """Limit the ISQs that the switch itself sends about each queue that has a profile."""
        async with self._lock:
            for port, queue in self._used:
                await put_meter(self._switch, entries.isq_meter(port, queue, limit))

    async def found(self, port: int, queue: int) -> Found | None:
        """The profile that a queue has on the switch; None: it has none."""
        profile_id = self._used.get((port, queue))
        first, last = self._pipeline.parameter_tables[0], self._pipeline.curve_tables[-1]
        parameters = [entry async for entry in self._read(first) if profile_of(entry) == profile_id]
        if not parameters:
            return None
        curve = [entry async for entry in self._read(last) if profile_of(entry) == profile_id]
        return self._pipeline.found(parameters[0], curve, await self._filters.time_constant_ns(port, queue))

    async def _move(self, key: QueueKey, rows: Any, found: Sequence[fy.P4TableEntry]) -> int:
        """Give a queue a profile under an id that is free, where these entries were ``found`` before."""
        profile_id = self._free_id(found)
        try:
            await write(self._switch, (+entry for entry in self._pipeline.profile(profile_id, rows)))
            await self._filters.put(key, rows)
            pointer = self._pipeline.pointer(*key, profile_id)
            await self._switch.write([~pointer if key in self._used else +pointer])
        except BaseException:
            await self._delete_profiles(await self._profile_rows())
            raise
        if key in self._used:
            self._before[key] = self._used[key]
        self._used[key] = profile_id
        return profile_id

    async def _profile_rows(self) -> list[fy.P4TableEntry]:
        """All rows of all profiles on the switch, by one request: on a busy machine each one waits for both sides."""
        patterns = [fy.P4TableEntry(table) for table in self._pipeline.profile_tables]
        return [entry async for entry in self._switch.read(patterns)]

    def _by_profile(self, found: Iterable[fy.P4TableEntry]) -> dict[int, set[bytes]]:
        profiles: dict[int, set[bytes]] = {}
        for entry in found:
            profiles.setdefault(profile_of(entry), set()).add(self._identity(entry))
        return profiles

    def _is_present(self, present: Mapping[int, set[bytes]], profile_id: int | None, rows: Any) -> bool:
        return profile_id is not None and present.get(profile_id) == {
            self._identity(entry) for entry in self._pipeline.profile(profile_id, rows)
        }

    def _free_id(self, found: Iterable[fy.P4TableEntry]) -> int:
        taken = {*self._used.values(), *self._before.values(), *map(profile_of, found)}
        for _ in range(entries.MAX_PROFILE_ID):
            candidate, self._next_id = self._next_id, self._next_id % entries.MAX_PROFILE_ID + 1
            if candidate not in taken:
                return candidate
        raise RuntimeError("all profile ids are in use: delete profiles first")

    async def _delete_profiles(self, found: Iterable[fy.P4TableEntry]) -> None:
        """Delete those of the rows that belong to no queue's profile, nor to the one before its last change."""
        keep = {*self._used.values(), *self._before.values()}
        await write(self._switch, (-entry for entry in found if profile_of(entry) not in keep))

    def _identity(self, entry: fy.P4TableEntry) -> bytes:
        """Key and action, with fields and parameters in one order."""
        encoded = encode(self._switch, entry)
        encoded.match.sort(key=lambda match: match.field_id)
        encoded.action.action.params.sort(key=lambda param: param.param_id)
        identity: bytes = encoded.SerializeToString()
        return identity

    def _read(self, table: str) -> AsyncIterator[fy.P4TableEntry]:
        return self._switch.read([fy.P4TableEntry(table)])
