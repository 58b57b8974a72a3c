# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The client of the controller's local socket: one JSON object a line, a request each way.

Request ``{"method": NAME, "params": {...}}``; answer ``{"result": ...}`` or ``{"error": SENTENCE}``.
"""

import json
import socket
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from quench_switch.outside.text import printable

from quench.errors import ControllerError
from quench.service.answers import Envelope
from quench.service.requests import InvalidRequestError, Request, make

MAX_LINE_BYTES = 1 << 20
"""Longest line of a request, with its end."""
MAX_ANSWER_BYTES = 64 << 20
_ANSWER = TypeAdapter(Envelope)


class ControlClient:
    """A blocking client, for the command line and for tests."""

    def __init__(self, path: Path, timeout_s: float = 30.0) -> None:
        self._path = path
        self._timeout_s = timeout_s

    def call(self, method: str, **params: Any) -> Any:
        """The result of one request, of the type that its ``answer`` declares. Raises ControllerError."""
        request, line = encoded(method, params)
        return decoded(self._path, request, self._exchange(line))

    def _exchange(self, line: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(self._timeout_s)
            try:
                connection.connect(str(self._path))
                connection.sendall(line)
                with connection.makefile("rb") as answers:
                    answered = answers.readline(MAX_ANSWER_BYTES)
            except OSError as error:
                raise no_controller(self._path, error) from error
        if not answered:
            raise ControllerError(f"{self._path}: the controller closed the connection")
        return answered


def encoded(method: str, params: dict[str, Any]) -> tuple[Request, bytes]:
    """A request, and its line. Raises ControllerError."""
    try:
        request = make(method, params)
    except InvalidRequestError as error:
        raise ControllerError(str(error)) from error
    values = request.model_dump(mode="json", exclude_unset=True)
    line = json.dumps({"method": method, "params": values}).encode() + b"\n"
    if len(line) > MAX_LINE_BYTES:
        raise ControllerError(f"the request has {len(line)} bytes, {MAX_LINE_BYTES} is the most")
    return request, line


def decoded(path: Path, request: Request, answered: bytes) -> Any:
    """The result that the line of an answer holds. Raises ControllerError."""
    try:
        answer = _ANSWER.validate_json(answered)
        if "error" in answer:
            raise ControllerError(printable(answer["error"]))
        return _printable(request.answer.validate_python(answer.get("result")))
    except ValidationError as error:
        raise ControllerError(f"{path}: the answer is no controller's: is this a controller's socket?") from error


def no_controller(path: Path, error: OSError) -> ControllerError:
    """The error where nobody listens at a socket, or the connection broke."""
    reason = error.strerror or error
    return ControllerError(f"{path}: no controller answers ({reason}): start one with 'quench controller run'")


def _printable(value: Any) -> Any:
    """The same values, with strings that may go to a terminal."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable(each) for each in value]
    if isinstance(value, dict):
        return {printable(key): _printable(each) for key, each in value.items()}
    return value
