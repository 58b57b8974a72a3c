# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_SOCKET = Path("/run/quench/controller.sock")

SocketOption = Annotated[Path, typer.Option("--socket", envvar="QUENCH_SOCKET", help="The controller's socket.")]
SwitchOption = Annotated[
    str | None,
    typer.Option("--address", metavar="HOST:PORT", help="Talk to this P4Runtime server, without a controller."),
]
DeviceOption = Annotated[int, typer.Option("--device-id", help="With --address: the device.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
