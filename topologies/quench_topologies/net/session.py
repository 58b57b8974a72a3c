# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A session of ``quench net``: all that can be wrong is found first, then everything starts, and ends in reverse."""

import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from quench.cli.options import parsed
from quench.config.fields import host_and_port
from quench.errors import ControllerError
from quench.signals import Interrupted, signals_as_exceptions
from quench.targets import TARGETS
from quench_simulator import host_algorithms
from quench_switch.cli.output import complain

from quench_topologies.capture import captured_links, describe_captures
from quench_topologies.errors import TopologyError
from quench_topologies.forward import forwarded, listen
from quench_topologies.isolation import interrupts_for_mininet
from quench_topologies.live_page import LIVE_ADDRESS, LivePage, live_page
from quench_topologies.loaded_plan import Datagrams, LoadedPlan
from quench_topologies.net.load import Load, datagrams_of
from quench_topologies.net.options import Common
from quench_topologies.net.prompt import Prompt, say
from quench_topologies.network import SWITCHES, RunningNetwork, check_target, running_network
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.plan import ISQ_MODES, NetworkPlan, TcpPlan
from quench_topologies.preconditions import check_folder, check_machine
from quench_topologies.program import OwnProgram, Program, check_paths, find_host_loader, find_program

CONTROLLER_METRICS = ("127.0.0.1", 9464)
"""The address in the network's namespace, which has no other use of it."""


@dataclass(frozen=True, slots=True)
class _Session:
    """The words of the command line, checked."""

    loaded: LoadedPlan
    datagrams: Datagrams | None
    program: Program | OwnProgram
    loader: Path | None
    """quench-host, where hosts use it."""
    metrics: socket.socket | None
    page: LivePage | None


def run(
    make_plan: Callable[[TcpPlan], LoadedPlan], topology: PaperNetwork, common: Common, name: str | None = None
) -> None:
    """Run until the user ends it. An error is one line and status 1.

    ``name``: by which `quench net list` names it; None: that of the paper's network.
    """
    try:
        with signals_as_exceptions(), ExitStack() as stack:
            session = _checked(stack, make_plan, topology, common)
            metrics = None if session.metrics is None else CONTROLLER_METRICS
            network = stack.enter_context(
                running_network(
                    session.loaded.plan,
                    session.program,
                    common.target,
                    common.seed,
                    metrics=metrics,
                    name=name or topology.name,
                )
            )
            _use(stack, network, session, common)
    except Interrupted as interruption:
        raise typer.Exit(interruption.exit_status) from None
    except (TopologyError, ControllerError, OSError, ValueError) as error:
        complain("quench net", error)
        raise typer.Exit(1) from None


def _checked(
    stack: ExitStack, make_plan: Callable[[TcpPlan], LoadedPlan], topology: PaperNetwork, common: Common
) -> _Session:
    """Everything that can be found out before something runs. Raises TopologyError, ControllerError or ValueError."""
    if common.isq_mode not in ISQ_MODES:
        raise TopologyError(f"--isq-mode {common.isq_mode}: choose one of {', '.join(ISQ_MODES)}")
    check_target(common.target)
    loaded = make_plan(topology.tcp_plan(paper=common.paper))
    if common.algorithm is not None and common.algorithm not in host_algorithms():
        raise TopologyError(f"--host-algo {common.algorithm}: choose one of {', '.join(host_algorithms())}")
    offloads = _leaves_offloads(loaded.plan, common)
    loaded = replace(loaded, plan=replace(loaded.plan, isq_mode=common.isq_mode, offloads=offloads))
    datagrams = None if common.udp is None else datagrams_of(common.udp, loaded)
    if common.script is not None and (common.script.is_dir() or not os.access(common.script, os.R_OK)):
        raise TopologyError(f"--script {common.script}: is no file that can be read")
    program = find_program(common.program, common.target)
    check_paths(loaded.plan, program, common.target)
    loader = find_host_loader() if common.algorithm is not None else None
    check_machine()
    if common.pcap is not None:
        check_folder("--pcap", common.pcap)
    metrics = None
    if common.metrics is not None:
        parsed("--metrics", host_and_port, common.metrics)
        metrics = stack.enter_context(listen("--metrics", common.metrics))
    page = stack.enter_context(live_page(LIVE_ADDRESS)) if common.live else None
    return _Session(loaded, datagrams, program, loader, metrics, page)


def _leaves_offloads(plan: NetworkPlan, common: Common) -> bool:
    """Whether nothing depends on single packets: no queue, no capture of a link, no host program, no old TCP."""
    if common.no_offload or common.paper or common.algorithm is not None or common.pcap is not None:
        return False
    return not plan.has_rates and SWITCHES[TARGETS[common.target].command].takes_offloads


def _use(stack: ExitStack, network: RunningNetwork, session: _Session, common: Common) -> None:
    if session.loader is not None and common.algorithm is not None:
        for host in network.hosts.values():
            stack.callback(host.disable, session.loader)
            host.enable(session.loader, common.algorithm)
    if session.metrics is not None:
        stack.enter_context(forwarded(session.metrics, CONTROLLER_METRICS))
    if common.pcap is not None:
        stack.enter_context(captured_links(network, common.pcap))
    load = stack.enter_context(Load(network, session.loaded, session.datagrams, common.seed))
    if session.page is not None:
        # Not broken into lines: an address is copied whole.
        typer.echo(f"Live: {session.page.show(network.socket)}")
    if common.script is not None:
        Prompt(network.net, load.describe, common.script)
        return
    say(_description(network, session, common))
    with interrupts_for_mininet() if sys.stdin.isatty() else nullcontext():
        Prompt(network.net, load.describe)


def _description(network: RunningNetwork, session: _Session, common: Common) -> list[str]:
    addresses = ", ".join(f"{name} at {switch.address}" for name, switch in network.switches.items())
    lines = [
        f"Controller: export QUENCH_SOCKET={network.socket} in another terminal, then 'quench thresholds show'",
        f"Switches (P4Runtime): nsenter -t {network.controller.pid} -n COMMAND reaches {addresses}",
    ]
    if common.metrics is not None:
        lines.append(f"Metrics: http://{common.metrics}/metrics")
    if common.pcap is not None:
        lines += [f"Captures in {common.pcap}: {line}" for line in describe_captures(session.loaded)]
    if session.loaded.flows or session.datagrams is not None:
        lines.append("Load: the command 'traffic' shows what it does")
    return lines
