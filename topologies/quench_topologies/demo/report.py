# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""report.html, one file for screen and paper, and its figures as files of their own."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from quench.report import templates
from quench.report.chart import BarPanel, Panel
from quench.report.interactive import embed
from quench.report.still import png, side_by_side, stacked, svg

from quench_topologies.demo.bars import comparison
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.timeline import ends_of, timeline
from quench_topologies.demo.verdicts import VERDICTS, Expectation
from quench_topologies.demo.words import legend, profile_in_words, remarks, settings_in_words, too_busy

FIGURES = "figures"
_OURS = re.compile(r"\d\d-[A-Za-z0-9.-]+\.(svg|png)")


def write_report(
    folder: Path,
    summary: Mapping[str, Any],
    runs: Sequence[tuple[Scenario, Recording]],
    expected: Sequence[Expectation],
) -> Path:
    """Write report.html and figures/; the summary is what summary.json holds. The path of the page."""
    schemes = summary["schemes"]
    bars = comparison(schemes)
    ends = ends_of(runs)
    over_time = [
        timeline(scenario, recording, [link["name"] for link in scheme["links"]], ends)
        for (scenario, recording), scheme in zip(runs, schemes, strict=True)
    ]
    stills = [side_by_side(bars), *map(stacked, over_time)]
    documents = [svg(figure) for figure in stills]
    names = ["schemes", *(scheme["name"] for scheme in schemes)]
    _write_figures(folder / FIGURES, names, stills, documents)
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
            documents=documents,
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
    path.write_text(content, encoding="utf-8")
    return path


def _write_figures(folder: Path, names: Sequence[str], stills: Sequence[Figure], documents: Sequence[str]) -> None:
    """Each as SVG and PNG. Those of an earlier run are removed, for it may have had other schemes."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if _OURS.fullmatch(old.name):
            old.unlink()
    for number, (name, still, document) in enumerate(zip(names, stills, documents, strict=True)):
        stem = f"{number:02}-{re.sub(r'[^A-Za-z0-9.-]+', '-', name)}"
        (folder / f"{stem}.svg").write_text(document, encoding="utf-8")
        (folder / f"{stem}.png").write_bytes(png(still))
