# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs both simulators on all cases, in parallel, and compares their measurements within tolerances."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from quench_experiments.comparison import ns2, ours
from quench_experiments.comparison.cases import Case
from quench_experiments.comparison.ns2 import Reference
from quench_experiments.comparison.ours import OF_QUENCH, Switches
from quench_experiments.comparison.outcome import Outcome, Spread, over_seeds
from quench_experiments.errors import ComparisonError
from quench_experiments.runner.processes import Death, in_processes

POINTS = {"utilisation": 0.003, "loss": 0.001}
"""Tolerances of differences."""
SHARES = {"loss": 0.15, "mean_queue_bytes": 0.05, "marked_pkts": 0.10}
"""Tolerances of differences as shares of ns-2's value."""
SMALL_LOSS = 0.005
"""A smaller loss is compared in points: a share of nearly nothing says nothing."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric of one case."""

    metric: str
    theirs: float
    ours: float
    difference: float
    """A share of theirs where `relative` is true, else in points."""
    relative: bool
    within: bool


def compare(theirs: dict[str, float], ours: dict[str, float]) -> list[Agreement]:
    """The metrics that have a tolerance and that both measured."""
    names = [name for name in dict.fromkeys((*POINTS, *SHARES)) if name in theirs and name in ours]
    return [_agreement(name, theirs[name], ours[name]) for name in names]


def _agreement(metric: str, theirs: float, ours: float) -> Agreement:
    difference = ours - theirs
    if metric not in SHARES or (metric == "loss" and theirs < SMALL_LOSS):
        return Agreement(metric, theirs, ours, difference, relative=False, within=abs(difference) <= POINTS[metric])
    if theirs == 0:
        return Agreement(metric, theirs, ours, ours, relative=False, within=ours == 0)
    share = ours / theirs - 1
    return Agreement(metric, theirs, ours, share, relative=True, within=abs(share) <= SHARES[metric])


Simulator = Literal["ns2", "ours"]
Basis = Literal["run", "recorded", "extended"]
"""The origin of ns-2's numbers: a run just now, reference.yaml's measurements, or its extended ns-2."""


@dataclass(frozen=True, slots=True)
class Row:
    """One case."""

    case: Case
    basis: Basis
    theirs: dict[str, Spread]
    ours: dict[str, Spread]
    agreements: list[Agreement]

    @property
    def within(self) -> bool:
        """Whether everything that has a tolerance is within it."""
        return all(agreement.within for agreement in self.agreements)

    def as_json(self) -> dict[str, Any]:
        """The row's content in out/experiments/ns2.json."""
        return {
            "key": self.case.key,
            "basis": self.basis,
            "ns2": {name: spread.model_dump() for name, spread in self.theirs.items()},
            "ours": {name: spread.model_dump() for name, spread in self.ours.items()},
            "agreements": [asdict(agreement) for agreement in self.agreements],
            "within": self.within,
        }


def run_all(
    cases: Sequence[Case],
    seeds: Sequence[int],
    simulators: dict[Simulator, Path | None],
    jobs: int,
    progress: Callable[[str], None],
    switches: Switches = OF_QUENCH,
) -> dict[tuple[Simulator, str], dict[str, Spread]]:
    """Every case with every seed in each simulator, in ns2 where it knows the scheme. Raises ComparisonError.

    `simulators` has the path of ns.
    """
    work = [
        (simulator, case, seed)
        for case in cases
        for simulator in simulators
        if simulator == "ours" or case.in_ns2
        for seed in seeds
    ]
    outcomes: dict[tuple[Simulator, str], list[Outcome]] = {}
    calls = [(simulator, simulators[simulator], case, seed, switches) for simulator, case, seed in work]
    with in_processes(_run_one, calls, jobs) as results:
        for index, outcome in results:
            simulator, case, _ = work[index]
            if isinstance(outcome, Death):
                raise ComparisonError(
                    f"{case.key}: the process that ran {simulator} ended by itself (out of memory?): try fewer --jobs"
                )
            outcomes.setdefault((simulator, case.key), []).append(outcome)
            progress(f"{simulator} {case.key}")
    return {key: over_seeds(runs) for key, runs in outcomes.items()}


def _run_one(simulator: Simulator, ns: Path | None, case: Case, seed: int, switches: Switches) -> Outcome:
    if simulator == "ns2":
        assert ns is not None
        return ns2.run(ns, case, seed)
    return ours.run(case, seed, switches)


def rows(
    cases: Sequence[Case], measured: dict[tuple[Simulator, str], dict[str, Spread]], reference: Reference
) -> list[Row]:
    """Our measurements, case by case, beside ns-2's of now, or else its recorded ones."""
    result = []
    for case in cases:
        mine = dict(measured["ours", case.key])
        theirs = measured.get(("ns2", case.key))
        basis: Basis = "run"
        if theirs is None:
            theirs = reference.of(case.key)
            basis = "recorded" if case.in_ns2 else "extended"
        ecn = measured.get(("ours", case.key.removesuffix(case.scheme) + "ecn"))
        if ecn is not None and "gain_over_ecn" in theirs:
            mine["gain_over_ecn"] = Spread(mean=mine["goodput_bps"].mean / ecn["goodput_bps"].mean - 1)
        agreements = compare(_means(theirs), _means(mine))
        result.append(Row(case, basis, theirs, mine, agreements))
    return result


def _means(spreads: dict[str, Spread]) -> dict[str, float]:
    return {name: spread.mean for name, spread in spreads.items()}
