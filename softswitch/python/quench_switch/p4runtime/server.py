# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4Runtime service on gRPC.

The event loop has arbitration, streams and packets. One thread of its own writes, request after request; others read
between its steps. See ``work``.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from quench_switch.messages import p4r

from .arbitration import Arbitration, Controller
from .calls import Turns, parse, receive, send, unary
from .device import Device
from .errors import Code, RequestError, batch_status, exhausted
from .limits import (
    CALLS,
    CLIENT_S,
    LARGE_TURNS,
    MESSAGE_BYTES,
    READ_CHUNK,
    READ_CHUNK_BYTES,
    READ_ENTITIES,
    SMALL_REQUEST_BYTES,
    SMALL_TURNS,
    STATE_BYTES,
    STREAMS,
    STREAMS_OF_PEER,
)
from .outbox import Outbox
from .packet_io import decode_packet_in, encode_packet_out
from .stream import Session
from .work import Work
from .writes import apply_write

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch

    from .access import Access
    from .grpc_server import Call, GrpcServer
    from .pipeline import Pipeline

_log = logging.getLogger(__name__)

SERVICE: Final = "p4.v1.P4Runtime"
API_VERSION: Final = "1.4.1"
POLL_NS: Final = 200_000_000
"""The time that a pump thread waits for packets before it looks whether to stop."""
TICK_S: Final = 0.05
"""Period in which digest and idle timeouts are looked at."""


class DigestListener(Protocol):
    """Another one who wants what the data plane learns. It is called on the event loop, and must not wait."""

    def learn(self, lists: list[tuple[int, list[list[bytes]], int]]) -> None:
        """Take lists of messages, as ``wait_digests`` gives them."""

    def send_due(self) -> None:
        """Called each TICK_S."""


