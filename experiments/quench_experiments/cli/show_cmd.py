# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment list`` and ``quench experiment show``."""

import json
from typing import TYPE_CHECKING, Annotated

import typer
from quench.cli.options import JsonOption
from quench_switch.outside.text import counted

from quench_experiments.cli.catalogue import ALL, KeyArgument, chosen, faults_in_one_line, one

if TYPE_CHECKING:
    from quench_experiments.definition import Experiment, Quote


def list_(as_json: JsonOption = False) -> None:
    """List the experiments. Runs are counted for the full set and, in brackets, for --quick."""
    from rich.console import Console
    from rich.table import Column, Table

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


def show(
    key: KeyArgument,
    runs: Annotated[bool, typer.Option("--runs", help="List the runs, too.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --runs: those of --quick.")] = False,
) -> None:
    """Show an experiment: its runs, the results that a paper states or that are expected, and what is chosen."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    with faults_in_one_line("show"):
        experiment = one(key)
    console = Console(highlight=False)
    definition = experiment.definition
    console.print(f"[bold]{escape(experiment.key)}: {escape(experiment.title)}[/]{_source(experiment)}")
    console.print(escape(definition.about))
    for part in experiment.parts:
        facts = [] if part.name is None else [part.name]
        if part.model.schemes:
            facts.append(f"schemes {', '.join(part.model.schemes)}")
        facts += [f"{name} {_listed(values)}" for name, values in part.model.sweep.items()]
        if not experiment.is_computed:
            facts.append(counted(len(part.model.seeds), "seed"))
        console.print(f"  {escape('; '.join(facts))}")
    if not experiment.is_computed:
        counts = f"{counted(len(experiment.labels()), 'run')}, {len(experiment.labels(quick=True))} with --quick"
        console.print(f"{counts}; {experiment.path}", soft_wrap=True)
    if experiment.quotes:
        name, title = (
            ("quoted", "The paper's results") if definition.is_of_a_paper else ("expected", "What is expected")
        )
        has_ns2 = any(quote.ns2 is not None for quote in experiment.quotes)
        table = Table(name, "value", *(["ns-2"] if has_ns2 else []), title=title, title_justify="left")
        for quote in experiment.quotes:
            table.add_row(escape(quote.text), _quoted(quote), *([_ns2(quote)] if has_ns2 else []))
        console.print(table)
    if experiment.readings:
        console.print("Read into the text:" if definition.is_of_a_paper else "Chosen:")
    for reading in experiment.readings:
        console.print(f"  - {escape(reading)}")
    if runs:
        for run_id in experiment.labels(quick=quick):
            console.print(run_id, markup=False, soft_wrap=True)


def _source(experiment: "Experiment") -> str:
    """The paper and its section in brackets, where there are such."""
    from rich.markup import escape

    found = ", ".join(filter(None, (experiment.definition.paper, experiment.definition.section)))
    return escape(f" ({found})") if found else ""


def _listed(values: tuple[object, ...]) -> str:
    return ", ".join(str(value) for value in values)


def _quoted(quote: "Quote") -> str:
    return "a direction" if quote.value is None else f"{quote.value:g} {quote.unit}".strip()


def _ns2(quote: "Quote") -> str:
    return "" if quote.ns2 is None else f"{quote.ns2.value:g} {quote.unit}".strip()
