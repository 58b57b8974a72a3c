# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The content of a report: each experiment with the runs that are there, its verdicts and its figures."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quench_experiments.definition import Experiment, FigureData, Verdict, evaluate, figure_data
from quench_experiments.runner.cache import StoredRun
from quench_experiments.runner.environment import Environment
from quench_experiments.runner.folder import Choice, Folder
from quench_experiments.runner.plan import make_plan

JUDGEMENTS = ("within tolerance", "same direction", "different", "not run")
"""Judgements from best to worst."""


@dataclass(frozen=True)
class Chapter:
    """One experiment."""

    experiment: Experiment
    choice: Choice | None
    """The set that was run; None: it was never run."""
    planned: int
    """The number of its runs."""
    found: int
    """The planned runs that are there."""
    failures: dict[str, str]
    """The error of each run that failed."""
    verdicts: Sequence[Verdict]
    figures: Sequence[FigureData]
    seconds: float
    """Processor time of all of the runs."""
    tables: dict[str, dict[str, Path]] = field(default_factory=dict)
    """Parquet files of the runs, by run."""

    @property
    def key(self) -> str:
        """The experiment's key."""
        return self.experiment.key

    @property
    def counts(self) -> dict[str, int]:
        """The number of quotes with each judgement."""
        found = Counter(verdict.judgement for verdict in self.verdicts)
        return {judgement: found[judgement] for judgement in JUDGEMENTS}  # type: ignore[index]

    @property
    def is_whole(self) -> bool:
        """Whether all of its runs are there."""
        return self.experiment.is_computed or (self.choice is not None and self.found == self.planned)

    @property
    def state(self) -> str:
        """The runs that are there, in a sentence."""
        if self.experiment.is_computed:
            return "Computed, not simulated."
        if self.choice is None:
            return f"Not run: run 'quench experiment run {self.key}'."
        kind = "quick set" if self.choice.quick else "full set"
        seeds = "" if self.choice.seeds is None else f", seeds 1 to {self.choice.seeds}"
        sentence = f"{self.found} of {self.planned} runs of the {kind}{seeds}"
        if self.found == self.planned:
            return f"{sentence}."
        failed = f", {len(self.failures)} of them failed" if self.failures else ""
        return f"{sentence}: {self.planned - self.found} are missing{failed}."


@dataclass(frozen=True)
class Report:
    """Everything."""

    chapters: Sequence[Chapter]
    environment: Environment

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts of all experiments."""
        return [verdict for chapter in self.chapters for verdict in chapter.verdicts]

    @property
    def counts(self) -> dict[str, int]:
        """The number of quotes with each judgement."""
        return {name: sum(chapter.counts[name] for chapter in self.chapters) for name in JUDGEMENTS}


def gather(
    experiments: Iterable[Experiment], choices: dict[str, Choice], folder: Folder, environment: Environment
) -> Report:
    """Look up what was run. Results of another program or another build of Quench do not count."""
    return Report([_chapter(each, choices.get(each.key), folder, environment) for each in experiments], environment)


def planned_keys(experiment: Experiment, choice: Choice, environment: Environment) -> Sequence[tuple[str, str]]:
    """The id of each run of a set, and its key in the cache."""
    runs = experiment.runs(choice.quick, choice.seeds)
    return make_plan([(experiment.key, runs)], environment).keys[experiment.key]


def _chapter(experiment: Experiment, choice: Choice | None, folder: Folder, environment: Environment) -> Chapter:
    planned = 0 if experiment.is_computed else len(experiment.labels())
    failures: dict[str, str] = {}
    stored: dict[str, StoredRun] = {}
    if choice is not None:
        keys = planned_keys(experiment, choice, environment)
        planned = len(keys)
        for run_id, key in keys:
            run = folder.cache.load(key)
            if run is not None:
                stored[run_id] = run
            elif (error := folder.failure(key)) is not None:
                failures[run_id] = error
    results = {run_id: run.metrics for run_id, run in stored.items()}
    return Chapter(
        experiment=experiment,
        choice=choice,
        planned=planned,
        found=len(stored),
        failures=failures,
        verdicts=evaluate(experiment, results),
        figures=figure_data(experiment, results),
        seconds=sum(run.seconds for run in stored.values()),
        tables={run_id: run.tables for run_id, run in stored.items()},
    )
