# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench thresholds``: show and change congestion profiles while packets flow, and watch queues."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from quench_switch.cli.commands import Commands
from quench_switch.outside.units import format_rate_bps, parse_depth, parse_rate_bps

from quench.cli.compare_cmd import compare
from quench.cli.completed import DEFAULT_SOCKET, YAML, beginning, files, ports, switches
from quench.cli.options import (
    SCHEME_HELP,
    BufferOption,
    DeviceOption,
    JsonOption,
    PortOption,
    QueueOption,
    SocketOption,
    SwitchOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    controller,
    only,
    parsed,
    tls_of,
)
from quench.cli.profile_options import profile_from, takes_profile
from quench.cli.thresholds_table import print_thresholds
from quench.cli.watch_cmd import watch
from quench.errors import ControllerError
from quench.profiles.schemes import NAMED_SCHEMES

app = Commands("Show and change congestion profiles, live.")
_DEPTHS = ("minth", "becnthresh", "midth", "maxth", "k")
SwitchName = Annotated[
    str,
    typer.Argument(metavar="SWITCH", help="Name in the controller's configuration.", autocompletion=switches),
]


@app.command()
def show(
    switch: Annotated[
        str | None,
        typer.Argument(metavar="[SWITCH]", help="One switch; without it: all.", autocompletion=switches),
    ] = None,
    port: PortOption = None,
    queue: QueueOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    as_json: JsonOption = False,
) -> None:
    """Show the profile of each queue."""
    rows = only(controller(socket).call("thresholds.show", switch=switch), port, queue)
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    print_thresholds(rows)


@app.command("set")
@takes_profile
def set_(
    switch: SwitchName,
    port: Annotated[int, typer.Option(metavar="PORT", help="Egress port.", min=0, max=510, autocompletion=ports)],
    given: dict[str, Any],
    scheme: Annotated[
        str | None, typer.Option(metavar="SCHEME", help=SCHEME_HELP, autocompletion=beginning(NAMED_SCHEMES))
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="YAML", help="A profile from a file, such as a curve.", autocompletion=files(*YAML)),
    ] = None,
    unset: Annotated[
        list[str] | None, typer.Option(metavar="SETTING", help="Give a setting its default again. Repeatable.")
    ] = None,
    queue: QueueOption = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE", help="Rate of the port, such as 10Mbps. Needed where the controller does not know it."
        ),
    ] = None,
    buffer: BufferOption = None,
    socket: SocketOption = DEFAULT_SOCKET,
    address: SwitchOption = None,
    device_id: DeviceOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
) -> None:
    """Change settings of a queue's profile under traffic; the others stay. It is atomic and loses no packet."""
    changes = given if scheme is None else {"scheme": scheme, **given}
    settings = None if file is None else profile_from(file, changes)
    if settings is not None:
        changes = {}
    names = [name.replace("-", "_") for name in unset or []]
    if settings is None and not changes and not names and rate is None:
        raise ControllerError("nothing to change: give a setting, --scheme, --unset, --rate or --file")
    if address is None:
        answer = controller(socket).call(
            "thresholds.set",
            switch=switch,
            port=port,
            queue=queue,
            rate=rate,
            buffer=buffer,
            settings=None if settings is None else settings.model_dump(mode="json", exclude_unset=True),
            changes=changes,
            unset=names,
        )
    else:
        if rate is None:
            raise ControllerError("--address needs --rate: a switch does not report the rates of its ports")
        from quench.config.fields import server_address
        from quench.service.direct import DirectSwitch, ProfileChange

        direct = DirectSwitch(
            parsed("--address", server_address, address), device_id, tls_of(tls_ca, tls_cert, tls_key)
        )
        rate_bps = parsed("--rate", parse_rate_bps, rate)
        capacity = None if buffer is None else parsed("--buffer", parse_depth, buffer)
        answer = direct.change(ProfileChange(port, queue or 0, rate_bps, settings, changes, names, capacity))
    defaults = f" (default{'s' * (len(answer['defaults']) > 1)}: {', '.join(answer['defaults'])})"
    taken = ", ".join(f"{name} {value}" for name, value in answer["settings"].items() if name in {*_DEPTHS, *given})
    typer.echo(
        f"{switch} port {port} queue {answer['queue']} at {format_rate_bps(answer['rate_bps'])}: "
        f"{answer['settings']['scheme']}{', ' * bool(taken)}{taken}{defaults * bool(answer['defaults'])}, "
        f"profile {answer['profile']}"
    )


app.command("watch")(watch)
app.command("compare")(compare)
