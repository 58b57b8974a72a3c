# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench net``: brings a network up, with what was asked for beside it, and gives its user Mininet's command line."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from quench.cli.completed import beginning, files
from quench.cli.options import JsonOption, parsed
from quench.cli.shared_options import with_options
from quench_switch.cli.commands import Commands
from quench_switch.outside.text import printable
from quench_switch.outside.units import parse_capacity, parse_rate_bps, parse_seconds

from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadedPlan, LoadSettings
from quench_topologies.net.options import Common
from quench_topologies.papers.dumbbell import N1, N2, DumbbellSettings, dumbbell_plan, n2_settings
from quench_topologies.papers.leaf_spine import (
    LEAF_SPINE,
    MAX_HOSTS_OF_LEAF,
    MAX_LEAVES,
    MAX_SPINES,
    LeafSpineSettings,
    leaf_spine_plan,
)
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.parking_lot import MP
from quench_topologies.papers.three_links import G3
from quench_topologies.papers.voice_net import VW, VW_SCHEDULERS
from quench_topologies.plan import TcpPlan

LEAST_BUFFER_BYTES = 2000
"""A full Ethernet frame fits."""

app = Commands("Bring up a network of P4 switches and Linux hosts, with Mininet's command line. Needs root.")

PairsOption = Annotated[
    int, typer.Option(metavar="PAIRS", min=1, max=100, help="Of hosts, at each place where flows enter.")
]


def _command(topology: PaperNetwork) -> Callable[[Callable[..., None]], None]:
    """Make a function a command with the options of ``Common``."""

    def register(function: Callable[..., None]) -> None:
        options = dict(inspect.signature(Common).parameters)
        options["scheme"] = options["scheme"].replace(default=topology.scheme)
        app.command()(with_options(function, options.values(), "common", lambda values: Common(**values)))

    return register


@_command(N1)
def n1(
    common: Common,
    pairs: Annotated[int, typer.Option(metavar="PAIRS", min=1, max=100, help="Servers and clients.")] = 4,
    rate: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")] = "10Mbps",
    delay: Annotated[str, typer.Option(metavar="TIME", help="Of the bottleneck link, one way.")] = "40ms",
    buffer: Annotated[str, typer.Option(metavar="SIZE", help="Of the bottleneck's queue.")] = "90KB",
) -> None:
    """The dumbbell of P0 and P1: server1.. behind s1, client1.. behind s2."""

    def loaded(tcp: TcpPlan) -> LoadedPlan:
        settings = DumbbellSettings(
            pairs=pairs,
            rate_bps=parsed("--rate", parse_rate_bps, rate),
            delay_ns=round(parsed("--delay", parse_seconds, delay) * 1e9),
            buffer_bytes=parsed("--buffer", _parse_buffer_bytes, buffer),
            tcp=tcp,
        )
        return dumbbell_plan(settings, common.profile(N1, tcp), common.flows)

    _run(loaded, N1, common)


@_command(N2)
def n2(
    common: Common,
    loss: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=1, help="Of packets from s1 to server1, as a fraction.")
    ] = 0.05,
) -> None:
    """P0's network of one sender and one receiver with a lossy way back."""

    def loaded(tcp: TcpPlan) -> LoadedPlan:
        return dumbbell_plan(replace(n2_settings(loss), tcp=tcp), common.profile(N2, tcp), common.flows)

    _run(loaded, N2, common)


@_command(MP)
def mp(common: Common, pairs: PairsOption = 1) -> None:
    """P3's parking lot: source0 at r0 to source2 at r2, sink0.. at r3, every link between routers congested."""
    _run_with_settings(MP, pairs, common)


@_command(G3)
def g3(common: Common, pairs: PairsOption = 1) -> None:
    """P4's three congested links in a row: ftp0 at gw0, ftp3 at gw1, ftp4 at gw2, ftp5 and ftp6 at gw3."""
    _run_with_settings(G3, pairs, common)


