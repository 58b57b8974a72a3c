# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The files of a demo: summary.json, report.html for screen and paper, and its figures as files of their own."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from quench.report import templates
from quench.report.chart import BarPanel, Panel
from quench.report.interactive import embed
from quench.report.still import pdf, png, side_by_side, stacked, svg
from quench_switch.outside.files import Content, write_files

from quench_topologies.demo.bars import comparison, left_out
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.timeline import ends_of, timeline
from quench_topologies.demo.verdicts import VERDICTS, Expectation
from quench_topologies.demo.words import (
    NOTHING_EXPECTED,
    legend,
    profile_in_words,
    remarks,
    settings_in_words,
    too_busy,
)

FIGURES = "figures"
_OURS = re.compile(r"\d\d-[A-Za-z0-9.-]+\.(svg|pdf|png)")


def write_report(
    folder: Path,
    summary: Mapping[str, Any],
    runs: Sequence[tuple[Scenario, Recording]],
    expected: Sequence[Expectation],
) -> Path:
    """Write summary.json with the summary, report.html and figures/. The path of the page. Raises OSError.

    Figures of an earlier run are removed, for it may have had other schemes.
    """
    schemes = summary["schemes"]
    bars = comparison(schemes)
    ends = ends_of(runs)
    over_time = [
        timeline(scenario, recording, [link["name"] for link in scheme["links"]], ends)
        for (scenario, recording), scheme in zip(runs, schemes, strict=True)
    ]
    stills = [*([side_by_side(bars)] if bars else []), *map(stacked, over_time)]
    documents = [svg(figure) for figure in stills]
    names = [*(["schemes"] if bars else []), *(scheme["name"] for scheme in schemes)]
    charts: dict[str, Panel | BarPanel] = {f"bars{index}": panel for index, panel in enumerate(bars)}
    for number, panels in enumerate(over_time):
        charts |= {f"time{number}panel{index}": panel for index, panel in enumerate(panels)}
    content = (
        templates("quench_topologies.demo")
        .get_template("demo.html.j2")
        .render(
            settings=settings_in_words(summary),
            warning=too_busy(summary),
            remarks=remarks(summary),
            head=["", *(scheme["name"] for scheme in schemes)],
            tables=[cells for cells in (rows(schemes), link_rows(schemes)) if cells],
            legend=legend(schemes),
            expected=expected,
            verdicts=VERDICTS,
            embedded=embed(charts),
            comparison=documents[0] if bars else None,
            documents=documents[-len(schemes) :],
            left_out=left_out(schemes),
            nothing_expected=NOTHING_EXPECTED,
            bars=[f"bars{index}" for index in range(len(bars))],
            schemes=[
                (
                    scheme["name"],
                    profile_in_words(scheme),
                    [f"time{number}panel{index}" for index in range(len(panels))],
                )
                for number, (scheme, panels) in enumerate(zip(schemes, over_time, strict=True))
            ],
        )
    )
    path = folder / "report.html"
    figures = dict(_figures(folder / FIGURES, names, stills, documents))
    (folder / FIGURES).mkdir(parents=True, exist_ok=True)
    summary_json = json.dumps(summary, indent=2) + "\n"
    write_files((folder / "summary.json", summary_json), (path, content), *figures.items())
    for old in (folder / FIGURES).iterdir():
        if _OURS.fullmatch(old.name) and old not in figures:
            old.unlink()
    return path


def _figures(
    folder: Path, names: Sequence[str], stills: Sequence[Figure], documents: Sequence[str]
) -> Iterator[tuple[Path, Content]]:
    """Each as SVG, PDF and PNG."""
    # The schemes begin with 1, whether or not there is a figure that compares them.
    first = 0 if names[0] == "schemes" and len(names) > 2 else 1
    for number, (name, still, document) in enumerate(zip(names, stills, documents, strict=True), first):
        stem = f"{number:02}-{re.sub(r'[^A-Za-z0-9.-]+', '-', name)}"
        yield folder / f"{stem}.svg", document
        yield folder / f"{stem}.pdf", pdf(still)
        yield folder / f"{stem}.png", png(still)