class P4RuntimeServer:
    """P4Runtime for one switch."""

    def __init__(
        self, switch: RealtimeSwitch, *, device_id: int, cpu_port: int | None, state_bytes: int = STATE_BYTES
    ) -> None:
        self._work = Work()
        self._large_turns = Turns(LARGE_TURNS)
        self._small_turns = Turns(SMALL_TURNS)
        # A Read holds no turn: it may take for ever, and needs no more than a page and a response.
        self._reads = Turns(CALLS)
        self.device = Device(switch, cpu_port, state_bytes)
        self.arbitration = Arbitration(device_id)
        self._switch = switch
        self._cpu_port = cpu_port
        self.digest_listener: DigestListener | None = None
        self._outboxes: dict[Outbox, str] = {}
        """The outboxes of the streams, and the peer of each."""
        self._pumps: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._ticker: asyncio.Task[None] | None = None
        self.failed: asyncio.Event = asyncio.Event()
        """Set when a part broke without which the switch is none: the process should stop the server and end."""
        self.failure = ""
        """The reason, in one line."""
        self.counts = {
            "packet_ins": 0,
            "packet_ins_dropped": 0,
            "packet_ins_without_controller": 0,
            "packet_ins_malformed": 0,
            "packet_outs": 0,
            "packet_outs_refused": 0,
            "digest_lists": 0,
            "digest_lists_dropped": 0,
            "digest_messages_dropped": 0,
            "idle_notifications_dropped": 0,
            "stream_errors_dropped": 0,
            "failures": 0,
        }
        """Stream messages since the start, by what became of them."""

    def register(self, server: GrpcServer) -> None:
        """Add the service to a gRPC server."""
        methods = {
            "Capabilities": unary(self._small_turns, SMALL_REQUEST_BYTES, self._capabilities),
            "SetForwardingPipelineConfig": unary(self._large_turns, MESSAGE_BYTES, self._set_config),
            "GetForwardingPipelineConfig": unary(self._large_turns, SMALL_REQUEST_BYTES, self._get_config),
            "Write": unary(self._large_turns, MESSAGE_BYTES, self._write),
            "Read": self._read,
            "StreamChannel": self._stream_channel,
        }
        server.add(SERVICE, methods)
        server.on_failure(self._fail)

    # -- Life cycle ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to move packets and digests to controllers; call on the event loop."""
        self._pump("packet-in", self._switch.wait_cpu, self._packets_in)
        self._pump("digest", self._switch.wait_digests, self._learned)
        self._ticker = asyncio.get_running_loop().create_task(self._tick())

    async def stop(self) -> None:
        """End the streams and the pumps; the data plane may be stopped after it."""
        self._stopping.set()
        reason = self.failure or "the switch is stopping"
        for outbox in self._outboxes:
            outbox.close(RequestError(Code.UNAVAILABLE, reason))
        if self._ticker is not None:
            self._ticker.cancel()
        for pump in self._pumps:
            await asyncio.to_thread(pump.join)
        await asyncio.to_thread(self._work.close)

    def _fail(self, reason: str) -> None:
        """Fail-stop: without this part the switch would answer and not work."""
        if self.failure:
            return
        self.counts["failures"] += 1
        self.failure = reason
        _log.error("the switch fails: %s", reason)
        self.failed.set()

    def _pump(self, name: str, wait: Callable[[int], list[Any]], deliver: Callable[[list[Any]], None]) -> None:
        """A thread that waits outside the GIL and hands each batch to the loop, one batch at a time."""
        loop = asyncio.get_running_loop()

        async def deliver_on_loop(batch: list[Any]) -> None:
            deliver(batch)

        def run() -> None:
            while not self._stopping.is_set():
                batch = wait(POLL_NS)
                if self._switch.failure is not None:
                    loop.call_soon_threadsafe(self._fail, self._switch.failure)
                    return
                if batch and not self._stopping.is_set():
                    asyncio.run_coroutine_threadsafe(deliver_on_loop(batch), loop).result()

        def run_or_fail() -> None:
            try:
                run()
            except BaseException as error:  # noqa: BLE001 - a panic of the native module is no Exception
                _log.exception("the %s thread broke", name)
                loop.call_soon_threadsafe(self._fail, f"the {name} thread: {type(error).__name__}: {error}")

        thread = threading.Thread(target=run_or_fail, name=f"p4runtime-{name}", daemon=True)
        thread.start()
        self._pumps.append(thread)

    async def _tick(self) -> None:
        try:
            while True:
                await asyncio.sleep(TICK_S)
                self._send_due()
        except Exception as error:  # noqa: BLE001 - any exception ends the switch
            _log.exception("digests and idle timeouts broke")
            self._fail(f"digests and idle timeouts: {type(error).__name__}: {error}")

    # -- From the data plane ------------------------------------------------------------------------------

    def _packets_in(self, packets: list[tuple[bytes, int]]) -> None:
        running = self.device.running
        if running is None:
            return
        primaries = self.arbitration.primaries()
        for packet, _ in packets:
            if not primaries:
                self.counts["packet_ins_without_controller"] += 1
                continue
            try:
                message = decode_packet_in(running.pipeline.packet_in, packet)
            except RequestError as error:
                if not self.counts["packet_ins_malformed"]:
                    # Only the first: a sender of packets must not fill the disk.
                    _log.warning("packet-in dropped, as all like it will be: %s", error.message)
                self.counts["packet_ins_malformed"] += 1
                continue
            receivers = [primary for primary in primaries if self._access(primary).receives(message)]
            if not receivers:
                self.counts["packet_ins_without_controller"] += 1
                continue
            lost = self._offer(receivers, p4r.StreamMessageResponse(packet=message))
            self.counts["packet_ins"] += len(receivers) - lost
            self.counts["packet_ins_dropped"] += lost

    def _access(self, controller: Controller) -> Access:
        return self.arbitration.access(controller.role)

    @staticmethod
    def _offer(controllers: list[Controller], message: p4r.StreamMessageResponse) -> int:
        """Offer a message to controllers. The number of those is returned that read too slowly, and lose it."""
        data = message.SerializeToString()
        return sum(not controller.outbox.offer(data) for controller in controllers)

    def _learned(self, lists: list[tuple[int, list[list[bytes]], int]]) -> None:
        if self.digest_listener is not None:
            self.digest_listener.learn(lists)
        digests = self.device.digests
        if digests is not None:
            before = digests.dropped
            for native_id, messages, _ in lists:
                for digest in digests.learn(native_id, messages, time.monotonic_ns()):
                    self._send_digest(digest)
            self.counts["digest_messages_dropped"] += digests.dropped - before

    def _send_digest(self, digest: p4r.DigestList) -> None:
        digest.timestamp = time.time_ns()
        message = p4r.StreamMessageResponse(digest=digest)
        self.counts["digest_lists"] += 1
        primaries = self.arbitration.primaries()
        receivers = [primary for primary in primaries if self._access(primary).has_object(digest.digest_id)]
        self.counts["digest_lists_dropped"] += self._offer(receivers, message)

    def _send_due(self) -> None:
        if self.digest_listener is not None:
            self.digest_listener.send_due()
        if self.device.digests is not None:
            for digest in self.device.digests.due(time.monotonic_ns()):
                self._send_digest(digest)
        running = self.device.running
        if running is not None and running.idle_timeouts.supported:
            notification = running.idle_timeouts.notification(time.monotonic_ns())
            if notification is not None:
                self._send_idle(notification, running.pipeline)

    def _send_idle(self, notification: p4r.IdleTimeoutNotification, pipeline: Pipeline) -> None:
        timestamp = time.time_ns()
        for primary in self.arbitration.primaries():
            entries = self._access(primary).idle(notification.table_entry, pipeline)
            if entries:
                of_role = p4r.IdleTimeoutNotification(table_entry=entries, timestamp=timestamp)
                message = p4r.StreamMessageResponse(idle_timeout_notification=of_role)
                self.counts["idle_notifications_dropped"] += self._offer([primary], message)

    # -- The service --------------------------------------------------------------------------------------

    async def _capabilities(self, data: bytes) -> p4r.CapabilitiesResponse:
        request = parse(p4r.CapabilitiesRequest, data)
        if request.device_id:
            self.arbitration.check_device(request.device_id)
        return p4r.CapabilitiesResponse(p4runtime_api_version=API_VERSION)

    async def _set_config(self, data: bytes) -> p4r.SetForwardingPipelineConfigResponse:
        def job() -> None:
            request = parse(p4r.SetForwardingPipelineConfigRequest, data)
            self.device.set_config(request, lambda: self._check_push(request))

        await self._work.write(job)
        return p4r.SetForwardingPipelineConfigResponse()

    def _check_push(self, request: p4r.SetForwardingPipelineConfigRequest) -> None:
        self.arbitration.check_primary(request)
        self.arbitration.access(request.role).check_push()

    async def _get_config(self, data: bytes) -> p4r.GetForwardingPipelineConfigResponse:
        request = parse(p4r.GetForwardingPipelineConfigRequest, data)
        self.arbitration.check_device(request.device_id)
        return self.device.get_config(request.response_type)

    async def _write(self, data: bytes) -> p4r.WriteResponse:
        def job() -> list[RequestError | None]:
            return apply_write(data, self.arbitration, self.device)

        results = await self._work.write(job)
        if any(result is not None for result in results):
            status = batch_status(results)
            raise RequestError(Code.UNKNOWN, status.message, status.SerializeToString())
        return p4r.WriteResponse()

    async def _read(self, call: Call) -> None:
        async with self._small_turns.turn():
            data = await receive(self._small_turns, call, SMALL_REQUEST_BYTES)
        request = parse(p4r.ReadRequest, data)
        self.arbitration.check_device(request.device_id)
        if len(request.entities) > READ_ENTITIES:
            raise exhausted(f"the request has {len(request.entities)} entities, the most is {READ_ENTITIES}")
        await self._send_entities(request, call)

    async def _send_entities(self, request: p4r.ReadRequest, call: Call) -> None:
        """Stream what a request selects, no more than a response ahead of what the client fetches."""
        entities = self.device.entities()
        found = entities.read(request.entities, self.arbitration.access(request.role))

        def step() -> tuple[bytes, bool]:
            """The next response, consistent in itself, and whether it is the last."""
            response, size_bytes = p4r.ReadResponse(), 0
            with self.device.lock:
                if self.device.entities() is not entities:
                    raise RequestError(Code.ABORTED, "the pipeline was replaced during the read")
                for entity in found:
                    if entity is None:
                        return response.SerializeToString(), False
                    response.entities.append(entity)
                    size_bytes += entity.ByteSize()
                    if len(response.entities) >= READ_CHUNK or size_bytes >= READ_CHUNK_BYTES:
                        return response.SerializeToString(), False
            return response.SerializeToString(), True

        is_last = False
        while not is_last:
            data, is_last = await self._work.read(step)
            if data:
                await send(self._reads, call, data)

    async def _stream_channel(self, call: Call) -> None:
        """Arbitration, packets, digests and idle timeouts of one controller."""
        if len(self._outboxes) >= STREAMS or Counter(self._outboxes.values())[call.peer] >= STREAMS_OF_PEER:
            raise exhausted(f"the switch has {STREAMS} streams already, or {STREAMS_OF_PEER} of {call.peer}")
        outbox = Outbox()
        self._outboxes[outbox] = call.peer
        session = Session(self.arbitration, self.device, self.packet_out, self.counts, outbox)
        loop = asyncio.get_running_loop()
        reader, sender = loop.create_task(session.run(call)), loop.create_task(_send_all(outbox, call))
        try:
            await asyncio.wait((reader, sender), return_when=asyncio.FIRST_COMPLETED)
            if reader.done():
                await reader
            # A client whose messages are over has so long to fetch the switch's.
            async with asyncio.timeout(CLIENT_S):
                await sender
        except TimeoutError:
            raise exhausted("the client does not read its stream") from None
        finally:
            reader.cancel()
            sender.cancel()
            # A task that is cancelled handles no further message. This one may be cancelled again while it waits.
            session.close()
            del self._outboxes[outbox]
            await asyncio.gather(reader, sender, return_exceptions=True)

    def packet_out(self, message: p4r.PacketOut) -> None:
        """Send a controller's packet into the pipeline. Raises :class:`RequestError`."""
        running = self.device.running
        if running is None:
            raise RequestError(Code.FAILED_PRECONDITION, "no forwarding pipeline config is set")
        if self._cpu_port is None:
            raise RequestError(Code.FAILED_PRECONDITION, "the switch has no CPU port (--cpu-port)")
        self._switch.packet_out(encode_packet_out(running.pipeline.packet_out, message))
        self.counts["packet_outs"] += 1


async def _send_all(outbox: Outbox, call: Call) -> None:
    while (message := await outbox.get()) is not None:
        await call.write(message)
