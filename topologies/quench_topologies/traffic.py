# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Bulk TCP flows of the kernel between hosts, all in one thread, with each sender's window in view."""

import contextlib
import random
import selectors
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from quench_topologies.errors import TopologyError
from quench_topologies.isolation import inside_namespace

FIRST_TCP_PORT = 5301
"""The first of as many ports as there are flows: above those of iperf (5001) and iperf3 (5201), which users start
beside them."""
SAMPLE_INTERVAL_S = 0.1
CONNECT_S = 10.0
"""Time for a flow to be connected, from its start."""
RECEIVE_BUFFER_WINDOWS = 8
"""Segments take more memory than they have bytes."""
_SO_RCVBUFFORCE = 33
_BLOCK = bytes(65536)
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)

# struct tcp_info (include/uapi/linux/tcp.h): offsets of what is used, and up to where it must reach.
_INFO_BYTES = 144
_UNACKED_OFFSET = 8 + 4 * 4
_RTT_OFFSET = 8 + 4 * 15
_SSTHRESH_CWND_OFFSET = 8 + 4 * 17
_TOTAL_RETRANS_OFFSET = 8 + 4 * 23
_BYTES_ACKED_OFFSET = 8 + 4 * 24 + 8 * 2


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of a flow: the two hosts' network namespaces (paths) and the receiver's address."""

    sender: str
    receiver: str
    address: str


@dataclass(frozen=True, slots=True)
class WindowSample:
    """The sender's TCP_INFO at a moment (time.monotonic)."""

    time_s: float
    cwnd_pkts: int
    ssthresh_pkts: int
    srtt_us: int
    acked_bytes: int
    retransmitted_pkts: int
    unacked_pkts: int = 0
    """Sent and not yet acknowledged."""


@dataclass
class _Flow:
    sender: socket.socket
    address: tuple[str, int]
    start_s: float
    connected: bool = False
    samples: deque[WindowSample] = field(default_factory=deque)


