# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One connection to a switch: its stream, the arbitration of the primary, and requests beside the stream.

finsy's messages, entities and client do the work. Its ``Switch`` is not used: it waits up to 15 s before it tries a
switch again, drops the newest packet-ins where too many wait, and ends with a packet-in that it cannot decode.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol, TypeVar

import finsy as fy
import grpc
from finsy import GRPCStatusCode, p4entity
from finsy.p4schema import P4ConfigResponseType
from finsy.proto import U128, p4r
from google.protobuf.message import DecodeError
from quench_switch.outside.text import one_line

from quench.client.channel import LimitedClient
from quench.client.election import next_bid

HANDSHAKE_S = 5.0
"""Seconds in which a switch must have answered the first bid."""
PROBE_S = 5.0
"""Seconds between two requests that test the connection: a path that swallows everything does not end it."""
MOST_ENTITIES = 1 << 16
"""Most entities in the answer to one read: each takes some 2 KB here."""
MOST_READ_BYTES = 32 << 20
"""Most bytes in the answer to one read."""
_BREATH = 64
"""Entities in a row, after which the event loop serves the other switches."""
_MALFORMED = (DecodeError, ValueError, LookupError, AssertionError, AttributeError, TypeError)
"""Exceptions of finsy for messages of a server that contradict P4Info, the specification or themselves."""

BidRule = Callable[[int, GRPCStatusCode, int], int | None]
"""A rule that makes the next bid of the own id, the answer to the last bid and the highest id; None: there is none."""

Message = TypeVar("Message")
Entity = TypeVar(
    "Entity",
    fy.P4TableEntry,
    fy.P4CounterEntry,
    fy.P4DirectCounterEntry,
    fy.P4RegisterEntry,
    fy.P4CloneSessionEntry,
    fy.P4MulticastGroupEntry,
    fy.P4ActionProfileMember,
    fy.P4ActionProfileGroup,
    fy.P4MeterEntry,
    fy.P4DirectMeterEntry,
    fy.P4ExternEntry,
)


class SessionError(Exception):
    """The connection ended, or could not be made. ``code`` is the switch's or gRPC's."""

    def __init__(self, message: str, code: GRPCStatusCode = GRPCStatusCode.UNAVAILABLE) -> None:
        super().__init__(one_line(message))
        self.code = code


@dataclass(frozen=True, slots=True)
class Target:
    """The address of a P4Runtime server, and the TLS of the connection."""

    address: str
    device_id: int
    tls: fy.GRPCCredentialsTLS | None = None


class User(Protocol):
    """The user of a session. An exception of its methods ends the session."""

    async def primary(self, session: "Session") -> None:
        """Work as the primary, which may change the switch, until this call is cancelled."""

    def backup(self, highest: int) -> None:
        """Another client, with this election id, is primary."""

    def packet(self, packet: p4r.PacketIn) -> None:
        """A packet-in came."""

    def stream_error(self, error: p4r.StreamError) -> None:
        """The switch refused a message of the stream."""


