# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tornado's HTTP server with limits that a stranger cannot use up for others: the live page's and the metrics'."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from quench_switch.outside.peers import Quota, peer_name
from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerRequest,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream
from tornado.web import Application, RequestHandler

from quench.errors import ControllerError

LOGGER = logging.getLogger(__name__)

MOST_CONNECTIONS = 64
"""The largest number of connections at once, without those that became a WebSocket. The same number of connections
that have shown a token have room beside them."""
MOST_OF_PEER = 16
"""The largest number of connections of one user of this machine, or of one address."""
FIRST_REQUEST_S = 5.0
"""Seconds in which a new connection must have sent its first request."""
IDLE_S = 30.0
"""Seconds in which it must have sent each further one."""
ANSWER_S = 60.0
"""Seconds from a request until its answer has been taken."""
MOST_HEADER_BYTES = 16 << 10
BACKLOG = 512
"""Connections that the kernel holds until the server takes them, which it does as soon as it can."""


def listening_socket(address: str) -> socket.socket:
    """A TCP socket that listens at ``HOST:PORT``; port 0: any that is free. Raises ControllerError."""
    host, _, port = address.rpartition(":")
    try:
        # By name, so that a host name works as an address does.
        family, kind, protocol, _, place = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(BACKLOG)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        reason = error.strerror or error
        raise ControllerError(
            f"{address}: cannot listen here ({reason}): choose another address, or port 0 for any that is free"
        ) from error
    return listener


async def serve_application(application: Application, listener: socket.socket, *, most_body_bytes: int) -> None:
    """Serve until cancelled; the application's setting ``server`` is the server. The listener is not closed."""
    server = LimitedServer(application, max_header_size=MOST_HEADER_BYTES, max_body_size=most_body_bytes)
    application.settings["server"] = server
    own = listener.dup()
    own.setblocking(False)
    server.add_socket(own)
    try:
        await asyncio.Event().wait()
    finally:
        server.stop()
        for watcher in list(application.settings.get("watchers", ())):
            watcher.on_close()
        await server.close_all_connections()


def log_request(handler: RequestHandler) -> None:
    """A request, as a line of the log. Tokens are in no address."""
    LOGGER.debug("%s %s: %d", handler.request.method, handler.request.path, handler.get_status())


class LimitedServer(HTTPServer):
    """The server of an application. A connection that waits is closed where a new one would find no room."""

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        """Initialize the server: Tornado calls this in place of ``__init__``."""
        super().initialize(*args, **kwargs)
        self._quota: Quota[IOStream] = Quota(MOST_CONNECTIONS, MOST_OF_PEER)
        self._deadlines: dict[IOStream, asyncio.TimerHandle] = {}

    def trust(self, request: HTTPServerRequest) -> None:
        """The client of a request has shown a token: its connection counts no more among those of strangers."""
        self._quota.trust(_stream_of(request.connection))

    def peer_of(self, request: HTTPServerRequest) -> str:
        """The peer that a request is counted for: a user of this machine, or an address."""
        return peer_name(_stream_of(request.connection).socket)

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a new connection, or close it."""
        peer = peer_name(stream.socket)
        closed = self._quota.admit(stream, peer)
        if closed is not None:
            which = "it" if closed is stream else "another"
            LOGGER.warning("there are too many connections for one more of %s: %s is closed", peer, which)
            closed.close()
        if closed is not stream:
            self._close_after(stream, FIRST_REQUEST_S)
            super().handle_stream(stream, address)

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> HTTPMessageDelegate:
        """A connection waits for a request."""
        stream = _stream_of(request_conn)
        if self._quota.waits(stream):
            self._close_after(stream, IDLE_S)
        return _Request(super().start_request(server_conn, request_conn), lambda: self._works(stream))

    def on_close(self, server_conn: object) -> None:
        """A connection is closed, or has become a WebSocket."""
        super().on_close(server_conn)
        stream = _stream_of(server_conn)
        self._quota.remove(stream)
        # A WebSocket has its own time limits.
        self._deadlines.pop(stream).cancel()

    def _works(self, stream: IOStream) -> None:
        self._quota.works(stream)
        self._close_after(stream, ANSWER_S)

    def _close_after(self, stream: IOStream, delay_s: float) -> None:
        if stream in self._deadlines:
            self._deadlines[stream].cancel()
        self._deadlines[stream] = asyncio.get_running_loop().call_later(delay_s, stream.close)


class _Request(HTTPMessageDelegate):
    """Says when a request has come as a whole."""

    def __init__(self, inner: HTTPMessageDelegate, came: Callable[[], None]) -> None:
        self._inner = inner
        self._came = came

    def headers_received(
        self, start_line: RequestStartLine | ResponseStartLine, headers: HTTPHeaders
    ) -> Awaitable[None] | None:
        return self._inner.headers_received(start_line, headers)

    def data_received(self, chunk: bytes) -> Awaitable[None] | None:
        return self._inner.data_received(chunk)

    def finish(self) -> None:
        self._came()
        self._inner.finish()

    def on_connection_close(self) -> None:
        self._inner.on_connection_close()


def _stream_of(connection: Any) -> IOStream:
    """The stream of a connection, whose class Tornado does not name in its interfaces."""
    stream: IOStream = connection.stream
    return stream
