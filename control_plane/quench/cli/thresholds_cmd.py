# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds``: look at profiles and change them while packets flow."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from quench.cli.options import DEFAULT_SOCKET, DeviceOption, JsonOption, SocketOption, SwitchOption
from quench.config import ConfigError
from quench.profiles import ProfileSettings, parse_settings
from quench.service.direct import DirectSwitch
from quench.service.protocol import ControlClient, ControllerError
from quench.units import parse_rate_bps

app = typer.Typer(no_args_is_help=True, help="Show and change congestion profiles, live.")
SwitchName = Annotated[str, typer.Argument(metavar="SWITCH", help="Name in the controller's configuration.")]


def _settings(values: dict[str, Any]) -> ProfileSettings:
    """The settings, or one sentence about what is wrong with them."""
    try:
        return parse_settings(values)
    except ValidationError as error:
        raise ControllerError("\n".join(_sentence(fault) for fault in error.errors())) from error


def _sentence(fault: Any) -> str:
    names = [str(part) for part in fault["loc"][1:]]
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "missing":
        return f"--{names[-1].replace('_', '-')} is needed by this scheme"
    if fault["type"] == "extra_forbidden":
        return f"--{names[-1].replace('_', '-')} does not belong to this scheme"
    return f"{'.'.join(names)}: {message}" if names else message


@app.command()
def show(
    switch: Annotated[str | None, typer.Argument(metavar="[SWITCH]")] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """What each port's profile is."""
    rows = ControlClient(socket).call("thresholds.show", switch=switch)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    table = Table("switch", "port", "queue", "scheme", "settings", "connected")
    for row in rows:
        settings = dict(row["settings"])
        scheme = settings.pop("scheme")
        text = ", ".join(f"{key}={value}" for key, value in settings.items())
        table.add_row(
            row["switch"], str(row["port"]), str(row["queue"]), scheme, text, "yes" if row["connected"] else "no"
        )
    Console().print(table)


@app.command("set")
def set_(
    switch: SwitchName,
    port: Annotated[int, typer.Option(help="Egress port.", min=0, max=510)],
    scheme: Annotated[str | None, typer.Option(help="taildrop, red, ecn, becn or ecn-becn.")] = None,
    minth: Annotated[str | None, typer.Option(metavar="DEPTH", help="Such as 15KB or 15pkts.")] = None,
    becnthresh: Annotated[str | None, typer.Option(metavar="DEPTH")] = None,
    maxth: Annotated[str | None, typer.Option(metavar="DEPTH")] = None,
    maxp: Annotated[float | None, typer.Option(help="Probability at maxth.")] = None,
    wq: Annotated[float | None, typer.Option(help="Weight of one sample in the average.")] = None,
    gentle: Annotated[bool | None, typer.Option(help="Gentle RED above maxth.")] = None,
    wait: Annotated[bool | None, typer.Option(help="At least 1/p packets between two chosen.")] = None,
    byte_mode: Annotated[bool | None, typer.Option(help="Probability in proportion to the packet's size.")] = None,
    mark_at: Annotated[str | None, typer.Option(help="head or tail.")] = None,
    mean_packet_bytes: Annotated[int | None, typer.Option()] = None,
    report_interval: Annotated[str | None, typer.Option(metavar="TIME")] = None,
    file: Annotated[Path | None, typer.Option(metavar="YAML", help="A profile from a file, such as a curve.")] = None,
    queue: Annotated[int | None, typer.Option(min=0, max=7)] = None,
    rate: Annotated[str | None, typer.Option(help="Rate of the port, if the controller does not know it.")] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    address: SwitchOption = None,
    device_id: DeviceOption = 1,
) -> None:
    """Change a port's profile under traffic: atomic, without losing a packet."""
    given = {
        "scheme": scheme,
        "minth": minth,
        "becnthresh": becnthresh,
        "maxth": maxth,
        "maxp": maxp,
        "wq": wq,
        "gentle": gentle,
        "wait": wait,
        "byte_mode": byte_mode,
        "mark_at": mark_at,
        "mean_packet_bytes": mean_packet_bytes,
        "report_interval": report_interval,
    }
    values: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if file is not None:
        values = {**_from_file(file), **values}
    settings = _settings(values)
    if address is not None:
        if rate is None:
            raise ControllerError("--address needs --rate: the switch does not tell what a port is served at")
        profile = DirectSwitch(address, device_id).set_profile(port, queue or 0, settings, parse_rate_bps(rate))
    else:
        values = settings.model_dump(mode="json")
        answer = ControlClient(socket).call(
            "thresholds.set", switch=switch, port=port, queue=queue, rate=rate, settings=values
        )
        profile = answer["profile"]
    typer.echo(f"{switch} port {port}: {settings.scheme}, profile {profile}")


def _from_file(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}:1:1: a profile is a mapping with the key 'scheme'")
    return values


@app.command()
def watch(
    switch: SwitchName,
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between two looks.")] = 0.5,
    count: Annotated[int, typer.Option(min=0, help="Lines to print; 0: until interrupted.")] = 0,
    socket: SocketOption = DEFAULT_SOCKET,
) -> None:
    """Print queue and average as the switch reports them."""
    client = ControlClient(socket)
    since_us, printed = 0, 0
    while not count or printed < count:
        for report in client.call("reports", switch=switch, since_us=since_us):
            since_us = max(since_us, report["time_us"])
            typer.echo(
                f"{report['time_us'] / 1e6:12.3f} s  port {report['port']}.{report['queue']}  "
                f"queue {report['depth_pkts']:4d} pkts  average {report['average_pkts']:8.3f} pkts"
            )
            printed += 1
            if count and printed >= count:
                return
        time.sleep(interval)