class Session:
    """A connection that is used once: ``run`` it, and make another when that has ended."""

    def __init__(self, target: Target, schema: fy.P4Schema, priority: int, rule: BidRule = next_bid) -> None:
        self.p4info = schema
        self._target = target
        self._priority = priority
        self._rule = rule
        self._bid = priority
        self._is_primary = False
        self._client = LimitedClient(target.address, target.tls, wait_for_ready=False)
        self._sending = asyncio.Lock()
        self._up_s = inf
        self._open = asyncio.Event()
        self._answered = asyncio.Event()

    async def run(self, user: User) -> None:
        """Serve until cancelled. Raises SessionError when the connection ends, or the user's exception."""
        async with self.connected():
            async with asyncio.timeout(HANDSHAKE_S):
                await self._send_bid()
                first = await self._receive()
            await self._learn_version()
            self._up_s = time.monotonic()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._probe())
                await self._serve(user, tasks, first)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Connect for reads alone: without a stream, so that the switch's primary stays. Raises SessionError."""
        try:
            await self._client.open(schema=self.p4info, complete_request=self._complete)
            self._open.set()
            yield
        except BaseExceptionGroup as group:
            # Python 3.11's groups forget that they were cancelled when a task fails on the way.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from None
            raise _session_error(_first(group)) from None
        except TimeoutError:
            message = f"no answer within {HANDSHAKE_S:g} s"
            raise SessionError(message, GRPCStatusCode.DEADLINE_EXCEEDED) from None
        except (fy.P4ClientError, OSError) as error:
            raise _session_error(error) from None
        finally:
            self._open.clear()
            await self._client.close()

    def lasted_s(self) -> float:
        """Seconds since the switch answered; negative if it never did."""
        return time.monotonic() - self._up_s

    async def read(self, patterns: Iterable[Entity]) -> AsyncIterator[Entity]:
        """The entities that match any of the patterns. Raises fy.P4ClientError, SessionError."""
        wanted = p4entity.encode_entities(patterns, self.p4info)
        asked = {_subject(entity) for entity in wanted}
        count = size_bytes = 0
        async for reply in self._replies(p4r.ReadRequest(device_id=self._target.device_id, entities=wanted)):
            size_bytes += reply.ByteSize()
            count += len(reply.entities)
            if size_bytes > MOST_READ_BYTES or count > MOST_ENTITIES:
                raise SessionError(
                    f"the switch answers a read with more than {MOST_ENTITIES} entities or {MOST_READ_BYTES} bytes"
                )
            for place, entity in enumerate(reply.entities):
                if place % _BREATH == 0:
                    await asyncio.sleep(0)
                kind, number, index = _subject(entity)
                if (kind, number, index) not in asked and (kind, number, None) not in asked:
                    raise SessionError("the switch answers a read with an entity that was not asked for")
                yield self._decoded(entity)

    async def _replies(self, request: p4r.ReadRequest) -> AsyncIterator[p4r.ReadResponse]:
        with self._while_open():
            replies = aiter(self._client.request_iter(request))
        while True:
            with self._while_open():
                try:
                    reply = await anext(replies)
                except StopAsyncIteration:
                    return
            yield _parsed(reply)

    async def write(self, updates: Iterable[Any]) -> None:
        """Write ``+entity``, ``~entity`` and ``-entity``. Raises fy.P4ClientError, SessionError."""
        encoded: Any = p4entity.encode_updates(list(updates), self.p4info)
        if encoded:
            await self._request(p4r.WriteRequest(device_id=self._target.device_id, updates=encoded))

    async def send(self, packet: fy.P4PacketOut) -> None:
        """Send a packet-out, and wait while the switch takes no more. Raises fy.P4ClientError, SessionError."""
        await self._send(packet.encode_update(self.p4info))

    async def set_link_rate(self, port: int, rate_bps: int) -> bool:
        """Let a port send at another rate; False: the switch has no such service. Raises SessionError."""
        claim = {"device_id": str(self._target.device_id), "election_id": str(self._bid)}
        try:
            with self._while_open():
                return await self._client.set_port(port=port, rate_bps=rate_bps, **claim)
        except grpc.aio.AioRpcError as error:
            reason = f"port {port} does not take a rate of {rate_bps} bps: {error.details()}"
            raise SessionError(reason, GRPCStatusCode.from_status_code(error.code())) from None

    async def flush(self) -> None:
        """Wait until the switch has taken what was sent: it answers a bid behind that. Raises SessionError."""
        self._answered.clear()
        await self._send_bid()
        async with asyncio.timeout(HANDSHAKE_S):
            await self._answered.wait()

    async def set_pipeline(self) -> bool:
        """Give the switch the program, unless it runs: whether it was loaded. Raises fy.P4ClientError, SessionError."""
        device_id, cookie = self._target.device_id, None
        kind = P4ConfigResponseType.COOKIE_ONLY.vt()
        try:
            request = p4r.GetForwardingPipelineConfigRequest(device_id=device_id, response_type=kind)
            reply = await self._request(request)
            cookie = reply.config.cookie.cookie if reply.config.HasField("cookie") else None
        except fy.P4ClientError as error:
            if error.code != GRPCStatusCode.FAILED_PRECONDITION:
                raise
        is_new = cookie != self.p4info.p4cookie
        if is_new:
            action, config = fy.P4ConfigAction.VERIFY_AND_COMMIT.vt(), self.p4info.get_pipeline_config()
            await self._request(
                p4r.SetForwardingPipelineConfigRequest(device_id=device_id, action=action, config=config)
            )
        return is_new

    async def adopt_pipeline(self) -> None:
        """Learn from the switch which program it runs. Raises fy.P4ClientError, SessionError."""
        kind = P4ConfigResponseType.P4INFO_AND_COOKIE.vt()
        reply = await self._request(
            p4r.GetForwardingPipelineConfigRequest(device_id=self._target.device_id, response_type=kind)
        )
        if not reply.config.HasField("p4info"):
            raise SessionError("the switch runs no program", GRPCStatusCode.FAILED_PRECONDITION)
        try:
            self.p4info.set_p4info(reply.config.p4info)
        except _MALFORMED as error:
            what = str(error) or type(error).__name__
            raise SessionError(f"the switch's P4Info contradicts itself, or finsy cannot read it: {what}") from error

    def _decoded(self, entity: p4r.Entity) -> Any:
        try:
            return p4entity.decode_entity(entity, self.p4info)
        except _MALFORMED as error:
            raise SessionError(f"the switch has an entity that its program does not know: {error}") from None

    async def _request(self, request: Any) -> Any:
        """The answer to a request. Raises fy.P4ClientError, SessionError."""
        with self._while_open():
            reply = await self._client.request(request)
        return _parsed(reply)

    @contextmanager
    def _while_open(self) -> Iterator[None]:
        """Raise SessionError for a connection that has ended, before a request or while it runs."""
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
                        # Its clean-up must be over before its successor changes anything.
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
        self._answered.set()
        self._is_primary = status == GRPCStatusCode.OK
        if self._is_primary:
            return
        bid = self._rule(self._priority, status, highest)
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
                message = await self._client.receive()
        except RuntimeError:
            raise SessionError("the switch has closed the stream") from None
        return _parsed(message)

    async def _learn_version(self) -> None:
        try:
            reply = await self._request(p4r.CapabilitiesRequest())
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


