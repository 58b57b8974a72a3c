# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4Runtime service on gRPC. One event loop has all state, which serializes requests by construction."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from finsy.proto import p4r, p4r_grpc
from google.protobuf.message import DecodeError
from grpc import aio

from .arbitration import Arbitration, Controller
from .device import Device
from .errors import DETAILS_KEY, Code, RequestError, batch_status, invalid
from .outbox import Outbox
from .packet_io import decode_packet_in, encode_packet_out

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch

_log = logging.getLogger(__name__)

API_VERSION: Final = "1.4.1"
MAX_RECEIVE_BYTES: Final = 128 << 20
"""Device configs can be large; the specification advises to raise gRPC's 4 MB."""
READ_CHUNK: Final = 256
"""Entities in one ReadResponse; other requests and packets get their turn between chunks."""
POLL_NS: Final = 200_000_000
"""How long a pump thread waits for packets before it looks whether to stop."""
TICK_S: Final = 0.05
"""Period in which digest and idle timeouts are looked at."""

Context = grpc.aio.ServicerContext[Any, Any]


class P4RuntimeServer(p4r_grpc.P4RuntimeServicer):
    """P4Runtime for one switch."""

    def __init__(self, switch: RealtimeSwitch, *, device_id: int, cpu_port: int | None) -> None:
        self.device = Device(switch, cpu_port)
        self.arbitration = Arbitration(device_id)
        self._switch = switch
        self._cpu_port = cpu_port
        self._outboxes: set[Outbox] = set()
        self._pumps: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._ticker: asyncio.Task[None] | None = None
        self.failed: asyncio.Event = asyncio.Event()
        """Set when a part broke without which the switch is none: the process should stop the server and end."""
        self.failure = ""
        """Why, in one line."""
        self.counts = {
            "packet_ins": 0,
            "packet_ins_dropped": 0,
            "packet_ins_without_controller": 0,
            "packet_ins_malformed": 0,
            "packet_outs": 0,
            "packet_outs_refused": 0,
            "digest_lists": 0,
            "failures": 0,
        }
        """Stream messages since the start, by what became of them."""

    def register(self, server: aio.Server) -> None:
        """Add the service to a gRPC server."""
        p4r_grpc.add_P4RuntimeServicer_to_server(self, server)

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
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the switch
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
                self.counts["packet_ins_malformed"] += 1
                _log.warning("packet-in dropped: %s", error.message)
                continue
            self._offer(primaries, p4r.StreamMessageResponse(packet=message), "packet_ins", "packet_ins_dropped")

    def _offer(
        self, controllers: list[Controller], message: p4r.StreamMessageResponse, sent: str, dropped: str
    ) -> None:
        for controller in controllers:
            self.counts[sent if controller.outbox.offer(message) else dropped] += 1

    def _learned(self, lists: list[tuple[int, list[list[bytes]], int]]) -> None:
        if self.device.digests is not None:
            for native_id, messages, _ in lists:
                for digest in self.device.digests.learn(native_id, messages, time.monotonic_ns()):
                    self._send_digest(digest)

    def _send_digest(self, digest: p4r.DigestList) -> None:
        digest.timestamp = time.time_ns()
        message = p4r.StreamMessageResponse(digest=digest)
        for controller in self.arbitration.primaries():
            controller.outbox.offer(message)
        self.counts["digest_lists"] += 1

    def _send_due(self) -> None:
        if self.device.digests is not None:
            for digest in self.device.digests.due(time.monotonic_ns()):
                self._send_digest(digest)
        running = self.device.running
        if running is not None and running.idle_timeouts.supported:
            notification = running.idle_timeouts.notification(time.monotonic_ns())
            if notification is not None:
                notification.timestamp = time.time_ns()
                message = p4r.StreamMessageResponse(idle_timeout_notification=notification)
                for controller in self.arbitration.primaries():
                    controller.outbox.offer(message)

    # -- The service --------------------------------------------------------------------------------------

    async def Capabilities(self, request: p4r.CapabilitiesRequest, context: Context) -> p4r.CapabilitiesResponse:  # noqa: N802
        """The version of the API."""
        if request.device_id:
            try:
                self.arbitration.check_device(request.device_id)
            except RequestError as error:
                await _abort(context, error)
        return p4r.CapabilitiesResponse(p4runtime_api_version=API_VERSION)

    async def SetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.SetForwardingPipelineConfigRequest, context: Context
    ) -> p4r.SetForwardingPipelineConfigResponse:
        """Verify, save and run a program."""
        try:
            self.arbitration.check_primary(request)
            self.device.set_config(request)
        except RequestError as error:
            await _abort(context, error)
        return p4r.SetForwardingPipelineConfigResponse()

    async def GetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.GetForwardingPipelineConfigRequest, context: Context
    ) -> p4r.GetForwardingPipelineConfigResponse:
        """The program that runs."""
        try:
            self.arbitration.check_device(request.device_id)
        except RequestError as error:
            await _abort(context, error)
        return self.device.get_config(request.response_type)

    async def Write(self, request: p4r.WriteRequest, context: Context) -> p4r.WriteResponse:  # noqa: N802
        """Apply updates one after the other; each may fail on its own."""
        try:
            self.arbitration.check_primary(request)
            entities = self.device.entities()
            if request.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR:
                raise RequestError(Code.UNIMPLEMENTED, "only batches with CONTINUE_ON_ERROR are supported")
        except RequestError as error:
            await _abort(context, error)
        results = [entities.write(update) for update in request.updates]
        if any(result is not None for result in results):
            status = batch_status(results)
            context.set_trailing_metadata(((DETAILS_KEY, status.SerializeToString()),))
            await context.abort(grpc.StatusCode.UNKNOWN, status.message)
        return p4r.WriteResponse()

    async def Read(self, request: p4r.ReadRequest, context: Context) -> AsyncIterator[p4r.ReadResponse]:  # noqa: N802
        """Stream what the request selects."""
        try:
            self.arbitration.check_device(request.device_id)
            entities = self.device.entities()
            response = p4r.ReadResponse()
            for entity in entities.read(request.entities):
                response.entities.append(entity)
                if len(response.entities) == READ_CHUNK:
                    yield response
                    response = p4r.ReadResponse()
                    if self.device.entities() is not entities:
                        raise RequestError(Code.ABORTED, "the pipeline was replaced during the read")
            if response.entities:
                yield response
        except RequestError as error:
            await _abort(context, error)

    async def StreamChannel(  # noqa: N802
        self, request_iterator: AsyncIterator[p4r.StreamMessageRequest], context: Context
    ) -> AsyncIterator[p4r.StreamMessageResponse]:
        """Arbitration, packets, digests and idle timeouts of one controller."""
        outbox = Outbox()
        self._outboxes.add(outbox)
        session = _Session(self, outbox)
        reader = asyncio.get_running_loop().create_task(session.run(request_iterator))
        try:
            while (message := await outbox.get()) is not None:
                yield message
        except RequestError as error:
            # The reader goes first: its stream is not there any more once the call is aborted.
            await _cancel(reader)
            await _abort(context, error)
        finally:
            await _cancel(reader)
            session.close()
            self._outboxes.discard(outbox)

    def packet_out(self, message: p4r.PacketOut) -> None:
        """Send a controller's packet into the pipeline. Raises :class:`RequestError`."""
        running = self.device.running
        if running is None:
            raise RequestError(Code.FAILED_PRECONDITION, "no forwarding pipeline config is set")
        if self._cpu_port is None:
            raise RequestError(Code.FAILED_PRECONDITION, "the switch has no CPU port (--cpu-port)")
        self._switch.packet_out(encode_packet_out(running.pipeline.packet_out, message))
        self.counts["packet_outs"] += 1


