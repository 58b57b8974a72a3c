# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing the report into the folder of results, for people and (``verdicts.json``) for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quench.report import templates
from quench.report.still import pdf, svg

from quench_experiments.definition import FigureData, Verdict
from quench_experiments.report.comparison import Comparison
from quench_experiments.report.draw import draw_all
from quench_experiments.report.gather import JUDGEMENTS, Chapter, Report
from quench_experiments.report.view import FILTERS
from quench_experiments.runner.folder import write

FIGURES = "figures"


def write_report(report: Report, comparisons: Sequence[Comparison], folder: Path) -> Sequence[Path]:
    """Write ``report.html``, ``report.md`` with its figures (SVG, and PDF for papers), and ``verdicts.json``.

    Returns the paths of the three files.

    Raises ExperimentError.
    """
    documents: dict[tuple[str, str], str | None] = {}
    figures: list[tuple[Path, str | bytes]] = []
    for chapter in report.chapters:
        for figure, drawn in zip(chapter.figures, draw_all(chapter.figures, chapter.tables), strict=True):
            document = None if drawn is None else svg(drawn)
            documents[chapter.key, figure.model.name] = document
            if drawn is not None and document is not None:
                figures.append((folder / figure_file(chapter, figure), document))
                figures.append((folder / figure_file(chapter, figure, "pdf"), pdf(drawn)))
    values = {
        "report": report,
        "comparisons": comparisons,
        "documents": documents,
        "judgements": JUDGEMENTS,
        "figure_file": figure_file,
    }
    environment = templates("quench_experiments.report", FILTERS)
    documents_of_all = [
        (folder / "report.html", environment.get_template("experiments.html.j2").render(values)),
        (folder / "report.md", environment.get_template("experiments.md.j2").render(values)),
        (folder / "verdicts.json", verdicts_json(report)),
    ]
    write(*figures, *documents_of_all)
    return [path for path, _ in documents_of_all]


def figure_file(chapter: Chapter, figure: FigureData, kind: str = "svg") -> str:
    """The path of a figure from the report's folder."""
    return f"{FIGURES}/{chapter.key}-{figure.model.name}.{kind}"


def verdicts_json(report: Report) -> str:
    """Objects ``summary``, ``environment`` and ``experiments`` with their runs and verdicts."""
    content = {
        "summary": report.counts,
        "environment": asdict(report.environment),
        "experiments": [_chapter(chapter) for chapter in report.chapters],
    }
    return json.dumps(content, indent=2) + "\n"


def _chapter(chapter: Chapter) -> dict[str, Any]:
    definition, choice = chapter.experiment.definition, chapter.choice
    return {
        "experiment": chapter.key,
        "title": chapter.experiment.title,
        "paper": definition.paper,
        "section": definition.section,
        "kind": definition.kind,
        "set": None if choice is None else "quick" if choice.quick else "full",
        "runs_planned": chapter.planned,
        "runs_found": chapter.found,
        "failures": chapter.failures,
        "simulated_s": round(chapter.seconds, 3),
        "verdicts": [_verdict(verdict) for verdict in chapter.verdicts],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    quote = verdict.quote
    return {
        "name": quote.name,
        "text": quote.text,
        "unit": quote.unit,
        "quoted": quote.value,
        "ours": verdict.ours,
        "half_width_95": verdict.half_width,
        "seeds": verdict.seeds,
        "ns2": None if quote.ns2 is None else quote.ns2.value,
        "ns2_deviation": None if quote.ns2 is None else quote.ns2.deviation,
        "verdict": verdict.judgement,
        "reason": verdict.reason,
        "remark": quote.remark,
    }
