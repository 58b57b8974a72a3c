# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A switch without a controller: connect, become primary for a moment if something changes, work, leave."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import finsy as fy
from finsy import GRPCStatusCode
from finsy.proto import p4r

from quench.client import entries
from quench.client.election import next_bid, visitors_bid
from quench.client.pipelines import Found, Pipeline
from quench.client.pipelines.pipeline import queue_of
from quench.client.program import ForeignProgramError, check_program
from quench.client.schema import ProgramSchema
from quench.client.session import Session, SessionError, Target
from quench.client.tls import credentials
from quench.client.writer import SwitchWriter
from quench.config.model import Queue, TlsConfig
from quench.errors import ControllerError
from quench.profiles import ProfileSettings
from quench.profiles.changes import changed_profile
from quench.service.answers import ProfileAnswer, profile_answer
from quench.service.places import check_place
from quench.units import Depth

ELECTION_ID = 1 << 16
"""The election id above that of Quench's controller, which becomes primary again when this client has left."""
VISITORS_ID = 1
"""The election id below that of any controller: beside a controller that cannot raise its own id, an id must be asked
for."""
TIMEOUT_S = 10.0
MOST_DEVICES = 64
"""Ids that are tried where none is given. P4Runtime has no question for it."""

Result = TypeVar("Result")
Work = Callable[[Session], Awaitable[Result]]


class DirectSwitch:
    """A switch whose P4Runtime server is reached without a controller."""

    def __init__(
        self, address: str, device_id: int | None, tls: TlsConfig | None = None, *, election_id: int = ELECTION_ID
    ) -> None:
        """``device_id`` None: that of the device which the server has."""
        self._target = Target(address, device_id or 0, credentials(tls))
        self._has_id = device_id is not None
        self._election_id = election_id

    def device_id(self) -> int:
        """The id of the device, which is asked for where none is known. Raises ControllerError."""

        async def known() -> int:
            return self._target.device_id

        return asyncio.run(self._limited(known))

    def read(self, work: Work[Result]) -> Result:
        """The result of work that only reads: the primary stays what it is. Raises ControllerError."""
        return asyncio.run(self._limited(lambda: self._reading(work)))

    def change(self, work: Work[Result]) -> Result:
        """The result of work that changes the switch, as its primary. Raises ControllerError."""
        return asyncio.run(self._limited(lambda: self._changing(work)))

    async def _limited(self, way: Callable[[], Awaitable[Result]]) -> Result:
        address = self._target.address
        try:
            async with asyncio.timeout(TIMEOUT_S):
                if not self._has_id:
                    self._target = await self._found()
                    self._has_id = True
                return await way()
        except TimeoutError:
            raise ControllerError(f"{address}: no answer within {TIMEOUT_S:g} s") from None
        except SessionError as error:
            raise ControllerError(f"{address}: {error}") from error

    async def _found(self) -> Target:
        """The target with the id of the first device that runs a program, else of the first that there is."""
        first = None
        for device_id in range(MOST_DEVICES):
            target = replace(self._target, device_id=device_id)
            try:
                # A failed request ends a session.
                session = Session(target, ProgramSchema(), self._election_id)
                async with session.connected():
                    await session.adopt_pipeline()
                return target
            except SessionError as error:
                # simple_switch_grpc has a device of any id, of which one has a program.
                if error.code not in {GRPCStatusCode.NOT_FOUND, GRPCStatusCode.FAILED_PRECONDITION}:
                    raise
                if first is None and error.code == GRPCStatusCode.FAILED_PRECONDITION:
                    first = target
        if first is None:
            raise SessionError(f"no device has an id from 0 to {MOST_DEVICES - 1}: give its id as --device-id")
        return first

    async def _reading(self, work: Work[Result]) -> Result:
        session = self._session()
        async with session.connected():
            await session.adopt_pipeline()
            return await work(session)

    async def _changing(self, work: Work[Result]) -> Result:
        visit = _Visit(work)
        try:
            await self._session().run(visit)
        except _DoneError:
            (result,) = visit.results
            return result
        raise AssertionError("a session ends with an error")

    def _session(self) -> Session:
        rule = visitors_bid if self._election_id == VISITORS_ID else next_bid
        return Session(self._target, ProgramSchema(), self._election_id, rule)


