# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench demo``."""

from pathlib import Path
from typing import Annotated

import typer
from quench.cli.completed import beginning
from quench.profiles.schemes import NAMED_SCHEMES
from quench.targets import EMBEDDED
from quench_switch.cli.commands import Commands
from quench_switch.cli.output import complain

from quench_topologies.common_options import MAX_FLOWS, IsqModeOption, LiveOption, TargetOption
from quench_topologies.demo import DEFAULT_MIX, DEFAULT_REVERSE_LOSS, DEFAULT_SCHEDULER
from quench_topologies.demo.completed import scheme_words
from quench_topologies.demo.sets import SETS, run_set, set_of
from quench_topologies.errors import TopologyError
from quench_topologies.papers.catalogue import TOPOLOGIES
from quench_topologies.papers.voice_net import VW_SCHEDULERS

BY_TOPOLOGY = "by topology"

app = Commands()


@app.command()
def demo(
    context: typer.Context,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCHEME",
            help=f"{', '.join(NAMED_SCHEMES)}, or curve:FILE or program:FILE with a profile of your own; ecn-becn:20KB "
            "and ecn-mod:0.125 have another becnthresh and c1; SCHEME+ALGO runs other hosts beside the scheme's, such "
            "as becn+plain. Several with commas, or repeated.",
            show_default="all but taildrop",
            autocompletion=scheme_words,
        ),
    ] = None,
    topology: Annotated[
        str, typer.Option(metavar="NAME", help="n1, n2, mp, g3 or vw.", autocompletion=beginning(TOPOLOGIES))
    ] = "n1",
    mix: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="With SCHEME+ALGO: the share of flows that run ALGO.",
            show_default=str(DEFAULT_MIX),
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=1, help="Measured time of each scheme.", show_default=BY_TOPOLOGY),
    ] = None,
    warmup: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Time before that, which no number includes.", show_default=BY_TOPOLOGY),
    ] = None,
    flows: Annotated[
        int | None,
        typer.Option(metavar="FLOWS", min=1, max=MAX_FLOWS, help="TCP flows in all.", show_default=BY_TOPOLOGY),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            metavar="PAIRS",
            min=1,
            max=100,
            help="Pairs of hosts at each place where flows enter.",
            show_default=BY_TOPOLOGY,
        ),
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
        typer.Option(
            "--set",
            metavar="KEY=VALUE|SET",
            help="A setting of the profiles, such as maxp=0.2. Repeatable. Or a set of schemes that is simulated, "
            f"without root and other options but --out: {', '.join(SETS)}.",
        ),
    ] = None,
    isq_mode: IsqModeOption = "cpu",
    isq_levels: Annotated[
        bool,
        typer.Option("--isq-levels", help="Schemes with source quenches: these carry a level, by which hosts react."),
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
            metavar="NAME",
            help="vw: scfq, drr, strict, or fifo for a single queue.",
            show_default=DEFAULT_SCHEDULER,
            autocompletion=beginning(VW_SCHEDULERS),
        ),
    ] = None,
    target: TargetOption = EMBEDDED.name,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Of the switches' draws, the flows' starts and the calls.")
    ] = 1,
    program: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder of the compiled program.", show_default="build, or build/bmv2"),
    ] = None,
    live: LiveOption = False,
    pcap: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a capture of each link there, in a folder for each scheme."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the results go.")] = Path("out/demo"),
) -> None:
    """Run schemes side by side: kernel TCP across congested links whose switches execute the P4 program.

    Needs root. Nothing of the machine's own network is touched, and nothing is left when it ends.
    """
    simulated = _set_of(context, setting or [])
    if simulated is not None:
        raise typer.Exit(run_set(simulated, out if _is_given(context, "out") else None))
    # Here: the help needs no network.
    from quench_topologies.demo.options import DemoWords
    from quench_topologies.demo.session import Wanted, run

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
    run(words, Wanted(warmup, seconds, seed, target, program, pcap, out, live=live))


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _set_of(context: typer.Context, settings: list[str]) -> str | None:
    """The set that the words ask for. Beside it only ``--out`` means something."""
    try:
        name = set_of(settings)
        others = [each for each in context.params if each not in ("setting", "out") and _is_given(context, each)]
        if name is not None and others:
            raise TopologyError(f"--set {name}: it is a set of schemes: leave out --{others[0].replace('_', '-')}")
    except TopologyError as error:
        complain("quench demo", error)
        raise typer.Exit(1) from None
    return name
