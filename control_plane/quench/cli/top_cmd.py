# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench top``: the live view in a terminal."""

import sys
from typing import Annotated

import typer
from quench_switch.p4runtime.address import DEFAULT_DEVICE_ID

from quench.cli.live_source import LoneOption, LoneRateOption, ResultArgument, SpeedOption, source_of
from quench.cli.options import (
    DEFAULT_SOCKET,
    DeviceOption,
    PortOption,
    QueueOption,
    SocketOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    tls_of,
)
from quench.errors import ControllerError
from quench.feed.source import Source
from quench.top.state import Wanted


def top(
    result: ResultArgument = None,
    switch: Annotated[str | None, typer.Option(metavar="NAME", help="Only this switch.")] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    address: LoneOption = None,
    device_id: DeviceOption = DEFAULT_DEVICE_ID,
    rate: LoneRateOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    speed: SpeedOption = 1.0,
) -> None:
    """Show queues, marks, drops, source quenches and flows as they are now, and change thresholds by keys."""
    if not is_terminal():
        raise ControllerError("this is no terminal: 'quench thresholds watch' and 'quench stats' print lines")
    tls = tls_of(tls_ca, tls_cert, tls_key)
    source = source_of(socket, result=result, speed=speed, address=address, device_id=device_id, rate=rate, tls=tls)
    show_top(source, Wanted(switch, port, queue))


def is_terminal() -> bool:
    """Whether there is a terminal to draw on and to read keys from. Textual draws on stderr."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def show_top(source: Source, wanted: Wanted) -> None:
    """Show a source until the user leaves. Raises ControllerError where no queue is as wanted."""
    # Here, because a pipe needs none of Textual.
    from quench.top.app import TopApp

    screen = TopApp(source, wanted)
    screen.run()
    if screen.fault is not None:
        raise screen.fault


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("top")(top)
