# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The library's P4Runtime client, with a limit on what a server may send at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import finsy as fy
import grpc
from finsy.grpcutil import GRPCChannelArgumentType, GRPCOptions, grpc_channel
from finsy.proto import p4r_grpc
from google.protobuf import struct_pb2
from quench_switch.p4runtime.address import options_of

MOST_MESSAGE_BYTES: Final = 1 << 20
"""Largest message of a server. Two bytes may stand for an empty part, which takes a hundred when it is parsed."""
METADATA_BYTES: Final = 64 << 10
"""Largest metadata of a call, which holds the errors of a Write."""
_SET_PORT = "/quench.port.v1.Ports/Set"
"""The embedded switch's service beside P4Runtime (softswitch/docs/embedded-switch.md)."""
_SET_PORT_S = 5.0


@dataclass
class _Options(GRPCOptions):
    address: str = ""

    def to_native(self) -> GRPCChannelArgumentType:
        """The options as gRPC takes them."""
        most = ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES)
        return [*super().to_native(), most, *options_of(self.address)]


class LimitedClient(fy.P4Client):
    """finsy's client. A call whose answer is larger than the limit ends with RESOURCE_EXHAUSTED."""

    async def open(
        self, *, schema: fy.P4Schema | None = None, complete_request: Callable[[Any], None] | None = None
    ) -> None:
        """Open the connection as finsy does, with the limits."""
        self._channel = grpc_channel(
            self._address,
            credentials=self._credentials,
            options=_Options(address=self._address, max_metadata_size=METADATA_BYTES),
            client_type="P4Client",
        )
        self._stub = p4r_grpc.P4RuntimeStub(self._channel)
        self._schema = schema
        self._complete_request = complete_request

    async def set_port(self, **fields: Any) -> bool:
        """Change options of a port of the embedded switch; False: the server has no such service.

        Raises grpc.RpcError.
        """
        assert self._channel is not None
        request = struct_pb2.Struct()
        request.update(fields)
        call = self._channel.unary_unary(
            _SET_PORT,
            request_serializer=struct_pb2.Struct.SerializeToString,
            response_deserializer=struct_pb2.Struct.FromString,
        )
        try:
            await call(request, timeout=_SET_PORT_S)
        except grpc.aio.AioRpcError as error:
            if error.code() == grpc.StatusCode.UNIMPLEMENTED:
                return False
            raise
        return True
