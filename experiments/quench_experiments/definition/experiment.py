# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""An experiment: its runs, or the values that are computed instead, as pure functions of its file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from quench.errors import message_of

from quench_experiments.definition.cost import router_passes
from quench_experiments.definition.expression import Label
from quench_experiments.definition.model import (
    MAX_RUNS,
    TOP_LEVEL_SETUP,
    Computation,
    Definition,
    FigureModel,
    PartModel,
    Quote,
)
from quench_experiments.definition.quantity import Time
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.substitution import substitute
from quench_experiments.definition.table import SEED, Row, Table
from quench_experiments.errors import ExperimentError
from quench_experiments.known import FOLDERS
from quench_experiments.simulation.scenario import Scenario
from quench_experiments.tuning.loop import crossover_rad_s, delay_margin_s, sensitivity_gain

PART, SCHEME = "part", "scheme"
COMPUTED = ("delay_margin_s", "sensitivity_gain", "crossover_rad_per_s")
"""The metrics of a computed experiment."""
Results = Mapping[str, Mapping[str, float]]
"""Metrics of each run, by its id."""
_MOST = 1e9
"""Largest gain or frequency: its square is still a float."""


@dataclass(frozen=True, slots=True)
class Run:
    """One simulation."""

    id: str
    """``KEY/PART/SCHEME/AXIS=VALUE/.../seed=N``; no part where the experiment has only one."""
    scenario: Scenario
    labels: dict[str, Label]
    """part, scheme, the swept values, seed."""


@dataclass(frozen=True, slots=True)
class Point:
    """A combination of scheme and swept values."""

    labels: dict[str, Label]
    variables: dict[str, Label]

    def run_id(self, key: str, seed: int) -> str:
        """The id of the run with this seed."""
        named = [str(self.labels[name]) for name in (PART, SCHEME) if name in self.labels]
        swept = [f"{name}={value}" for name, value in self.variables.items()]
        return "/".join((key, *named, *swept, f"{SEED}={seed}"))


@dataclass(frozen=True)
class Part:
    """A setup with its schemes and sweep."""

    name: str | None
    """None: the experiment has no parts."""
    model: PartModel
    values: Mapping[str, Any] = field(repr=False)
    """The file's values about a run, with its ``$`` texts."""

    def seeds(self, quick: bool) -> tuple[int, ...]:
        """The seeds of its runs."""
        return (self.model.quick.seeds or self.model.seeds) if quick else self.model.seeds

    def points(self, quick: bool = False) -> Iterator[Point]:
        """All combinations, the schemes first."""
        if quick and self.model.quick.skip:
            return
        schemes: Sequence[str | None] = tuple(self.model.schemes) or (None,)
        sweep = dict(self.model.sweep)
        if quick:
            schemes = self.model.quick.schemes or schemes
            sweep |= self.model.quick.sweep
        named: dict[str, Label] = {} if self.name is None else {PART: self.name}
        for scheme, *chosen in product(schemes, *sweep.values()):
            variables = {name: value for name, value in zip(sweep, chosen, strict=True) if value is not None}
            yield Point({**named, **({} if scheme is None else {SCHEME: scheme}), **variables}, variables)

    def setup_values(self, point: Point, quick: bool = False) -> dict[str, Any]:
        """The values of which a `Setup` is made. Raises SubstitutionError."""
        values = {name: self.values[name] for name in TOP_LEVEL_SETUP if self.values.get(name) is not None}
        scheme = point.labels.get(SCHEME)
        if scheme is not None:
            values["scheme"] = {"preset": scheme, **self.model.schemes[str(scheme)]}
        filled: dict[str, Any] = substitute(values, point.variables)
        if quick:
            filled |= self.model.quick.model_dump(include={"duration", "warmup"}, exclude_none=True)
        return filled

    def setup(self, point: Point, quick: bool = False) -> Setup:
        """The point's setup."""
        return Setup.model_validate(self.setup_values(point, quick))


