# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench stats``: counters of the switches and of the controller."""

import json
from typing import Annotated

import typer
from rich.table import Table

from quench.cli.options import DEFAULT_SOCKET, JsonOption, PortOption, QueueOption, SocketOption, only
from quench.cli.output import table_console
from quench.service.protocol import ControlClient

_COLUMNS = {
    "seen": "port_seen",
    "marked": "port_marked",
    "dropped early": "port_dropped_early",
    "dropped forced": "port_dropped_forced",
    "copied": "port_cloned",
    "ISQs by the switch": "port_isq_sent",
    "limited": "port_isq_limited",
    "IPv6": "port_isq_ipv6",
    "ISQ sent upstream": "port_isq_told",
    "refused": "port_isq_refused",
}


def stats(
    switch: Annotated[str | None, typer.Argument(metavar="[SWITCH]", help="One switch; without it: all.")] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """Show the counters of the switches and of the controller, and the newest report of each queue."""
    rows = ControlClient(socket).call("stats", switch=switch)
    for row in rows:
        row["ports"] = {key: counters for key, counters in row["ports"].items() if port in {None, int(key)}}
        row["queues"] = only(row["queues"], port, queue)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = table_console()
    for row in rows:
        ports = Table("port", *_COLUMNS, title=row["switch"])
        for key, counters in row["ports"].items():
            ports.add_row(key, *(str(counters[name]["packets"]) for name in _COLUMNS.values()))
        console.print(ports)
        for name in ("packet_ins", "isqs_sent", "isqs_suppressed", "isqs_ineligible"):
            text = ", ".join(f"{key} {value}" for key, value in row[name].items()) or "none"
            console.print(f"{name.replace('_', ' ')}: {text}")
        for report in row["queues"]:
            console.print(
                f"port {report['port']}.{report['queue']}: queue {report['depth_pkts']} pkts, "
                f"average {report['average_pkts']:.2f} pkts"
            )


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command("stats")(stats)
