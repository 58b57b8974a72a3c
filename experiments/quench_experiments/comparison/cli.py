# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment compare``."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from quench.signals import Interrupted, signals_as_exceptions
from quench_switch.cli.commands import Commands
from quench_switch.cli.output import complain
from quench_switch.outside.files import write_files

from quench_experiments.cli.catalogue import PROGRAM, ProgramOption
from quench_experiments.errors import ComparisonError, SimulationError
from quench_experiments.known import MAX_SEEDS

if TYPE_CHECKING:
    from rich.console import Console

    from quench_experiments.comparison.cases import Case
    from quench_experiments.comparison.ours import Switches
    from quench_experiments.comparison.outcome import Spread
    from quench_experiments.comparison.side_by_side import Row, Simulator

FULL_SEEDS, QUICK_SEEDS = 3, 1

app = Commands("Put the simulation beside ns-2 and beside the kernel.")


@app.callback()
def _root() -> None:
    """A group, also while it has one command."""


@app.command()
def ns2(
    case: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Only cases whose names contain this. Repeatable.", show_default="all"),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few cases, one seed.")] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            metavar="SEEDS",
            min=1,
            max=MAX_SEEDS,
            help="Runs of each case.",
            show_default=f"{FULL_SEEDS}, {QUICK_SEEDS} if quick",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="PROCESSES", min=1, help="Runs at a time.", show_default="as many as there are processors"
        ),
    ] = None,
    recorded: Annotated[
        bool,
        typer.Option("--recorded", help="Run ours only, beside ns-2's recorded numbers, also where ns is installed."),
    ] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Run ns-2 only and write what it measures to bench/ns2/reference.yaml.")
    ] = False,
    program: ProgramOption = PROGRAM,
    slowdown: Annotated[
        int | None,
        typer.Option(
            metavar="TIMES",
            min=1,
            help="How many times slower than time the clock of a chip is.",
            show_default="1000 with the TNA program",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where ns2.json and ns2.md go.")] = Path("out/experiments"),
) -> None:
    """Run our simulator and ns-2 in the same settings, or beside ns-2's recorded numbers where it is not installed."""
    from rich.console import Console

    from quench_experiments.comparison import ns2 as ns2_runs
    from quench_experiments.comparison.ns2 import read_reference
    from quench_experiments.comparison.ours import Switches
    from quench_experiments.comparison.side_by_side import rows

    console = Console()
    try:
        cases = _chosen(case or [], quick)
        numbers = list(range(1, (seeds or (QUICK_SEEDS if quick else FULL_SEEDS)) + 1))
        ns = None if recorded else ns2_runs.find_ns()
        if record:
            _record(console, cases, numbers, jobs, ns)
            return
        reference = read_reference(ns2_runs.REFERENCE)
        if ns is None:
            console.print("ns-2's numbers are those of bench/ns2/reference.yaml")
        simulators: dict[Simulator, Path | None] = {"ours": None} if ns is None else {"ns2": ns, "ours": None}
        measured = _run(console, cases, numbers, simulators, jobs, Switches(program, slowdown))
        table = rows(cases, measured, reference)
        _write(out, numbers, table)
        _show(console, table)
        console.print(f"{out / 'ns2.json'}, {out / 'ns2.md'}")
    except Interrupted as signal:
        raise typer.Exit(signal.exit_status) from None
    except (ComparisonError, SimulationError, OSError) as error:
        complain("quench experiment compare", error)
        raise typer.Exit(1) from None


@app.command()
def window() -> None:
    """Compare one flow's window, moment by moment, with that in ns-2, where nothing is random."""
    from rich.console import Console
    from rich.markdown import Markdown

    from quench_experiments.comparison import ns2 as ns2_runs
    from quench_experiments.comparison import one_flow
    from quench_experiments.comparison.tables import window_table

    console = Console()
    try:
        ns = ns2_runs.find_ns()
        if ns is None:
            raise ComparisonError("ns is not installed (Debian's package is ns2)")
        table = window_table(one_flow.FLOWS, [one_flow.compare(ns, flow) for flow in one_flow.FLOWS])
    except (ComparisonError, SimulationError, OSError) as error:
        complain("quench experiment compare", error)
        raise typer.Exit(1) from None
    console.print(Markdown(table))


@app.command()
def kernel(
    flows: Annotated[
        list[int] | None, typer.Option(metavar="FLOWS", min=1, help="TCP flows. Repeatable.", show_default="8 and 30")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="SECONDS", min=1, help="Measured time of each scheme.")] = 60.0,
    scheme: Annotated[
        list[str] | None, typer.Option(metavar="SCHEME", help="As in quench demo. Repeatable.", show_default="all")
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="SEEDS", min=1, max=MAX_SEEDS, help="Simulations of each scheme.")] = 3,
    again: Annotated[
        bool, typer.Option("--again/--keep", help="Run the demo again, or simulate only, beside the last demo.")
    ] = True,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where kernel.json, kernel.md and the demos go.")] = Path(
        "out/experiments"
    ),
) -> None:
    """Compare kernel TCP over the embedded switch, in real time, with the same network in simulation. Needs root."""
    from quench.profiles.settings import PAPER_SCHEMES
    from rich.console import Console
    from rich.markdown import Markdown

    from quench_experiments.comparison import kernel as kernel_runs
    from quench_experiments.comparison.tables import kernel_table

    console = Console()
    pairs = []
    try:
        with signals_as_exceptions():
            for count in flows or kernel_runs.FLOWS:
                folder = out / "kernel" / f"{count}-flows"
                console.print(f"{count} flows: {'the demo runs' if again else folder}")
                summary = (
                    kernel_runs.run_demo(count, seconds, scheme or PAPER_SCHEMES, folder)
                    if again
                    else kernel_runs.read_summary(folder)
                )
                pairs += kernel_runs.pairs(summary, list(range(1, seeds + 1)))
            write_files(
                (out / "kernel.json", json.dumps([asdict(pair) for pair in pairs], indent=2) + "\n"),
                (out / "kernel.md", kernel_table(pairs)),
            )
    except Interrupted as signal:
        raise typer.Exit(signal.exit_status) from None
    except (ComparisonError, SimulationError, OSError) as error:
        complain("quench experiment compare", error)
        raise typer.Exit(1) from None
    console.print("Each cell: kernel / simulation")
    console.print(Markdown(kernel_table(pairs)))
    console.print(f"{out / 'kernel.json'}, {out / 'kernel.md'}")


