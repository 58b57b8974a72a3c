# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's output in the terminal."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from quench_topologies.demo.options import DemoPlan
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.verdicts import VERDICTS, Expectation
from quench_topologies.demo.words import SLOW_BPS, SLOW_LINK, legend, rate, remarks, too_busy

_STYLES = {"holds": "green", "too_close_to_tell": "yellow", "fails": "red"}


def announce(console: Console, plan: DemoPlan, seconds: float) -> None:
    """Print the network, the number of runs and their time."""
    settings = plan.load_settings
    console.print(
        f"{plan.topology.name}, {plan.topology.title}: {plan.loaded.flows} TCP flows, {rate(settings.rate_bps)}, "
        f"{settings.delay_ns / 1e6:g} ms one way; {len(plan.scenarios)} runs, about {seconds / 60:.1f} minutes"
    )
    if settings.rate_bps < SLOW_BPS:
        console.print(SLOW_LINK)


def show_results(console: Console, summary: dict[str, Any], expected: Sequence[Expectation]) -> None:
    """Print the tables, and the papers' claims with their verdicts."""
    settings, schemes = summary["settings"], summary["schemes"]
    _table(console, schemes, rows(schemes))
    if by_link := link_rows(schemes):
        _table(console, schemes, by_link)
    console.print(legend(schemes))
    console.print(
        f"Measured for {settings['measured_s']:g} s after a warm-up of {settings['warmup_s']:g} s that is left out; "
        f"target {settings['target']}, TCP {settings['tcp']}; each profile is in summary.json (unless said otherwise, "
        "mark_at head: marks are decided when packets leave)."
    )
    if warning := too_busy(summary):
        console.print(Text(warning, style="red"))
    for remark in remarks(summary):
        console.print(remark)
    console.print("Expected by the papers:")
    for each in expected:
        console.print(Text.assemble("  ", (VERDICTS[each.verdict], _STYLES[each.verdict]), f": {each.text}"))


def _table(console: Console, schemes: Sequence[dict[str, Any]], cells: Sequence[Sequence[str]]) -> None:
    columns = (Column(each["name"], justify="right", overflow="fold") for each in schemes)
    table = Table(Column("", no_wrap=True), *columns, box=SIMPLE, padding=0)
    for row in cells:
        table.add_row(*row)
    console.print(table)
