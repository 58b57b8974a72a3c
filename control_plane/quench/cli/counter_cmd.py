# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench counter``: the counters of any P4 program, over P4Runtime."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.cli.lazy import later
from quench_switch.outside.text import counted, printable

from quench.cli.options import JsonOption
from quench.cli.output import place_of, print_rows
from quench.cli.server_options import takes_server
from quench.errors import ControllerError

if TYPE_CHECKING:
    import finsy as fy
    from finsy import p4schema

    from quench.client import cells as stored
    from quench.client import words
    from quench.client.session import Session
    from quench.service.direct import DirectSwitch

    Counter = p4schema.P4Counter | p4schema.P4DirectCounter
else:
    fy = later("finsy")
    p4schema = later("finsy.p4schema")
    stored = later("quench.client.cells")
    words = later("quench.client.words")

app = Commands("Show and clear the counters of any P4 program, over P4Runtime.")
NamesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[COUNTER]...", help="These counters; without a name: all.")
]


@app.command("list")
@takes_server
def list_(server: "DirectSwitch", as_json: JsonOption = False) -> None:
    """Show the counters of the program that the switch runs."""

    async def work(session: "Session") -> list[dict[str, Any]]:
        return [
            {
                "counter": each.name,
                "unit": each.unit.name.lower(),
                "size": each.size if isinstance(each, p4schema.P4Counter) else None,
                "table": each.direct_table_name if isinstance(each, p4schema.P4DirectCounter) else None,
            }
            for each in _counters(session.p4info)
        ]

    def cells(row: Mapping[str, Any]) -> Iterable[object]:
        size = f"one for each entry of {row['table']}" if row["size"] is None else row["size"]
        return row["counter"], row["unit"], size

    print_rows(server.read(work), ("counter", "unit", "cells"), cells, as_json=as_json)


@app.command()
@takes_server
def read(
    server: "DirectSwitch",
    counters: NamesArgument = None,
    index: Annotated[int | None, typer.Option(metavar="NUMBER", min=0, help="Only this cell.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Cells that are 0, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the cells of counters, and of direct counters the entries with their counts."""

    async def work(session: "Session") -> list[dict[str, Any]]:
        return [
            row
            for counter in _chosen(session.p4info, counters)
            for row in await _rows(session, counter, index)
            if every or index is not None or row["packets"] or row["bytes"]
        ]

    print_rows(
        server.read(work),
        ("counter", "cell", "packets", "bytes"),
        lambda row: (row["counter"], place_of(row), row["packets"], row["bytes"]),
        as_json=as_json,
        nothing="all cells are 0",
    )


@app.command()
@takes_server
def clear(
    server: "DirectSwitch",
    counters: NamesArgument = None,
    every: Annotated[bool, typer.Option("--all", help="All counters of the program.")] = False,
) -> None:
    """Set all cells of counters to 0."""
    if bool(counters) == every:
        raise ControllerError("give counters, or --all for all of them")

    async def work(session: "Session") -> dict[str, int]:
        return {each.name: await stored.clear_counter(session, each) for each in _chosen(session.p4info, counters)}

    for name, count in server.change(work).items():
        typer.echo(printable(f"{name}: {counted(count, 'cell')} set to 0"))


def _counters(schema: "fy.P4Schema") -> "list[Counter]":
    return [*schema.counters, *schema.direct_counters]


def _chosen(schema: "fy.P4Schema", names: list[str] | None) -> "Sequence[Counter]":
    known = _counters(schema)
    return [words.find(known, "counter", name) for name in names] if names else known


async def _rows(session: "Session", counter: "Counter", index: int | None) -> list[dict[str, Any]]:
    if isinstance(counter, p4schema.P4Counter):
        pattern = words.checked(fy.P4CounterEntry(counter.name, index=index), session.p4info, counter.name)
        return [
            {"counter": counter.name, "index": cell.index, "packets": cell.packet_count, "bytes": cell.byte_count}
            async for cell in session.read([pattern])
        ]
    if index is not None:
        raise ControllerError(f"{counter.name} counts for each entry of {counter.direct_table_name}: it has no index")
    table = session.p4info.tables[counter.direct_table_name]
    rows = [stored.plain(entry, table) async for entry in stored.entries_of(session, table)]
    return [{"counter": counter.name, "packets": 0, "bytes": 0, **row} for row in rows]