@dataclass(frozen=True)
class Experiment:
    """A file of Quench's own, or of a user's, checked."""

    key: str
    path: Path
    definition: Definition
    parts: tuple[Part, ...]

    @property
    def ships_with_quench(self) -> bool:
        """Whether it comes with Quench; otherwise its file is a user's."""
        return self.path.parent in FOLDERS

    @property
    def title(self) -> str:
        """The file's title."""
        return self.definition.title

    @property
    def readings(self) -> tuple[str, ...]:
        """The readings of points that the paper's text leaves open."""
        return self.definition.readings

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The results that the paper's text states, or that are expected."""
        return self.definition.quotes

    @property
    def figures(self) -> tuple[FigureModel, ...]:
        """The figures to draw."""
        return self.definition.figures

    @property
    def is_computed(self) -> bool:
        """Whether control theory computes its results, and nothing is simulated."""
        return self.definition.kind == "computed"

    def runs(self, quick: bool = False, seeds: int | Sequence[int] | None = None) -> list[Run]:
        """All runs; ``seeds`` replaces the file's (a number: the seeds from 1 on). None for a computed experiment.

        Raises ExperimentError for a run that no simulation could have.
        """
        if self.is_computed:
            return []
        for part in self.parts:
            wanted = sum(1 for _ in part.points(quick)) * len(_chosen(seeds, part.seeds(quick)))
            if wanted > MAX_RUNS:
                raise ExperimentError(f"{self.key}: {wanted} runs: {MAX_RUNS} are the most: choose fewer seeds")
        return [
            self._run(point, setup, seed)
            for part in self.parts
            for point in part.points(quick)
            for setup in (part.setup(point, quick),)
            for seed in _chosen(seeds, part.seeds(quick))
        ]

    def _run(self, point: Point, setup: Setup, seed: int) -> Run:
        run_id = point.run_id(self.key, seed)
        try:
            scenario = setup.scenario(seed)
        except ValidationError as error:
            # Its parts are right each for itself, so no line of the file is at fault.
            raise ExperimentError(f"{run_id}: {message_of(error.errors()[0])}") from error
        return Run(run_id, scenario, {**point.labels, SEED: seed})

    def labels(self, quick: bool = False, seeds: int | Sequence[int] | None = None) -> dict[str, dict[str, Label]]:
        """The runs' labels by their ids, without building scenarios."""
        return {
            point.run_id(self.key, seed): {**point.labels, SEED: seed}
            for part in self.parts
            for point in part.points(quick)
            for seed in _chosen(seeds, part.seeds(quick))
        }

    def labels_of(self, run_ids: Iterable[str]) -> dict[str, dict[str, Label]]:
        """The labels of those of these runs that the experiment has, in its order."""
        wanted = set(run_ids)
        every = self.labels(seeds=sorted({_seed_of(run_id) for run_id in wanted}))
        return {run_id: labels for run_id, labels in every.items() if run_id in wanted}

    def setup_of(self, run_id: str) -> Setup:
        """The setup of a run of the full set. Raises KeyError for a run that the experiment does not have."""
        seed = _seed_of(run_id)
        for part in self.parts:
            for point in part.points():
                if point.run_id(self.key, seed) == run_id:
                    return part.setup(point)
        raise KeyError(run_id)

    def cost_estimate(self, quick: bool = False, seeds: int | Sequence[int] | None = None) -> int:
        """Router passes of all runs, an upper estimate; 0 for a computed experiment."""
        if self.is_computed:
            return 0
        return round(
            sum(
                router_passes(part.setup(point, quick)) * len(_chosen(seeds, part.seeds(quick)))
                for part in self.parts
                for point in part.points(quick)
            )
        )

    def compute(self) -> dict[str, dict[str, float]]:
        """The results of a computed experiment, by the ids that its points would have as runs of seed 1."""
        if self.definition.computation is None:
            raise ValueError(f"{self.key} is simulated, not computed")
        return {
            point.run_id(self.key, 1): _computed(self.definition.computation, point.variables)
            for part in self.parts
            for point in part.points()
        }

    def table(self, results: Results) -> Table:
        """The results with their labels. Runs without results are left out; a computed experiment needs none."""
        if self.is_computed:
            results = self.compute()
        rows = tuple(Row(labels, results[run_id]) for run_id, labels in self.labels_of(results).items())
        return Table(rows, {name: metric.value for name, metric in self.definition.metrics.items()})


def _chosen(seeds: int | Sequence[int] | None, own: Sequence[int]) -> Sequence[int]:
    if seeds is None:
        return own
    return range(1, seeds + 1) if isinstance(seeds, int) else seeds


def _seed_of(run_id: str) -> int:
    number = run_id.rpartition(f"/{SEED}=")[2]
    return int(number) if number.isdigit() else 0


class Tradeoff(BaseModel):
    """Figure 3 of Durresi et al.: one point, all swept values filled in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str
    k0: float = Field(gt=0, le=_MOST)
    rtt: Time = Field(gt=0)
    pole: float = Field(gt=0, le=_MOST)
    k_mecn: float = Field(gt=1, le=_MOST)
    """A loop with a gain of 1 or less never crosses it."""


def tradeoff(computation: Computation, variables: Mapping[str, Label]) -> Tradeoff:
    """The values of one point of a computed experiment. Raises SubstitutionError and pydantic.ValidationError."""
    return Tradeoff.model_validate(substitute(computation.model_dump(), variables, ("computation",)))


def _computed(computation: Computation, variables: Mapping[str, Label]) -> dict[str, float]:
    """Metrics of one point."""
    values = tradeoff(computation, variables)
    found = (
        delay_margin_s(values.k_mecn, values.pole, values.rtt),
        sensitivity_gain(values.k_mecn, values.k0),
        crossover_rad_s(values.k_mecn, values.pole),
    )
    return dict(zip(COMPUTED, found, strict=True))