@_command(VW)
def vw(
    common: Common,
    scheduler: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"One of {', '.join(VW_SCHEDULERS)}.", autocompletion=beginning(VW_SCHEDULERS)
        ),
    ] = "scfq",
    pairs: PairsOption = 1,
) -> None:
    """P2's network: DSCP 46 (caller, callee) has a queue of its own beside best effort (server1.., client1..)."""
    _run_with_settings(VW, pairs, common, scheduler)


@_command(LEAF_SPINE)
def leaf_spine(
    common: Common,
    leaves: Annotated[int, typer.Option(metavar="NUMBER", min=2, max=MAX_LEAVES, help="Switches with hosts.")] = 2,
    spines: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=MAX_SPINES, help="Switches between them.")] = 2,
    hosts: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=MAX_HOSTS_OF_LEAF, help="Of each leaf.")] = 4,
    rate: Annotated[str, typer.Option(metavar="RATE", help="Of each link between leaf and spine.")] = "10Mbps",
    delay: Annotated[str, typer.Option(metavar="TIME", help="Of these links, one way.")] = "1ms",
) -> None:
    """A leaf-spine in which flows share the spines (ECMP): h1.. at leaf1, the next at leaf2, and so on."""

    def loaded(tcp: TcpPlan) -> LoadedPlan:
        settings = LoadSettings(
            profile=common.profile(LEAF_SPINE, tcp),
            rate_bps=parsed("--rate", parse_rate_bps, rate),
            delay_ns=round(parsed("--delay", parse_seconds, delay) * 1e9),
            pairs=hosts,
            flows=common.flows,
            tcp=tcp,
        )
        return leaf_spine_plan(LeafSpineSettings(leaves, spines), settings)

    _run(loaded, LEAF_SPINE, common)


@_command(N1)
def file(
    common: Common,
    topology: Annotated[
        Path, typer.Argument(metavar="TOPOLOGY.json", show_default=False, autocompletion=files(".json"))
    ],
) -> None:
    """A topology.json as in p4lang/tutorials; its switches run quench.p4."""
    # Here, as in `_run`: the help needs no network.
    from quench_topologies.plan_file import read_plan

    name = printable(topology.stem)[:100]
    _run(lambda tcp: read_plan(topology, common.profile(N1, tcp), tcp, common.flows), N1, common, name)


@app.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List the networks of `quench net` and `quench demo` that run: topology, process, since when, socket."""
    from quench.cli.output import print_rows
    from quench.networks import running_networks

    networks = [
        {"name": each.name, "pid": each.pid, "since": _time(each.since_s), "socket": str(each.socket)}
        for each in running_networks()
    ]
    print_rows(
        networks,
        ("network", "pid", "since", "socket"),
        lambda row: row.values(),
        as_json=as_json,
        nothing="no network runs",
    )


def _time(time_s: float) -> str:
    return datetime.fromtimestamp(time_s).astimezone().isoformat(sep=" ", timespec="seconds")


def _run(
    make_plan: Callable[[TcpPlan], LoadedPlan], topology: PaperNetwork, common: Common, name: str | None = None
) -> None:
    from quench_topologies.net.session import run

    run(make_plan, topology, common, name)


def _run_with_settings(topology: PaperNetwork, pairs: int, common: Common, scheduler: str = "scfq") -> None:
    def loaded(tcp: TcpPlan) -> LoadedPlan:
        if scheduler not in VW_SCHEDULERS:
            raise TopologyError(f"--scheduler {scheduler}: choose one of {', '.join(VW_SCHEDULERS)}")
        settings = LoadSettings(
            profile=common.profile(topology, tcp),
            rate_bps=topology.row.rate_bps,
            delay_ns=topology.row.delay_ns,
            pairs=pairs,
            flows=common.flows,
            tcp=tcp,
            scheduler=scheduler,
        )
        return topology.build(settings)

    _run(loaded, topology, common)


def _parse_buffer_bytes(text: str) -> int:
    unit, value = parse_capacity(text)
    if unit != "bytes" or value < LEAST_BUFFER_BYTES:
        raise ValueError(f"{text!r}: give at least {LEAST_BUFFER_BYTES} bytes, such as 90KB")
    return value
