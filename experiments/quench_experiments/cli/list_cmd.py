# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment list``."""

import json

import typer
from quench.cli.options import JsonOption
from rich.console import Console
from rich.table import Column, Table

from quench_experiments.cli.catalogue import ALL, chosen, faults_in_one_line


def list_(as_json: JsonOption = False) -> None:
    """What there is to run. Runs are those of the full set; in brackets, of --quick."""
    with faults_in_one_line("list"):
        experiments = chosen([ALL])
    rows = [
        {
            "key": each.key,
            "paper": each.definition.paper,
            "title": each.title,
            "runs": len(each.labels()) if not each.is_computed else 0,
            "quick_runs": len(each.labels(quick=True)) if not each.is_computed else 0,
            "quotes": len(each.quotes),
        }
        for each in experiments
    ]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table("key", "title", Column("runs (quick)", justify="right"), Column("quotes", justify="right"))
    for row in rows:
        runs = f"{row['runs']} ({row['quick_runs']})" if row["runs"] else "computed"
        table.add_row(str(row["key"]), str(row["title"]), runs, str(row["quotes"]))
    Console().print(table)
