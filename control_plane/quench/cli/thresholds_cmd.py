# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds``: show and change congestion profiles while packets flow, and watch queues."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from quench_common.units import format_seconds, parse_rate_bps, parse_seconds
from rich.table import Table

from quench.cli.options import (
    DEFAULT_SOCKET,
    DeviceOption,
    JsonOption,
    PortOption,
    QueueOption,
    SocketOption,
    SwitchOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    only,
    parsed,
    tls_of,
)
from quench.cli.output import table_console
from quench.cli.profile_options import SCHEME_HELP, sentences, settings_of, takes_profile
from quench.config.file import load_profiles
from quench.config.model import server_address
from quench.errors import ConfigError, ControllerError
from quench.profiles import ProfileSettings
from quench.service.direct import DirectSwitch
from quench.service.protocol import ControlClient

app = typer.Typer(no_args_is_help=True, help="Show and change congestion profiles, live.")
LEAST_INTERVAL_S = 0.05
SwitchName = Annotated[str, typer.Argument(metavar="SWITCH", help="Name in the controller's configuration.")]


@app.command()
def show(
    switch: Annotated[str | None, typer.Argument(metavar="[SWITCH]", help="One switch; without it: all.")] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """Show the profile of each queue."""
    rows = only(ControlClient(socket).call("thresholds.show", switch=switch), port, queue)
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
    table_console().print(table)


@app.command("set")
@takes_profile
def set_(
    switch: SwitchName,
    port: Annotated[int, typer.Option(help="Egress port.", min=0, max=510)],
    given: dict[str, Any],
    scheme: Annotated[str | None, typer.Option(help=SCHEME_HELP)] = None,
    file: Annotated[Path | None, typer.Option(metavar="YAML", help="A profile from a file, such as a curve.")] = None,
    queue: QueueOption = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="Rate of the port, such as 10Mbps. Needed where the controller does not know it."
        ),
    ] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    address: SwitchOption = None,
    device_id: DeviceOption = 1,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Change a queue's profile under traffic. The change is atomic and loses no packet."""
    values = given if scheme is None else {"scheme": scheme, **given}
    settings = settings_of(values) if file is None else _from_file(file, values)
    if address is not None:
        if rate is None:
            raise ControllerError("--address needs --rate: a switch does not report the rates of its ports")
        direct = DirectSwitch(
            parsed("--address", server_address, address), device_id, tls_of(tls_ca, tls_cert, tls_key)
        )
        profile = direct.set_profile(port, queue or 0, settings, parsed("--rate", parse_rate_bps, rate))
    else:
        values = settings.model_dump(mode="json")
        answer = ControlClient(socket).call(
            "thresholds.set", switch=switch, port=port, queue=queue, rate=rate, settings=values
        )
        profile = answer["profile"]
    typer.echo(f"{switch} port {port}: {settings.scheme}, profile {profile}")


def _from_file(path: Path, changes: dict[str, Any]) -> ProfileSettings:
    try:
        profiles = load_profiles(path, changes)
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error
    if len(profiles) != 1:
        raise ConfigError(f"{path}: it has {len(profiles)} profiles: give --file a file with one")
    (settings,) = profiles.values()
    return settings


@app.command()
def watch(
    switch: SwitchName,
    port: PortOption = None,
    queue: QueueOption = None,
    interval: Annotated[str, typer.Option(metavar="TIME", help="Time between two requests, 50ms or more.")] = "500ms",
    count: Annotated[int, typer.Option(min=0, help="Lines to print; 0: until interrupted.")] = 0,
    socket: SocketOption = DEFAULT_SOCKET,
) -> None:
    """Print depth and average of queues: the newest report of each, then new ones as the switch sends them."""
    interval_s = parsed("--interval", parse_seconds, interval)
    if interval_s < LEAST_INTERVAL_S:
        raise ControllerError(f"--interval: {interval} is too short: {format_seconds(LEAST_INTERVAL_S)} is the least")
    _watch(ControlClient(socket), switch, port, queue, interval_s, count)


def _watch(
    client: ControlClient, switch: str, port: int | None, queue: int | None, interval_s: float, count: int
) -> None:
    last: int | None = None
    printed = 0
    while not count or printed < count:
        after = {} if last is None else {"after": last}
        reports = client.call("reports", switch=switch, **after)
        last = reports[-1]["number"] if reports else last or 0
        for report in only(reports, port, queue):
            typer.echo(
                f"{report['time_us'] / 1e6:12.3f} s  port {report['port']} queue {report['queue']}  "
                f"{report['depth_pkts']:4d} pkts  average {report['average_pkts']:8.3f} pkts"
            )
            printed += 1
            if count and printed >= count:
                return
        time.sleep(interval_s)
