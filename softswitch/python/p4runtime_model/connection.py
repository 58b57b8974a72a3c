# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of the five methods over gRPC, with the codes of all updates."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from typing import Any, Final

import grpc
from finsy import GRPCStatusCode as Code
from finsy.proto import p4r, p4r_grpc, rpc_status

HANG_S: Final = 10.0
"""A call that takes longer is a fault."""
_OPTIONS: Final = [
    ("grpc.max_metadata_size", 16 << 20),
    ("grpc.absolute_max_metadata_size", 16 << 20),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]


class Answer(Exception):  # noqa: N818 - a refusal is no error here
    """A call ended with a code other than OK."""

    def __init__(self, code: Code, message: str, details: bytes | None = None) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message
        self.details = details
        """A ``google.rpc.Status`` with the codes of all updates."""


class Stream:
    """One StreamChannel. Messages that arrive are kept by kind."""

    def __init__(self, stub: p4r_grpc.P4RuntimeStub) -> None:
        self._requests: queue.SimpleQueue[p4r.StreamMessageRequest | None] = queue.SimpleQueue()
        self._changed = threading.Condition()
        self.arrived: dict[str, deque[Any]] = {"arbitration": deque(), "error": deque()}
        self.others = 0
        """Packet-ins, digests and idle timeouts, which are counted only."""
        self.end: Code | None = None
        self._call = stub.StreamChannel(iter(self._requests.get, None))
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def _receive(self) -> None:
        end = Code.OK
        try:
            for response in self._call:
                kind = response.WhichOneof("update")
                with self._changed:
                    if kind in self.arrived:
                        self.arrived[kind].append(getattr(response, kind))
                    else:
                        self.others += 1
                    self._changed.notify_all()
        except grpc.RpcError as error:
            end = Code.from_status_code(error.code())
        with self._changed:
            self.end = end
            self._changed.notify_all()

    def send(self, request: p4r.StreamMessageRequest) -> None:
        """Send one message."""
        self._requests.put(request)

    def take(self, kind: str) -> Any:
        """The next message of a kind, None if the stream ended or nothing came in time."""
        with self._changed:
            self._changed.wait_for(lambda: self.arrived[kind] or self.end is not None, HANG_S)
            return self.arrived[kind].popleft() if self.arrived[kind] else None

    def close(self) -> Code | None:
        """End the stream from this side and wait for the other: the code it ends with, None if it does not."""
        self._requests.put(None)
        return self.wait_end()

    def wait_end(self) -> Code | None:
        """The code that the stream ends with, None if it does not."""
        with self._changed:
            self._changed.wait_for(lambda: self.end is not None, HANG_S)
        if self.end is None:
            self._call.cancel()
        self._requests.put(None)
        self._thread.join(HANG_S)
        return self.end


class Connection:
    """One channel to a switch."""

    def __init__(self, address: str) -> None:
        self._channel: Any = grpc.insecure_channel(address, options=_OPTIONS)
        self.stub = p4r_grpc.P4RuntimeStub(self._channel)
        self.slowest_s = 0.0
        """The longest call."""

    def close(self) -> None:
        """End all calls."""
        self._channel.close()

    def stream(self) -> Stream:
        """Open a StreamChannel."""
        return Stream(self.stub)

    def _call(self, method: Any, request: Any) -> Any:
        start = time.monotonic()
        try:
            return method(request, timeout=HANG_S)
        except grpc.RpcError as error:
            failed: Any = error
            details = dict(failed.trailing_metadata() or ()).get("grpc-status-details-bin")
            raise Answer(Code.from_status_code(failed.code()), failed.details() or "", details) from error
        finally:
            self.slowest_s = max(self.slowest_s, time.monotonic() - start)

    def config(self, request: p4r.SetForwardingPipelineConfigRequest) -> None:
        """Raises :class:`Answer`."""
        self._call(self.stub.SetForwardingPipelineConfig, request)

    def get_config(self, request: p4r.GetForwardingPipelineConfigRequest) -> Any:
        """Raises :class:`Answer`."""
        return self._call(self.stub.GetForwardingPipelineConfig, request)

    def write(self, request: p4r.WriteRequest) -> list[int]:
        """The code of each update. Raises :class:`Answer` if the request is refused as a whole."""
        try:
            self._call(self.stub.Write, request)
        except Answer as answer:
            details = rpc_status.Status.FromString(answer.details or b"").details
            if not details:
                raise
            codes = []
            for detail in details:
                item = p4r.Error()
                if not detail.Unpack(item):
                    raise Answer(Code.UNKNOWN, "a detail is no p4.v1.Error") from answer
                codes.append(item.canonical_code)
            return codes
        return [Code.OK] * len(request.updates)

    def read(self, request: p4r.ReadRequest) -> list[p4r.Entity]:
        """All entities of the responses. Raises :class:`Answer`."""
        entities: list[p4r.Entity] = self._call(self._read_all, request)
        return entities

    def _read_all(self, request: p4r.ReadRequest, timeout: float) -> list[p4r.Entity]:
        return [entity for response in self.stub.Read(request, timeout=timeout) for entity in response.entities]

    def raw(self, method: str, data: bytes) -> Code:
        """Send bytes as they are; the code that the call ends with."""
        path, channel = f"/p4.v1.P4Runtime/{method}", self._channel
        try:
            if method == "StreamChannel":
                list(channel.stream_stream(path)(iter([data]), timeout=HANG_S))
            elif method == "Read":
                list(channel.unary_stream(path)(data, timeout=HANG_S))
            else:
                channel.unary_unary(path)(data, timeout=HANG_S)
        except grpc.RpcError as error:
            return Code.from_status_code(error.code())
        return Code.OK