class _DoneError(Exception):
    """The work is done; ends the session."""


class _Visit(Generic[Result]):
    """The user of the session, which does one piece of work."""

    def __init__(self, work: Work[Result]) -> None:
        self._work = work
        self.results: list[Result] = []

    async def primary(self, session: Session) -> None:
        """Do it, and leave."""
        await session.adopt_pipeline()
        self.results.append(await self._work(session))
        raise _DoneError

    def backup(self, highest: int) -> None:
        """Give up. Raises SessionError."""
        raise SessionError(f"another client is primary with election id {highest}: a higher one takes its place")

    def packet(self, packet: p4r.PacketIn) -> None:
        """Ignore packets: the controller answers them."""

    def stream_error(self, error: p4r.StreamError) -> None:
        """A message of the stream was refused. Raises SessionError."""
        raise SessionError(f"the switch refuses the message: {error.message}")


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """A change of a queue's profile on a switch that runs Quench's program; calling it does the work."""

    port: int
    queue: int
    rate_bps: int
    settings: ProfileSettings | None = None
    """A whole profile; None: that of the queue."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    unset: Sequence[str] = ()
    buffer: Depth | None = None
    """The queue's capacity, for thresholds in percent."""

    async def __call__(self, session: Session) -> ProfileAnswer:
        """Write it. Raises SessionError."""
        try:
            pipeline = check_program(session.p4info)
        except ForeignProgramError as error:
            raise SessionError(f"the switch's program cannot be used: {error}") from error
        writer = SwitchWriter(session, pipeline)
        await writer.adopt()
        try:
            await self._check_place(session, pipeline)
            found = await writer.found(self.port, self.queue)
            settings = self.settings or self._running(pipeline, found)
            queue = Queue(changed_profile(settings, self.changes, self.unset), self.rate_bps, self.buffer)
            # The sender of ISQs, controller or switch, stays as it is.
            in_dataplane = found is not None and found.sends_isqs
            rows = pipeline.compile(queue.whole, self.rate_bps, isq_in_dataplane=in_dataplane)
        except ValueError as error:
            raise SessionError(f"port {self.port} queue {self.queue}: {error}") from error
        profile_id = await writer.set_profile(self.port, self.queue, rows)
        return profile_answer(profile_id, self.queue, queue)

    def _running(self, pipeline: Pipeline[Any], found: Found | None) -> ProfileSettings | None:
        """The settings behind the queue's rows; None: it has no profile, or one that a change of scheme replaces.

        Raises ValueError for rows that no settings of a named scheme make.
        """
        try:
            return None if found is None else pipeline.settings(found, self.rate_bps)
        except ValueError:
            if "scheme" in self.changes:
                return None
            raise

    async def _check_place(self, session: Session, pipeline: Pipeline[Any]) -> None:
        """Raise ValueError where nothing leads to the port or the queue. A switch without entries has any port."""

        async def of(table: str) -> AsyncIterator[fy.P4TableEntry]:
            async for entry in session.read([fy.P4TableEntry(table)]):
                yield entry

        pointers = [queue_of(entry)[0] async for entry in of(pipeline.queue_profile)]
        tables = (*entries.ROUTES, *((entries.NEXT_HOP,) if pipeline.takes_groups else ()))
        routes = {port for table in tables async for entry in of(table) for port in entries.ports_of(entry)}
        ports = routes | {port for port, _ in pointers}
        classes = {entries.class_queue_of(entry) async for entry in of(entries.DSCP_QUEUE)}
        check_place(
            self.port,
            self.queue,
            ports or {self.port},
            {0, *classes, *(queue for port, queue in pointers if port == self.port)},
        )
