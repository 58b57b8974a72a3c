# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's side of its local socket. Every line is answered, and nothing waits for a client."""

import asyncio
import fcntl
import json
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quench_switch.outside.text import one_line

from quench.errors import ControllerError
from quench.service.protocol import MAX_LINE_BYTES
from quench.service.requests import InvalidRequestError, Request, parse_line

LOGGER = logging.getLogger(__name__)

MAX_CONNECTIONS = 16
MAX_ERROR_CHARACTERS = 2000
IDLE_S = 60.0
"""Seconds in which a client must have sent a whole line, and as many to take the whole answer."""
Handler = Callable[[Any], Awaitable[Any]]


class Encoded(bytes):
    """A result that is JSON already."""


class ControlServer:
    """Listens on a Unix socket that only this user may open."""

    def __init__(
        self,
        path: Path,
        methods: Mapping[type[Request], Handler],
        expected: tuple[type[Exception], ...],
        *,
        max_connections: int = MAX_CONNECTIONS,
        idle_s: float = IDLE_S,
    ) -> None:
        self._path = path
        self._lock_path = path.with_name(path.name + ".lock")
        self._methods = methods
        self._expected: tuple[type[Exception], ...] = (InvalidRequestError, *expected)
        self._max_connections = max_connections
        self._idle_s = idle_s
        self._connections = 0
        self._server: asyncio.Server | None = None
        self._lock_fd: int | None = None

    async def start(self) -> None:
        """Listen at the path. Raises ControllerError if another controller listens there, or if it cannot be bound."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock_fd = self._lock()
            listener = self._listen()
        except OSError as error:
            self._give_back()
            raise ControllerError(f"{self._path}: cannot listen here: {error.strerror or error}") from error
        self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=MAX_LINE_BYTES - 1)

    async def stop(self) -> None:
        """Close the socket and remove its path."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
        self._give_back()

    def _lock(self) -> int:
        """Lock the socket: the holder owns it, so a socket that a killed controller left can be replaced."""
        while True:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Between open and flock the owner may have removed the file: then the name is another file's, or free.
                if self._lock_path.exists() and os.path.samestat(os.fstat(lock), self._lock_path.stat()):
                    return lock
            except BlockingIOError:
                os.close(lock)
                raise ControllerError(
                    f"{self._path}: another controller listens here; stop it or choose another socket"
                ) from None
            os.close(lock)

    def _listen(self) -> socket.socket:
        if self._path.is_socket():
            self._path.unlink()
        listener = socket.socket(socket.AF_UNIX)
        try:
            with _only_for_this_user():
                listener.bind(str(self._path))
            listener.listen(self._max_connections)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
        return listener

    def _give_back(self) -> None:
        if self._lock_fd is not None:
            self._lock_path.unlink(missing_ok=True)
            os.close(self._lock_fd)
            self._lock_fd = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._connections >= self._max_connections:
            writer.write(_line({"error": f"{self._max_connections} clients are connected already: try again later"}))
            writer.close()
            return
        self._connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, TimeoutError):
            pass  # the client went away, says nothing, or does not read
        finally:
            self._connections -= 1
            # Answers that the client has not taken by now are dropped.
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one line; whether there may be more."""
        is_whole = True
        async with asyncio.timeout(self._idle_s):
            try:
                line = await reader.readuntil()
                answer = await self._answer(line)
            except asyncio.IncompleteReadError as error:
                if not error.partial:
                    return False
                is_whole, answer = False, _line({"error": "not a request: the line has no end"})
            except asyncio.LimitOverrunError:
                message = f"not a request: a line has at most {MAX_LINE_BYTES} bytes"
                is_whole, answer = False, _line({"error": message})
        async with asyncio.timeout(self._idle_s):
            writer.write(answer)
            await writer.drain()
            if not is_whole:
                writer.write_eof()
                # Closed with bytes of it unread, the connection would be reset and the answer lost.
                while await reader.read(1 << 16):
                    pass
        return is_whole

    async def _answer(self, line: bytes) -> bytes:
        try:
            request = parse_line(line)
            result = await self._methods[type(request)](request)
            return b'{"result": %b}\n' % result if isinstance(result, Encoded) else _line({"result": result})
        except self._expected as error:
            return _line({"error": one_line(str(error), MAX_ERROR_CHARACTERS)})
        except Exception:
            # A fault of the controller. The client waits for an answer.
            LOGGER.exception("a request could not be answered: %.200r", line)
            return _line({"error": "internal error: the controller's log says more"})


@contextmanager
def _only_for_this_user() -> Iterator[None]:
    """A socket has its mode from the start: between bind and chmod anybody could connect."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer, allow_nan=False).encode() + b"\n"
