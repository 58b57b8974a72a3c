# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""A bulk TCP transfer by the kernel between two namespaces, with the sender's window in view."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hostlab.netns import Namespace

_TCP_INFO_U32S_OFFSET = 8
_PACING_RATE_OFFSET = 104
_UNACKED, _RTT, _SSTHRESH, _CWND, _TOTAL_RETRANS = 4, 15, 17, 18, 23
_INFINITE_SSTHRESH = 0x7FFFFFFF


@dataclass(frozen=True)
class Window:
    """The sender's window, by TCP_INFO; ``srtt_us`` is the smoothed RTT."""

    time_s: float
    cwnd_pkts: int
    ssthresh_pkts: int
    srtt_us: int
    unacked_pkts: int
    retransmitted_pkts: int

    @property
    def in_first_slow_start(self) -> bool:
        return self.ssthresh_pkts == _INFINITE_SSTHRESH


class Transfer:
    """Sends from ``sender`` to ``receiver`` without a pause until it is closed.

    The sender opens the connection, or, if ``passive``, the receiver. ``address`` is that of the side that listens.
    """

    def __init__(
        self, sender: Namespace, receiver: Namespace, address: str, port: int, *, passive: bool = False
    ) -> None:
        active_end, passive_end = (receiver, sender) if passive else (sender, receiver)
        with passive_end.inside():
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            self._listener = socket.create_server((address, port), family=family)
        with active_end.inside():
            connected = socket.create_connection((address, port), timeout=20)
        connected.settimeout(None)
        accepted, _ = self._listener.accept()
        self.socket, self._sink = (accepted, connected) if passive else (connected, accepted)
        self._stop = False
        self._running, self._paused = threading.Event(), threading.Event()
        self._running.set()
        self.received_bytes = 0
        # Small reads keep the receiving socket in use most of the time, so that packets wait in its backlog.
        self.read_bytes = 1 << 20
        self._threads = [threading.Thread(target=f, name=f.__name__, daemon=True) for f in (self._send, self._receive)]
        for thread in self._threads:
            thread.start()

    def _send(self) -> None:
        # A whole number of segments of 960 and of 1460 bytes, so that all are full.
        block = bytes(70080)
        with self._ended_by_close():
            while not self._stop:
                if not self._running.is_set():
                    self._paused.set()
                    self._running.wait()
                self.socket.sendall(block)

    def _receive(self) -> None:
        with self._ended_by_close():
            while data := self._sink.recv(self.read_bytes):
                self.received_bytes += len(data)

    @contextlib.contextmanager
    def _ended_by_close(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            if not self._stop:
                raise

    def talk_back(self, size_bytes: int) -> None:
        """Send in the other direction, from the receiver. The data is not read."""
        self._sink.sendall(bytes(size_bytes))

    def pause(self) -> None:
        """Stop writing, and wait until everything is acknowledged."""
        self._paused.clear()
        self._running.clear()
        assert self._paused.wait(timeout=20), "the sender is stuck"
        self.until(lambda w: self._queued_bytes() == 0)

    def _queued_bytes(self) -> int:
        """Bytes that were written to the socket and are not acknowledged, sent or not."""
        return int.from_bytes(fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)), sys.byteorder)

    def resume(self) -> None:
        self._running.set()

    def window(self) -> Window:
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        words = struct.unpack_from("=24I", info, _TCP_INFO_U32S_OFFSET)
        fields = (words[index] for index in (_CWND, _SSTHRESH, _RTT, _UNACKED, _TOTAL_RETRANS))
        return Window(time.monotonic(), *fields)

    def pacing_bytes_per_s(self) -> int:
        """The rate at which the sender would be paced."""
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        rate: int = struct.unpack_from("=Q", info, _PACING_RATE_OFFSET)[0]
        return rate

    def until(self, condition: Callable[[Window], bool], timeout_s: float = 20.0) -> Window:
        """Wait for a window that fulfils the condition; fail with the last one seen."""
        deadline = time.monotonic() + timeout_s
        while not condition(window := self.window()):
            assert time.monotonic() < deadline, f"no such window in {timeout_s} s, the last was {window}"
            time.sleep(0.0005)
        return window

    @property
    def congestion_control(self) -> str:
        return self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode()

    def watch(self, seconds: float) -> list[Window]:
        """The windows of the next seconds, a sample each half millisecond or so."""
        end = time.monotonic() + seconds
        samples = [self.window()]
        while time.monotonic() < end:
            time.sleep(0.0005)
            samples.append(self.window())
        return samples

    def stays_in_first_slow_start(self, seconds: float) -> bool:
        """Watch: no reaction ends slow start. A retransmission timer may, where the wire has no processor for long."""
        return all(w.in_first_slow_start or w.retransmitted_pkts for w in self.watch(seconds))

    def close(self) -> None:
        """End the connection at once, so that nothing of it outlives the test."""
        self._stop = True
        self._running.set()
        for sock in (self.socket, self._sink):
            # Wakes the thread that waits in it.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for sock in (self.socket, self._sink, self._listener):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()


def settle(transfer: Transfer) -> None:
    """Wait for more than a round trip, so that the next signal is in another window of data."""
    time.sleep(2.5 * transfer.window().srtt_us / 1e6)
