# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing the report into the folder of results."""

from collections.abc import Sequence
from pathlib import Path

from quench_experiments.definition import FigureData
from quench_experiments.report.comparison import read_comparisons
from quench_experiments.report.draw import draw
from quench_experiments.report.gather import Chapter, Report
from quench_experiments.report.markdown import markdown
from quench_experiments.report.page import page
from quench_experiments.report.verdicts import verdicts_json
from quench_experiments.runner.folder import Folder

FIGURES = "figures"


def write_report(report: Report, folder: Folder) -> Sequence[Path]:
    """``report.html``, ``report.md`` with its figures, and ``verdicts.json``; where they are."""
    comparisons = read_comparisons(folder.path)
    drawn = {
        (chapter.key, figure.model.name): document
        for chapter in report.chapters
        for figure in chapter.figures
        if (document := draw(figure, chapter.tables)) is not None
    }
    for (key, name), document in drawn.items():
        folder.write(folder.path / FIGURES / f"{key}-{name}.svg", document)

    def document_of(chapter: Chapter, figure: FigureData) -> str | None:
        return drawn.get((chapter.key, figure.model.name))

    def link_to(chapter: Chapter, figure: FigureData) -> str | None:
        name = figure.model.name
        return f"{FIGURES}/{chapter.key}-{name}.svg" if (chapter.key, name) in drawn else None

    contents = {
        "report.html": page(report, comparisons, document_of),
        "report.md": markdown(report, comparisons, link_to),
        "verdicts.json": verdicts_json(report),
    }
    for name, content in contents.items():
        folder.write(folder.path / name, content)
    return [folder.path / name for name in contents]