class Traffic:
    """Flows that send without a pause, from start to stop: one between each of the ends.

    Each begins at a random moment of the first spread_s seconds, so that they do not start in step. Receivers offer
    window_bytes at most; None: the kernel chooses. The newest kept_samples of each flow are kept; None: all.
    """

    def __init__(
        self,
        ends: Sequence[Ends],
        spread_s: float,
        seed: int,
        window_bytes: int | None = None,
        kept_samples: int | None = None,
    ) -> None:
        self._window_bytes = window_bytes
        self._kept_samples = kept_samples
        self._selector = selectors.DefaultSelector()
        self._sockets: list[socket.socket] = []
        self._failure: OSError | None = None
        self._wake_receiver, self._wake_sender = socket.socketpair()
        draw = random.Random(seed)
        try:
            self._flows = [
                self._prepare(each, FIRST_TCP_PORT + number, draw.uniform(0, spread_s))
                for number, each in enumerate(ends)
            ]
        except OSError:
            self._close()
            raise
        self._selector.register(self._wake_receiver, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="traffic", daemon=True)

    def _prepare(self, ends: Ends, port: int, start_s: float) -> _Flow:
        with inside_namespace(ends.receiver):
            listener = self._add(socket.create_server((ends.address, port)))
        if self._window_bytes is not None:
            # A size that is set is not tuned; the window itself is limited in _limit_window().
            listener.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, RECEIVE_BUFFER_WINDOWS * self._window_bytes)
        with inside_namespace(ends.sender):
            sender = self._add(socket.socket())
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        for each in (listener, sender):
            each.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ, self._accept)
        return _Flow(sender, (ends.address, port), start_s, samples=deque(maxlen=self._kept_samples))

    def _add(self, each: socket.socket) -> socket.socket:
        self._sockets.append(each)
        return each

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Reset all connections, so that nothing of them outlives this call."""
        self._wake_sender.send(b"x")
        if self._thread.is_alive():
            self._thread.join()
        self._close()

    def check(self) -> None:
        """Raise TopologyError if a connection has failed."""
        if self._failure is not None:
            raise TopologyError(f"a flow failed: {self._failure}")

    def sample(self) -> list[WindowSample]:
        """Every flow now."""
        return [_sample(flow.sender) for flow in self._flows]

    def samples(self) -> list[list[WindowSample]]:
        """The samples so far, of each flow."""
        return [list(flow.samples) for flow in self._flows]

    def _close(self) -> None:
        self._selector.close()
        for each in (*self._sockets, self._wake_receiver, self._wake_sender):
            each.close()

    def _run(self) -> None:
        try:
            self._serve()
        except OSError as error:
            self._failure = error

    def _serve(self) -> None:
        began_s = time.monotonic()
        waiting = sorted(self._flows, key=lambda flow: flow.start_s, reverse=True)
        next_sample_s = began_s
        while True:
            now_s = time.monotonic()
            while waiting and began_s + waiting[-1].start_s <= now_s:
                self._connect(waiting.pop())
            if now_s >= next_sample_s:
                self._take_samples(now_s - began_s)
                next_sample_s += SAMPLE_INTERVAL_S
            due_s = min(next_sample_s, began_s + waiting[-1].start_s) if waiting else next_sample_s
            for key, events in self._selector.select(max(0.0, due_s - now_s)):
                if key.fileobj is self._wake_receiver:
                    return
                key.data(key.fileobj, events)

    def _connect(self, flow: _Flow) -> None:
        # The first writable event says whether it worked: send() raises what connect() met.
        with contextlib.suppress(BlockingIOError):
            flow.sender.connect(flow.address)
        flow.connected = True
        self._selector.register(flow.sender, selectors.EVENT_WRITE, self._send)

    def _accept(self, listener: socket.socket, _: int) -> None:
        receiver, _address = listener.accept()
        self._add(receiver)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        receiver.setblocking(False)
        self._selector.register(receiver, selectors.EVENT_READ, self._receive_first)

    def _send(self, sender: socket.socket, _: int) -> None:
        with contextlib.suppress(BlockingIOError):
            sender.send(_BLOCK)

    def _receive_first(self, receiver: socket.socket, events: int) -> None:
        # At the first segment the kernel computes how much memory a segment takes, and sets the limit anew. So the
        # limit is set only now.
        if self._window_bytes is not None:
            receiver.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, self._window_bytes)
        self._selector.modify(receiver, selectors.EVENT_READ, self._receive)
        self._receive(receiver, events)

    def _receive(self, receiver: socket.socket, _: int) -> None:
        with contextlib.suppress(BlockingIOError):
            if not receiver.recv(1 << 20):
                self._selector.unregister(receiver)

    def _take_samples(self, elapsed_s: float) -> None:
        for flow in self._flows:
            if flow.connected:
                sample = _sample(flow.sender)
                if elapsed_s - flow.start_s > CONNECT_S and not sample.acked_bytes:
                    raise OSError(f"no answer from {flow.address[0]}:{flow.address[1]} within {CONNECT_S:g} s")
                flow.samples.append(sample)


def _sample(sender: socket.socket) -> WindowSample:
    now_s = time.monotonic()
    info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
    ssthresh, cwnd = struct.unpack_from("=2I", info, _SSTHRESH_CWND_OFFSET)
    (srtt_us,) = struct.unpack_from("=I", info, _RTT_OFFSET)
    (retransmitted,) = struct.unpack_from("=I", info, _TOTAL_RETRANS_OFFSET)
    (acked_bytes,) = struct.unpack_from("=Q", info, _BYTES_ACKED_OFFSET)
    (unacked,) = struct.unpack_from("=I", info, _UNACKED_OFFSET)
    return WindowSample(now_s, cwnd, ssthresh, srtt_us, acked_bytes, retransmitted, unacked)
