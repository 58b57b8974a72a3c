# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds of values in the configuration file: addresses, names, numbers of ports."""

import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from quench_switch.p4runtime.address import DEFAULT_ADDRESS

from quench.units import SecondsField

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


def _mac(text: object) -> str:
    if not isinstance(text, str) or not _MAC.fullmatch(text.lower()):
        raise ValueError(f"{text!r} is not a MAC address such as 00:00:00:00:00:01")
    return text.lower()


MacField = Annotated[str, BeforeValidator(_mac)]
"""A MAC address such as ``00:00:00:00:00:01``."""


def _prefix(value: object) -> object:
    if isinstance(value, IPv4Network | IPv6Network):
        return value
    try:
        if not isinstance(value, str) or "%" in value:
            raise ValueError(f"{value!r} is no prefix")
        return ip_network(value)
    except ValueError as error:
        raise ValueError(f"{error}: write a prefix as 10.0.2.0/24 or 2001:db8::/32") from error


PrefixField = Annotated[IPv4Network | IPv6Network, BeforeValidator(_prefix)]
"""A prefix such as ``10.0.2.0/24`` or ``2001:db8::/32``."""


def host_and_port(text: object) -> str:
    """A TCP address ``HOST:PORT``, an IPv6 address in brackets. Raises ValueError."""
    host, _, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not host or not host.isprintable() or not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 1 << 16):
        raise ValueError(f"{text!r} is not HOST:PORT, such as {DEFAULT_ADDRESS}")
    return f"{host}:{port}"


def server_address(text: object) -> str:
    """The address of a gRPC server: ``HOST:PORT`` or ``unix:PATH``. Raises ValueError."""
    if isinstance(text, str) and text.startswith(("unix:", "unix-abstract:")) and text.isprintable():
        return text
    return host_and_port(text)


def _name(text: str) -> str:
    """A name that terminals, logs and pictures can show. Raises ValueError."""
    if not text.isprintable():
        raise ValueError(f"{text!r} cannot be a name: leave out characters that cannot be printed")
    return text


NameField = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_name)]
"""A name of 1 to 100 printable characters."""
MAX_PORT = 510
"""Largest port of a switch; 511 is where v1model's programs send a packet to be dropped."""
PortNumber = Annotated[int, Field(ge=0, le=MAX_PORT)]
"""An egress port."""
QueueNumber = Annotated[int, Field(ge=0, le=7)]
"""A queue of a port: v1model's ``priority`` has 3 bits."""
AgeField = Annotated[SecondsField, Field(gt=0, le=3600)]
"""A time above 0, one hour at most."""


class ConfigModel(BaseModel):
    """A part of the file: it cannot be changed, and has no other keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
