# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench wireshark``: install the dissector of Quench's signals for Wireshark and tshark."""

from pathlib import Path
from typing import Annotated

import typer
from quench_switch.cli.commands import Commands

from quench.errors import ControllerError
from quench.wireshark import install, personal_folder, script


def wireshark(
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to write it; without: the personal folder that Wireshark names."),
    ] = None,
    only_print: Annotated[bool, typer.Option("--print", help="Print the script and install nothing.")] = False,
) -> None:
    """Install a dissector for source quenches, Multilevel ECN, and packet-ins and packet-outs of the switch."""
    if only_print:
        if folder is not None:
            raise ControllerError("--print writes no file: leave out --folder, or --print")
        typer.echo(script(), nl=False)
        return
    path = install(folder if folder is not None else personal_folder())
    typer.echo(f"{path}: Wireshark loads it when it starts, or by Analyze > Reload Lua Plugins")


app = Commands()
app.command("wireshark")(wireshark)
