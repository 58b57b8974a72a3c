# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One connection to a switch: its stream, who is primary, and the requests that go beside it.

finsy's messages, entities and client do the work. Its ``Switch`` does not: that one waits up to 15 s before it tries a
switch again, drops the newest packet-ins where too many wait, and ends over a packet-in that it cannot decode.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, TypeVar

import finsy as fy
from finsy import GRPCStatusCode, p4entity
from finsy.p4schema import P4ConfigResponseType
from finsy.proto import U128, p4r

from quench.switch.election import next_bid

HANDSHAKE_S = 5.0
"""In which a switch must have answered the first bid."""
PROBE_S = 5.0
"""Between two questions whether the switch still answers: a path that swallows everything ends no connection."""

Entity = TypeVar("Entity", fy.P4TableEntry, fy.P4CounterEntry, fy.P4CloneSessionEntry, fy.P4MeterEntry)


class SessionError(Exception):
    """The connection ended, or never came about. ``code`` is the switch's or gRPC's."""

    def __init__(self, message: str, code: GRPCStatusCode = GRPCStatusCode.UNAVAILABLE) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


@dataclass(frozen=True, slots=True)
class Target:
    """A P4Runtime server, and how it is spoken to."""

    address: str
    device_id: int
    tls: fy.GRPCCredentialsTLS | None = None


class User(Protocol):
    """Who uses a session. What its methods raise ends the session."""

    async def primary(self, session: "Session") -> None:
        """Change the switch: this client may, until this call is cancelled."""

    def backup(self, highest: int) -> None:
        """Another client, with this election id, is primary."""

    def packet(self, packet: p4r.PacketIn) -> None:
        """A packet-in came."""

    def stream_error(self, error: p4r.StreamError) -> None:
        """The switch could not do something with a message of the stream."""


