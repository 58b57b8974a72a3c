# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench.trace.v1.PacketTraces``: traces of a running switch, beside P4Runtime on the same gRPC server.

The switch never waits for a client. Traces that a client does not take in time are lost, and each answer says how many.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from quench_switch.errors import DataPlaneError
from quench_switch.p4runtime.calls import Turns, parse, receive, send
from quench_switch.p4runtime.errors import exhausted, invalid
from quench_switch.p4runtime.limits import SMALL_REQUEST_BYTES

from . import packet_trace_pb2 as pb

if TYPE_CHECKING:
    from quench_switch._native import RealtimeSwitch, Traces
    from quench_switch.p4runtime.grpc_server import Call, GrpcServer

SERVICE: Final = "quench.trace.v1.PacketTraces"
METHOD: Final = "Trace"
CLIENTS: Final = 8
TRACE_BYTES: Final = 64 << 10
MOST_TRACE_BYTES: Final = 256 << 10
WAITING_BYTES: Final = 4 << 20
"""The largest size of a client's traces that wait to be sent."""
TAKE_BYTES: Final = 256 << 10
POLL_S: Final = 0.02
"""The time that a call waits before it looks for traces again."""


class TracesServer:
    """The service for one switch."""

    def __init__(self, switch: RealtimeSwitch) -> None:
        self._switch = switch
        self._turns = Turns(CLIENTS)

    def register(self, server: GrpcServer) -> None:
        """Add the service to a gRPC server."""
        server.add(SERVICE, {METHOD: self._trace})

    async def _trace(self, call: Call) -> None:
        async with self._turns.turn():
            data = await receive(self._turns, call, SMALL_REQUEST_BYTES)
            session = self._begin(parse(pb.TraceRequest, data))
            await send(self._turns, call, pb.TraceResponse().SerializeToString())
            while not session.is_done:
                for trace in session.take(TAKE_BYTES):
                    response = pb.TraceResponse(trace=pb.PacketTrace.FromString(trace), lost=session.lost)
                    await send(self._turns, call, response.SerializeToString())
                await asyncio.sleep(POLL_S)

    def _begin(self, request: pb.TraceRequest) -> Traces:
        if request.trace_bytes > MOST_TRACE_BYTES:
            raise invalid(f"trace_bytes is {request.trace_bytes}, the most is {MOST_TRACE_BYTES}")
        try:
            return self._switch.trace(
                port=request.ingress_port if request.HasField("ingress_port") else None,
                packets=request.packets or None,
                trace_bytes=request.trace_bytes or TRACE_BYTES,
                waiting_bytes=WAITING_BYTES,
            )
        except DataPlaneError as error:
            raise exhausted(error.message) from error