def _chosen(texts: Sequence[str], quick: bool) -> "list[Case]":
    from quench_experiments.comparison.cases import all_cases

    cases = [
        case
        for case in all_cases()
        if (case.quick or not quick) and (not texts or any(text in case.key for text in texts))
    ]
    if not cases:
        raise ComparisonError(f"no case is named like {' or '.join(texts)}: {', '.join(c.key for c in all_cases())}")
    return cases


def _run(
    console: "Console",
    cases: "Sequence[Case]",
    seeds: Sequence[int],
    simulators: "dict[Simulator, Path | None]",
    jobs: int | None,
    switches: "Switches | None" = None,
) -> "dict[tuple[Simulator, str], dict[str, Spread]]":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from quench_experiments.comparison.ours import OF_QUENCH
    from quench_experiments.comparison.side_by_side import run_all

    runs = sum(len(seeds) for case in cases for simulator in simulators if simulator == "ours" or case.in_ns2)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with signals_as_exceptions(), Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("comparing", total=runs)

        def step(what: str) -> None:
            progress.update(task, advance=1, description=what)

        return run_all(cases, seeds, simulators, jobs or os.cpu_count() or 1, step, switches or OF_QUENCH)


def _record(console: "Console", cases: "Sequence[Case]", seeds: list[int], jobs: int | None, ns: Path | None) -> None:
    from quench_experiments.comparison import ns2 as ns2_runs
    from quench_experiments.comparison.ns2 import Measured, write_measured

    if ns is None:
        raise ComparisonError("ns is not installed, so there is nothing to record (Debian's package is ns2)")
    runnable = [case for case in cases if case.in_ns2]
    measured = _run(console, runnable, seeds, {"ns2": ns}, jobs)
    known = {key: {name: (s.mean, s.sd) for name, s in spreads.items()} for (_, key), spreads in measured.items()}
    order = [case.key for case in runnable]
    recorded = Measured(version=_version(), seeds=seeds, cases={key: known[key] for key in order})
    write_measured(ns2_runs.REFERENCE, recorded)
    console.print(str(ns2_runs.REFERENCE))


def _version() -> str:
    """The version of Debian's package, if it is installed."""
    query = ["dpkg-query", "-W", "-f", "${Version}", "ns2"]
    try:
        asked = subprocess.run(query, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "not Debian's package"
    return f"Debian's {asked.stdout.strip()}"


def _write(out: Path, seeds: Sequence[int], table: "Sequence[Row]") -> None:
    from quench_experiments.comparison.tables import extra_table, main_table

    out.mkdir(parents=True, exist_ok=True)
    content = {"seeds": list(seeds), "cases": [row.as_json() for row in table]}
    write_files(
        (out / "ns2.json", json.dumps(content, indent=2) + "\n"),
        (out / "ns2.md", f"{main_table(table)}\n{extra_table(table)}"),
    )


def _show(console: "Console", table: "Sequence[Row]") -> None:
    from rich.markdown import Markdown

    from quench_experiments.comparison.tables import extra_table, main_table

    console.print("Each cell: ns-2 / ours")
    console.print(Markdown(main_table(table)))
    console.print(Markdown(extra_table(table)))
    within = sum(row.within for row in table)
    console.print(f"{within} of {len(table)} cases are within all tolerances")
