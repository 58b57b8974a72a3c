# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The options by which a command reaches any P4Runtime server, without a controller."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.p4runtime.address import DEFAULT_ADDRESS

from quench.cli.options import (
    AddressOption,
    DeviceOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    parsed,
    tls_of,
)
from quench.cli.shared_options import with_options

if TYPE_CHECKING:
    from quench.service.direct import DirectSwitch

ElectionOption = Annotated[
    int | None,
    typer.Option(
        "--election-id",
        metavar="NUMBER",
        min=1,
        max=2**128 - 1,
        help="For changes: above that of another controller.",
        show_default="below that of any controller",
    ),
]
_OPTIONS = {
    "address": (AddressOption, DEFAULT_ADDRESS),
    "device_id": (DeviceOption, None),
    "election_id": (ElectionOption, None),
    "tls_ca": (TlsCaOption, None),
    "tls_cert": (TlsCertOption, None),
    "tls_key": (TlsKeyOption, None),
}


def takes_server(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options; its parameter ``server`` is the switch that they name."""
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in _OPTIONS.items()
    ]
    return with_options(command, options, "server", _server)


def _server(values: dict[str, Any]) -> "DirectSwitch":
    from quench.config.fields import server_address
    from quench.service.direct import VISITORS_ID, DirectSwitch

    tls = tls_of(values["tls_ca"], values["tls_cert"], values["tls_key"])
    address = parsed("--address", server_address, values["address"])
    return DirectSwitch(address, values["device_id"], tls, election_id=values["election_id"] or VISITORS_ID)
