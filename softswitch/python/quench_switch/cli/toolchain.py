# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench toolchain``: commands with the names and options of p4c's and BMv2's."""

from pathlib import Path
from typing import Annotated

import typer

from quench_switch.cli.commands import Commands
from quench_switch.cli.output import complain
from quench_switch.toolchain.commands import ForeignFileError, write


def toolchain(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write the commands.", show_default=False)],
) -> None:
    """Write commands with the names of p4c's and BMv2's into DIR, which run this compiler and switch."""
    try:
        paths = write(folder)
    except ForeignFileError as error:
        complain(context.command_path, error)
        raise typer.Exit(1) from None
    for path in paths:
        typer.echo(path)
    typer.echo(f"put {folder.resolve()} first in PATH", err=True)


app = Commands()
app.command("toolchain")(toolchain)
