# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the YAML file may say. docs/guide/controller.md has an example of everything."""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from quench.isq.limiter import RateLimit
from quench.profiles.compile import compile_profile
from quench.profiles.settings import ProfileSettings
from quench.units import RateField

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


def _mac(text: object) -> str:
    if not isinstance(text, str) or not _MAC.fullmatch(text.lower()):
        raise ValueError(f"{text!r} is not a MAC address such as 00:00:00:00:00:01")
    return text.lower()


MacField = Annotated[str, BeforeValidator(_mac)]
PortNumber = Annotated[int, Field(ge=0, le=510)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PipelineConfig(_Model):
    """The compiled program, relative to the configuration file."""

    p4info: Path
    json_: Path = Field(alias="json")


class PortConfig(_Model):
    """A port whose queue has a congestion profile."""

    rate: RateField
    """What the port is served at, in bits/s: it times the profile's idle decay. Shaping is the switch's own."""
    profile: str | ProfileSettings
    """The name of one of the file's profiles, or the settings themselves."""
    queue: int = Field(default=0, ge=0, le=7)


class RouteConfig(_Model):
    """Where packets to a prefix go."""

    prefix: IPv4Network | IPv6Network
    port: PortNumber
    source_mac: MacField
    destination_mac: MacField


class SwitchConfig(_Model):
    """One switch and all that the controller puts on it."""

    name: str = Field(min_length=1)
    address: str
    """P4Runtime server, HOST:PORT."""
    device_id: int = Field(default=1, ge=1)
    pipeline: PipelineConfig
    cpu_port: int = Field(default=510, ge=1, le=510)
    router_address: IPv4Address
    """Where this switch's ISQs say they come from."""
    ports: dict[PortNumber, PortConfig] = {}
    routes: tuple[RouteConfig, ...] = ()

    @field_validator("routes")
    @classmethod
    def _distinct(cls, routes: tuple[RouteConfig, ...]) -> tuple[RouteConfig, ...]:
        seen = set()
        for route in routes:
            if route.prefix in seen:
                raise ValueError(f"there are two routes to {route.prefix}")
            seen.add(route.prefix)
        return routes


class LimitConfig(_Model):
    """A token bucket."""

    rate: float = Field(gt=0)
    """Messages per second."""
    burst: int = Field(default=10, ge=1)

    def to_limit(self) -> RateLimit:
        """As the limiter takes it."""
        return RateLimit(self.rate, self.burst)


class IsqConfig(_Model):
    """How ISQs are sent."""

    mode: Literal["cpu", "off"] = "cpu"
    per_source: LimitConfig | None = LimitConfig(rate=1000, burst=100)
    total: LimitConfig | None = LimitConfig(rate=10000, burst=1000)


class Config(_Model):
    """The whole file."""

    switches: tuple[SwitchConfig, ...] = Field(min_length=1)
    profiles: dict[str, ProfileSettings] = {}
    isq: IsqConfig = IsqConfig()
    socket: Path = Path("/run/quench/controller.sock")
    """Where the command line reaches the controller."""
    metrics: str | None = None
    """HOST:PORT of the Prometheus endpoint; none without it."""

    @model_validator(mode="after")
    def _references(self) -> Self:
        names = [switch.name for switch in self.switches]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"there are two switches named {name!r}")
        for switch in self.switches:
            for number, port in switch.ports.items():
                try:
                    compile_profile(self.settings_of(port), port.rate)
                except (KeyError, ValueError) as error:
                    reason = f"there is no profile {error}" if isinstance(error, KeyError) else str(error)
                    raise ValueError(f"switch {switch.name!r}, port {number}: {reason}") from error
        return self

    def settings_of(self, port: PortConfig) -> ProfileSettings:
        """The port's profile, looked up if it is a name. Raises KeyError."""
        return self.profiles[port.profile] if isinstance(port.profile, str) else port.profile
