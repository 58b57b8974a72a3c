# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The TCP port: connections, their limits, and their threads. Thrift itself is imported with the first connection."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from typing import Any, Final

from quench_switch.p4runtime.errors import cut

_log = logging.getLogger(__name__)

CONNECTIONS: Final = 32
"""At once. A further one is closed."""
BACKLOG: Final = 16
KEEPALIVE_S: Final = 60
"""Silence after which a connection is probed."""


class ThriftListener:
    """Accepts connections, and serves each on a thread of its own.

    ``serve`` gets a connected socket, and returns when it is over. Raises OSError for an address that cannot be had.
    """

    def __init__(self, host: str, port: int, serve: Callable[[socket.socket], None]) -> None:
        self._serve = serve
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._warned = False
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        self._socket = socket.socket(family, kind)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(address)
            self.port: int = self._socket.getsockname()[1]
        except OSError:
            self._socket.close()
            raise

    def start(self) -> None:
        """Begin to accept."""
        self._socket.listen(BACKLOG)
        threading.Thread(target=self._accept, name="thrift", daemon=True).start()

    def stop(self) -> None:
        """Close the port and all connections."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        for each in (self._socket, *connections):
            # A socket that was never connected, or is not any more, cannot be shut down.
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        refused = False
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError as error:
                if not self._closed:
                    _log.error("the Thrift port accepts no more connections: %s", error)
                return
            with self._lock:
                accepted = not self._closed and len(self._connections) < CONNECTIONS
                if accepted:
                    self._connections.add(connection)
            if accepted:
                # A client whose machine is gone does not keep its place for ever.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
                threading.Thread(target=self._run, args=(connection,), name="thrift-client", daemon=True).start()
                continue
            connection.close()
            if not refused:
                _log.warning("a Thrift connection was closed: there are %d, the most", CONNECTIONS)
                refused = True

    def _run(self, connection: socket.socket) -> None:
        try:
            self._serve(connection)
        except Exception as error:  # noqa: BLE001 - what one client sends ends its connection only
            # A warning of each would let strangers fill the log.
            level = logging.DEBUG if self._warned else logging.WARNING
            self._warned = True
            _log.log(level, "a Thrift connection ended: %s: %s", type(error).__name__, cut(str(error)))
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()


def listen(address: str, serve: Callable[[Any], None]) -> ThriftListener:
    """Bind to HOST:PORT. Raises OSError, also for a text that is no address."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port[:6]) <= 65535):
        raise OSError(f"{address}: write HOST:PORT with a port from 0 to 65535")
    return ThriftListener(host.strip("[]"), int(port), serve)
