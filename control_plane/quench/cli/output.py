# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of commands."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from quench_switch.outside.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_WIDEST_TABLE = 1000


def table_console() -> "Console":
    """A console for tables and lines of counters. Only a terminal has a width: a file or a pipe gets whole lines."""
    # Here, because a command without tables needs none of it.
    from rich.console import Console

    console = Console(markup=False)
    return console if console.is_terminal else Console(markup=False, width=_WIDEST_TABLE)


def print_rows(
    rows: Sequence[Mapping[str, Any]],
    headings: Sequence[str],
    cells: Callable[[Mapping[str, Any]], Iterable[object]],
    *,
    as_json: bool,
    nothing: str | None = None,
    shown: Callable[[str], str] = printable,
) -> None:
    """Print rows as JSON, or as a table with what ``cells`` makes of each; ``nothing`` is said where there is none."""
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    elif not rows and nothing is not None:
        table_console().print(nothing)
    else:
        from rich.table import Table

        table = Table(*headings)
        for row in rows:
            table.add_row(*(shown(str(cell)) for cell in cells(row)))
        table_console().print(table)


def place_of(row: Mapping[str, Any]) -> str:
    """The index of a cell, or the match of an entry that has one."""
    if "index" in row:
        return str(row["index"])
    return " ".join(f"{name}={value}" for name, value in row.get("match", {}).items()) or "(any)"


def print_whole(table: "Table") -> None:
    """Print all of a table's digits and headings, however narrow the terminal is."""
    from rich.console import Console

    console = table_console()
    needed = console.measure(table, options=console.options.update(max_width=_WIDEST_TABLE)).maximum
    Console(width=max(console.width, needed), markup=False).print(table)


def print_columns(title: str, labels: Sequence[str], columns: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Print labelled rows of numbers, and as many columns of them beside each other as the terminal has room for.

    Further columns follow in tables of their own. ``columns`` has each one's heading and its cell for each label.
    """
    from rich.table import Table

    room = table_console().width - _bordered(labels) - 1
    rest = list(columns)
    # A table's own title is wrapped at the table's width.
    typer.echo(title)
    while rest:
        taken, width = 1, _bordered([rest[0][0], *rest[0][1]])
        while taken < len(rest) and width + _bordered([rest[taken][0], *rest[taken][1]]) <= room:
            width += _bordered([rest[taken][0], *rest[taken][1]])
            taken += 1
        table = Table("")
        for heading, _ in rest[:taken]:
            table.add_column(heading, justify="right", no_wrap=True)
        for label, *cells in zip(labels, *(cells for _, cells in rest[:taken]), strict=True):
            table.add_row(label, *cells)
        print_whole(table)
        del rest[:taken]


def _bordered(texts: Sequence[str]) -> int:
    """The width of a column with these texts, with its spaces and one border."""
    return max(map(len, texts)) + 3
