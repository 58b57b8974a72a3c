# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The work of ``quench demo``: plan, run, report."""

import logging
import platform
import re
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from quench.errors import ControllerError
from quench.signals import Interrupted, signals_as_exceptions
from quench.targets import TARGETS
from quench_switch.cli.output import complain
from quench_switch.outside.units import parse_seconds
from quench_switch.version import VERSION
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from quench_topologies.capture import captured_links
from quench_topologies.demo.expectations import expectations
from quench_topologies.demo.options import (
    DemoPlan,
    DemoWords,
    parsed,
    plan_demo,
)
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.runner import DRAIN_S, Runner, RunSettings
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.demo.screen import announce, show_results
from quench_topologies.demo.summary import summarise
from quench_topologies.errors import TopologyError
from quench_topologies.live_page import LIVE_ADDRESS, LivePage, live_page
from quench_topologies.network import check_target, running_network
from quench_topologies.preconditions import check_folder, check_machine
from quench_topologies.program import Program, find_host_loader, quench_program

LINE_INTERVAL_S = 10.0
"""Between two lines about the same run."""
CHANGEOVER_S = DRAIN_S + 1.0
"""The approximate time between two schemes, for the time that is left."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command line that are not of the plan."""

    warmup: str | None
    seconds: float | None
    seed: int
    target: str
    program: Path | None
    pcap: Path | None
    out: Path
    live: bool


def run(words: DemoWords, wanted: Wanted) -> None:
    """Run the demo. An error is one line and status 1."""
    logging.getLogger("mininet").setLevel(logging.ERROR)
    # It says which fonts and categories it has found.
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    console = Console()
    try:
        with signals_as_exceptions(), ExitStack() as stack:
            plan = plan_demo(words)
            settings = RunSettings(
                plan.warmup_s if wanted.warmup is None else parsed("--warmup", parse_seconds, wanted.warmup),
                plan.measured_s if wanted.seconds is None else wanted.seconds,
                wanted.seed,
                find_host_loader(),
                plan.mix,
            )
            check_target(wanted.target)
            for scenario in plan.scenarios:
                if scenario.program is not None:
                    scenario.program.check_target(wanted.target)
            compiled = quench_program(wanted.program, wanted.target)
            check_machine()
            check_folder("--out", wanted.out)
            if wanted.pcap is not None:
                check_folder("--pcap", wanted.pcap)
            page = stack.enter_context(live_page(LIVE_ADDRESS)) if wanted.live else None
            announce(console, plan, len(plan.scenarios) * (settings.run_s + CHANGEOVER_S))
            runs, switch_version = _run_all(console, plan, settings, wanted.target, compiled, wanted.pcap, page)
            summary = _summary(plan, settings, wanted.target, switch_version, runs)
            expected = expectations(summary["schemes"], summary["settings"])
            summary["expectations"] = [
                {"claim": each.claim, "measured": each.measured, "verdict": each.verdict} for each in expected
            ]
            show_results(console, summary, expected)
            with _doing(console, "drawing the report"):
                # It loads the libraries that draw, which take longer than all else.
                from quench_topologies.demo.report import write_report

                written = write_report(wanted.out, summary, runs, expected)
            console.print(f"{wanted.out / 'summary.json'}, {written}", soft_wrap=True)
    except Interrupted as interruption:
        console.print("quench demo: interrupted; everything has been ended")
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError) as error:
        complain("quench demo", error)
        raise typer.Exit(1) from None


