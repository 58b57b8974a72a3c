# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles of queues as tables: the settings are rows, the queues columns, and the points of a curve rows below."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from quench.cli.output import print_columns, print_whole


def print_thresholds(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the answer of ``thresholds.show``."""
    if not rows:
        typer.echo("no queue has a profile")
    for switch in dict.fromkeys(row["switch"] for row in rows):
        queues = [row for row in rows if row["switch"] == switch]
        labels = list(dict.fromkeys(["scheme", *(name for row in queues for name in row["settings"])]))
        columns = [
            (f"port {row['port']}.{row['queue']}", [_shown(row["settings"].get(name, "")) for name in labels])
            for row in queues
        ]
        away = "" if queues[0]["connected"] else ", not connected"
        print_columns(f"{switch}: profiles of port.queue{away}", labels, columns)
        for row in queues:
            for name, value in row["settings"].items():
                if _is_table(value):
                    _print_rows(f"{switch} {row['port']}.{row['queue']}: {name}", value)


def _print_rows(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    typer.echo(title)
    # Here, as in the other tables: the help needs none of it.
    from rich.table import Table

    table = Table(*names)
    for row in rows:
        table.add_row(*(_shown(row.get(name, "")) for name in names))
    print_whole(table)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _shown(value: Any) -> str:
    if _is_table(value):
        return f"{len(value)}, below"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)
