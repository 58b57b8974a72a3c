# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from quench_switch.cli.output import complain
from quench_switch.p4runtime.address import MAX_DEVICE_ID

from quench.cli.completed import DEFAULT_SOCKET, ports, queues
from quench.errors import ControllerError
from quench.profiles.schemes import NAMED_SCHEMES

if TYPE_CHECKING:
    from quench.config.model import TlsConfig
    from quench.service.protocol import ControlClient

Value = TypeVar("Value")

SCHEME_HELP = f"{', '.join(NAMED_SCHEMES[:-1])} or {NAMED_SCHEMES[-1]}."

SocketOption = Annotated[
    Path, typer.Option("--socket", metavar="PATH", envvar="QUENCH_SOCKET", help="The controller's socket.")
]
AddressOption = Annotated[
    str, typer.Option("--address", metavar="HOST:PORT", help="The switch's P4Runtime server; also unix:PATH.")
]
SwitchOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="Change the switch at this P4Runtime server itself, without a controller.",
    ),
]
DeviceOption = Annotated[
    int | None,
    typer.Option(
        "--device-id",
        metavar="NUMBER",
        min=0,
        max=MAX_DEVICE_ID,
        help="The switch's device id, with --address.",
        show_default="that of the device that the server has",
    ),
]
TlsCaOption = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="PEM", help="TLS, and the authority of the switch's certificate, with --address."),
]
TlsCertOption = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="PEM", help="With --tls-ca: this client's certificate.")
]
TlsKeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="PEM", help="The key of --tls-cert.")]
BufferOption = Annotated[
    str | None,
    typer.Option("--buffer", metavar="DEPTH", help="The most that the queue holds, for thresholds in percent of it."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
PortOption = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", min=0, max=510, help="Only this egress port.", autocompletion=ports),
]
QueueOption = Annotated[
    int | None,
    typer.Option("--queue", metavar="QUEUE", min=0, max=7, help="Only this queue of the port.", autocompletion=queues),
]


def controller_at(path: Path) -> Path:
    """The controller's socket: this one, or where it is the default and not there, that of the one network that runs.

    Says on stderr which network was found. Raises ControllerError where several networks run.
    """
    if path != DEFAULT_SOCKET or path.exists():
        return path
    # Imported here: a command that is told its socket does not search.
    from quench.networks import only_network

    found = only_network()
    if found is None:
        return path
    complain("quench", f"the network {found.name} of process {found.pid}: {found.socket}")
    return found.socket


def only(rows: list[dict[str, Any]], port: int | None, queue: int | None) -> list[dict[str, Any]]:
    """The rows about this port and this queue; None: any."""
    return [row for row in rows if (port is None or row["port"] == port) and (queue is None or row["queue"] == queue)]


def tls_of(authority: Path | None, cert: Path | None, key: Path | None) -> "TlsConfig | None":
    """The TLS settings of these options; None: no TLS. Raises ControllerError."""
    if authority is None:
        if cert is not None or key is not None:
            raise ControllerError("--tls-cert and --tls-key need --tls-ca")
        return None
    if (cert is None) != (key is None):
        raise ControllerError("--tls-cert and --tls-key belong together: give both or none")
    from quench.config.model import TlsConfig

    return TlsConfig(ca=authority, cert=cert, key=key)


def controller(socket: Path) -> "ControlClient":
    """The client of the controller at a socket, as ``controller_at`` finds it. Raises ControllerError."""
    # Here, as in other commands: help and completion need no pydantic, which takes half of their time.
    from quench.service.protocol import ControlClient

    return ControlClient(controller_at(socket))


def parsed(option: str, parse: Callable[[str], Value], text: str) -> Value:
    """The value of an option such as ``--rate``. Raises ControllerError."""
    try:
        return parse(text)
    except ValueError as error:
        raise ControllerError(f"{option}: {error}") from error