def _run_all(
    console: Console,
    plan: DemoPlan,
    settings: RunSettings,
    target: str,
    program: Program,
    pcap: Path | None,
    page: LivePage | None,
) -> tuple[list[tuple[Scenario, Recording]], str]:
    """All runs, and the version of the switches."""
    runs = []
    lines = _Lines(console)
    scenarios = plan.scenarios
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    with ExitStack() as stack:
        progress = stack.enter_context(Progress(*columns, console=console, transient=True))
        task = progress.add_task("starting the network", total=len(scenarios) * settings.run_s, left="")
        networks = stack.enter_context(ExitStack())
        for index, scenario in enumerate(scenarios):

            def show(elapsed_s: float, index: int = index, scenario: Scenario = scenario) -> None:
                done_s = index * settings.run_s + elapsed_s
                left_s = (len(scenarios) * settings.run_s - done_s) + (len(scenarios) - 1 - index) * CHANGEOVER_S
                phase = "warm-up" if elapsed_s < settings.warmup_s else "measuring"
                lines.say(f"{scenario.name} ({phase}): {left_s:.0f} s left")
                progress.update(
                    task, completed=done_s, description=f"{scenario.name} ({phase})", left=f"{left_s:.0f} s left"
                )

            if index == 0 or scenario.program != scenarios[index - 1].program:
                # The switches of a network run one program.
                networks.close()
                lines.say("starting the network")
                name = f"demo {plan.topology.name}"
                own = running_network(plan.loaded.plan, scenario.program or program, target, settings.seed, name=name)
                network = networks.enter_context(own)
                if page is not None:
                    console.print(f"live: {page.show(network.socket)}", soft_wrap=True)
                runner = Runner(network, plan.loaded, settings)
            captures = nullcontext() if pcap is None else captured_links(network, pcap / _folder(index, scenario))
            with captures:
                runs.append((scenario, runner.run(scenario, show)))
        lines.say("ending the network")
        switch_version = network.switches[plan.loaded.bottlenecks[0].switch].version()
    return runs, switch_version


class _Lines:
    """Lines that say what is going on, where no bar can move: in a file or a pipe."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._next_s = 0.0
        self._last = ""

    def say(self, text: str) -> None:
        """Print a line, unless one about the same was printed lately."""
        if self._console.is_terminal:
            return
        about, now_s = text.partition(":")[0], time.monotonic()
        if about != self._last or now_s >= self._next_s:
            self._console.print(text, highlight=False)
            self._last, self._next_s = about, now_s + LINE_INTERVAL_S


def _doing(console: Console, what: str) -> AbstractContextManager[object]:
    """Say what takes a while."""
    if console.is_terminal:
        return console.status(what)
    console.print(what)
    return nullcontext()


def _folder(index: int, scenario: Scenario) -> str:
    """The folder of a run's captures: its number, and the scheme's name as far as a file's name allows."""
    return f"{index + 1}-{re.sub(r'[^A-Za-z0-9.+=-]+', '-', scenario.name)}"


def _summary(
    plan: DemoPlan,
    settings: RunSettings,
    target: str,
    switch_version: str,
    runs: list[tuple[Scenario, Recording]],
) -> dict[str, Any]:
    network, tcp = plan.load_settings, plan.loaded.plan.tcp
    names = [bottleneck.name for bottleneck in plan.loaded.bottlenecks]
    rates_bps = [plan.loaded.rate_bps(bottleneck) for bottleneck in plan.loaded.bottlenecks]
    return {
        "settings": {
            "topology": plan.topology.name,
            "target": target,
            "tcp": "paper" if tcp.paper else "modern",
            "rate_bps": network.rate_bps,
            "delay_one_way_ns": network.delay_ns if TARGETS[target].has_links else 0,
            "packet_bytes": tcp.packet_bytes,
            "pairs": network.pairs,
            "flows": plan.loaded.flows,
            "mix": settings.mix,
            "isq_mode": network.isq_mode,
            "reverse_loss": network.reverse_loss,
            "scheduler": network.scheduler if plan.topology.name == "vw" else None,
            "warmup_s": settings.warmup_s,
            "measured_s": settings.measured_s,
            "seed": settings.seed,
        },
        "versions": {
            "quench": VERSION,
            "switch": switch_version,
            "kernel": platform.release(),
            "python": platform.python_version(),
            "finished_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        },
        "schemes": [summarise(scenario, recording, names, rates_bps) for scenario, recording in runs],
    }
