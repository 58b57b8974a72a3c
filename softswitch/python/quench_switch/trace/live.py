# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces of a running switch, at the client's end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from quench_switch.outside.text import one_line
from quench_switch.p4runtime.address import options_of

from . import packet_trace_pb2 as pb

PATH: Final = "/quench.trace.v1.PacketTraces/Trace"
MOST_MESSAGE_BYTES: Final = 1 << 20


class LiveError(RuntimeError):
    """The switch does not answer, or refuses; the message says why in one line."""


async def receive(
    address: str,
    credentials: grpc.ChannelCredentials | None = None,
    *,
    ingress_port: int | None = None,
    packets: int = 0,
) -> AsyncIterator[tuple[pb.PacketTrace, int]]:
    """Traces as they come, each with the number of traces that were lost before it. Raises :class:`LiveError`."""
    request = pb.TraceRequest(ingress_port=ingress_port, packets=packets)
    options = [("grpc.max_receive_message_length", MOST_MESSAGE_BYTES), *options_of(address)]
    channel = (
        grpc.aio.insecure_channel(address, options=options)
        if credentials is None
        else grpc.aio.secure_channel(address, credentials, options=options)
    )
    async with channel:
        call: Any = channel.unary_stream(
            PATH,
            request_serializer=pb.TraceRequest.SerializeToString,
            # gRPC would log a message that is none with its own traceback, and hand over nothing.
            response_deserializer=bytes,
        )
        try:
            responses = call(request)
            async for data in responses:
                response = pb.TraceResponse.FromString(data)
                if response.HasField("trace"):
                    yield response.trace, response.lost
        except grpc.aio.AioRpcError as error:
            raise LiveError(f"{address}: {one_line(error.details() or error.code().name)}") from error
        except DecodeError as error:
            raise LiveError(f"{address}: the answer is no trace: is this a switch of Quench?") from error
