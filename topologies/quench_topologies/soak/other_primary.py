# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A second controller that outbids the first, replaces the switch's program, and leaves."""

import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import grpc
from finsy.proto import U128, p4r

from quench_topologies.errors import TopologyError

TIMEOUT_S = 10.0
PRIORITY = 2**63
"""The election id above what a configuration may give a controller: the lower half of an election id
(quench.client.election)."""
_HALF = 64
_SERVICE = "/p4.v1.P4Runtime/"
_CHANNEL = (("grpc.use_local_subchannel_pool", 1),)
COMMIT = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
RECONCILE = p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT


class OtherPrimary:
    """A client that is the primary of a switch."""

    def __init__(self, channel: grpc.Channel, address: str, device_id: int) -> None:
        self._channel = channel
        self._address = address
        self._device_id = device_id
        self.election_id = 0
        self._bids: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        stream = cast("Any", channel.stream_stream(_SERVICE + "StreamChannel"))
        self._answers = stream(iter(self._bids.get, None), timeout=TIMEOUT_S, wait_for_ready=True)

    def outbid(self) -> None:
        """Become the primary. Raises TopologyError, grpc.RpcError."""
        highest = self._bid(1)
        if self._bid((highest >> _HALF << _HALF) | PRIORITY) != self.election_id:
            raise TopologyError(f"{self._address}: a second controller is outbid at once")

    def replace(self, action: "p4r.SetForwardingPipelineConfigRequest.Action.ValueType") -> None:
        """Commit the program that runs, once more. Raises grpc.RpcError."""
        asked = p4r.GetForwardingPipelineConfigRequest(device_id=self._device_id)
        answer = p4r.GetForwardingPipelineConfigResponse.FromString(self._call("GetForwardingPipelineConfig", asked))
        request = p4r.SetForwardingPipelineConfigRequest(device_id=self._device_id, action=action, config=answer.config)
        request.election_id.CopyFrom(U128.encode(self.election_id))
        self._call("SetForwardingPipelineConfig", request)

    def _call(self, method: str, request: Any) -> bytes:
        call = cast("Any", self._channel.unary_unary(_SERVICE + method))
        return bytes(call(request.SerializeToString(), timeout=TIMEOUT_S))

    def _bid(self, election_id: int) -> int:
        """The highest election id after the bid."""
        self.election_id = election_id
        message = p4r.StreamMessageRequest()
        message.arbitration.device_id = self._device_id
        message.arbitration.election_id.CopyFrom(U128.encode(election_id))
        self._bids.put(message.SerializeToString())
        while True:
            answer = p4r.StreamMessageResponse.FromString(next(self._answers))
            highest = U128.decode(answer.arbitration.election_id)
            if answer.HasField("arbitration") and highest >= election_id:
                return highest


@contextmanager
def other_primary(address: str, device_id: int) -> Iterator[OtherPrimary]:
    """Outbid the controller of a switch while the block runs. Raises TopologyError."""
    try:
        with grpc.insecure_channel(address, _CHANNEL) as channel:
            primary = OtherPrimary(channel, address, device_id)
            primary.outbid()
            yield primary
    except grpc.RpcError as error:
        details = getattr(error, "details", str)()
        raise TopologyError(f"{address}: a second controller cannot replace the program: {details}") from error


@contextmanager
def held_port(address: str, port: int, election_id: int, hold_s: float) -> Iterator[None]:
    """Nothing leaves a port while the block runs, which begins when its queues have filled for so long.

    Raises TopologyError.
    """
    # Here, because the compiled module exists only where the embedded switch is built.
    from quench_switch.ports_client import PortsClient, PortsError

    try:
        with PortsClient(address, election_id=election_id) as client:
            client.set(port, hold=True)
            try:
                time.sleep(hold_s)
                yield
            finally:
                client.set(port, hold=False)
    except PortsError as error:
        raise TopologyError(f"{address}: port {port} cannot be held: {error}") from error
