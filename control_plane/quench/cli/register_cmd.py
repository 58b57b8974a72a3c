# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench register``: the registers of any P4 program, over P4Runtime where the server has them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.text import printable

from quench.cli.options import JsonOption
from quench.cli.output import print_rows
from quench.cli.server_options import takes_server

if TYPE_CHECKING:
    import finsy as fy

    from quench.client import words
    from quench.client.session import Session
    from quench.service.direct import DirectSwitch
else:
    fy = later("finsy")
    words = later("quench.client.words")

app = Commands("Show and change the registers of any P4 program, over P4Runtime. BMv2 offers none.")
RegisterArgument = Annotated[
    str, typer.Argument(metavar="REGISTER", help="Its name, or the end of it.", show_default=False)
]


@app.command("list")
@takes_server
def list_(server: "DirectSwitch", as_json: JsonOption = False) -> None:
    """Show the registers of the program that the switch runs."""

    async def work(session: "Session") -> list[dict[str, Any]]:
        return [{"register": each.name, "size": each.size} for each in session.p4info.registers]

    print_rows(server.read(work), ("register", "cells"), lambda row: (row["register"], row["size"]), as_json=as_json)


@app.command()
@takes_server
def read(
    server: "DirectSwitch",
    register: RegisterArgument,
    index: Annotated[int | None, typer.Argument(min=0, metavar="[INDEX]", help="Without it: all cells.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Cells that are 0, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the cells of a register."""

    async def work(session: "Session") -> list[dict[str, Any]]:
        found = words.find(session.p4info.registers, "register", register)
        pattern = words.checked(fy.P4RegisterEntry(found.name, index=index), session.p4info, found.name)
        return [{"index": cell.index, "value": cell.data} async for cell in session.read([pattern])]

    rows = [row for row in server.read(work) if every or index is not None or row["value"]]
    print_rows(
        rows,
        ("cell", "value"),
        lambda row: (row["index"], row["value"]),
        as_json=as_json,
        nothing="all cells are 0",
    )


@app.command()
@takes_server
def write(
    server: "DirectSwitch",
    register: RegisterArgument,
    index: Annotated[int, typer.Argument(min=0, metavar="INDEX", help="The cell.", show_default=False)],
    value: Annotated[
        str, typer.Argument(metavar="VALUE", help="A number, or JSON for several parts.", show_default=False)
    ],
) -> None:
    """Set a cell of a register."""
    data = words.data(value)

    async def work(session: "Session") -> str:
        found = words.find(session.p4info.registers, "register", register)
        cell = words.checked(fy.P4RegisterEntry(found.name, index=index, data=data), session.p4info, found.name)
        await session.write([~cell])
        return found.name

    typer.echo(printable(f"{server.change(work)}[{index}]: {value}"))
