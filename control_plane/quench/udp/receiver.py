# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Receives flows and says how they fared. It answers nothing: what a sender learns, it learns from the network."""

import math
import select
import socket
import struct
import time
from typing import Final, Self

from quench.udp.flow import Flow, FlowReport
from quench.udp.sockets import UdpError, Waker, receive_buffer
from quench.udp.wire import HEADERS_BYTES, read_payload

DEFAULT_PORT: Final = 9009
MAX_FLOWS: Final = 4096
"""Most flows with statistics; packets of further flows count as ``ignored_pkts``."""

# Linux: asm-generic/socket.h. Python's socket module has no names for them.
_SO_TIMESTAMPNS: Final = 35
_SO_RXQ_OVFL: Final = 40
_TIMESPEC: Final = struct.Struct("@ll")
_BUFFER_BYTES: Final = 4 << 20


class Receiver:
    """A UDP port on which flows arrive. Raises UdpError when it cannot be had."""

    def __init__(self, port: int = DEFAULT_PORT, address: str = "0.0.0.0", *, warm_up_s: float = 0.0) -> None:
        self._warm_up_s = warm_up_s
        self._flows: dict[tuple[str, int, int], Flow] = {}
        self._waker = Waker()
        self._last_arrival_s: float | None = None
        self.ignored_pkts = 0
        """Packets that are of no flow."""
        self.overrun_pkts = 0
        """Packets that came faster than they were read; they count as lost, too."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_RXQ_OVFL, 1)
            receive_buffer(self._socket, _BUFFER_BYTES)
            self._socket.bind((address, port))
            self._socket.setblocking(False)
        except OSError as error:
            self.close()
            raise UdpError(f"cannot receive on {address}:{port}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def port(self) -> int:
        """The port, also if any was asked for."""
        return int(self._socket.getsockname()[1])

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
        self._waker.close()

    def stop(self) -> None:
        """End ``run``, from any thread or signal handler."""
        self._waker.wake()

    def run(self, seconds: float | None = None, idle_s: float | None = None) -> list[FlowReport]:
        """Receive for so long, or until nothing came for ``idle_s`` after something had, or until ``stop``."""
        end_s = math.inf if seconds is None else time.monotonic() + seconds
        watched: list[socket.socket | Waker] = [self._socket, self._waker]
        while True:
            until_s = end_s
            if idle_s is not None and self._last_arrival_s is not None:
                until_s = min(until_s, self._last_arrival_s + idle_s)
            wait_s = until_s - time.monotonic()
            if wait_s <= 0:
                break
            readable, _, _ = select.select(watched, [], [], None if math.isinf(wait_s) else wait_s)
            if self._waker in readable:
                break
            if readable:
                self._receive_all()
        return self.report()

    def report(self) -> list[FlowReport]:
        """All flows as they stand, in the order in which they began."""
        return [flow.report() for flow in list(self._flows.values())]

    def _receive_all(self) -> None:
        while True:
            try:
                payload, ancillary, _, source = self._socket.recvmsg(65_535, 256)
            except BlockingIOError:
                return
            tos, arrival_ns = 0, time.time_ns()
            for level, kind, data in ancillary:
                if (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
                    tos = data[0]
                elif (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
                    seconds, nanoseconds = _TIMESPEC.unpack(data)
                    arrival_ns = seconds * 10**9 + nanoseconds
                elif (level, kind) == (socket.SOL_SOCKET, _SO_RXQ_OVFL):
                    (self.overrun_pkts,) = struct.unpack("@I", data)
            self._receive(payload, source, arrival_ns, tos)

    def _receive(self, payload: bytes, source: tuple[str, int], arrival_ns: int, tos: int) -> None:
        header = read_payload(payload)
        if header is None:
            self.ignored_pkts += 1
            return
        self._last_arrival_s = time.monotonic()
        key = (*source, header.flow)
        flow = self._flows.get(key)
        if flow is None:
            if len(self._flows) >= MAX_FLOWS:
                self.ignored_pkts += 1
                return
            flow = self._flows[key] = Flow(f"{source[0]}:{source[1]}", header.flow, self._warm_up_s)
        flow.received(arrival_ns, header, HEADERS_BYTES + len(payload), tos)
