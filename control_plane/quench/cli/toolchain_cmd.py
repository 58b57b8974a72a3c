# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench toolchain``: commands with the names and options of p4c's and BMv2's."""

from pathlib import Path
from typing import Annotated

import typer

from quench.errors import ControllerError
from quench.toolchain.commands import ForeignFileError, write


def toolchain(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write the commands.", show_default=False)],
) -> None:
    """Write commands with the names of p4c's and BMv2's into DIR, which run Quench's compiler and switch."""
    try:
        paths = write(folder)
    except ForeignFileError as error:
        raise ControllerError(str(error)) from error
    for path in paths:
        typer.echo(path)
    typer.echo(f"put {folder.resolve()} first in PATH", err=True)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("toolchain")(toolchain)
