# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench stats``: counters of the switches and of the controller, and their rates."""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.outside.units import parse_seconds

from quench.cli.completed import DEFAULT_SOCKET, switches
from quench.cli.options import (
    JsonOption,
    PortOption,
    QueueOption,
    SocketOption,
    controller,
    only,
    parsed,
)
from quench.cli.output import print_columns
from quench.errors import ControllerError

if TYPE_CHECKING:
    from quench.service.protocol import ControlClient

LABELS = {
    "port_seen": "seen",
    "port_marked": "marked",
    "port_dropped_early": "dropped early",
    "port_dropped_forced": "dropped forced",
    "port_cloned": "copied",
    "port_isq_sent": "ISQs by the switch",
    "port_isq_limited": "no ISQ: limit",
    "port_isq_ipv6": "no ISQ: IPv6",
    "port_isq_once_per_path": "no ISQ: sent upstream",
    "port_isq_refused": "no ISQ: refused",
    "port_dropped_invalid": "came broken",
    "port_dropped_vlan": "came in a VLAN",
    "port_dropped_isq": "ISQs from elsewhere",
}
"""The labels of the program's counters. A counter that is not here shows its own name."""
_CONTROLLER = {
    "packet_ins": "packet-ins",
    "isqs_sent": "ISQs sent",
    "isqs_limited": "ISQs limited",
    "isqs_refused": "ISQs refused",
}
LEAST_INTERVAL_S = 0.1


def stats(
    switch: Annotated[
        str | None, typer.Argument(metavar="[SWITCH]", help="One switch; without it: all.", autocompletion=switches)
    ] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    interval: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Rates over each such time, 100ms or more, instead of counts."),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(metavar="TIMES", min=1, help="With --interval: so many times; without it: until Ctrl-C."),
    ] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """Show the counters of the switches and of the controller, and the newest report of each queue."""
    client = controller(socket)
    if interval is None:
        if count is not None:
            raise ControllerError("--count needs --interval, which says how often")
        _show(_read(client, switch, port, queue), "", as_json=as_json)
        return
    interval_s = parsed("--interval", parse_seconds, interval)
    if interval_s < LEAST_INTERVAL_S:
        raise ControllerError(f"--interval: {interval} is too short: {LEAST_INTERVAL_S * 1000:g}ms is the least")
    before, before_s = _read(client, switch, port, queue), time.monotonic()
    shown = 0
    while count is None or shown < count:
        time.sleep(interval_s)
        now, now_s = _read(client, switch, port, queue), time.monotonic()
        _show(_rates(before, now, now_s - before_s), "/s", as_json=as_json)
        before, before_s = now, now_s
        shown += 1


def _read(client: "ControlClient", switch: str | None, port: int | None, queue: int | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = client.call("stats", switch=switch)
    for row in rows:
        row["ports"] = {key: counters for key, counters in row["ports"].items() if port in {None, int(key)}}
        row["queues"] = only(row["queues"], port, queue)
    return rows


def _rates(before: list[dict[str, Any]], now: list[dict[str, Any]], elapsed_s: float) -> list[dict[str, Any]]:
    """The rows of now with counts per second instead of counts. A new counter, or one that was reset, began with 0."""

    def rate(old: int, new: int) -> float:
        return (new - old if new >= old else new) / elapsed_s

    earlier = {row["switch"]: row for row in before}
    result = []
    for row in now:
        old = earlier.get(row["switch"], {})
        changed = {**row, "elapsed_s": elapsed_s}
        for name in _CONTROLLER:
            changed[name] = {key: rate(old.get(name, {}).get(key, 0), value) for key, value in row[name].items()}
        # A switch that has just come is not read since its counters were 0.
        changed["ports"] = {
            port: {
                name: {unit: rate(old["ports"][port][name][unit], value) for unit, value in counts.items()}
                for name, counts in counters.items()
                if name in old["ports"][port]
            }
            for port, counters in row["ports"].items()
            if port in old.get("ports", {})
        }
        result.append(changed)
    return result


def _show(rows: list[dict[str, Any]], per: str, *, as_json: bool) -> None:
    if as_json:
        # Rates are printed again and again: each moment is one line.
        typer.echo(json.dumps(rows, indent=None if per else 2))
        return
    for row in rows:
        name = row["switch"]
        when = f", {time.strftime('%H:%M:%S')}" if per else ""
        ports: Mapping[str, Any] = row["ports"]
        counters = dict.fromkeys(counter for counts in ports.values() for counter in counts)
        if ports:
            columns = [
                (f"port {port}", [_number(counts[each]["packets"]) if each in counts else "" for each in counters])
                for port, counts in ports.items()
            ]
            print_columns(f"{name}: packets{per}{when}", [LABELS.get(each, each) for each in counters], columns)
        else:
            typer.echo(f"{name}: no counters: {_reason(row)}")
        seen = {
            f"{label}: {key.replace('_', ' ')}": _number(value)
            for key_of, label in _CONTROLLER.items()
            for key, value in row[key_of].items()
        }
        if seen:
            column = f"messages{per}" if per else "since it started"
            print_columns(f"{name}: its controller{when}", list(seen), [(column, list(seen.values()))])
        if row["queues"]:
            queues = [
                (f"port {each['port']}.{each['queue']}", [str(each["depth_pkts"]), f"{each['average_pkts']:.2f}"])
                for each in row["queues"]
            ]
            print_columns(f"{name}: last report of each port.queue", ["depth, packets", "average, packets"], queues)


def _reason(row: Mapping[str, Any]) -> str:
    if not row["connected"]:
        return "the switch is not connected"
    return "no port has a profile, or --port names another one"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.1f}"


app = Commands()
app.command("stats")(stats)
