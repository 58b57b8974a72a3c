# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The TCP port: connections, their limits, and their threads. Thrift itself is imported with the first connection."""

from __future__ import annotations

import contextlib
import logging
import os
import pwd
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from quench_switch.listener import is_local
from quench_switch.outside.peers import peer_user
from quench_switch.p4runtime.errors import cut

_log = logging.getLogger(__name__)

CONNECTIONS: Final = 32
"""The largest number of connections at once. A further one is closed."""
BACKLOG: Final = 16
KEEPALIVE_S: Final = 60
"""Silence after which a connection is probed."""
AGAIN_S: Final = 0.1
"""The time until the next connection is accepted after one that could not be."""


@dataclass(frozen=True, slots=True)
class Users:
    """The users of this machine who may connect, by their numbers; root may always."""

    numbers: frozenset[int] = field(default_factory=lambda: frozenset({os.geteuid()}))
    all: bool = False
    """Whether everybody may connect who reaches the port, also from other machines."""

    @classmethod
    def parse(cls, text: str) -> Users:
        """``all``, or names and numbers by comma, beside the switch's own user. Raises ValueError."""
        if text == "all":
            return cls(all=True)
        numbers = {os.geteuid()}
        for name in text.split(","):
            try:
                numbers.add(int(name) if name.isascii() and name.isdigit() else pwd.getpwnam(name).pw_uid)
            except (KeyError, ValueError):
                raise ValueError(f"{name[:40]!r} is no user of this machine: write all, or users by comma") from None
        return cls(frozenset(numbers))

    def refusal(self, connection: socket.socket) -> str | None:
        """The reason why the other end of a connection may not have it; None: it may."""
        if self.all:
            return None
        user = peer_user(connection)
        if user is None:
            return "its user is not known: it is on another machine, or gone"
        if user in self.numbers or user == 0:
            return None
        return f"it is of user {user}: --thrift-allow-users admits further users"


class ThriftListener:
    """Accepts connections of some users, and serves each on a thread of its own.

    ``serve`` gets a connected socket, and returns when it is over. Raises OSError for an address that cannot be had.
    """

    def __init__(self, host: str, port: int, users: Users, serve: Callable[[socket.socket], None]) -> None:
        self._users = users
        self._serve = serve
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
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
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError as error:
                if self._closed:
                    return
                # The other end was gone before, or the process has no file left.
                _log.warning("a Thrift connection was not accepted: %s", error)
                time.sleep(AGAIN_S)
                continue
            refusal = self._users.refusal(connection) or self._admit(connection)
            if refusal is not None:
                _log.warning("a Thrift connection was refused: %s", refusal)
                connection.close()
                continue
            # A client whose machine is gone does not keep its place for ever.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
            try:
                threading.Thread(target=self._run, args=(connection,), name="thrift-client", daemon=True).start()
            except RuntimeError as error:
                _log.warning("a Thrift connection was closed: %s", error)
                self._end(connection)

    def _admit(self, connection: socket.socket) -> str | None:
        """Take a place for a connection; why there is none."""
        with self._lock:
            if self._closed:
                return "the switch is stopping"
            if len(self._connections) >= CONNECTIONS:
                return f"there are {CONNECTIONS} connections, the most"
            self._connections.add(connection)
            return None

    def _run(self, connection: socket.socket) -> None:
        try:
            self._serve(connection)
        except Exception as error:  # noqa: BLE001 - what one client sends ends its connection only
            _log.warning("a Thrift connection ended: %s: %s", type(error).__name__, cut(str(error)))
        finally:
            self._end(connection)

    def _end(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)
        connection.close()


def listen(address: str, users: Users, serve: Callable[[Any], None]) -> ThriftListener:
    """Bind to HOST:PORT. Raises OSError, also for a text that is no address, or one that no user reaches."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port[:6]) <= 65535):
        raise OSError(f"{address}: write HOST:PORT with a port from 0 to 65535")
    if not (users.all or is_local(address)):
        raise OSError("other machines reach it, where users are not known: give --thrift-allow-users all")
    return ThriftListener(host.strip("[]"), int(port), users, serve)
