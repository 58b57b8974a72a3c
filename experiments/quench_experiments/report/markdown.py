# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.md: the same in Markdown, with the figures in a folder beside it."""

from collections.abc import Callable, Sequence

from quench_experiments.definition import FigureData
from quench_experiments.report.comparison import Comparison
from quench_experiments.report.gather import JUDGEMENTS, Chapter, Report
from quench_experiments.report.page import SIGNS, VERDICT_HEAD, caption_of, introduction, ns2, ours, quoted, reason

Link = Callable[[Chapter, FigureData], str | None]
"""Where a figure is, from the document's folder; None where there is none."""


def markdown(report: Report, comparisons: Sequence[Comparison], link: Link) -> str:
    """The document."""
    lines = ["# The papers' experiments on Quench", "", introduction(report), "", "## Summary", ""]
    lines += table_lines(("experiment", "runs", *JUDGEMENTS), [_summary_row(chapter) for chapter in report.chapters])
    for chapter in report.chapters:
        lines += _chapter(chapter, link)
    for comparison in comparisons:
        lines += ["", f"## {comparison.title}", "", f"{comparison.about} Each cell: {comparison.cells}.", ""]
        lines += table_lines(comparison.head, comparison.rows)
    return "\n".join(lines) + "\n"


def _summary_row(chapter: Chapter) -> list[str]:
    runs = f"{chapter.found}/{chapter.planned}" if chapter.planned else "computed"
    counts = [str(chapter.counts[name] or "") for name in JUDGEMENTS]
    return [f"{chapter.key} {chapter.experiment.title}", runs, *counts]


def _chapter(chapter: Chapter, link: Link) -> list[str]:
    definition = chapter.experiment.definition
    lines = [
        "",
        f"## {chapter.key} {chapter.experiment.title}",
        "",
        f"*{definition.paper}, section {definition.section}.* {definition.about}",
        "",
        chapter.state,
        *(f"- {run} failed: {error}" for run, error in chapter.failures.items()),
    ]
    if chapter.verdicts:
        rows = [
            [
                verdict.quote.text,
                quoted(verdict),
                ours(verdict),
                ns2(verdict),
                f"{SIGNS[verdict.judgement]} {verdict.judgement}",
                reason(verdict),
            ]
            for verdict in chapter.verdicts
        ]
        lines += ["", *table_lines(VERDICT_HEAD, rows)]
    for figure in chapter.figures:
        path = link(chapter, figure)
        caption = caption_of(figure)
        lines += ["", f"![{_cell(caption)}]({path})" if path else f"{caption}: nothing to draw, its runs are missing."]
    return [*lines, "", "Read into the text:", "", *(f"- {reading}" for reading in chapter.experiment.readings)]


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table; cells are text."""
    return [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
