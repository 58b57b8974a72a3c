# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""A wire between two hosts that delays every packet and lets a test mark, lose and answer single ones."""

from __future__ import annotations

import heapq
import itertools
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable

from hostlab.netns import Namespace
from hostlab.packets import SYN, Segment, parse_segment

_ETH_P_ALL = 3
_PACKET_OUTGOING = 4
# Linux: asm-generic/socket.h.
_SO_RCVBUFFORCE = 33
_BUFFER_BYTES = 1 << 26

Rule = Callable[[Segment], bytes | None]


class Wire:
    """Carries frames between the devices ``w0`` (left) and ``w1`` (right) of a namespace.

    ``delay_s`` is the one-way delay; data segments from the left leave at least ``spacing_s`` apart, which spreads the
    ACKs evenly over the round trip. ``sent`` holds the segments that entered from the left, ``answered`` those from
    the right, in order. A rule set by :meth:`once` sees the next data segment from the left (or from the right) and
    returns what goes on in its place, None to lose it; the rule ``always``, if there is one, sees all those from the
    left that no other rule does. The first ``lose_syns`` SYNs from the left are lost, and while ``cut`` is set all TCP
    segments.
    """

    def __init__(self, ns: Namespace, delay_s: float, spacing_s: float) -> None:
        self.delay_s = delay_s
        self.spacing_s = spacing_s
        self.sent: list[Segment] = []
        self.answered: list[Segment] = []
        self.cut = False
        self.lose_syns = 0
        self.always: Rule | None = None
        self._rules: tuple[list[Rule], list[Rule]] = ([], [])
        self._free_s = 0.0
        self._queue: list[tuple[float, int, socket.socket, bytes]] = []
        self._ids = itertools.count()
        self._lock = threading.Lock()
        self._wake, self._waker = socket.socketpair()
        self._stop = False
        with ns.inside():
            self._left, self._right = (
                socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL)) for _ in range(2)
            )
            for sock in (self._left, self._right):
                sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER_BYTES)
            self._left.bind(("w0", 0))
            self._right.bind(("w1", 0))
        self._thread = threading.Thread(target=self._carry, name="wire")
        self._thread.start()

    def once(self, rule: Rule, *, from_right: bool = False) -> None:
        """Apply ``rule`` to one data segment."""
        with self._lock:
            self._rules[from_right].append(rule)

    def to_left(self, frame: bytes) -> None:
        """Deliver a frame to the host on the left at once."""
        self._left.send(frame)

    def flood_left(self, frames: Iterable[bytes]) -> None:
        """Deliver frames to the host on the left, as fast as it goes."""
        send = self._left.send
        for frame in frames:
            send(frame)

    def to_right(self, frame: bytes) -> None:
        """Deliver a frame to the host on the right at once."""
        self._right.send(frame)

    def newest_data(self) -> Segment:
        """The data segment that entered from the left last: not delivered yet, so surely in flight."""
        return next(s for s in reversed(self.sent) if s.payload_bytes)

    def close(self) -> None:
        self._stop = True
        self._waker.send(b"x")
        self._thread.join()
        for sock in (self._left, self._right, self._wake, self._waker):
            sock.close()

    def _carry(self) -> None:
        while not self._stop:
            timeout = max(0.0, self._queue[0][0] - time.monotonic()) if self._queue else None
            readable = select.select([self._left, self._right, self._wake], [], [], timeout)[0]
            for sock in (self._left, self._right):
                if sock in readable:
                    self._receive(sock)
            while self._queue and self._queue[0][0] <= time.monotonic():
                _, _, out, frame = heapq.heappop(self._queue)
                out.send(frame)

    def _receive(self, sock: socket.socket) -> None:
        frame, address = sock.recvfrom(65536)
        if address[2] == _PACKET_OUTGOING:
            return
        now = time.monotonic()
        segment = parse_segment(frame, now)
        passed: bytes | None = frame
        if segment:
            (self.sent if sock is self._left else self.answered).append(segment)
            if segment.payload_bytes:
                with self._lock:
                    rules = self._rules[sock is self._right]
                    rule = rules.pop(0) if rules else self.always if sock is self._left else None
                passed = rule(segment) if rule else frame
        if sock is self._left and segment and segment.flags & SYN and self.lose_syns:
            self.lose_syns -= 1
            return
        if passed is None or (self.cut and segment):
            return
        departure_s = now
        if sock is self._left and segment and segment.payload_bytes:
            departure_s = self._free_s = max(now, self._free_s) + self.spacing_s
        out = self._right if sock is self._left else self._left
        heapq.heappush(self._queue, (departure_s + self.delay_s, next(self._ids), out, passed))