class Session:
    """Used once: ``run`` it, and make another when that has ended."""

    def __init__(self, target: Target, schema: fy.P4Schema, priority: int) -> None:
        self.p4info = schema
        self._target = target
        self._priority = priority
        self._bid = priority
        self._is_primary = False
        self._client = fy.P4Client(target.address, target.tls, wait_for_ready=False)
        self._sending = asyncio.Lock()
        self._up_s = inf
        self._open = asyncio.Event()

    async def run(self, user: User) -> None:
        """Until cancelled, or until the connection ends: raises SessionError; else what the user raised."""
        try:
            await self._client.open(schema=self.p4info, complete_request=self._complete)
            self._open.set()
            async with asyncio.timeout(HANDSHAKE_S):
                await self._send_bid()
                first = await self._receive()
            await self._learn_version()
            self._up_s = time.monotonic()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._probe())
                await self._serve(user, tasks, first)
        except BaseExceptionGroup as group:
            # Python 3.11's groups forget that they were cancelled when a task fails on the way.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            raise _told(_first(group)) from None
        except TimeoutError:
            message = f"no answer within {HANDSHAKE_S:g} s"
            raise SessionError(message, GRPCStatusCode.DEADLINE_EXCEEDED) from None
        except (fy.P4ClientError, OSError) as error:
            raise _told(error) from None
        finally:
            self._open.clear()
            await self._client.close()

    def lasted_s(self) -> float:
        """Seconds since the switch answered; less than 0 if it never did."""
        return time.monotonic() - self._up_s

    async def read(self, patterns: Iterable[Entity]) -> AsyncIterator[Entity]:
        """The entities that match any of the patterns. Raises fy.P4ClientError, SessionError."""
        wanted = p4entity.encode_entities(patterns, self.p4info)
        request = p4r.ReadRequest(device_id=self._target.device_id, entities=wanted)
        with self._while_open():
            async for reply in self._client.request_iter(request):
                for entity in reply.entities:
                    yield self._decoded(entity)

    async def write(self, updates: Iterable[Any]) -> None:
        """Write ``+entity``, ``~entity`` and ``-entity``. Raises fy.P4ClientError, SessionError."""
        encoded: Any = p4entity.encode_updates(list(updates), self.p4info)
        if not encoded:
            return
        with self._while_open():
            await self._client.request(p4r.WriteRequest(device_id=self._target.device_id, updates=encoded))

    async def send(self, packet: fy.P4PacketOut) -> None:
        """Send a packet-out; waits while the switch takes no more. Raises fy.P4ClientError, SessionError."""
        await self._send(packet.encode_update(self.p4info))

    async def set_pipeline(self) -> None:
        """Give the switch the program, unless it runs. Raises fy.P4ClientError, SessionError."""
        device_id, cookie = self._target.device_id, None
        kind = P4ConfigResponseType.COOKIE_ONLY.vt()
        try:
            with self._while_open():
                reply = await self._client.request(
                    p4r.GetForwardingPipelineConfigRequest(device_id=device_id, response_type=kind)
                )
            cookie = reply.config.cookie.cookie if reply.config.HasField("cookie") else None
        except fy.P4ClientError as error:
            if error.code != GRPCStatusCode.FAILED_PRECONDITION:
                raise
        if cookie != self.p4info.p4cookie:
            action, config = fy.P4ConfigAction.VERIFY_AND_COMMIT.vt(), self.p4info.get_pipeline_config()
            with self._while_open():
                await self._client.request(
                    p4r.SetForwardingPipelineConfigRequest(device_id=device_id, action=action, config=config)
                )

    async def adopt_pipeline(self) -> None:
        """Learn from the switch which program it runs. Raises fy.P4ClientError, SessionError."""
        kind = P4ConfigResponseType.P4INFO_AND_COOKIE.vt()
        with self._while_open():
            reply = await self._client.request(
                p4r.GetForwardingPipelineConfigRequest(device_id=self._target.device_id, response_type=kind)
            )
        if not reply.config.HasField("p4info"):
            raise SessionError("the switch runs no program", GRPCStatusCode.FAILED_PRECONDITION)
        self.p4info.set_p4info(reply.config.p4info)

    def _decoded(self, entity: p4r.Entity) -> Any:
        try:
            return p4entity.decode_entity(entity, self.p4info)
        except (ValueError, LookupError, AssertionError) as error:
            raise SessionError(f"the switch has an entity that its program does not know: {error}") from None

    @contextmanager
    def _while_open(self) -> Iterator[None]:
        """For requests: none is sent over a connection that has ended."""
        if not self._open.is_set():
            raise SessionError("the connection has ended")
        with _not_cancelled():
            yield

    async def _serve(self, user: User, tasks: asyncio.TaskGroup, message: p4r.StreamMessageResponse) -> None:
        acting: asyncio.Task[None] | None = None
        while True:
            match message.WhichOneof("update"):
                case "arbitration":
                    was_primary = self._is_primary
                    await self._arbitrate(message.arbitration, user)
                    if acting is not None and not self._is_primary:
                        acting.cancel()
                        # Its clean-up must not come after the first change of its successor.
                        await asyncio.wait([acting])
                        acting = None
                    elif self._is_primary and not was_primary:
                        acting = tasks.create_task(user.primary(self))
                case "packet":
                    user.packet(message.packet)
                case "error":
                    user.stream_error(message.error)
            message = await self._receive()

    async def _arbitrate(self, update: p4r.MasterArbitrationUpdate, user: User) -> None:
        try:
            status = GRPCStatusCode(update.status.code)
        except ValueError:
            raise SessionError(f"the switch answers a bid with code {update.status.code}") from None
        highest = U128.decode(update.election_id)
        self._is_primary = status == GRPCStatusCode.OK
        if self._is_primary:
            return
        bid = next_bid(self._priority, status, highest)
        if bid is not None and bid != self._bid:
            self._bid = bid
            await self._send_bid()
        elif status == GRPCStatusCode.ALREADY_EXISTS:
            user.backup(highest)

    async def _send_bid(self) -> None:
        bid = p4r.MasterArbitrationUpdate(device_id=self._target.device_id, election_id=U128.encode(self._bid))
        async with asyncio.timeout(HANDSHAKE_S):
            await self._send(p4r.StreamMessageRequest(arbitration=bid))

    async def _send(self, message: p4r.StreamMessageRequest) -> None:
        async with self._sending:
            try:
                with _not_cancelled():
                    await self._client.send(message)
            except asyncio.InvalidStateError:
                raise SessionError("the switch has closed the stream") from None

    async def _receive(self) -> p4r.StreamMessageResponse:
        try:
            with _not_cancelled():
                return await self._client.receive()
        except RuntimeError:
            raise SessionError("the switch has closed the stream") from None

    async def _learn_version(self) -> None:
        try:
            with self._while_open():
                reply = await self._client.request(p4r.CapabilitiesRequest())
            version = fy.P4RuntimeVersion.parse(reply.p4runtime_api_version)
        except fy.P4ClientError as error:
            if error.code != GRPCStatusCode.UNIMPLEMENTED:
                raise
        except ValueError:
            raise SessionError(f"the switch speaks P4Runtime {reply.p4runtime_api_version[:40]!r}") from None
        else:
            self.p4info.set_p4runtime_version(version)

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(PROBE_S)
            await self._learn_version()

    def _complete(self, request: Any) -> None:
        if isinstance(request, p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest):
            request.election_id.CopyFrom(U128.encode(self._bid))


@contextmanager
def _not_cancelled() -> Iterator[None]:
    """When gRPC ends a call it cancels whoever waits for it, and nobody has cancelled this task."""
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise SessionError("the connection has ended") from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The fault to report: of several the first is the cause, what follows it are its consequences."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _told(error: BaseException) -> BaseException:
    if isinstance(error, fy.P4ClientError):
        return SessionError(error.message or error.code.name, error.code)
    if isinstance(error, TimeoutError):
        return SessionError("the switch takes no more messages", GRPCStatusCode.DEADLINE_EXCEEDED)
    return SessionError(str(error)) if isinstance(error, OSError) else error
