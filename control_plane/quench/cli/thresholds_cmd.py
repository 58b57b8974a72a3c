# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds``: look at profiles and change them while packets flow."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from quench_common.units import parse_rate_bps
from rich.console import Console
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
    understood,
)
from quench.cli.profile_options import SCHEME_HELP, sentences, settings_of, takes_profile
from quench.config import ConfigError
from quench.config.model import server_address
from quench.config.profile_file import load_profiles
from quench.profiles import ProfileSettings
from quench.service.direct import DirectSwitch
from quench.service.protocol import ControlClient, ControllerError

app = typer.Typer(no_args_is_help=True, help="Show and change congestion profiles, live.")
SwitchName = Annotated[str, typer.Argument(metavar="SWITCH", help="Name in the controller's configuration.")]


@app.command()
def show(
    switch: Annotated[str | None, typer.Argument(metavar="[SWITCH]")] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """What each queue's profile is."""
    with understood(socket):
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
        Console(markup=False).print(table)


@app.command("set")
@takes_profile
def set_(
    switch: SwitchName,
    port: Annotated[int, typer.Option(help="Egress port.", min=0, max=510)],
    given: dict[str, Any],
    scheme: Annotated[str | None, typer.Option(help=SCHEME_HELP)] = None,
    file: Annotated[Path | None, typer.Option(metavar="YAML", help="A profile from a file, such as a curve.")] = None,
    queue: QueueOption = None,
    rate: Annotated[str | None, typer.Option(help="Rate of the port, if the controller does not know it.")] = None,
    socket: SocketOption = DEFAULT_SOCKET,
    address: SwitchOption = None,
    device_id: DeviceOption = 1,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Change a queue's profile under traffic: atomic, without losing a packet."""
    values = given if scheme is None else {"scheme": scheme, **given}
    settings = settings_of(values) if file is None else _from_file(file, values)
    if address is not None:
        if rate is None:
            raise ControllerError("--address needs --rate: the switch does not tell what a port is served at")
        direct = DirectSwitch(
            parsed("--address", server_address, address), device_id, tls_of(tls_ca, tls_cert, tls_key)
        )
        profile = direct.set_profile(port, queue or 0, settings, parsed("--rate", parse_rate_bps, rate))
    else:
        values = settings.model_dump(mode="json")
        answer = ControlClient(socket).call(
            "thresholds.set", switch=switch, port=port, queue=queue, rate=rate, settings=values
        )
        with understood(socket):
            profile = answer["profile"]
    typer.echo(f"{switch} port {port}: {settings.scheme}, profile {profile}")


def _from_file(path: Path, changes: dict[str, Any]) -> ProfileSettings:
    try:
        profiles = load_profiles(path, changes)
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error
    if len(profiles) != 1:
        raise ConfigError(f"{path}: it has {len(profiles)} profiles; --file wants a file with one")
    (settings,) = profiles.values()
    return settings


@app.command()
def watch(
    switch: SwitchName,
    port: PortOption = None,
    queue: QueueOption = None,
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between two looks.")] = 0.5,
    count: Annotated[int, typer.Option(min=0, help="Lines to print; 0: until interrupted.")] = 0,
    socket: SocketOption = DEFAULT_SOCKET,
) -> None:
    """Print queue and average as the switch reports them."""
    with understood(socket):
        _watch(ControlClient(socket), switch, port, queue, interval, count)


def _watch(
    client: ControlClient, switch: str, port: int | None, queue: int | None, interval_s: float, count: int
) -> None:
    since_us, printed = 0, 0
    while not count or printed < count:
        reports = client.call("reports", switch=switch, since_us=since_us)
        since_us = max([since_us, *(report["time_us"] for report in reports)])
        for report in only(reports, port, queue):
            typer.echo(
                f"{report['time_us'] / 1e6:12.3f} s  port {report['port']} queue {report['queue']}  "
                f"{report['depth_pkts']:4d} pkts  average {report['average_pkts']:8.3f} pkts"
            )
            printed += 1
            if count and printed >= count:
                return
        time.sleep(interval_s)
