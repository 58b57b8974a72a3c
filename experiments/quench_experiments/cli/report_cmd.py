# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment report``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quench_experiments.cli.catalogue import (
    ALL,
    HELP,
    OUT,
    PROGRAM,
    OutOption,
    ProgramOption,
    chosen,
    complete,
    faults_in_one_line,
)

if TYPE_CHECKING:
    from rich.console import Console

    from quench_experiments.definition import Experiment
    from quench_experiments.report.gather import Chapter, Report
    from quench_experiments.runner.folder import Choice

ALONE = "reports"
"""The folder in which each report of one experiment has a folder."""


def report(
    keys: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY...]", help=HELP, autocompletion=complete, show_default="one report of all"),
    ] = None,
    quick: Annotated[
        bool | None, typer.Option("--quick/--full", help="Show this set.", show_default="as each was run last")
    ] = None,
    program: ProgramOption = PROGRAM,
    out: OutOption = OUT,
) -> None:
    """Write report.html, report.md and verdicts.json: published or expected results beside ours.

    With KEY, each experiment has a report of its own, in DIR/reports/KEY.
    """
    from rich.console import Console

    from quench_experiments.report.comparison import read_comparisons
    from quench_experiments.report.gather import Report, gather

    # Imported here: figures are slow to import, and the other commands draw none.
    from quench_experiments.report.write import write_report
    from quench_experiments.runner.environment import environment_of
    from quench_experiments.runner.folder import Choice, Folder

    console = Console()
    with faults_in_one_line("report"):
        folder = Folder(out)
        choices = folder.choices()
        experiments = chosen(keys) if keys else [*chosen([ALL]), *_own(choices)]
        if quick is not None:
            choices = {each.key: Choice(quick) for each in experiments}
        found = gather(experiments, choices, folder, environment_of(program))
        if keys:
            paths = [
                path
                for chapter in found.chapters
                for path in write_report(Report([chapter], found.environment), (), out / ALONE / chapter.key)
            ]
        else:
            paths = list(write_report(found, read_comparisons(out), out))
    _show(console, found)
    console.print(", ".join(str(path) for path in paths), markup=False, highlight=False, soft_wrap=True)


def _own(choices: "dict[str, Choice]") -> "list[Experiment]":
    """The readers' own experiments whose files are still there."""
    from quench_experiments.definition import load

    return [load(Path(choice.file)) for choice in choices.values() if choice.file and Path(choice.file).exists()]


def _show(console: "Console", report: "Report") -> None:
    from rich.table import Column, Table

    from quench_experiments.report.gather import JUDGEMENTS

    columns = (Column(name, justify="right") for name in ("runs", *JUDGEMENTS))
    # Long keys take two lines on a narrow terminal and are whole.
    table = Table(Column("experiment", overflow="fold"), *columns)
    for chapter in report.chapters:
        counts = [str(count or "") for count in chapter.counts.values()]
        table.add_row(chapter.key, _runs(chapter), *counts)
    table.add_section()
    table.add_row("all", "", *(str(count) for count in report.counts.values()))
    console.print(table)


def _runs(chapter: "Chapter") -> str:
    return "computed" if chapter.experiment.is_computed else f"{chapter.found}/{chapter.planned}"
