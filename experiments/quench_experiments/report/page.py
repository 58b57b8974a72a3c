# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html: one file with everything in it."""

from collections.abc import Callable, Sequence
from html import escape

from quench_experiments.definition import FigureData, Verdict
from quench_experiments.definition.expression import Label
from quench_experiments.report.comparison import Comparison
from quench_experiments.report.gather import JUDGEMENTS, Chapter, Report
from quench_experiments.report.html import bullets, element, svg_image, table, text
from quench_experiments.report.numbers import as_given, number, with_spread
from quench_experiments.report.style import CSS
from quench_experiments.runner.progress import readable

SIGNS = {"within tolerance": "✓", "same direction": "↗", "different": "✗", "not run": "?"}
"""Verdicts are told by a sign and a word, not by colour alone."""
Draw = Callable[[Chapter, FigureData], str | None]
"""An SVG document, or nothing."""
VERDICT_HEAD = ("what is said", "quoted", "ours", "ns-2", "verdict", "reason")


def page(report: Report, comparisons: Sequence[Comparison], draw: Draw) -> str:
    """The document."""
    parts = [
        '<!doctype html>\n<html lang="en">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Quench: the papers' experiments</title><style>{CSS}</style></head><body>",
        '<a class="skip" href="#content">To the content</a>',
        '<header class="top"><h1>The papers\' experiments on Quench</h1>',
        text("p", introduction(report)),
        '</header><main id="content">',
        _summary(report),
        *(_chapter(chapter, draw) for chapter in report.chapters),
        *(_comparison(comparison) for comparison in comparisons),
        _environment(report),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def introduction(report: Report) -> str:
    """What came out, in two sentences."""
    counts = report.counts
    told = ", ".join(f"{counts[name]} {name}" for name in JUDGEMENTS if counts[name])
    return (
        f"{len(report.verdicts)} results that the papers state in their texts, beside what our simulator of the "
        f"switches' P4 program gives: {told or 'nothing yet'}. Ours is the mean over the seeds with its 95 % "
        "confidence interval. Nothing was tuned to a quoted number."
    )


def _summary(report: Report) -> str:
    rows = [
        [
            element("a", f"{escape(chapter.key)} {escape(chapter.experiment.title)}", href=f"#{chapter.key}"),
            escape(chapter.experiment.definition.paper),
            _runs(chapter),
            *(str(chapter.counts[name] or "") for name in JUDGEMENTS),
        ]
        for chapter in report.chapters
    ]
    total = ["All", "", "", *(str(count) for count in report.counts.values())]
    head = ("experiment", "paper", "runs", *JUDGEMENTS)
    body = table("Quoted results by verdict", head, [*rows, total], numeric=range(2, 7))
    return element("section", '<h2 id="summary">Summary</h2>', body, aria_labelledby="summary")


def _runs(chapter: Chapter) -> str:
    if chapter.experiment.is_computed:
        return "computed"
    if chapter.choice is None:
        return "not run"
    return f"{chapter.found}/{chapter.planned}{' quick' if chapter.choice.quick else ''}"


def _chapter(chapter: Chapter, draw: Draw) -> str:
    experiment = chapter.experiment
    definition = experiment.definition
    parts = [
        text("h2", f"{chapter.key} {experiment.title}", id=chapter.key),
        text("p", f"{definition.paper}, section {definition.section}", class_="source"),
        text("p", definition.about),
        _state(chapter),
    ]
    if chapter.verdicts:
        rows = [_row(verdict) for verdict in chapter.verdicts]
        parts += ["<h3>Quoted and measured</h3>", table("", VERDICT_HEAD, rows, numeric=(1, 2, 3))]
    parts += [_figure(chapter, figure, draw) for figure in chapter.figures]
    parts += ["<h3>Read into the text</h3>", bullets(escape(reading) for reading in experiment.readings)]
    return element("section", *parts, aria_labelledby=chapter.key)


def _state(chapter: Chapter) -> str:
    time = f" They took {readable(chapter.seconds)} of one core." if chapter.seconds else ""
    is_whole = chapter.experiment.is_computed or (chapter.choice is not None and chapter.found == chapter.planned)
    parts = [text("p", chapter.state + time, class_="state" if is_whole else "missing")]
    if chapter.failures:
        failures = bullets(escape(f"{run}: {error}") for run, error in chapter.failures.items())
        parts.append(element("details", "<summary>Failed runs</summary>", failures))
    return "".join(parts)


def _row(verdict: Verdict) -> list[str]:
    return [
        escape(verdict.quote.text),
        escape(quoted(verdict)),
        escape(ours(verdict)),
        escape(ns2(verdict)),
        element(
            "span",
            f"{SIGNS[verdict.judgement]} {escape(verdict.judgement)}",
            class_=f"verdict {verdict.judgement.replace(' ', '-')}",
        ),
        escape(reason(verdict)),
    ]


def quoted(verdict: Verdict) -> str:
    """What the paper has."""
    value = verdict.quote.value
    return "direction" if value is None else f"{as_given(value)} {verdict.quote.unit}".strip()


def ours(verdict: Verdict) -> str:
    """What comes out here, with its confidence interval."""
    return with_spread(verdict.ours, verdict.half_width, verdict.quote.unit)


def ns2(verdict: Verdict) -> str:
    """What ns-2 gives, with its standard deviation; nothing where it was not asked."""
    reference = verdict.quote.ns2
    if reference is None:
        return ""
    if reference.deviation is None:
        return f"{as_given(reference.value)} {verdict.quote.unit}".strip()
    return with_spread(reference.value, reference.deviation, verdict.quote.unit)


def reason(verdict: Verdict) -> str:
    """Why the verdict is so, and what the file remarks about the quote."""
    return ". ".join(filter(None, (verdict.reason, verdict.quote.remark)))


def _figure(chapter: Chapter, figure: FigureData, draw: Draw) -> str:
    caption = caption_of(figure)
    document = draw(chapter, figure)
    if document is None:
        return text("p", f"{caption}: nothing to draw, its runs are missing.", class_="missing")
    curves = ", ".join(curve.label for curve in figure.curves if curve.label)
    alt = f"{caption}: {figure.y_label} over {figure.x_label or 'time'}{f' for {curves}' if curves else ''}"
    parts = [svg_image(document, alt), text("figcaption", caption)]
    if any(curve.x for curve in figure.curves):
        parts.append(element("details", "<summary>Its numbers</summary>", _points(figure)))
    is_wide = {"class_": "wide"} if figure.model.kind == "time" else {}
    return element("figure", *parts, **is_wide)


def caption_of(figure: FigureData) -> str:
    """Title, and which of the paper's figures it is like."""
    return figure.model.title + (f" (like {figure.model.paper})" if figure.model.paper else "")


def _points(figure: FigureData) -> str:
    """A row for each x and a column for each curve; curves whose points have an x of their own are listed."""
    if figure.model.kind == "path":
        rows = [
            [escape(curve.label), escape(_coordinate(x)), escape(with_spread(y, half))]
            for curve in figure.curves
            for x, y, half in zip(curve.x, curve.y, curve.half_width, strict=True)
        ]
        return table("", ("curve", figure.x_label or "x", figure.y_label or "y"), rows, numeric=(1, 2))
    places = list(dict.fromkeys(x for curve in figure.curves for x in curve.x))
    columns = [
        {x: with_spread(y, half) for x, y, half in zip(curve.x, curve.y, curve.half_width, strict=True)}
        for curve in figure.curves
    ]
    rows = [[escape(_coordinate(x)), *(escape(column.get(x, "")) for column in columns)] for x in places]
    head = (figure.x_label or "x", *(curve.label for curve in figure.curves))
    return table(figure.y_label, head, rows, numeric=range(1, len(head)))


def _coordinate(x: Label) -> str:
    """Swept values as they were written, measured ones rounded."""
    if isinstance(x, str):
        return x
    text = as_given(x)
    return text if len(text) <= 7 else number(x)


def _comparison(comparison: Comparison) -> str:
    numeric = range(1, len(comparison.head))
    parts = [
        text("h2", comparison.title, id=comparison.key),
        text("p", comparison.about),
        table(f"Each cell: {comparison.cells}", comparison.head, _escaped(comparison.rows), numeric=numeric),
    ]
    return element("section", *parts, aria_labelledby=comparison.key)


def _escaped(rows: list[list[str]]) -> list[list[str]]:
    return [[escape(cell) for cell in row] for row in rows]


def _environment(report: Report) -> str:
    environment = report.environment
    facts = [
        f"Quench's experiments {environment.engine.version}",
        f"P4 program {environment.program_sha256[:12]}",
        f"simulator {environment.engine.native_sha256[:12]}",
        f"its control plane {environment.engine.python_sha256[:12]}",
    ]
    body = text("p", f"{'; '.join(facts)} (SHA-256). Runs of other versions are not shown.", class_="soft")
    return element("section", '<h2 id="versions">Versions</h2>', body, aria_labelledby="versions")
