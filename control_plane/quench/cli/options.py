# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from quench.service.protocol import ControllerError

Value = TypeVar("Value")

DEFAULT_SOCKET = Path("/run/quench/controller.sock")

SocketOption = Annotated[Path, typer.Option("--socket", envvar="QUENCH_SOCKET", help="The controller's socket.")]
SwitchOption = Annotated[
    str | None,
    typer.Option("--address", metavar="HOST:PORT", help="Talk to this P4Runtime server, without a controller."),
]
DeviceOption = Annotated[int, typer.Option("--device-id", help="With --address: the device.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PortOption = Annotated[int | None, typer.Option("--port", min=0, max=510, help="Only this egress port.")]
QueueOption = Annotated[int | None, typer.Option("--queue", min=0, max=7, help="Of the port's queues, this one.")]


def only(rows: list[dict[str, Any]], port: int | None, queue: int | None) -> list[dict[str, Any]]:
    """The rows about this port and this queue; None: any."""
    return [row for row in rows if (port is None or row["port"] == port) and (queue is None or row["queue"] == queue)]


def parsed(parse: Callable[[str], Value], text: str) -> Value:
    """What an option says. Raises ControllerError."""
    try:
        return parse(text)
    except ValueError as error:
        raise ControllerError(str(error)) from error
