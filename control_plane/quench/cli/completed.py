# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Values of options and arguments that a shell may put on the line.

A shell waits for each answer while its user types. So nothing is imported here that an answer does not need, a
controller is asked for a short time, and whatever goes wrong there is no answer instead of an error.
"""

import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import typer
from quench_switch.outside.text import printable

DEFAULT_SOCKET: Final = Path("/run/quench/controller.sock")
TIMEOUT_S: Final = 0.1
"""The time that a controller has to answer. One that is there needs a few milliseconds."""
MAX_ANSWER_BYTES: Final = 1 << 20
YAML: Final = (".yaml", ".yml")
MOST: Final = 1000
"""Values that are offered."""

Complete = Callable[[str], list[str]]
CompleteOnLine = Callable[[typer.Context, str], list[str]]


def beginning(values: Iterable[str]) -> Complete:
    """Completes to those of the values that begin as the word does."""
    return lambda incomplete: [value for value in values if value.startswith(incomplete)]


def listed(values: Iterable[str]) -> Complete:
    """The same where several values stand with commas between."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        return [f"{before}{comma}{value}" for value in values if value.startswith(last) and value not in taken]

    return complete


def files(*suffixes: str) -> Complete:
    """Completes to files with one of these suffixes, and to the folders on the way to them."""

    def complete(incomplete: str) -> list[str]:
        folder, slash, name = incomplete.rpartition("/")
        try:
            with os.scandir(Path(folder + slash or ".").expanduser()) as entries:
                found = [
                    f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
                    for entry in entries
                    if entry.name.startswith(name)
                    and (name or not entry.name.startswith("."))
                    and (entry.is_dir() or entry.name.endswith(suffixes))
                ]
        except OSError:
            return []
        return sorted(found)[:MOST]

    return complete


def switches(context: typer.Context, incomplete: str) -> list[str]:
    """The names of the controller's switches."""
    return _offered((row["switch"] for row in _queues(context)), incomplete)


def ports(context: typer.Context, incomplete: str) -> list[str]:
    """The controller's managed ports: of the switch that the line names, or of all."""
    return _offered((str(row["port"]) for row in _of_line(context)), incomplete)


def queues(context: typer.Context, incomplete: str) -> list[str]:
    """The queues of the port that the line names, or of all."""
    port = context.params.get("port")
    rows = (row for row in _of_line(context) if port is None or str(row["port"]) == str(port))
    return _offered((str(row["queue"]) for row in rows), incomplete)


def _offered(values: Iterable[str], incomplete: str) -> list[str]:
    known = dict.fromkeys(printable(value) for value in values if value.startswith(incomplete))
    return sorted(known, key=lambda value: (len(value), value))[:MOST]


def _of_line(context: typer.Context) -> list[dict[str, Any]]:
    switch = context.params.get("switch")
    return [row for row in _queues(context) if switch in {None, row["switch"]}]


def _queues(context: typer.Context) -> list[dict[str, Any]]:
    """The rows of ``thresholds.show``; none where no controller answers, or something else does."""
    path = context.params.get("socket") or os.environ.get("QUENCH_SOCKET") or DEFAULT_SOCKET
    try:
        rows = json.loads(_asked(Path(path), b'{"method": "thresholds.show", "params": {}}\n'))["result"]
        return [row for row in rows if isinstance(row["switch"], str) and {"port", "queue"} <= row.keys()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


def _asked(path: Path, request: bytes) -> bytes:
    """The line that a controller answers. Raises OSError, also after TIMEOUT_S in all, and for a longer answer."""
    ends_s = time.monotonic() + TIMEOUT_S
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_S)
        connection.connect(str(path))
        connection.sendall(request)
        answer = bytearray()
        while not answer.endswith(b"\n"):
            left_s = ends_s - time.monotonic()
            if left_s <= 0 or len(answer) > MAX_ANSWER_BYTES:
                raise TimeoutError
            connection.settimeout(left_s)
            part = connection.recv(1 << 16)
            if not part:
                break
            answer += part
    return bytes(answer)
