# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Sends the datagrams of a schedule between two hosts, and measures their delays and losses, in one thread."""

import contextlib
import itertools
import selectors
import socket
import struct
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from quench.udp.sockets import receive_buffer

from quench_topologies.datagrams import HEADER_BYTES, UDP_IP_HEADER_BYTES, ConstantRate, VoiceCalls
from quench_topologies.errors import TopologyError
from quench_topologies.isolation import inside_namespace
from quench_topologies.traffic import Ends

UDP_PORT = 4001
GRACE_S = 0.5
"""The time that the last packets may be on their way."""
LONGEST_WAIT_S = 0.05
"""Longest wait for a packet, after which a request to stop is looked for."""
RECEIVE_BUFFER_BYTES = 4_000_000
_HEADER = struct.Struct("=IIQ")
# include/uapi/asm-generic/socket.h; Python's module does not name it.
SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("@ll")
_NS = 1_000_000_000


@dataclass(slots=True)
class SentDatagram:
    """A packet of the schedule. Times are of time.time_ns(), the clock of the kernel's stamps."""

    stream: int
    sent_ns: int
    received_ns: int | None = None

    @property
    def delay_s(self) -> float | None:
        """The delay from the sender's socket to the receiver's; None for a packet that is lost."""
        return None if self.received_ns is None else (self.received_ns - self.sent_ns) / _NS


@dataclass
class DatagramRecord:
    """The fate of every packet, or of the newest ones, in the order of sending."""

    packet_bytes: int
    packets: deque[SentDatagram] = field(default_factory=deque)
    forgotten_pkts: int = 0
    """Packets before the first one that is kept."""

    def note(self, packet: SentDatagram) -> None:
        """Add a packet that is sent now."""
        self.forgotten_pkts += len(self.packets) == self.packets.maxlen
        self.packets.append(packet)

    def packet(self, sequence: int) -> SentDatagram | None:
        """The packet of a number, from 0; None: it is forgotten. Raises IndexError."""
        index = sequence - self.forgotten_pkts
        return self.packets[index] if index >= 0 else None

    def between(self, begin_ns: int, end_ns: int) -> list[SentDatagram]:
        """The packets that were sent in an interval."""
        return [packet for packet in self.packets if begin_ns <= packet.sent_ns < end_ns]


class DatagramTraffic:
    """Runs a schedule from start to stop. The newest kept_pkts packets are kept; None: all."""

    def __init__(self, ends: Ends, load: VoiceCalls | ConstantRate, seed: int, kept_pkts: int | None = None) -> None:
        self._schedule = load.schedule(seed)
        self._record = DatagramRecord(load.packet_bytes, deque(maxlen=kept_pkts))
        self._padding = bytes(load.packet_bytes - UDP_IP_HEADER_BYTES - HEADER_BYTES)
        self._failure: Exception | None = None
        self._stopping = threading.Event()
        with inside_namespace(ends.receiver):
            self._receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            with inside_namespace(ends.sender):
                self._sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        except OSError:
            self._receiver.close()
            raise
        try:
            self._receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            receive_buffer(self._receiver, RECEIVE_BUFFER_BYTES)
            self._receiver.setblocking(False)
            self._receiver.bind((ends.address, UDP_PORT))
            self._sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, load.dscp << 2)
            self._sender.connect((ends.address, UDP_PORT))
        except OSError:
            self._close()
            raise
        self._thread = threading.Thread(target=self._run, name="datagrams", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def check(self) -> None:
        """Raise TopologyError if a socket has failed."""
        if self._failure is not None:
            raise TopologyError(f"the datagrams failed: {self._failure}")

    def newest(self) -> list[SentDatagram]:
        """The packets that are kept, while it runs."""
        # One call of C copies them, so that the other thread cannot change them meanwhile.
        return list(self._record.packets)

    def stop(self) -> DatagramRecord:
        """Wait until the last packets have arrived or must be lost, end, and return the fate of all of them."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._close()
        return self._record

    def _close(self) -> None:
        self._receiver.close()
        self._sender.close()

    def _run(self) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._receiver, selectors.EVENT_READ)
                self._serve(selector)
        except (OSError, struct.error, LookupError) as error:
            self._failure = error

    def _serve(self, selector: selectors.BaseSelector) -> None:
        began_s = time.monotonic()
        sequence = itertools.count()
        departure = next(self._schedule)
        while not self._stopping.is_set():
            wait_s = began_s + departure.time_s - time.monotonic()
            if wait_s <= 0:
                self._send(departure.stream, next(sequence))
                departure = next(self._schedule)
                continue
            if selector.select(min(wait_s, LONGEST_WAIT_S)):
                self._receive()
        ends_s = time.monotonic() + GRACE_S
        while (left_s := ends_s - time.monotonic()) > 0:
            if selector.select(left_s):
                self._receive()

    def _send(self, stream: int, sequence: int) -> None:
        packet = SentDatagram(stream, time.time_ns())
        self._record.note(packet)
        # A full send buffer is a loss like any other.
        with contextlib.suppress(BlockingIOError):
            self._sender.send(_HEADER.pack(stream, sequence, packet.sent_ns) + self._padding)

    def _receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                data, ancillary, _, _ = self._receiver.recvmsg(2048, socket.CMSG_SPACE(_TIMESPEC.size))
                stream, sequence, _sent_ns = _HEADER.unpack_from(data)
                packet = self._record.packet(sequence)
                if packet is None:
                    continue
                if packet.stream != stream:
                    raise LookupError(f"datagram {sequence} is of stream {stream}, not {packet.stream}")
                for level, kind, stamp in ancillary:
                    if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                        seconds, nanoseconds = _TIMESPEC.unpack(stamp)
                        packet.received_ns = seconds * _NS + nanoseconds
