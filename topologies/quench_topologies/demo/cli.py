# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench demo``."""

import json
import logging
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from quench.service.protocol import ControllerError
from quench.units import parse_rate_bps, parse_seconds
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column, Table

from quench_topologies.demo.expectations import Expectation, expectations
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.report import write_report
from quench_topologies.demo.runner import DRAIN_S, Runner, RunSettings
from quench_topologies.demo.scenarios import Scenario, parse_scenarios
from quench_topologies.demo.summary import summarise
from quench_topologies.demo.table import rows
from quench_topologies.dumbbell import BOTTLENECK_SWITCH, DumbbellSettings, dumbbell
from quench_topologies.errors import TopologyError
from quench_topologies.isolation import InterruptedBySignal, signals_as_exceptions
from quench_topologies.network import running_network
from quench_topologies.program import find_host_loader, find_program

_VERDICTS = {
    "holds": "[green]so it is[/]",
    "too_close_to_tell": "[yellow]too close to tell[/]",
    "fails": "[red]NOT so here[/]",
}
PAUSE_LIMIT_S = 0.25
"""What is sampled every 0.1 s may be late by so much before the demo distrusts its numbers."""
CHANGEOVER_S = DRAIN_S + 1.0
"""Between two schemes, about: for the time that is left."""

Number = TypeVar("Number", int, float)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def demo(
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help="taildrop, red, ecn, becn, ecn-becn (at 20 and at 40 KB) or ecn-becn:DEPTH. Repeatable. "
            "[default: red, ecn, becn, ecn-becn]",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="Measured time of each scheme.")] = 20.0,
    warmup: Annotated[float, typer.Option(min=0, help="Seconds before that, which no number includes.")] = 8.0,
    flows: Annotated[int, typer.Option(min=1, max=1000)] = 30,
    pairs: Annotated[int, typer.Option(min=1, max=100, help="Pairs of hosts that share the flows.")] = 4,
    rate: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")] = "10Mbps",
    delay: Annotated[str, typer.Option(metavar="TIME", help="Of the bottleneck link, one way.")] = "40ms",
    target: Annotated[str, typer.Option(help="embedded or bmv2.")] = "embedded",
    seed: Annotated[int, typer.Option(min=0, help="Of the switches' draws and of the flows' starts.")] = 1,
    program: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of quench.json.  [default: build, build/bmv2]")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the results go.")] = Path("out/demo"),
) -> None:
    """Run the schemes side by side: kernel TCP across a bottleneck whose switch executes the P4 program.

    Needs root. Nothing of the machine's own network is touched, and nothing is left when it ends.
    """
    logging.getLogger("mininet").setLevel(logging.ERROR)
    console = Console()
    try:
        with signals_as_exceptions():
            scenarios = parse_scenarios(scheme or [])
            dumbbell_settings = DumbbellSettings(
                pairs=pairs, rate_bps=_parsed("--rate", parse_rate_bps, rate), delay_ns=_delay_ns(delay)
            )
            settings = RunSettings(flows, warmup, seconds, seed, find_host_loader())
            summary, runs = _run_all(console, dumbbell_settings, settings, scenarios, target, program)
            expected = expectations(summary["schemes"])
            summary["expectations"] = [
                {"claim": each.claim, "measured": each.measured, "verdict": each.verdict} for each in expected
            ]
            out.mkdir(parents=True, exist_ok=True)
            (out / "summary.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
            write_report(out / "report.html", summary, runs, expected)
            _show(console, summary, expected)
            console.print(f"{out / 'summary.json'}, {out / 'report.html'}")
    except InterruptedBySignal as interruption:
        console.print("quench demo: interrupted; everything has been ended")
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError) as error:
        typer.echo(f"quench demo: {error}", err=True)
        raise typer.Exit(1) from None


def _run_all(
    console: Console,
    dumbbell_settings: DumbbellSettings,
    settings: RunSettings,
    scenarios: tuple[Scenario, ...],
    target: str,
    program: Path | None,
) -> tuple[dict[str, Any], list[tuple[Scenario, Recording]]]:
    plan = dumbbell(dumbbell_settings, scenarios[0].profile())
    runs = []
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting the network", total=len(scenarios) * settings.run_s, left="")
        with running_network(plan, find_program(program, target), target, settings.seed) as network:
            switch_version = network.switches[BOTTLENECK_SWITCH].version()
            runner = Runner(network, settings)
            for index, scenario in enumerate(scenarios):

                def show(elapsed_s: float, index: int = index, scenario: Scenario = scenario) -> None:
                    done_s = index * settings.run_s + elapsed_s
                    left_s = (len(scenarios) * settings.run_s - done_s) + (len(scenarios) - 1 - index) * CHANGEOVER_S
                    phase = "warm-up" if elapsed_s < settings.warmup_s else "measuring"
                    progress.update(
                        task,
                        completed=done_s,
                        description=f"{scenario.name} ({phase})",
                        left=f"{left_s:.0f} s left",
                    )

                if not console.is_terminal:
                    console.print(f"{scenario.name}: {settings.run_s:g} s")
                runs.append((scenario, runner.run(scenario, show)))
    return {
        "settings": {
            "target": target,
            "rate_bps": dumbbell_settings.rate_bps,
            "delay_one_way_ns": dumbbell_settings.delay_ns if target == "embedded" else 0,
            "buffer_bytes": dumbbell_settings.buffer_bytes,
            "access_rate_bps": dumbbell_settings.access_rate_bps,
            "access_delay_one_way_ns": dumbbell_settings.access_delay_ns if target == "embedded" else 0,
            "packet_bytes": dumbbell_settings.tcp.packet_bytes,
            "pairs": dumbbell_settings.pairs,
            "flows": settings.flows,
            "warmup_s": settings.warmup_s,
            "measured_s": settings.measured_s,
            "seed": settings.seed,
        },
        "versions": {
            "quench": version("quench"),
            "switch": switch_version,
            "kernel": platform.release(),
            "python": platform.python_version(),
            "finished_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        },
        "schemes": [summarise(scenario, recording, dumbbell_settings.rate_bps) for scenario, recording in runs],
    }, runs


def _show(console: Console, summary: dict[str, Any], expected: list[Expectation]) -> None:
    settings, schemes = summary["settings"], summary["schemes"]
    table = Table(Column("", no_wrap=True), *(Column(each["name"], justify="right") for each in schemes), box=SIMPLE)
    for row in rows(schemes):
        table.add_row(*row)
    console.print(table)
    console.print(
        f"Measured for {settings['measured_s']:g} s after a warm-up of {settings['warmup_s']:g} s that is left out; "
        f"target {settings['target']}; each profile is in summary.json (mark_at head, the default: marks are decided "
        "when packets leave)."
    )
    pause_s = max(scheme["longest_pause_s"] for scheme in schemes)
    if pause_s > PAUSE_LIMIT_S:
        console.print(
            f"[red]The machine was too busy:[/] once nothing of the demo ran for {pause_s:.1f} s, so the numbers say "
            "little. Run it again on a quieter machine."
        )
    if settings["target"] == "bmv2":
        console.print("BMv2 does not delay, does not count overflows, and its queue is known by its reports only.")
    console.print("What the papers would expect:")
    for each in expected:
        console.print(f"  {_VERDICTS[each.verdict]}: {each.claim}: {each.measured}")


def _delay_ns(text: str) -> int:
    return round(_parsed("--delay", parse_seconds, text) * 1e9)


def _parsed(option: str, parse: Callable[[str], Number], text: str) -> Number:
    try:
        return parse(text)
    except ValueError as error:
        raise TopologyError(f"{option}: {error}") from error
