# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench stats``."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from quench.cli.options import DEFAULT_SOCKET, JsonOption, SocketOption
from quench.service.protocol import ControlClient


def stats(
    switch: Annotated[str | None, typer.Argument(metavar="[SWITCH]")] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """What the switches counted, and what the controller answered."""
    rows = ControlClient(socket).call("stats", switch=switch)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    for row in rows:
        ports = Table("port", "seen", "marked", "dropped early", "dropped forced", "cloned", title=row["switch"])
        for port, counters in row["ports"].items():
            names = ("port_seen", "port_marked", "port_dropped_early", "port_dropped_forced", "port_cloned")
            ports.add_row(port, *(str(counters[name]["packets"]) for name in names))
        console.print(ports)
        for name in ("packet_ins", "isqs_sent", "isqs_suppressed", "isqs_ineligible"):
            text = ", ".join(f"{key} {value}" for key, value in row[name].items()) or "none"
            console.print(f"{name.replace('_', ' ')}: {text}")
        for queue in row["queues"]:
            console.print(
                f"port {queue['port']}.{queue['queue']}: queue {queue['depth_pkts']} pkts, "
                f"average {queue['average_pkts']:.2f} pkts"
            )
