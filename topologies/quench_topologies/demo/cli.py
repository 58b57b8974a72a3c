# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench demo``."""

import logging
import platform
import re
import time
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from quench.errors import ControllerError
from quench.profiles.settings import MARKING_SCHEMES
from quench.signals import Interrupted, signals_as_exceptions
from quench.targets import EMBEDDED, TARGETS
from quench_switch.cli.output import complain
from quench_switch.outside.units import parse_seconds
from quench_switch.version import VERSION
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from quench_topologies.capture import captured_links
from quench_topologies.demo.expectations import expectations
from quench_topologies.demo.options import (
    DEFAULT_MIX,
    DEFAULT_REVERSE_LOSS,
    DEFAULT_SCHEDULER,
    DemoPlan,
    DemoWords,
    parsed,
    plan_demo,
)
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.runner import DRAIN_S, Runner, RunSettings
from quench_topologies.demo.scenarios import CHOICES, ISQ_SCHEMES, Scenario
from quench_topologies.demo.screen import announce, show_results
from quench_topologies.demo.summary import summarise
from quench_topologies.errors import TopologyError
from quench_topologies.live_page import LIVE_ADDRESS, LIVE_HELP, LivePage, live_page
from quench_topologies.network import check_target, running_network
from quench_topologies.plan import ISQ_MODE_HELP
from quench_topologies.preconditions import check_folder, check_machine
from quench_topologies.program import TARGET_HELP, Program, complete_target, find_host_loader, quench_program

CHANGEOVER_S = DRAIN_S + 1.0
"""The approximate time between two schemes, for the time that is left."""
BY_TOPOLOGY = "by topology"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def demo(
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help=f"{CHOICES} with a profile of your own; SCHEME+ALGO runs other hosts beside the scheme's, "
            "such as becn+plain. Several with commas, or repeated.",
            show_default=",".join(MARKING_SCHEMES),
        ),
    ] = None,
    topology: Annotated[str, typer.Option(metavar="NAME", help="n1, n2, mp, g3 or vw.")] = "n1",
    mix: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="With SCHEME+ALGO: the share of flows that run ALGO.", show_default=str(DEFAULT_MIX)
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=1, help="Measured time of each scheme.", show_default=BY_TOPOLOGY)
    ] = None,
    warmup: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Time before that, which no number includes.", show_default=BY_TOPOLOGY),
    ] = None,
    flows: Annotated[
        int | None, typer.Option(min=1, max=1000, help="TCP flows in all.", show_default=BY_TOPOLOGY)
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Pairs of hosts at each place where flows enter.", show_default=BY_TOPOLOGY),
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="Of the congested links.", show_default=BY_TOPOLOGY)
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of the congested links, one way.", show_default=BY_TOPOLOGY),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the profiles, such as maxp=0.2. Repeatable."),
    ] = None,
    isq_mode: Annotated[
        str,
        typer.Option(metavar="MODE", help=ISQ_MODE_HELP),
    ] = "cpu",
    isq_levels: Annotated[
        bool,
        typer.Option(
            "--isq-levels", help=f"{', '.join(ISQ_SCHEMES)}: source quenches carry a level, by which hosts react."
        ),
    ] = False,
    paper: Annotated[
        bool, typer.Option("--paper/--modern", help="TCP as in the papers, or as Linux has it but for the algorithm.")
    ] = True,
    reverse_loss: Annotated[
        str | None,
        typer.Option(
            metavar="PROBABILITY",
            help="n2: share of packets lost on the way back to the sender.",
            show_default=f"{DEFAULT_REVERSE_LOSS:.0%}",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="vw: scfq, drr, strict, or fifo for a single queue.", show_default=DEFAULT_SCHEDULER
        ),
    ] = None,
    target: Annotated[str, typer.Option(help=TARGET_HELP, autocompletion=complete_target)] = EMBEDDED.name,
    seed: Annotated[int, typer.Option(min=0, help="Of the switches' draws, the flows' starts and the calls.")] = 1,
    program: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the compiled program.", show_default="build, or build/bmv2"),
    ] = None,
    live: Annotated[bool, typer.Option("--live", help=LIVE_HELP)] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a capture of each link there, in a folder for each scheme."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the results go.")] = Path("out/demo"),
) -> None:
    """Run schemes side by side: kernel TCP across congested links whose switches execute the P4 program.

    Needs root. Nothing of the machine's own network is touched, and nothing is left when it ends.
    """
    logging.getLogger("mininet").setLevel(logging.ERROR)
    console = Console()
    words = DemoWords(
        topology=topology,
        schemes=scheme or [],
        settings=setting or [],
        isq_levels=isq_levels,
        isq_mode=isq_mode,
        paper=paper,
        mix=mix,
        flows=flows,
        pairs=pairs,
        rate=rate,
        delay=delay,
        reverse_loss=reverse_loss,
        scheduler=scheduler,
    )
    try:
        with signals_as_exceptions(), ExitStack() as stack:
            plan = plan_demo(words)
            settings = RunSettings(
                plan.warmup_s if warmup is None else parsed("--warmup", parse_seconds, warmup),
                plan.measured_s if seconds is None else seconds,
                seed,
                find_host_loader(),
                plan.mix,
            )
            check_target(target)
            for scenario in plan.scenarios:
                if scenario.program is not None:
                    scenario.program.check_target(target)
            compiled = quench_program(program, target)
            check_machine()
            check_folder("--out", out)
            if pcap is not None:
                check_folder("--pcap", pcap)
            page = stack.enter_context(live_page(LIVE_ADDRESS)) if live else None
            announce(console, plan, len(plan.scenarios) * (settings.run_s + CHANGEOVER_S))
            runs, switch_version = _run_all(console, plan, settings, target, compiled, pcap, page)
            summary = _summary(plan, settings, target, switch_version, runs)
            expected = expectations(summary["schemes"], summary["settings"])
            summary["expectations"] = [
                {"claim": each.claim, "measured": each.measured, "verdict": each.verdict} for each in expected
            ]
            # It loads the libraries that draw, which take longer than all else.
            from quench_topologies.demo.report import write_report

            written = write_report(out, summary, runs, expected)
            show_results(console, summary, expected)
            console.print(f"{out / 'summary.json'}, {written}", soft_wrap=True)
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
                progress.update(
                    task, completed=done_s, description=f"{scenario.name} ({phase})", left=f"{left_s:.0f} s left"
                )

            if index == 0 or scenario.program != scenarios[index - 1].program:
                # The switches of a network run one program.
                networks.close()
                own = running_network(plan.loaded.plan, scenario.program or program, target, settings.seed)
                network = networks.enter_context(own)
                if page is not None:
                    console.print(f"live: {page.show(network.socket)}", soft_wrap=True)
                runner = Runner(network, plan.loaded, settings)
            if not console.is_terminal:
                console.print(f"{scenario.name}: {settings.run_s:g} s")
            captures = nullcontext() if pcap is None else captured_links(network, pcap / _folder(index, scenario))
            with captures:
                runs.append((scenario, runner.run(scenario, show)))
        switch_version = network.switches[plan.loaded.bottlenecks[0].switch].version()
    return runs, switch_version


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
