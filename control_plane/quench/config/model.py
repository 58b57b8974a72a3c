# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the YAML file may say. docs/how-to/controller.md has an example of everything."""

import re
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from quench.isq.limiter import RateLimit
from quench.profiles.compile import compile_profile
from quench.profiles.settings import ProfileSettings, fault_at
from quench.units import RateField, SecondsField

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


def _mac(text: object) -> str:
    if not isinstance(text, str) or not _MAC.fullmatch(text.lower()):
        raise ValueError(f"{text!r} is not a MAC address such as 00:00:00:00:00:01")
    return text.lower()


MacField = Annotated[str, BeforeValidator(_mac)]


def host_and_port(text: object) -> str:
    """``HOST:PORT``, an IPv6 address in brackets. Raises ValueError."""
    host, _, port = text.rpartition(":") if isinstance(text, str) else ("", "", "")
    if not host or not host.isprintable() or not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 1 << 16):
        raise ValueError(f"{text!r} is not HOST:PORT")
    return f"{host}:{port}"


MAX_DEVICE_ID = 2**64 - 1
"""P4Runtime's field has so many bits."""


def server_address(text: object) -> str:
    """Of a gRPC server: ``HOST:PORT`` or ``unix:PATH``. Raises ValueError."""
    if isinstance(text, str) and text.startswith(("unix:", "unix-abstract:")) and text.isprintable():
        return text
    return host_and_port(text)


def _name(text: str) -> str:
    """Names go to terminals, logs and pictures."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is no name: it has characters that cannot be printed")
    return text


NameField = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_name)]
MAX_PORT = 510
"""Largest port of a switch; 511 is where v1model's programs send a packet to be dropped."""
PortNumber = Annotated[int, Field(ge=0, le=MAX_PORT)]
QueueNumber = Annotated[int, Field(ge=0, le=7)]
AgeField = Annotated[SecondsField, Field(gt=0, le=3600)]
MAX_CLASSES = 64
"""Entries of the P4 program's table."""
MAX_PROFILES = 1000
"""Of a switch. The P4 program's table has 1024 entries; a change needs one more for a while."""
IsqMode = Literal["cpu", "dataplane", "off"]


def _yaml_off(value: object) -> object:
    """To YAML 1.1 an ``off`` without quotes is false."""
    return "off" if value is False else value


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PipelineConfig(_Model):
    """The compiled program, relative to the configuration file."""

    p4info: Path
    json_: Path = Field(alias="json")


class PortConfig(_Model):
    """A port with queues that have a congestion profile."""

    rate: RateField
    """What the port is served at, in bits/s: it times the profiles' idle decay. Shaping is the switch's own."""
    profile: str | ProfileSettings | None = None
    """The name of one of the file's profiles, or the settings themselves."""
    queue: QueueNumber = 0
    """With ``profile``: the queue that has it."""
    queues: dict[QueueNumber, str | ProfileSettings] = {}
    """Instead of ``profile``: one for each of several queues."""

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        if self.profile is None and not self.queues:
            raise ValueError("a port needs 'profile', or 'queues' with a profile for each")
        if self.queues and (self.profile is not None or self.queue):
            raise fault_at("give either 'profile' (and 'queue') or 'queues'", "queues")
        return self

    @property
    def profiles(self) -> dict[int, str | ProfileSettings]:
        """What each of the queues has."""
        return {self.queue: self.profile} if self.profile is not None else dict(self.queues)


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue's profile, and the rate in bits/s at which its port is served."""

    settings: ProfileSettings
    rate_bps: int


class ClassConfig(_Model):
    """Packets that wait in a queue of their own, told by their DSCP (RFC 2474)."""

    dscp: int = Field(ge=0, le=63)
    mask: int = Field(default=63, ge=0, le=63)
    """The bits of ``dscp`` that count."""
    queue: QueueNumber

    @model_validator(mode="after")
    def _within_mask(self) -> Self:
        if self.dscp & ~self.mask:
            raise fault_at(f"dscp {self.dscp:#08b} has bits that the mask {self.mask:#08b} leaves out", "dscp")
        return self


class RouteConfig(_Model):
    """Where packets to a prefix go."""

    prefix: IPv4Network | IPv6Network
    port: PortNumber
    source_mac: MacField
    destination_mac: MacField


class TlsConfig(_Model):
    """Files in PEM, relative to the configuration file. ``cert`` and ``key`` are for switches that ask for them."""

    ca: Path | None = None
    """Who must have signed the switch's certificate; None: one of gRPC's own list."""
    cert: Path | None = None
    """This controller's certificate, with those that lead to its authority (mutual TLS)."""
    key: Path | None = None
    """The private key of ``cert``."""
    server_name: str | None = None
    """The name in the switch's certificate, where that is not the host of its address."""

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.cert is None) != (self.key is None):
            raise ValueError("'cert' and 'key' belong together: give both or none")
        return self

    def relative_to(self, folder: Path) -> "TlsConfig":
        """With the files' places as seen from ``folder``."""
        files = {name: folder / path for name in ("ca", "cert", "key") if (path := getattr(self, name)) is not None}
        return self.model_copy(update=files)


