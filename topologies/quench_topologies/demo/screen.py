# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's output in the terminal."""

from collections.abc import Sequence
from typing import Any

from quench_switch.outside.text import counted
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from quench_topologies.demo.options import DemoPlan
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.verdicts import VERDICTS, Expectation
from quench_topologies.demo.words import NOTHING_EXPECTED, SLOW_BPS, SLOW_LINK, legend, rate, remarks, too_busy

_EDGES = 3
"""Columns of the table's border."""
_MINUTES_S = 90
_STYLES = {"holds": "green", "too_close_to_tell": "yellow", "fails": "red"}


def announce(console: Console, plan: DemoPlan, seconds: float) -> None:
    """Print the network, the number of runs and their time."""
    settings = plan.load_settings
    console.print(
        f"{plan.topology.name}, {plan.topology.title}: {plan.loaded.flows} TCP flows, {rate(settings.rate_bps)}, "
        f"{settings.delay_ns / 1e6:g} ms one way; {counted(len(plan.scenarios), 'run')}, "
        f"about {_duration(seconds)}",
        soft_wrap=True,
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
    console.print("Expected by the papers:" if expected else NOTHING_EXPECTED)
    for each in expected:
        console.print(Text.assemble("  ", (VERDICTS[each.verdict], _STYLES[each.verdict]), f": {each.text}"))


def _table(console: Console, schemes: Sequence[dict[str, Any]], cells: Sequence[Sequence[str]]) -> None:
    """Print as many schemes beside one another as the screen has room for; names are broken between words only."""
    left = max(len(row[0]) for row in cells)
    widths = [
        max(*map(len, each["name"].split()), *(len(row[number]) for row in cells)) + 1
        for number, each in enumerate(schemes, 1)
    ]
    begin = 0
    while begin < len(schemes):
        end = begin + 1
        while end < len(schemes) and left + sum(widths[begin : end + 1]) + _EDGES <= console.width:
            end += 1
        columns = (
            Column(each["name"], justify="right", min_width=width - 1)
            for each, width in zip(schemes[begin:end], widths[begin:end], strict=True)
        )
        table = Table(Column("", no_wrap=True), *columns, box=SIMPLE, padding=0)
        for row in cells:
            table.add_row(row[0], *row[begin + 1 : end + 1])
        console.print(table)
        begin = end


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < _MINUTES_S else f"{seconds / 60:.1f} minutes"
