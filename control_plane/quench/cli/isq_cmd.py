# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench isq``: the sender and the limits of source quenches, changed while packets flow."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer
from quench_switch.cli.commands import Commands

from quench.cli.completed import DEFAULT_SOCKET, switches
from quench.cli.options import JsonOption, SocketOption, controller
from quench.cli.output import print_rows
from quench.errors import ControllerError

app = Commands("Show and change the sender of ICMP source quenches, live.")
SwitchArgument = Annotated[
    str | None, typer.Argument(metavar="[SWITCH]", help="One switch; without it: all.", autocompletion=switches)
]


class Mode(StrEnum):
    """The sender of source quenches."""

    CPU = "cpu"
    DATAPLANE = "dataplane"
    OFF = "off"


@app.command()
def show(switch: SwitchArgument = None, socket: SocketOption = DEFAULT_SOCKET, as_json: JsonOption = False) -> None:
    """Show the sender of source quenches, and the limit of those that each switch sends."""
    rows = controller(socket).call("isq.show", switch=switch)

    def cells(row: Mapping[str, Any]) -> Iterable[object]:
        limit = row["per_queue"]
        text = f"{limit['rate']} per second, {limit['burst']} at once" if limit else "none"
        return row["switch"], row["mode"], text, "yes" if row["connected"] else "no"

    print_rows(rows, ("switch", "mode", "limit per queue (dataplane)", "connected"), cells, as_json=as_json)


@app.command("set")
def set_(
    switch: SwitchArgument = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="Sender: cpu (the controller), dataplane (the switch itself) or off (none)."),
    ] = None,
    rate: Annotated[
        int | None,
        typer.Option(
            metavar="PER_SECOND", min=1, help="Limit of the switch's own source quenches about one queue, per second."
        ),
    ] = None,
    burst: Annotated[int | None, typer.Option(metavar="QUENCHES", min=1, help="With --rate: the most at once.")] = None,
    unlimited: Annotated[
        bool, typer.Option("--unlimited", help="No limit on the switch's own source quenches.")
    ] = False,
    socket: SocketOption = DEFAULT_SOCKET,
) -> None:
    """Change the sender or the limit under traffic, without losing a packet."""
    params: dict[str, Any] = {"switch": switch}
    if mode is not None:
        params["mode"] = mode.value
    if rate is not None and not unlimited:
        params["per_queue"] = {"rate": rate} | ({} if burst is None else {"burst": burst})
    elif unlimited and rate is None and burst is None:
        params["per_queue"] = None
    elif burst is not None or unlimited:
        raise ControllerError("give --rate, with or without --burst, or --unlimited")
    if len(params) == 1:
        raise ControllerError("nothing to change: give --mode, --rate or --unlimited")
    for row in controller(socket).call("isq.set", **params):
        typer.echo(f"{row['switch']}: source quenches: {row['mode']}")
