# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_topologies``: brings a network up and gives its user Mininet's command line."""

import inspect
import logging
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from quench.cli.output import complain
from quench.cli.profile_options import SCHEME_HELP
from quench.cli.shared_options import with_options
from quench.errors import ControllerError
from quench.signals import Interrupted, signals_as_exceptions
from quench_common.units import parse_rate_bps, parse_seconds
from rich.logging import RichHandler

from quench_topologies.dumbbell import N1, N2, DumbbellSettings, dumbbell, n2_settings
from quench_topologies.errors import TopologyError
from quench_topologies.isolation import interrupts_for_mininet
from quench_topologies.layout import LayoutSettings
from quench_topologies.mininet_api import CLI
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.parking_lot import MP
from quench_topologies.plan import ISQ_MODE_HELP, ISQ_MODES, NetworkPlan, TcpPlan
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.three_links import G3
from quench_topologies.topology import Topology
from quench_topologies.topology_file import load_topology
from quench_topologies.voice_net import VW, VW_SCHEDULERS

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Networks of P4 switches and Linux hosts, with Mininet's command line. Needs root.",
)

PairsOption = Annotated[int, typer.Option(min=1, max=100, help="Of hosts, at each place where flows enter.")]


@dataclass(frozen=True, slots=True)
class Common:
    """Options of every network; ``scheme`` defaults to that of the network's paper."""

    scheme: Annotated[str, typer.Option(help=SCHEME_HELP)]
    becnthresh: Annotated[str | None, typer.Option(metavar="DEPTH", help="Where source quenches begin.")] = None
    host_algo: Annotated[
        str | None,
        typer.Option(
            metavar="ALGO",
            help="Enable quench-host on all hosts with it.",
            show_default="plain with --paper, nothing with --modern",
        ),
    ] = None
    paper: Annotated[
        bool, typer.Option("--paper/--modern", help="TCP as in the papers, or as Linux has it but for the algorithm.")
    ] = True
    isq_mode: Annotated[str, typer.Option(metavar="MODE", help=ISQ_MODE_HELP)] = "cpu"
    target: Annotated[str, typer.Option(help="embedded or bmv2.")] = "embedded"
    seed: Annotated[int, typer.Option(min=0)] = 1
    program: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of quench.json.", show_default="build, or build/bmv2")
    ] = None
    script: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Run Mininet's commands from a file, then end.")
    ] = None

    @property
    def algorithm(self) -> str | None:
        """Of quench-host; None: the hosts are left alone."""
        return self.host_algo or ("plain" if self.paper else None)

    def profile(self, topology: Topology, tcp: TcpPlan) -> dict[str, Any]:
        """The profile of the congested queues. Raises TopologyError."""
        more = {} if self.becnthresh is None else {"becnthresh": self.becnthresh}
        return topology.thresholds_for(tcp).profile(self.scheme, **more)


def _command(topology: Topology) -> Callable[[Callable[..., None]], None]:
    """Make a function a command with the options of ``Common``."""

    def register(function: Callable[..., None]) -> None:
        options = dict(inspect.signature(Common).parameters)
        options["scheme"] = options["scheme"].replace(default=topology.scheme)
        app.command()(with_options(function, options.values(), "common", lambda values: Common(**values)))

    return register


@_command(N1)
def n1(
    common: Common,
    pairs: Annotated[int, typer.Option(min=1, max=100, help="Servers and clients.")] = 4,
    rate: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")] = "10Mbps",
    delay: Annotated[str, typer.Option(metavar="TIME", help="Of the bottleneck link, one way.")] = "40ms",
    buffer_bytes: Annotated[int, typer.Option("--buffer", metavar="BYTES", min=2000)] = 90_000,
) -> None:
    """The dumbbell of P0 and P1: server1.. behind s1, client1.. behind s2."""

    def plan(tcp: TcpPlan) -> NetworkPlan:
        settings = DumbbellSettings(
            pairs=pairs,
            rate_bps=parse_rate_bps(rate),
            delay_ns=round(parse_seconds(delay) * 1e9),
            buffer_bytes=buffer_bytes,
            tcp=tcp,
        )
        return dumbbell(settings, common.profile(N1, tcp))

    _run(plan, N1, common)


