# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench table``: the tables of any P4 program, over P4Runtime."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.text import counted, printable, printable_lines

from quench.cli.options import JsonOption
from quench.cli.output import print_rows
from quench.cli.server_options import takes_server
from quench.errors import ControllerError

if TYPE_CHECKING:
    import finsy as fy
    from finsy import p4schema

    from quench.client import cells as stored
    from quench.client import words
    from quench.client.session import Session
    from quench.service.direct import DirectSwitch
else:
    fy = later("finsy")
    p4schema = later("finsy.p4schema")
    stored = later("quench.client.cells")
    words = later("quench.client.words")

app = Commands("Show and change the tables of any P4 program, over P4Runtime.")
TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="Its name, or the end of it.", show_default=False)]
TablesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[TABLE]...", help="These tables; without a name: all.")
]
EntryArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="KEY=VALUE... ACTION [ARG=VALUE...]", help="The keys, the action and its arguments."),
]
PriorityOption = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        max=2**31 - 1,
        help="Of an entry with a ternary, range or optional key: the largest counts.",
    ),
]


@app.command("list")
@takes_server
def list_(server: "DirectSwitch", as_json: JsonOption = False) -> None:
    """Show the tables of the program that the switch runs, with their keys and actions."""
    rows = [_described(table) for table in server.read(_schema).tables]

    def cells(row: Mapping[str, Any]) -> Iterable[object]:
        keys = "\n".join(f"{key['name']}: {key['match']}, {key['width']}" for key in row["keys"])
        actions = "\n".join(f"{name}({', '.join(args)})" for name, args in row["actions"].items())
        return row["table"], keys, actions, row["size"]

    print_rows(rows, ("table", "keys", "actions", "size"), cells, as_json=as_json, shown=printable_lines)


@app.command()
@takes_server
def read(server: "DirectSwitch", tables: TablesArgument = None, as_json: JsonOption = False) -> None:
    """Show the entries of tables with their direct counters, and the default entries."""

    async def work(session: "Session") -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for table in _chosen(session.p4info, tables):
            rows += [stored.plain(entry, table) async for entry in stored.entries_of(session, table)]
            rows += [stored.plain(entry, table) async for entry in stored.default_of(session, table)]
        return rows

    def cells(row: Mapping[str, Any]) -> Iterable[object]:
        key = " ".join(f"{name}={value}" for name, value in row["match"].items()) if "match" in row else "(default)"
        arguments = "".join(f" {name}={value}" for name, value in row["args"].items())
        yield from (row["table"], key or "(any)", row.get("priority", ""), f"{row['action'] or '(none)'}{arguments}")
        yield from (row.get(each, "") for each in ("packets", "bytes"))

    headings = ("table", "key", "priority", "action", "packets", "bytes")
    print_rows(server.read(work), headings, cells, as_json=as_json)


@app.command()
@takes_server
def insert(
    server: "DirectSwitch", table: TableArgument, entry: EntryArgument = None, priority: PriorityOption = None
) -> None:
    """Insert an entry: quench table insert ipv4_lpm dstAddr=10.0.1.0/24 forward port=1."""
    _write(server, table, entry, priority, lambda made: +made, needs_action=True)


@app.command()
@takes_server
def modify(
    server: "DirectSwitch", table: TableArgument, entry: EntryArgument = None, priority: PriorityOption = None
) -> None:
    """Give an entry another action or other arguments. Its keys, and its priority if it has one, find it."""
    _write(server, table, entry, priority, lambda made: ~made, needs_action=True)


@app.command()
@takes_server
def delete(
    server: "DirectSwitch",
    table: TableArgument,
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE...", help="The keys of the entry.")] = None,
    priority: PriorityOption = None,
) -> None:
    """Delete an entry. Its keys, and its priority if it has one, find it."""
    _write(server, table, keys, priority, lambda made: -made, needs_action=False)


@app.command()
@takes_server
def default(
    server: "DirectSwitch",
    table: TableArgument,
    action: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ACTION [ARG=VALUE...]]", help="Without it: the action that the program declares."),
    ] = None,
) -> None:
    """Set the action for packets that no entry fits."""

    async def work(session: "Session") -> str:
        found = words.find(session.p4info.tables, "table", table)
        await session.write([~words.default(session.p4info, found, action or [])])
        return found.name

    typer.echo(printable(f"{server.change(work)}: default entry set"))


@app.command()
@takes_server
def clear(
    server: "DirectSwitch",
    tables: TablesArgument = None,
    every: Annotated[bool, typer.Option("--all", help="All tables of the program.")] = False,
) -> None:
    """Delete all entries of tables, but those that the program declares as constant."""
    if bool(tables) == every:
        raise ControllerError("give tables, or --all for all of them")

    async def work(session: "Session") -> dict[str, int]:
        return {
            table.name: await stored.clear_table(session, table)
            for table in _chosen(session.p4info, tables)
            if not table.is_const
        }

    for name, count in server.change(work).items():
        typer.echo(printable(f"{name}: {counted(count, 'entry', 'entries')} deleted"))


async def _schema(session: "Session") -> "fy.P4Schema":
    return session.p4info


def _chosen(schema: "fy.P4Schema", names: list[str] | None) -> "list[p4schema.P4Table]":
    return [words.find(schema.tables, "table", name) for name in names] if names else list(schema.tables)


def _write(
    server: "DirectSwitch",
    name: str,
    entry: list[str] | None,
    priority: int | None,
    update: "Callable[[fy.P4TableEntry], object]",
    *,
    needs_action: bool,
) -> None:
    async def work(session: "Session") -> str:
        table = words.find(session.p4info.tables, "table", name)
        made = words.entry(session.p4info, table, entry or [], priority)
        if needs_action != (made.action is not None):
            problem = "needs an action behind the keys" if needs_action else "is found by its keys: give no action"
            raise ControllerError(f"an entry of {table.name} {problem}")
        await session.write([update(made)])
        return table.name

    typer.echo(printable(f"{server.change(work)}: done"))


def _described(table: "p4schema.P4Table") -> dict[str, Any]:
    return {
        "table": table.name,
        "keys": [
            {
                "name": field.name,
                "match": str(getattr(field.match_type, "name", field.match_type)).lower(),
                "width": f"{field.bitwidth} bits" if field.bitwidth else "text",
            }
            for field in table.match_fields
        ],
        "actions": {each.name: [param.name for param in each.params] for each in table.actions},
        "size": table.size,
        "is_const": table.is_const,
    }
