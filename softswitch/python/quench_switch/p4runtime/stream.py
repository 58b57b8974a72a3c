# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one controller on its stream: arbitration, packet-outs, acknowledgements."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from quench_switch.messages import p4r

from .calls import parse
from .errors import Code, RequestError, exhausted, invalid, unimplemented
from .limits import MESSAGE_BYTES, QUOTE_BYTES, STREAM_MESSAGE_BYTES
from .outbox import Outbox

if TYPE_CHECKING:
    from .arbitration import Arbitration, Controller
    from .device import Device
    from .grpc_server import Call

_log = logging.getLogger(__name__)


class Session:
    """One stream, as far as the client's messages go."""

    def __init__(
        self,
        arbitration: Arbitration,
        device: Device,
        packet_out: Callable[[p4r.PacketOut], None],
        counts: dict[str, int],
        outbox: Outbox,
    ) -> None:
        self._arbitration = arbitration
        self._device = device
        self._packet_out = packet_out
        self._counts = counts
        self._outbox = outbox
        self._controller: Controller | None = None

    async def run(self, call: Call) -> None:
        """Handle messages until the client ends the stream or breaks a rule that ends it."""
        try:
            while (data := await call.read(MESSAGE_BYTES)) is not None:
                self._receive(data)
        except RequestError as error:
            self._outbox.close(error)
        except Exception:  # noqa: BLE001 - no message may end the switch
            _log.exception("a stream message broke the server")
            self._outbox.close(RequestError(Code.INTERNAL, "internal error, see the switch's log"))
        else:
            self._outbox.close()

    def close(self) -> None:
        """Leave arbitration."""
        if self._controller is not None:
            self._arbitration.disconnect(self._controller)
            self._controller = None

    def _receive(self, data: bytes) -> None:
        if len(data) > STREAM_MESSAGE_BYTES:
            reason = exhausted(f"the message has {len(data)} bytes, the most is {STREAM_MESSAGE_BYTES}")
            self._refuse(p4r.StreamError(), reason)
            return
        request = parse(p4r.StreamMessageRequest, data)
        if request.WhichOneof("update") == "arbitration":
            self._controller = self._arbitration.update(self._controller, request.arbitration, self._outbox)
            return
        try:
            self._handle(request)
        except RequestError as refusal:
            if request.HasField("packet"):
                self._counts["packet_outs_refused"] += 1
            self._refuse(_quote(request), refusal)

    def _handle(self, request: p4r.StreamMessageRequest) -> None:
        kind = request.WhichOneof("update")
        if kind == "packet":
            self._check_primary()
            self._packet_out(request.packet)
        elif kind == "digest_ack":
            self._check_primary()
            if self._device.digests is None:
                raise invalid("no forwarding pipeline config is set")
            self._device.digests.acknowledge(request.digest_ack)
        else:
            raise unimplemented(f"stream messages of kind {kind or 'none'} are not supported")

    def _check_primary(self) -> None:
        if self._controller is None or not self._arbitration.is_primary(self._controller):
            raise RequestError(Code.PERMISSION_DENIED, "only the primary controller may send this")

    def _refuse(self, error: p4r.StreamError, refusal: RequestError) -> None:
        error.canonical_code = refusal.code
        error.message = refusal.message
        message = p4r.StreamMessageResponse(error=error)
        if not self._outbox.offer(message.SerializeToString()):
            self._counts["stream_errors_dropped"] += 1


def _quote(request: p4r.StreamMessageRequest) -> p4r.StreamError:
    """The message that an error is about, cut if it is long."""
    error = p4r.StreamError()
    kind = request.WhichOneof("update")
    if request.ByteSize() <= QUOTE_BYTES:
        if kind == "packet":
            error.packet_out.packet_out.CopyFrom(request.packet)
        elif kind == "digest_ack":
            error.digest_list_ack.digest_list_ack.CopyFrom(request.digest_ack)
        else:
            error.other.other.CopyFrom(request.other)
    elif kind == "packet":
        error.packet_out.packet_out.payload = request.packet.payload[: QUOTE_BYTES // 4]
    else:
        error.other.SetInParent()
    return error