@_command(N2)
def n2(
    common: Common,
    loss: Annotated[float, typer.Option(min=0, max=1, help="Of packets from s1 to server1, as a fraction.")] = 0.05,
) -> None:
    """P0's network of one sender and one receiver with a lossy way back."""

    def plan(tcp: TcpPlan) -> NetworkPlan:
        return dumbbell(replace(n2_settings(loss), tcp=tcp), common.profile(N2, tcp))

    _run(plan, N2, common)


@_command(MP)
def mp(common: Common, pairs: PairsOption = 1) -> None:
    """P3's parking lot: source0 at r0 to source2 at r2, sink0.. at r3, every link between routers congested."""
    _run_with_layout(MP, pairs, common)


@_command(G3)
def g3(common: Common, pairs: PairsOption = 1) -> None:
    """P4's three congested links in a row: ftp0 at gw0, ftp3 at gw1, ftp4 at gw2, ftp5 and ftp6 at gw3."""
    _run_with_layout(G3, pairs, common)


@_command(VW)
def vw(
    common: Common,
    scheduler: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(VW_SCHEDULERS)}.")] = "scfq",
    pairs: PairsOption = 1,
) -> None:
    """P2's network: DSCP 46 (caller, callee) has a queue of its own beside best effort (server1.., client1..)."""
    if scheduler not in VW_SCHEDULERS:
        _end(TopologyError(f"--scheduler {scheduler}: choose one of {', '.join(VW_SCHEDULERS)}"))
    _run_with_layout(VW, pairs, common, scheduler)


@_command(N1)
def file(
    common: Common,
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY.json", show_default=False)],
) -> None:
    """A topology.json as in p4lang/tutorials; its switches run quench.p4."""

    def plan(tcp: TcpPlan) -> NetworkPlan:
        return replace(load_topology(topology, common.profile(N1, tcp)), tcp=tcp)

    _run(plan, N1, common)


def _run_with_layout(topology: Topology, pairs: int, common: Common, scheduler: str = "scfq") -> None:
    def plan(tcp: TcpPlan) -> NetworkPlan:
        settings = LayoutSettings(
            profile=common.profile(topology, tcp),
            rate_bps=topology.rate_bps,
            delay_ns=topology.delay_ns,
            pairs=pairs,
            flows=topology.flows,
            tcp=tcp,
            scheduler=scheduler,
        )
        return topology.build(settings).plan

    _run(plan, topology, common)


def _run(make_plan: Callable[[TcpPlan], NetworkPlan], topology: Topology, common: Common) -> None:
    logging.basicConfig(format="%(message)s", handlers=[RichHandler(show_path=False, show_time=False)])
    try:
        if common.isq_mode not in ISQ_MODES:
            raise TopologyError(f"--isq-mode {common.isq_mode}: choose one of {', '.join(ISQ_MODES)}")
        plan = replace(make_plan(topology.tcp_plan(paper=common.paper)), isq_mode=common.isq_mode)
        with (
            signals_as_exceptions(),
            running_network(plan, find_program(common.program, common.target), common.target, common.seed) as network,
        ):
            _use(network, common)
    except Interrupted as interruption:
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError, ValueError) as error:
        _end(error)


def _end(error: Exception) -> NoReturn:
    complain("quench_topologies", error)
    raise typer.Exit(1) from None


def _use(network: RunningNetwork, common: Common) -> None:
    algorithm = common.algorithm
    loader = find_host_loader() if algorithm is not None else None
    try:
        if loader is not None and algorithm is not None:
            for host in network.hosts.values():
                host.enable(loader, algorithm)
        if common.script is not None:
            CLI(network.net, script=str(common.script))
            return
        typer.echo(
            f"Controller: export QUENCH_SOCKET={network.socket} in another terminal, then 'quench thresholds show'\n"
            f"Switches (P4Runtime): nsenter -t {network.controller.pid} -n COMMAND reaches "
            + ", ".join(f"{name} at {switch.address}" for name, switch in network.switches.items())
        )
        with interrupts_for_mininet() if sys.stdin.isatty() else nullcontext():
            CLI(network.net)
    finally:
        if loader is not None:
            for host in network.hosts.values():
                host.disable(loader)