class _Session:
    """What one stream sends us."""

    def __init__(self, server: P4RuntimeServer, outbox: Outbox) -> None:
        self._server = server
        self._outbox = outbox
        self._controller: Controller | None = None

    async def run(self, requests: AsyncIterator[p4r.StreamMessageRequest]) -> None:
        """Handle messages until the client ends the stream or breaks a rule that ends it."""
        try:
            async for request in requests:
                self._handle(request)
        except RequestError as error:
            self._outbox.close(error)
        except DecodeError:
            self._outbox.close(invalid("the bytes on the stream are not a StreamMessageRequest"))
        except Exception:  # noqa: BLE001 - no message may end the switch
            _log.exception("a stream message broke the server")
            self._outbox.close(RequestError(Code.INTERNAL, "internal error, see the switch's log"))
        else:
            self._outbox.close()

    def close(self) -> None:
        """Leave arbitration."""
        if self._controller is not None:
            self._server.arbitration.disconnect(self._controller)
            self._controller = None

    def _handle(self, request: p4r.StreamMessageRequest) -> None:
        kind = request.WhichOneof("update")
        if kind == "arbitration":
            self._controller = self._server.arbitration.update(self._controller, request.arbitration, self._outbox)
            return
        error = p4r.StreamError()
        try:
            if kind == "packet":
                error.packet_out.packet_out.CopyFrom(request.packet)
                self._check_primary()
                self._server.packet_out(request.packet)
            elif kind == "digest_ack":
                error.digest_list_ack.digest_list_ack.CopyFrom(request.digest_ack)
                self._check_primary()
                if self._server.device.digests is None:
                    raise invalid("no forwarding pipeline config is set")
                self._server.device.digests.acknowledge(request.digest_ack)
            else:
                error.other.other.CopyFrom(request.other)
                raise RequestError(Code.UNIMPLEMENTED, f"stream messages of kind {kind or 'none'} are not supported")
        except RequestError as refusal:
            if kind == "packet":
                self._server.counts["packet_outs_refused"] += 1
            error.canonical_code = refusal.code
            error.message = refusal.message
            self._outbox.offer(p4r.StreamMessageResponse(error=error))

    def _check_primary(self) -> None:
        if self._controller is None or not self._server.arbitration.is_primary(self._controller):
            raise RequestError(Code.PERMISSION_DENIED, "only the primary controller may send this")


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def _abort(context: Context, error: RequestError) -> NoReturn:
    await context.abort(error.status, error.message)
    raise AssertionError("abort returns never")


def grpc_server() -> aio.Server:
    """A gRPC server with the limits that P4Runtime needs."""
    return aio.server(
        options=[
            ("grpc.max_receive_message_length", MAX_RECEIVE_BYTES),
            ("grpc.max_metadata_size", 1 << 20),
            # Two servers on one port would share the connections; the second one should fail instead.
            ("grpc.so_reuseport", 0),
            # A controller whose host vanished has to lose its primary role.
            ("grpc.keepalive_time_ms", 20_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
            ("grpc.keepalive_permit_without_calls", 1),
        ]
    )
