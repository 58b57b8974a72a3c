# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The words and numbers that the report's templates show."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quench_switch.outside.text import counted

from quench_experiments.definition import FigureData, Verdict
from quench_experiments.definition.expression import Label
from quench_experiments.report.gather import JUDGEMENTS, Chapter, Report
from quench_experiments.report.numbers import as_given, number, with_spread
from quench_experiments.runner.progress import readable

SIGNS = {"within tolerance": "✓", "same direction": "↗", "different": "✗", "not run": "?"}
"""A sign and a word show a verdict, not the colour alone."""


def heading(report: Report) -> str:
    """The report's title. Files of a user's own are not the papers'."""
    experiments = [chapter.experiment for chapter in report.chapters]
    if any(each.ships_with_quench and each.definition.is_of_a_paper for each in experiments):
        whole = all(each.ships_with_quench for each in experiments)
        return f"The papers' experiments{'' if whole else ' and others'} on Quench"
    return f"{experiments[0].title} on Quench" if len(experiments) == 1 else "Experiments on Quench"


def introduction(report: Report) -> str:
    """The results in a few sentences."""
    if not report.verdicts and not has_papers(report):
        return "Nothing is expected. What came out is the mean over the seeds with its 95 % confidence interval."
    counts = report.counts
    found = ", ".join(f"{counts[name]} {name}" for name in JUDGEMENTS if counts[name])
    stated = sum(len(each.verdicts) for each in report.chapters if each.experiment.definition.is_of_a_paper)
    expected = len(report.verdicts) - stated
    parts = [f"{counted(stated, 'result')} that the papers state in their texts"] if has_papers(report) else []
    if expected or not parts:
        parts.append(f"{counted(expected, 'result')} that {'is' if expected == 1 else 'are'} expected")
    results = " and ".join(parts)
    return (
        f"{results}, beside what our simulator of the switches' P4 program gives: {found or 'nothing yet'}. "
        "Ours is the mean over the seeds with its 95 % confidence interval."
        + (" Nothing was tuned to a quoted number." if has_papers(report) else "")
    )


def has_papers(report: Report) -> bool:
    """Whether any experiment is of a paper."""
    return any(chapter.experiment.definition.is_of_a_paper for chapter in report.chapters)


def paper(chapter: Chapter) -> str:
    """The paper's name; empty for an experiment of none."""
    definition = chapter.experiment.definition
    return str(definition.paper) if definition.is_of_a_paper else ""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts of an experiment as a table."""

    title: str
    head: tuple[str, ...]
    numeric: tuple[int, ...]
    """The columns of numbers."""
    rows: list[tuple[list[str], Verdict]]
    """The cells before the verdict, and it."""


def verdicts(chapter: Chapter) -> Verdicts:
    """A row for each quote. Only an experiment that has ns-2's values has a column for them."""
    is_of_a_paper = chapter.experiment.definition.is_of_a_paper
    said, value = ("what is said", "quoted") if is_of_a_paper else ("what is expected", "expected")
    others = ["ns-2"] if is_of_a_paper or any(each.quote.ns2 for each in chapter.verdicts) else []
    rows = [
        ([each.quote.text, quoted(each), ours(each), *([ns2(each)] if others else [])], each)
        for each in chapter.verdicts
    ]
    head = (said, value, "ours", *others, "verdict", "reason")
    return Verdicts(f"{value.capitalize()} and measured", head, tuple(range(1, 3 + len(others))), rows)


def choices(chapter: Chapter) -> str:
    """The heading of the list of the readings."""
    return "Read into the text" if chapter.experiment.definition.is_of_a_paper else "Chosen"


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
    """The place in the paper; for an experiment of none what its file says, or nothing."""
    definition = chapter.experiment.definition
    section = definition.section
    if definition.is_of_a_paper and section is not None:
        section = f"section {section}"
    return ", ".join(filter(None, (definition.paper, section)))


def sign(verdict: Verdict) -> str:
    """The judgement's."""
    return SIGNS[verdict.judgement]


def quoted(verdict: Verdict) -> str:
    """The quoted or expected value with its unit."""
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
    for each in (
        *(heading, introduction, has_papers, paper, runs, counts, source, sign, reason, verdicts, choices),
        *(caption, alternative, points, readable),
    )
}
"""The functions for the templates, by name."""
