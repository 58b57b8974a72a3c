# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's output in the terminal."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table

from quench_topologies.demo.options import DemoPlan
from quench_topologies.demo.table import link_rows, rows
from quench_topologies.demo.verdicts import Expectation

_VERDICTS = {
    "holds": "[green]so it is[/]",
    "too_close_to_tell": "[yellow]too close to tell[/]",
    "fails": "[red]NOT so here[/]",
}
PAUSE_LIMIT_S = 0.25
"""A sample, due every 0.1 s, may be late by so much before the demo warns of its numbers."""
SLOW_BPS = 2_000_000
"""Below this rate a run has a few dozen round trips, and chance decides much."""


def announce(console: Console, plan: DemoPlan, seconds: float) -> None:
    """Print the network, the number of runs and their time."""
    settings = plan.layout_settings
    console.print(
        f"{plan.topology.name}, {plan.topology.title}: {plan.layout.flows} TCP flows, "
        f"{settings.rate_bps / 1e6:g} Mb/s; {len(plan.scenarios)} runs, about {seconds / 60:.1f} minutes"
    )
    if settings.rate_bps < SLOW_BPS:
        console.print(
            "At this rate the queue changes slowly: the papers measured for minutes of simulated time. "
            "Raise --seconds for numbers to rely on."
        )


def show_results(console: Console, summary: dict[str, Any], expected: Sequence[Expectation]) -> None:
    """Print the tables, and the papers' claims with their verdicts."""
    settings, schemes = summary["settings"], summary["schemes"]
    _table(console, schemes, rows(schemes))
    if by_link := link_rows(schemes):
        _table(console, schemes, by_link)
    legend = ["Goodput is per flow"]
    if any(each["beside_algorithm"] for each in schemes):
        legend.append("the gain is of the scheme's flows over the others, with its standard error")
    if any(each["udp_sent_pkts"] for each in schemes):
        legend.append("99 % of the datagrams come no later than 'UDP late'")
    console.print("; ".join(legend) + ".")
    console.print(
        f"Measured for {settings['measured_s']:g} s after a warm-up of {settings['warmup_s']:g} s that is left out; "
        f"target {settings['target']}, TCP {settings['tcp']}; each profile is in summary.json (unless said otherwise, "
        "mark_at head: marks are decided when packets leave)."
    )
    pause_s = max(scheme["longest_pause_s"] for scheme in schemes)
    if pause_s > PAUSE_LIMIT_S:
        console.print(
            f"[red]The machine was too busy:[/] once nothing of the demo ran for {pause_s:.1f} s, so the numbers say "
            "little. Run it again on a quieter machine."
        )
    if settings["target"] == "bmv2":
        console.print("BMv2 does not delay, does not count overflows, and its queue is known by its reports only.")
    console.print("Expected by the papers:")
    for each in expected:
        console.print(f"  {_VERDICTS[each.verdict]}: {each.claim}: {each.measured}")


def _table(console: Console, schemes: Sequence[dict[str, Any]], cells: Sequence[Sequence[str]]) -> None:
    columns = (Column(each["name"], justify="right", overflow="fold") for each in schemes)
    table = Table(Column("", no_wrap=True), *columns, box=SIMPLE, padding=0)
    for row in cells:
        table.add_row(*row)
    console.print(table)
