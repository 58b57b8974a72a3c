# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m quench_topologies``: brings a network up and gives its user Mininet's command line."""

import logging
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from quench.profiles import parse_settings
from quench.service.protocol import ControllerError
from quench.units import parse_rate_bps, parse_seconds
from rich.logging import RichHandler

from quench_topologies.dumbbell import N1_PROFILE, N2_PROFILE, DumbbellSettings, dumbbell, n2_settings
from quench_topologies.errors import TopologyError
from quench_topologies.isolation import InterruptedBySignal, interrupts_for_mininet, signals_as_exceptions
from quench_topologies.mininet_api import CLI
from quench_topologies.network import RunningNetwork, running_network
from quench_topologies.plan import NetworkPlan
from quench_topologies.program import find_host_loader, find_program
from quench_topologies.topology_file import load_topology

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Networks of P4 switches and Linux hosts, with Mininet's command line. Needs root.",
)

SchemeOption = Annotated[str, typer.Option(help="taildrop, red, ecn, becn or ecn-becn.")]
BecnthreshOption = Annotated[str | None, typer.Option(metavar="DEPTH", help="For ecn-becn.")]
HostsOption = Annotated[
    str | None, typer.Option("--host-algo", metavar="ALGO", help="Enable quench-host on all hosts with it.")
]
TargetOption = Annotated[str, typer.Option(help="embedded or bmv2.")]
SeedOption = Annotated[int, typer.Option(min=0)]
ProgramOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of quench.json.  [default: build, build/bmv2]")
]
ScriptOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Run Mininet's commands from a file, then end.")
]


@app.command()
def n1(
    pairs: Annotated[int, typer.Option(min=1, max=100, help="Servers and clients.")] = 4,
    rate: Annotated[str, typer.Option(metavar="RATE", help="Of the bottleneck.")] = "10Mbps",
    delay: Annotated[str, typer.Option(metavar="TIME", help="Of the bottleneck link, one way.")] = "40ms",
    buffer_bytes: Annotated[int, typer.Option("--buffer", metavar="BYTES", min=2000)] = 90_000,
    scheme: SchemeOption = "ecn-becn",
    becnthresh: BecnthreshOption = None,
    host_algo: HostsOption = None,
    target: TargetOption = "embedded",
    seed: SeedOption = 1,
    program: ProgramOption = None,
    script: ScriptOption = None,
) -> None:
    """The dumbbell of P0 and P1: server1.. behind s1, client1.. behind s2."""

    def plan() -> NetworkPlan:
        settings = DumbbellSettings(
            pairs=pairs,
            rate_bps=parse_rate_bps(rate),
            delay_ns=round(parse_seconds(delay) * 1e9),
            buffer_bytes=buffer_bytes,
        )
        return dumbbell(settings, _profile(scheme, N1_PROFILE, becnthresh or "20KB"))

    _run(plan, target, seed, program, host_algo, script)


@app.command()
def n2(
    loss: Annotated[float, typer.Option(min=0, max=1, help="Of packets from s1 to server1, as a fraction.")] = 0.05,
    scheme: SchemeOption = "ecn-becn",
    becnthresh: BecnthreshOption = None,
    host_algo: HostsOption = None,
    target: TargetOption = "embedded",
    seed: SeedOption = 1,
    program: ProgramOption = None,
    script: ScriptOption = None,
) -> None:
    """P0's network of one sender and one receiver with a lossy way back."""
    _run(
        lambda: dumbbell(n2_settings(loss), _profile(scheme, N2_PROFILE, becnthresh or "6KB")),
        target,
        seed,
        program,
        host_algo,
        script,
    )


@app.command()
def file(
    topology: Annotated[Path, typer.Argument(metavar="TOPOLOGY.json", show_default=False)],
    scheme: SchemeOption = "ecn-becn",
    becnthresh: BecnthreshOption = None,
    host_algo: HostsOption = None,
    target: TargetOption = "embedded",
    seed: SeedOption = 1,
    program: ProgramOption = None,
    script: ScriptOption = None,
) -> None:
    """A topology.json as in p4lang/tutorials; its switches run quench.p4."""
    _run(
        lambda: load_topology(topology, _profile(scheme, N1_PROFILE, becnthresh or "20KB")),
        target,
        seed,
        program,
        host_algo,
        script,
    )


def _profile(scheme: str, thresholds: dict[str, Any], becnthresh: str) -> dict[str, Any]:
    """The profile as the controller's YAML has it. Raises TopologyError."""
    profile: dict[str, Any] = {"scheme": scheme}
    if scheme == "taildrop":
        profile["wq"] = thresholds["wq"]
    else:
        profile |= thresholds
    if scheme == "ecn-becn":
        profile["becnthresh"] = becnthresh
    try:
        parse_settings(profile)
    except ValidationError as error:
        message = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise TopologyError(f"--scheme {scheme}: {message}") from error
    return profile


def _run(
    make_plan: Callable[[], NetworkPlan],
    target: str,
    seed: int,
    program: Path | None,
    host_algo: str | None,
    script: Path | None,
) -> None:
    logging.basicConfig(format="%(message)s", handlers=[RichHandler(show_path=False, show_time=False)])
    try:
        with (
            signals_as_exceptions(),
            running_network(make_plan(), find_program(program, target), target, seed) as network,
        ):
            _use(network, host_algo, script)
    except InterruptedBySignal as interruption:
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError, ValueError) as error:
        typer.echo(f"quench_topologies: {error}", err=True)
        raise typer.Exit(1) from None


def _use(network: RunningNetwork, host_algo: str | None, script: Path | None) -> None:
    loader = find_host_loader() if host_algo is not None else None
    try:
        if loader is not None and host_algo is not None:
            for host in network.hosts.values():
                host.enable(loader, host_algo, paper=True)
        if script is not None:
            CLI(network.net, script=str(script))
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


if __name__ == "__main__":
    sys.exit(app(prog_name="python -m quench_topologies"))
