# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The options that all of ``quench net``'s networks take."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from quench.cli.completed import YAML, beginning, files
from quench.cli.options import SCHEME_HELP
from quench.profiles.schemes import NAMED_SCHEMES
from quench.targets import EMBEDDED

from quench_topologies.common_options import (
    MAX_FLOWS,
    PAPER,
    IsqModeOption,
    LiveOption,
    TargetOption,
    is_description,
)
from quench_topologies.errors import TopologyError
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.plan import TcpPlan


@dataclass(frozen=True, slots=True)
class Common:
    """Options of every network; ``scheme`` defaults to that of the network's paper."""

    scheme: Annotated[str, typer.Option(metavar="SCHEME", help=SCHEME_HELP, autocompletion=beginning(NAMED_SCHEMES))]
    becnthresh: Annotated[str | None, typer.Option(metavar="DEPTH", help="Where source quenches begin.")] = None
    host_algo: Annotated[
        str | None,
        typer.Option(
            metavar="ALGO",
            help="Enable quench-host on all hosts with it.",
            show_default="the scheme's; nothing with --modern, unless --traffic is given",
        ),
    ] = None
    paper: Annotated[
        bool, typer.Option("--paper/--modern", help="TCP as in the papers, or as Linux has it but for the algorithm.")
    ] = True
    isq_mode: IsqModeOption = "cpu"
    traffic: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_FLOWS, metavar="FLOWS", help="TCP flows that send all the time; `traffic` shows them."
        ),
    ] = None
    udp: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help=f"Datagrams from the first sender; {PAPER}: those of the paper, of g3 and vw only."
        ),
    ] = None
    live: LiveOption = False
    no_offload: Annotated[
        bool,
        typer.Option(
            "--no-offload", help="Hosts send single packets, also where no link has a rate and TCP is Linux's."
        ),
    ] = False
    pcap: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a capture of each link there: both directions, headers.")
    ] = None
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve the controller's Prometheus metrics here.")
    ] = None
    target: TargetOption = EMBEDDED.name
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of the switches' draws and of the load.")] = 1
    program: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Folder of the compiled program, or the YAML file that describes another program.",
            show_default="build, or build/bmv2",
            autocompletion=files(*YAML),
        ),
    ] = None
    script: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Run Mininet's commands from a file, then end.")
    ] = None

    @property
    def algorithm(self) -> str | None:
        """The algorithm of quench-host; None: the hosts are left alone."""
        if self.host_algo is None and (self.paper or self.traffic is not None):
            from quench.profiles.settings import scheme_of

            return scheme_of(self.scheme).host_algorithm
        return self.host_algo

    @property
    def flows(self) -> int:
        """TCP flows of the built-in load."""
        return self.traffic or 0

    def profile(self, topology: PaperNetwork, tcp: TcpPlan) -> dict[str, Any]:
        """The profile of the congested queues. Raises TopologyError."""
        if self.program is not None and is_description(self.program):
            for option, given in (("--scheme", self.scheme != topology.scheme), ("--becnthresh", self.becnthresh)):
                if given:
                    raise TopologyError(f"{option}: {self.program} has settings of its own: leave the option out")
        more = {} if self.becnthresh is None else {"becnthresh": self.becnthresh}
        return topology.thresholds_for(tcp).profile(self.scheme, **more)
