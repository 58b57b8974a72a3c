# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds compare``: two profiles in turns on one queue of a running network, with confidence intervals."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.lazy import later
from quench_switch.cli.output import complain
from quench_switch.outside.units import format_seconds, parse_seconds

from quench.cli.completed import DEFAULT_SOCKET
from quench.cli.options import (
    JsonOption,
    PortOption,
    QueueOption,
    SocketOption,
    controller,
    only,
    parsed,
)
from quench.cli.output import print_rows
from quench.cli.profile_options import profile_from
from quench.errors import ControllerError
from quench.signals import Interrupted, signals_as_exceptions

if TYPE_CHECKING:
    from quench.compare import batch as batches_of
    from quench.compare import statistics, turns
    from quench.compare.statistics import Estimate
    from quench.compare.turns import Plan
    from quench.feed import model
else:
    batches_of, statistics = later("quench.compare.batch"), later("quench.compare.statistics")
    turns, model = later("quench.compare.turns"), later("quench.feed.model")

MOST_S = 86400.0
"""Longest measured time of a profile, longest warm-up."""


def compare(
    first: Annotated[Path, typer.Argument(metavar="A.yaml", help="A file with one profile.", show_default=False)],
    second: Annotated[Path, typer.Argument(metavar="B.yaml", help="A file with another one.", show_default=False)],
    seconds: Annotated[
        float,
        typer.Option(min=1, max=MOST_S, metavar="SECONDS", help="Measured time of each profile, without warm-up."),
    ] = 60.0,
    switch: Annotated[str | None, typer.Option(metavar="NAME", help="Only this switch.")] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    warm_up: Annotated[str, typer.Option(metavar="TIME", help="Left out at the beginning of each turn.")] = "5s",
    batch: Annotated[str, typer.Option(metavar="TIME", help="Length of a batch, of which the intervals are.")] = "5s",
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """Compare two profiles of a queue under traffic: they take four turns each, then the former one comes back."""
    profiles = [profile_from(first, {}), profile_from(second, {})]
    plan = _plan(seconds, warm_up, batch)
    control = controller(socket)
    measured = turns.Turns(control, _one(only(control.call("thresholds.show", switch=switch), port, queue)))
    names = (str(first), str(second))
    count = 2 * turns.TURNS
    complain(
        "quench",
        f"{measured.name}: {count} turns of {plan.turn_s:g} s, {count * plan.turn_s:g} s in all",
    )

    def say_turn(turn: int) -> None:
        complain("quench", f"turn {turn + 1} of {count}: {names[turn % 2]}")

    try:
        with signals_as_exceptions(), measured.restored(lambda text: complain("quench", text)):
            figures = measured.measure(profiles, plan, say_turn)
    except Interrupted as interruption:
        raise typer.Exit(interruption.exit_status) from None
    rows = _rows(*figures)
    if as_json:
        typer.echo(json.dumps({"a": names[0], "b": names[1], "batch_s": plan.batch_s, "figures": rows}, indent=2))
        return
    headings = (f"mean, 95 % of {4 * plan.batches} batches", f"A: {names[0]}", f"B: {names[1]}", "B - A")
    print_rows(rows, headings, _cells, as_json=False)


def _plan(seconds: float, warm_up: str, batch: str) -> "Plan":
    warm_up_s, batch_s = parsed("--warm-up", parse_seconds, warm_up), parsed("--batch", parse_seconds, batch)
    for option, length_s in (("--warm-up", warm_up_s), ("--batch", batch_s)):
        if not model.RATE_WINDOW_S <= length_s <= MOST_S:
            least = format_seconds(model.RATE_WINDOW_S)
            raise ControllerError(f"{option}: give {least} to {MOST_S:g}s: rates are means over {least}")
    batches = round(seconds / turns.TURNS / batch_s)
    if batches < 1 or abs(batches * batch_s * turns.TURNS - seconds) > 1e-6:
        fitting = max(1, batches) * batch_s * turns.TURNS
        raise ControllerError(
            f"--seconds {seconds:g}: each of {turns.TURNS} turns has whole batches of {batch_s:g} s: give {fitting:g}"
        )
    return turns.Plan(warm_up_s, batch_s, batches)


def _one(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The only queue. Raises ControllerError."""
    if len(rows) == 1:
        return rows[0]
    if not rows:
        raise ControllerError("no such queue has a profile: 'quench thresholds show' lists those that have one")
    known = ", ".join(f"{row['switch']} {row['port']}.{row['queue']}" for row in rows)
    raise ControllerError(f"choose a queue by --switch, --port and --queue; as port.queue there are {known}")


def _rows(
    first: Sequence[Mapping[str, float | None]], second: Sequence[Mapping[str, float | None]]
) -> list[dict[str, Any]]:
    rows = []
    for name in batches_of.FIGURES:
        batches = [[each[name] for each in figures] for figures in (first, second)]
        known = [[value for value in values if value is not None] for values in batches]
        rows.append(
            {
                "figure": name,
                "a": _estimate(statistics.mean_of(known[0])),
                "b": _estimate(statistics.mean_of(known[1])),
                "difference": _estimate(statistics.difference_of(*known)),
                "batches_a": batches[0],
                "batches_b": batches[1],
            }
        )
    return rows


def _estimate(estimate: "Estimate | None") -> dict[str, float | None] | None:
    return None if estimate is None else {"value": estimate.value, "half_width": estimate.half}


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [batches_of.FIGURES[row["figure"]], *(_shown(row[name]) for name in ("a", "b", "difference"))]


def _shown(estimate: Mapping[str, float | None] | None) -> str:
    """The interval with two digits, and the value with as many decimals."""
    if estimate is None:
        return "-"
    value, half = estimate["value"], estimate["half_width"]
    if not half:
        return f"{value:.4g}" if half is None else f"{value:.4g} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{decimals}f} ± {half:.{decimals}f}"
