# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A P4Runtime client with the stock messages: primary controller of one switch."""

import queue
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import finsy as fy
import grpc
from finsy.proto import p4r, p4r_grpc
from quench.client.schema import read_schema

TIMEOUT_S = 10.0


class P4RuntimeClient:
    """Connects, becomes primary, loads the pipeline. Packet-ins wait in a queue."""

    def __init__(self, address: str, device_id: int, p4info: Path, json: Path) -> None:
        self.schema = read_schema(p4info.read_bytes(), json.read_bytes())
        self.packet_ins: queue.Queue[fy.P4PacketIn] = queue.Queue()
        self.errors: list[str] = []
        self._device_id = device_id
        self._election_id = p4r.Uint128(low=1)
        self._channel = grpc.insecure_channel(address)
        self._stub = p4r_grpc.P4RuntimeStub(self._channel)
        self._requests: queue.Queue[Any] = queue.Queue()
        self._primary = threading.Event()
        self._stream = self._stub.StreamChannel(iter(self._requests.get, None))
        self._receiver = threading.Thread(target=self._receive, daemon=True)
        self._receiver.start()
        arbitration = p4r.MasterArbitrationUpdate(device_id=device_id, election_id=self._election_id)
        self._requests.put(p4r.StreamMessageRequest(arbitration=arbitration))
        if not self._primary.wait(TIMEOUT_S):
            raise RuntimeError(f"{address}: this client did not become primary: {self.errors}")
        self._load()

    def _receive(self) -> None:
        try:
            for message in self._stream:
                kind = message.WhichOneof("update")
                if kind == "arbitration" and message.arbitration.status.code == 0:
                    self._primary.set()
                elif kind == "packet":
                    self.packet_ins.put(fy.P4PacketIn.decode(message, self.schema))
                elif kind == "error":
                    self.errors.append(str(message.error))
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                self.errors.append(str(error))

    def _load(self) -> None:
        self._stub.SetForwardingPipelineConfig(
            p4r.SetForwardingPipelineConfigRequest(
                device_id=self._device_id,
                election_id=self._election_id,
                action=p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT,
                config=self.schema.get_pipeline_config(),
            ),
            timeout=TIMEOUT_S,
        )

    def write(self, updates: Iterable[Any]) -> None:
        """Write ``+entry``, ``~entry`` and ``-entry``."""
        self._stub.Write(
            p4r.WriteRequest(
                device_id=self._device_id,
                election_id=self._election_id,
                updates=[update.encode_update(self.schema) for update in updates],
            ),
            timeout=TIMEOUT_S,
        )

    def read(self, entity: Any) -> Iterator[Any]:
        """Read the entities that match."""
        request = p4r.ReadRequest(device_id=self._device_id, entities=[entity.encode(self.schema)])
        for response in self._stub.Read(request, timeout=TIMEOUT_S):
            for message in response.entities:
                yield type(entity).decode(message, self.schema)

    def packet_out(self, payload: bytes, **metadata: int) -> None:
        """Send a packet from the CPU port."""
        self._requests.put(fy.P4PacketOut(payload, **metadata).encode_update(self.schema))

    def close(self) -> None:
        """End the stream and the connection."""
        self._requests.put(None)
        self._stream.cancel()
        self._receiver.join(TIMEOUT_S)
        self._channel.close()
