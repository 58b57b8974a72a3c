# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The root command. All but the smallest commands are imported when they are called."""

import logging
import os
import sys
from functools import cached_property
from typing import Annotated

import typer
from quench_switch.cli.app import COMMANDS, root, run, version_option
from quench_switch.cli.commands import Panel
from quench_switch.cli.lazy import NATIVE
from quench_switch.outside.log_limit import LogLimit
from quench_switch.outside.text import LineFormatter

from quench.cli import host_cmd
from quench.cli.lazy import COMPLETE, EXPERIMENTS, SIMULATOR, mount
from quench.errors import ConfigError, ControllerError

app = root("Congestion notification for programmable switches.")


class _TerminalHandler(logging.Handler):
    """Rich's, which is imported with the first record: help and completion log nothing."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        self._handler.setFormatter(self.formatter)
        self._handler.emit(record)

    @cached_property
    def _handler(self) -> logging.Handler:
        from rich.console import Console
        from rich.logging import RichHandler

        return RichHandler(console=Console(stderr=True), show_path=False)


@app.callback()
def _root(
    _version: Annotated[bool, version_option("quench")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log at level DEBUG, and the libraries too.")
    ] = False,
) -> None:
    level = logging.DEBUG if verbose else logging.INFO
    if sys.stderr is not None and sys.stderr.isatty():
        handler: logging.Handler = _TerminalHandler()
        handler.setFormatter(LineFormatter("%(name)s: %(message)s"))
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(LineFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(LogLimit())
    logging.basicConfig(level=level, handlers=[handler])
    # The data plane's code generator logs megabytes.
    for name in ("cranelift_codegen", "cranelift_jit"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if not verbose:
        for name in ("finsy", "asyncio", "grpc", "tornado"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # gRPC logs a traceback for each message that it cannot parse; the caller reports that in a line.
        logging.getLogger("grpc._common").setLevel(logging.CRITICAL)


for _command in COMMANDS:
    mount(app, _command.name, _command.place, _command.help, _command.panel, also=_command.needed)
mount(
    app,
    "net",
    "quench_topologies.net.cli",
    "Bring up a network (the papers', a leaf-spine, a topology.json) with load and Mininet's command line.",
    Panel.NETWORK,
    also=("mininet", NATIVE, SIMULATOR),
)
mount(app, "controller", "quench.cli.controller_cmd", "The P4Runtime controller.", Panel.NETWORK)
app.command("host", context_settings=host_cmd.CONTEXT, add_help_option=False, rich_help_panel=Panel.NETWORK)(
    host_cmd.host
)
mount(
    app,
    "send-udp",
    "quench.cli.udp_cmd:send_app",
    "Send paced UDP that obeys ICMP source quenches (docs/how-to/udp.md).",
    Panel.NETWORK,
)
mount(
    app,
    "receive-udp",
    "quench.cli.udp_cmd:receive_app",
    "Receive what `quench send-udp` sends, answer nothing, and report each flow.",
    Panel.NETWORK,
)
mount(app, "thresholds", "quench.cli.thresholds_cmd", "Show and change congestion profiles, live.", Panel.SWITCH)
mount(app, "isq", "quench.cli.isq_cmd", "Show and change the sender of ICMP source quenches, live.", Panel.SWITCH)
mount(app, "profile", "quench.cli.profile_cmd", "Show and draw congestion profiles, from and to SONiC's.", Panel.SWITCH)
mount(
    app, "table", "quench.cli.table_cmd", "Show and change the tables of any P4 program, over P4Runtime.", Panel.SWITCH
)
mount(
    app,
    "counter",
    "quench.cli.counter_cmd",
    "Show and clear the counters of any P4 program, over P4Runtime.",
    Panel.SWITCH,
)
mount(app, "meter", "quench.cli.meter_cmd", "Show and set the meters of any P4 program, over P4Runtime.", Panel.SWITCH)
mount(
    app,
    "register",
    "quench.cli.register_cmd",
    "Show and change the registers of any P4 program, over P4Runtime.",
    Panel.SWITCH,
)
mount(
    app,
    "packet-out",
    "quench.cli.packet_out_cmd",
    "Hand a packet to a switch that runs any P4 program, to send.",
    Panel.SWITCH,
)
mount(
    app,
    "live",
    "quench.cli.live_cmd",
    "Show queues, marks and windows live in a browser, and change thresholds there.",
    Panel.MEASURE,
)
mount(
    app,
    "top",
    "quench.cli.top_cmd",
    "Show queues, marks, drops, source quenches and flows in the terminal, and change thresholds by keys.",
    Panel.MEASURE,
)
mount(
    app,
    "stats",
    "quench.cli.stats_cmd",
    "Show the counters of the switches and of the controller, and the newest report of each queue.",
    Panel.MEASURE,
)
mount(
    app,
    "play",
    "quench.cli.play_cmd",
    "Edit a P4 program and packets in a browser, and see what the program does with each.",
    Panel.PROGRAM,
    also=(NATIVE,),
)
mount(
    app,
    "demo",
    "quench_topologies.demo.cli",
    "Run schemes side by side on the papers' topologies, with kernel TCP.",
    Panel.MEASURE,
    also=("mininet", NATIVE, SIMULATOR),
)
mount(
    app,
    "experiment",
    "quench_experiments.cli.app",
    "Run experiments, the papers' or your own, on the simulator; compare with what is published or expected.",
    Panel.MEASURE,
    also=(*EXPERIMENTS, NATIVE, SIMULATOR),
)
mount(
    app,
    "tune",
    "quench_experiments.cli.tune_cmd",
    "Recommend thresholds for a load, a capacity and a round trip, by control theory.",
    Panel.MEASURE,
    also=(*EXPERIMENTS, NATIVE, SIMULATOR),
)
mount(
    app,
    "soak",
    "quench_topologies.soak.cli",
    "Break every part on purpose under traffic, and check that nothing is lost or left.",
    Panel.MEASURE,
    also=("mininet", NATIVE, SIMULATOR),
)
mount(
    app,
    "doctor",
    "quench.cli.doctor_cmd",
    "Show what this machine has and lacks for each part of Quench, and what to do.",
    Panel.INSTALL,
)
mount(
    app,
    "completion",
    "quench.cli.completion_cmd",
    "Print what completes Quench's commands in a shell: bash, zsh or fish.",
    Panel.INSTALL,
)
mount(
    app,
    "grafana",
    "quench.cli.grafana_cmd",
    "Write a Grafana dashboard over the controller's metrics, as JSON to import.",
    Panel.INSTALL,
)
mount(
    app,
    "wireshark",
    "quench.cli.wireshark_cmd",
    "Install a dissector for source quenches, Multilevel ECN, and packet-ins and packet-outs of the switch.",
    Panel.INSTALL,
)


def main() -> None:
    """Run the command line. A fault of the user's or of the machine's ends it with one line on stderr and status 1."""
    run(_command_line, "quench", ConfigError, ControllerError)


def _command_line() -> None:
    if COMPLETE in os.environ:
        from quench.cli.completion_cmd import answer

        answer(app)
    app()
