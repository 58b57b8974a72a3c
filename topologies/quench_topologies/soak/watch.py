# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Arrival times of packets at hosts: a fault ends with the first packet that comes through again."""

import selectors
import socket
import threading
import time
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from quench_topologies.datagram_traffic import UDP_PORT
from quench_topologies.isolation import inside_namespace
from quench_topologies.packet_filter import EQUALS, LOAD_BYTE, LOAD_HALF, filtered_socket, received_ipv4

_PROTOCOL_OFFSET, _ICMP_TYPE_OFFSET, _UDP_DESTINATION_OFFSET = 23, 34, 36
_ICMP, _UDP, _SOURCE_QUENCH = 1, 17, 4
SOURCE_QUENCHES = received_ipv4(
    ((LOAD_BYTE, _PROTOCOL_OFFSET), (EQUALS, _ICMP), (LOAD_BYTE, _ICMP_TYPE_OFFSET), (EQUALS, _SOURCE_QUENCH))
)
"""RFC 792; the switches send no IP options."""
DATAGRAMS = received_ipv4(
    ((LOAD_BYTE, _PROTOCOL_OFFSET), (EQUALS, _UDP), (LOAD_HALF, _UDP_DESTINATION_OFFSET), (EQUALS, UDP_PORT))
)


class Watch:
    """The moments (time.monotonic) at which interfaces receive packets that a filter takes."""

    def __init__(self, places: Sequence[tuple[str, str]], program: bytes) -> None:
        """Places are network namespaces (paths) and interfaces there."""
        self._times_s: list[float] = []
        self._arrived = threading.Condition()
        self._stopping = threading.Event()
        self._stack = ExitStack()
        with ExitStack() as stack:
            self._selector = stack.enter_context(selectors.DefaultSelector())
            for namespace, interface in places:
                with inside_namespace(namespace):
                    each = stack.enter_context(filtered_socket(interface, program))
                each.setblocking(False)
                self._selector.register(each, selectors.EVENT_READ)
            self._stack = stack.pop_all()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        self._thread.join()
        self._stack.close()

    def first_after(self, moment_s: float, timeout_s: float) -> float | None:
        """The time of the first packet after a moment; None when none comes within the timeout, from now."""
        deadline = time.monotonic() + timeout_s
        with self._arrived:
            while (index := bisect_right(self._times_s, moment_s)) == len(self._times_s):
                if not self._arrived.wait(max(0.0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    return None
            return self._times_s[index]

    def count(self) -> int:
        """All so far."""
        with self._arrived:
            return len(self._times_s)

    def _run(self) -> None:
        while not self._stopping.is_set():
            for key, _ in self._selector.select(0.1):
                assert isinstance(key.fileobj, socket.socket)
                self._take(key.fileobj)

    def _take(self, each: socket.socket) -> None:
        try:
            each.recv(64)
        except OSError:
            # An interface that went down says so here; it goes on where it comes up again.
            return
        with self._arrived:
            self._times_s.append(time.monotonic())
            self._arrived.notify_all()
