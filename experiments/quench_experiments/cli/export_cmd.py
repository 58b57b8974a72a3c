# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment export``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from quench_switch.outside.text import counted

from quench_experiments.cli.catalogue import (
    OUT,
    PROGRAM,
    KeysArgument,
    OutOption,
    ProgramOption,
    chosen,
    faults_in_one_line,
)
from quench_experiments.errors import ExperimentError

if TYPE_CHECKING:
    from quench_experiments.definition import Experiment, Results
    from quench_experiments.runner.environment import Environment
    from quench_experiments.runner.folder import Choice, Folder

FOLDER = "exports"


def export(
    keys: KeysArgument,
    as_csv: Annotated[bool, typer.Option("--csv", help="As CSV, the only format.")] = False,
    quick: Annotated[
        bool | None, typer.Option("--quick/--full", help="Export this set.", show_default="as each was run last")
    ] = None,
    program: ProgramOption = PROGRAM,
    out: OutOption = OUT,
) -> None:
    """Write the runs that are there with their parameters and metrics: DIR/exports/KEY.csv.

    Its figures are written to KEY.figures.csv, each point with its mean over the seeds and half of the 95 % confidence
    interval, and distributions of completion times to KEY.distributions.csv, where there are any.
    """
    from quench_experiments.runner.environment import environment_of
    from quench_experiments.runner.folder import Choice, Folder

    if not as_csv:
        raise typer.BadParameter("say in which format: --csv")
    with faults_in_one_line("export"):
        folder = Folder(out)
        choices = folder.choices()
        environment = environment_of(program)
        without = []
        for experiment in chosen(keys):
            choice = choices.get(experiment.key, Choice(False)) if quick is None else Choice(quick)
            if not _export(experiment, choice, folder, environment):
                without.append(str(experiment.key))
        if without:
            names = ", ".join(without)
            raise ExperimentError(f"no run of {names} is there: 'quench experiment run' makes them")


def _export(experiment: "Experiment", choice: "Choice", folder: "Folder", environment: "Environment") -> bool:
    """Write an experiment's files; False where it has no runs."""
    # Imported here: the other commands read no Parquet.
    from quench_experiments.definition import figure_data
    from quench_experiments.report.export import distributions_csv, figures_csv, has_distributions, runs_csv
    from quench_experiments.report.gather import planned_keys
    from quench_experiments.runner.folder import write

    results: Results
    tables: dict[str, dict[str, Path]] = {}
    if experiment.is_computed:
        results = experiment.compute()
        count = f"{counted(len(results), 'point')}, computed"
    else:
        planned = planned_keys(experiment, choice, environment)
        stored = {run_id: run for run_id, key in planned if (run := folder.cache.load(key)) is not None}
        results = {run_id: run.metrics for run_id, run in stored.items()}
        tables = {run_id: run.tables for run_id, run in stored.items()}
        count = f"{len(stored)} of {counted(len(planned), 'run')}"
    if not results:
        return False
    path = folder.path / FOLDER / f"{experiment.key}.csv"
    files = {path: runs_csv(experiment, results)}
    beside = {
        "figures": figures_csv(figures) if (figures := figure_data(experiment, results)) else None,
        "distributions": distributions_csv(experiment, tables) if has_distributions(tables) else None,
    }
    others = {path.with_name(f"{experiment.key}.{name}.csv"): content for name, content in beside.items()}
    files |= {other: content for other, content in others.items() if content is not None}
    write(*files.items())
    for other in others.keys() - files.keys():
        # One of an earlier export would not belong to these runs.
        other.unlink(missing_ok=True)
    typer.echo(f"{path}: {count}")
    for other in list(files)[1:]:
        typer.echo(str(other))
    return True