class SwitchConfig(_Model):
    """One switch and all that the controller puts on it."""

    name: NameField
    address: Annotated[str, BeforeValidator(server_address)]
    """P4Runtime server, HOST:PORT or unix:PATH."""
    tls: TlsConfig | None = None
    """None: without encryption."""
    device_id: int = Field(default=1, ge=1, le=MAX_DEVICE_ID)
    pipeline: PipelineConfig
    cpu_port: int = Field(default=MAX_PORT, ge=1, le=MAX_PORT)
    router_address: IPv4Address
    """Where this switch's ISQs say they come from."""
    ports: dict[PortNumber, PortConfig] = {}
    classes: tuple[ClassConfig, ...] = Field(default=(), max_length=MAX_CLASSES)
    """The first that fits a packet chooses its queue; else it is queue 0."""
    routes: tuple[RouteConfig, ...] = ()

    @field_validator("ports")
    @classmethod
    def _few_enough(cls, ports: dict[int, PortConfig]) -> dict[int, PortConfig]:
        queues = sum(len(port.profiles) for port in ports.values())
        if queues > MAX_PROFILES:
            raise ValueError(f"{queues} queues have a profile: {MAX_PROFILES} are the most")
        return ports

    @field_validator("classes")
    @classmethod
    def _reachable(cls, classes: tuple[ClassConfig, ...]) -> tuple[ClassConfig, ...]:
        for index, later in enumerate(classes):
            for earlier in classes[:index]:
                if later.mask & earlier.mask == earlier.mask and later.dscp & earlier.mask == earlier.dscp:
                    what = f"dscp {earlier.dscp:#08b}, mask {earlier.mask:#08b}"
                    raise fault_at(f"the class before it with {what} takes all of its packets", index)
        return classes

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


class MeterConfig(_Model):
    """What the switch's own meter lets through."""

    rate: int = Field(ge=1, le=1_000_000)
    """Messages per second."""
    burst: int = Field(default=100, ge=1, le=1_000_000)


class IsqConfig(_Model):
    """How ISQs are sent."""

    mode: Annotated[IsqMode, BeforeValidator(_yaml_off)] = "cpu"
    """``cpu``: by the controller; ``dataplane``: by the switch itself; ``off``: not at all."""
    per_queue: MeterConfig | None = MeterConfig(rate=1000, burst=100)
    """What the switch may send about one queue; None: no limit."""
    per_source: LimitConfig | None = LimitConfig(rate=1000, burst=100)
    total: LimitConfig | None = LimitConfig(rate=10000, burst=1000)


class ControllerIsqConfig(IsqConfig):
    """How a controller that runs in real time sends them."""

    max_age: AgeField | None = 0.2
    """Seconds: no ISQ about a packet-in that is older. About a round trip: then the mark itself has told the source, or
    its retransmission timer is about to. None: no limit."""


class Config(_Model):
    """The whole file."""

    switches: tuple[SwitchConfig, ...] = Field(min_length=1)
    profiles: dict[NameField, ProfileSettings] = {}
    isq: ControllerIsqConfig = ControllerIsqConfig()
    election_id: int = Field(default=10, ge=1, le=2**63 - 1)
    """Of the controllers that are connected to a switch the one with the highest works; the others stand by."""
    socket: Path = Path("/run/quench/controller.sock")
    """Where the command line reaches the controller."""
    metrics: Annotated[str, BeforeValidator(host_and_port)] | None = None
    """HOST:PORT of the Prometheus endpoint; none without it."""

    @model_validator(mode="after")
    def _references(self) -> Self:
        for name, times in Counter(switch.name for switch in self.switches).items():
            if times > 1:
                raise ValueError(f"there are two switches named {name!r}")
        for index, switch in enumerate(self.switches):
            for number, port in switch.ports.items():
                for queue, profile in port.profiles.items():
                    try:
                        compile_profile(self.settings_of(profile), port.rate)
                    except (KeyError, ValueError) as error:
                        reason = f"there is no profile {error}" if isinstance(error, KeyError) else str(error)
                        place = ("profile",) if port.profile is not None else ("queues", queue)
                        raise fault_at(reason, "switches", index, "ports", number, *place) from error
        return self

    def queues_of(self, switch: SwitchConfig) -> dict[tuple[int, int], Queue]:
        """All queues of a switch that have a profile, by port and queue."""
        return {
            (number, queue): Queue(self.settings_of(profile), port.rate)
            for number, port in switch.ports.items()
            for queue, profile in port.profiles.items()
        }

    def settings_of(self, profile: str | ProfileSettings) -> ProfileSettings:
        """The profile itself, looked up if it is a name. Raises KeyError."""
        return self.profiles[profile] if isinstance(profile, str) else profile
