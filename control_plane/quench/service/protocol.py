# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's local socket: one JSON object a line, a request each way.

Request ``{"method": NAME, "params": {...}}``; answer ``{"result": ...}`` or ``{"error": SENTENCE}``.
"""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

MAX_LINE_BYTES = 64 << 20
Handler = Callable[[dict[str, Any]], Awaitable[Any]]


class ControllerError(Exception):
    """The controller refused, or could not be reached."""


class ControlServer:
    """Listens on a Unix socket that only this user may open."""

    def __init__(self, path: Path, methods: dict[str, Handler], expected: tuple[type[Exception], ...]) -> None:
        self._path = path
        self._methods = methods
        self._expected = expected
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Take the path. Raises ControllerError when another controller lives there."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.is_socket():
            if _is_alive(self._path):
                raise ControllerError(
                    f"{self._path}: another controller listens here; stop it or choose another socket"
                )
            self._path.unlink()
        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=MAX_LINE_BYTES)
        self._path.chmod(0o600)

    async def stop(self) -> None:
        """Give the path back."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the client went away, or sent a line beyond the limit
        finally:
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            method = self._methods[request["method"]]
            params = request.get("params", {})
        except (ValueError, KeyError, TypeError, AttributeError):
            return {"error": f"not a request: known methods are {', '.join(sorted(self._methods))}"}
        try:
            return {"result": await method(params)}
        except self._expected as error:
            return {"error": str(error)}


def _is_alive(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


class ControlClient:
    """A blocking client, for the command line and for tests."""

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def call(self, method: str, **params: Any) -> Any:
        """The result of one request. Raises ControllerError."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(self._timeout_s)
            try:
                connection.connect(str(self._path))
                connection.sendall(json.dumps({"method": method, "params": params}).encode() + b"\n")
                with connection.makefile("rb") as answers:
                    line = answers.readline()
            except OSError as error:
                raise ControllerError(
                    f"{self._path}: no controller answers ({error.strerror or error}): "
                    "start one with 'quench controller run'"
                ) from error
        if not line:
            raise ControllerError(f"{self._path}: the controller closed the connection")
        answer = json.loads(line)
        if "error" in answer:
            raise ControllerError(answer["error"])
        return answer["result"]