def _parsed(message: Message | None) -> Message:
    """The message itself; None stands for bytes that gRPC could not parse. Raises SessionError."""
    if message is None:
        raise SessionError("the switch sends bytes that are no message of P4Runtime")
    return message


def _subject(entity: p4r.Entity) -> tuple[str | None, object, int | None]:
    """The subject of an entity: its kind, the id of its object, and the index in it if there is one."""
    kind = entity.WhichOneof("entity")
    match kind:
        case "table_entry":
            return kind, entity.table_entry.table_id, None
        case "counter_entry":
            counter = entity.counter_entry
            return kind, counter.counter_id, counter.index.index if counter.HasField("index") else None
        case "meter_entry":
            meter = entity.meter_entry
            return kind, meter.meter_id, meter.index.index if meter.HasField("index") else None
        case "register_entry":
            register = entity.register_entry
            return kind, register.register_id, register.index.index if register.HasField("index") else None
        case "direct_counter_entry":
            return kind, entity.direct_counter_entry.table_entry.table_id, None
        case "extern_entry":
            return kind, (entity.extern_entry.extern_type_id, entity.extern_entry.extern_id), None
        case "packet_replication_engine_entry":
            return kind, entity.packet_replication_engine_entry.WhichOneof("type"), None
    return kind, None, None


@contextmanager
def _not_cancelled() -> Iterator[None]:
    """Raise SessionError where gRPC cancels the waiting task when it ends a call: nobody has cancelled the task."""
    try:
        yield
    except (DecodeError, ValueError, LookupError):
        # finsy parses the details of an error while it makes the exception.
        raise SessionError("the switch sends an error that cannot be read") from None
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise SessionError("the connection has ended") from None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The fault to report: of several the first is the cause, the others are its consequences."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _session_error(error: BaseException) -> BaseException:
    """The error as a SessionError; an error that is not the connection's stays as it is."""
    if isinstance(error, fy.P4ClientError):
        # The reasons why a Write was refused stand in its details, one for each update that was.
        reasons = [each.message or each.canonical_code.name for each in error.details.values()]
        return SessionError("; ".join(reasons) or error.message or error.code.name, error.code)
    if isinstance(error, TimeoutError):
        return SessionError("the switch takes no more messages", GRPCStatusCode.DEADLINE_EXCEEDED)
    return SessionError(str(error)) if isinstance(error, OSError) else error
