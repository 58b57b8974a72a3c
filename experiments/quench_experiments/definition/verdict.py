# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts: a paper's results beside ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quench_experiments.definition.experiment import Experiment, Results
from quench_experiments.definition.expression import Operation
from quench_experiments.definition.model import Quote
from quench_experiments.definition.statistics import Sample
from quench_experiments.definition.table import MissingResultError, Table

Judgement = Literal["within tolerance", "same direction", "different", "not run"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One quoted result."""

    experiment: str
    quote: Quote
    judgement: Judgement
    reason: str
    ours: float | None = None
    """Mean over the seeds, in the quote's unit."""
    half_width: float | None = None
    """Half the 95 % confidence interval; None with fewer than two seeds."""
    seeds: int = 0


def evaluate(experiment: Experiment, results: Results) -> list[Verdict]:
    """A verdict for each quote. ``results`` are metrics by run id; missing ones give 'not run'."""
    table = experiment.table(results)
    words = _Words() if experiment.definition.is_of_a_paper else _Words("expected", "expected")
    return [_judge(experiment.key, quote, table, words) for quote in experiment.quotes]


@dataclass(frozen=True, slots=True)
class _Words:
    """The words for the value and the direction beside ours."""

    value: str = "quoted"
    direction: str = "the paper says"


def _judge(key: str, quote: Quote, table: Table, words: _Words) -> Verdict:
    try:
        sample = table.evaluate(quote.metric, quote.at)
        bounds = {name: table.evaluate(bound, quote.at).mean for name, bound in _directions(quote).items()}
    except MissingResultError as error:
        return Verdict(key, quote, "not run", str(error))
    if not sample or not math.isfinite(sample.mean):
        return Verdict(key, quote, "not run", "the value is not a number: a count that it is divided by is 0")
    judgement, reason = _compare(quote, sample, bounds, words)
    return Verdict(key, quote, judgement, reason, sample.mean, sample.half_width, len(sample.values))


def _directions(quote: Quote) -> dict[str, Operation]:
    return {name: bound for name in ("above", "below") if (bound := getattr(quote, name)) is not None}


def _compare(quote: Quote, sample: Sample, bounds: Mapping[str, float], words: _Words) -> tuple[Judgement, str]:
    ours, half = sample.mean, sample.half_width or 0.0
    away = ""
    if quote.value is not None and quote.tolerance is not None:
        allowed = quote.tolerance.around(quote.value)
        distance = abs(ours - quote.value)
        away = f"{_number(distance)} from the {words.value} value, {_number(allowed)} allowed"
        if distance <= allowed:
            return "within tolerance", away
        if distance - half <= allowed:
            away += "; the confidence interval reaches into the tolerance"
    holds = [ours > bound if name == "above" else ours < bound for name, bound in bounds.items()]
    relations = ", ".join(f"{name} {_number(bound)}" for name, bound in bounds.items())
    if not bounds:
        return "different", away
    if all(holds):
        unclear = any(abs(ours - bound) < half for bound in bounds.values())
        reason = f"{relations}, as {words.direction}" + ("; not significant over these seeds" if unclear else "")
        return "same direction", "; ".join(filter(None, (reason, away)))
    return "different", "; ".join(filter(None, (f"not {relations}", away)))


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
