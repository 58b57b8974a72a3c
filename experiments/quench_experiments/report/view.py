# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The words and numbers that the report's templates show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quench_experiments.definition import FigureData, Verdict
from quench_experiments.definition.expression import Label
from quench_experiments.report.gather import JUDGEMENTS, Chapter, Report
from quench_experiments.report.numbers import as_given, number, with_spread
from quench_experiments.runner.progress import readable

SIGNS = {"within tolerance": "✓", "same direction": "↗", "different": "✗", "not run": "?"}
"""A sign and a word show a verdict, not the colour alone."""
VERDICT_HEAD = ("what is said", "quoted", "ours", "ns-2", "verdict", "reason")


def introduction(report: Report) -> str:
    """The results in three sentences."""
    counts = report.counts
    found = ", ".join(f"{counts[name]} {name}" for name in JUDGEMENTS if counts[name])
    return (
        f"{len(report.verdicts)} results that the papers state in their texts, beside what our simulator of the "
        f"switches' P4 program gives: {found or 'nothing yet'}. Ours is the mean over the seeds with its 95 % "
        "confidence interval. Nothing was tuned to a quoted number."
    )


def runs(chapter: Chapter) -> str:
    """The number of the experiment's runs that are there."""
    if chapter.experiment.is_computed:
        return "computed"
    if chapter.choice is None:
        return "not run"
    return f"{chapter.found}/{chapter.planned}{' quick' if chapter.choice.quick else ''}"


def counts(chapter: Chapter) -> list[str]:
    """The number of quotes with each judgement, from best to worst; empty for none."""
    return [str(chapter.counts[name] or "") for name in JUDGEMENTS]


def source(chapter: Chapter) -> str:
    """The place in the papers."""
    definition = chapter.experiment.definition
    return f"{definition.paper}, section {definition.section}"


def sign(verdict: Verdict) -> str:
    """The judgement's."""
    return SIGNS[verdict.judgement]


def quoted(verdict: Verdict) -> str:
    """The paper's value with its unit."""
    value = verdict.quote.value
    return "direction" if value is None else f"{as_given(value)} {verdict.quote.unit}".strip()


def ours(verdict: Verdict) -> str:
    """Our value with its confidence interval and unit."""
    return with_spread(verdict.ours, verdict.half_width, verdict.quote.unit)


def ns2(verdict: Verdict) -> str:
    """ns-2's value with its standard deviation and unit; empty where there is none."""
    reference = verdict.quote.ns2
    if reference is None:
        return ""
    if reference.deviation is None:
        return f"{as_given(reference.value)} {verdict.quote.unit}".strip()
    return with_spread(reference.value, reference.deviation, verdict.quote.unit)


def reason(verdict: Verdict) -> str:
    """The reason of the verdict, and the file's remark about the quote."""
    return ". ".join(filter(None, (verdict.reason, verdict.quote.remark)))


def caption(figure: FigureData) -> str:
    """The title, and the paper's figure that it is like."""
    return figure.model.title + (f" (like {figure.model.paper})" if figure.model.paper else "")


def alternative(figure: FigureData) -> str:
    """The figure in words."""
    curves = ", ".join(curve.label for curve in figure.curves if curve.label)
    return f"{caption(figure)}: {figure.y_label} over {figure.x_label or 'time'}{f' for {curves}' if curves else ''}"


@dataclass(frozen=True, slots=True)
class Points:
    """A figure's numbers as a table."""

    caption: str
    head: tuple[str, ...]
    rows: list[list[str]]
    """Empty for time series."""


def points(figure: FigureData) -> Points:
    """A row for each x and a column for each curve; points of curves with an x of their own are listed."""
    if figure.model.kind == "path":
        listed = [
            [curve.label, _coordinate(x), with_spread(y, half)]
            for curve in figure.curves
            for x, y, half in zip(curve.x, curve.y, curve.half_width, strict=True)
        ]
        return Points("", ("curve", figure.x_label or "x", figure.y_label or "y"), listed)
    places = list(dict.fromkeys(x for curve in figure.curves for x in curve.x))
    columns = [
        {x: with_spread(y, half) for x, y, half in zip(curve.x, curve.y, curve.half_width, strict=True)}
        for curve in figure.curves
    ]
    rows = [[_coordinate(x), *(column.get(x, "") for column in columns)] for x in places]
    return Points(figure.y_label, (figure.x_label or "x", *(curve.label for curve in figure.curves)), rows)


def _coordinate(x: Label) -> str:
    """Swept values as they were written, measured ones rounded."""
    if isinstance(x, str):
        return x
    text = as_given(x)
    return text if len(text) <= 7 else number(x)


FILTERS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (runs, counts, source, sign, quoted, ours, ns2, reason, caption, alternative, points, readable)
}
"""For the templates, by name."""
