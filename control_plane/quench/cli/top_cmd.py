# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench top``: the live view in a terminal."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from quench_switch.cli.commands import Commands

from quench.cli.completed import switches
from quench.cli.live_source import takes_source
from quench.cli.options import PortOption, QueueOption
from quench.errors import ControllerError

if TYPE_CHECKING:
    from quench.feed.source import Source
    from quench.top.state import Wanted


@takes_source(after="queue")
def top(
    open_source: "Callable[[], Source]",
    switch: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this switch.", autocompletion=switches)
    ] = None,
    port: PortOption = None,
    queue: QueueOption = None,
) -> None:
    """Show queues, marks, drops, source quenches and flows as they are now, and change thresholds by keys."""
    if not is_terminal():
        raise ControllerError("this is no terminal: 'quench thresholds watch' and 'quench stats' print lines")
    from quench.top.state import Wanted

    show_top(open_source(), Wanted(switch, port, queue))


def is_terminal() -> bool:
    """Whether there is a terminal to draw on and to read keys from. Textual draws on stderr."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def show_top(source: "Source", wanted: "Wanted") -> None:
    """Show a source until the user leaves. Raises ControllerError where no queue is as wanted."""
    # Here, because a pipe needs none of Textual.
    from quench.top.app import TopApp

    screen = TopApp(source, wanted)
    screen.run()
    if screen.fault is not None:
        raise screen.fault


app = Commands()
app.command("top")(top)
