# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds watch``: the screen of ``quench top`` about one switch, and lines where there is no terminal."""

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from quench_switch.cli.output import complain
from quench_switch.outside.units import format_seconds, parse_seconds

from quench.cli.completed import DEFAULT_SOCKET, switches
from quench.cli.live_source import source_of
from quench.cli.options import PortOption, QueueOption, SocketOption, parsed
from quench.cli.top_cmd import is_terminal, show_top
from quench.errors import ControllerError

if TYPE_CHECKING:
    from quench.feed.source import Source
    from quench.top.state import Wanted


def watch(
    switch: Annotated[
        str,
        typer.Argument(metavar="SWITCH", help="Name in the controller's configuration.", autocompletion=switches),
    ],
    port: PortOption = None,
    queue: QueueOption = None,
    interval: Annotated[
        str, typer.Option(metavar="TIME", help="Lines: shortest time between two about a queue, 100ms or more.")
    ] = "500ms",
    count: Annotated[
        int,
        typer.Option(
            metavar="TIMES",
            min=0,
            help="Lines to print, also on a terminal; 0: the screen, or lines until interrupted.",
        ),
    ] = 0,
    socket: SocketOption = DEFAULT_SOCKET,
) -> None:
    """Watch a switch's queues: the screen of `quench top` on a terminal, lines in a pipe or with --count.

    A line is of a sample that is newer than the command, with the thresholds that held when it was taken.
    """
    from quench.feed.model import INTERVAL_S
    from quench.top.state import Wanted

    interval_s = parsed("--interval", parse_seconds, interval)
    if interval_s < INTERVAL_S:
        raise ControllerError(f"--interval: {interval} is too short: {format_seconds(INTERVAL_S)} is the least")
    wanted = Wanted(switch, port, queue)
    source = source_of(socket)
    if count == 0 and is_terminal():
        show_top(source, wanted)
    else:
        asyncio.run(_print(source, wanted, interval_s, count))


async def _print(source: "Source", wanted: "Wanted", interval_s: float, count: int) -> None:
    from quench.top.lines import print_lines

    try:
        say = partial(complain, "quench")
        await print_lines(source, wanted, interval_s, count, typer.echo, say, since_s=time.time())
    finally:
        await source.close()
