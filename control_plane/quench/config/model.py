# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The models of the configuration file. docs/how-to/controller.md has an example of everything."""

import re
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from quench_switch.p4runtime.address import DEFAULT_ADDRESS, DEFAULT_DEVICE_ID, MAX_DEVICE_ID

from quench.isq import IsqFormat, Limiter, Origin, RateLimit
from quench.isq.cnp import Address
from quench.profiles.compile import compile_profile
from quench.profiles.settings import ProfileSettings, fault_at
from quench.units import Depth, DepthField, RateField, SecondsField

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


def _one_host(address: Address) -> Address:
    of_one_link = address.is_link_local or getattr(address, "scope_id", None) is not None
    if address.is_multicast or address.is_unspecified or address.is_loopback or of_one_link:
        raise ValueError(f"{address} is not an address by which other networks reach this switch")
    return address


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
MAX_CLASSES = 64
"""Most classes of a switch: the size of the P4 program's table ``dscp_queue``."""
MAX_PROFILES = 1000
"""Most profiles of a switch. The P4 program's table has 1024 entries; a change needs one more for a while."""
MAX_NETWORK_HOSTS, MAX_NETWORK_SWITCHES, MAX_NETWORK_LINKS = 1000, 100, 1000
"""The largest picture of a network: a browser draws it."""
MAX_DOMAIN_PREFIXES = 64
"""Most prefixes of the domain of source quenches, as in the P4 program."""
IsqMode = Literal["cpu", "dataplane", "off"]
"""The sender of source quenches: the controller, the switch itself, or none."""


def _yaml_off(value: object) -> object:
    """YAML 1.1 reads an ``off`` without quotes as false."""
    return "off" if value is False else value


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PipelineConfig(_Model):
    """The compiled program. Paths are relative to the configuration file."""

    p4info: Path | None = None
    """The program's P4Info as text, ``quench.p4info.txtpb``."""
    json_: Path | None = Field(default=None, alias="json")
    """The compiled program, ``quench.json``: what the switch gets as P4Runtime's ``p4_device_config``."""
    program: Path | None = None
    """The description of another program, in place of both (docs/reference/programs.md)."""

    @model_validator(mode="after")
    def _one_program(self) -> Self:
        both = self.p4info is not None and self.json_ is not None
        neither = self.p4info is None and self.json_ is None
        if not (neither if self.program is not None else both):
            raise ValueError("give 'p4info' and 'json', or 'program' alone")
        return self

    def relative_to(self, folder: Path) -> "PipelineConfig":
        """The same files, with paths relative to ``folder``."""
        names = ("p4info", "json_", "program")
        files = {name: folder / path for name in names if (path := getattr(self, name)) is not None}
        return self.model_copy(update=files)


class PortConfig(_Model):
    """A port with queues that have a congestion profile."""

    rate: RateField
    """Rate of the port, such as ``10Mbps``, which times the decay of the average while a queue is idle. The controller
    does not shape the port: the switch has a rate of its own."""
    buffer: DepthField | None = None
    """The most that a queue of the port holds, such as ``90KB``, for thresholds in percent. The controller does not set
    it: the switch has a capacity of its own. Null: such thresholds are refused."""
    profile: str | ProfileSettings | None = None
    """The profile of one queue: the name of one of the file's profiles, or the settings themselves."""
    queue: QueueNumber = 0
    """The queue that has ``profile``."""
    queues: dict[QueueNumber, str | ProfileSettings] = {}
    """Profiles by queue, instead of ``profile`` and ``queue``."""
    settings: dict[str, int | float | str] | None = Field(default=None, max_length=64)
    """The settings of ``queue`` of another program than Quench's, instead of profiles."""

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        if self.settings is not None:
            if self.profile is not None or self.queues:
                raise fault_at("they take the place of profiles: leave those out", "settings")
            return self
        if self.profile is None and not self.queues:
            raise ValueError("a port needs 'profile', or 'queues' with a profile for each")
        if self.queues and (self.profile is not None or self.queue):
            raise fault_at("give either 'profile' (and 'queue') or 'queues'", "queues")
        return self

    @property
    def profiles(self) -> dict[int, str | ProfileSettings]:
        """The profile of each queue, by queue."""
        return {self.queue: self.profile} if self.profile is not None else dict(self.queues)


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue's profile, the rate in bits/s at which its port is served, and the queue's capacity."""

    settings: ProfileSettings
    """The settings as they are written: thresholds may be left to their defaults, or be in percent or in time."""
    rate_bps: int
    buffer: Depth | None = None
    """The capacity of the queue; None: it is unknown."""

    @property
    def whole(self) -> ProfileSettings:
        """The settings with every threshold. Raises ValueError."""
        return self.settings.at_rate(self.rate_bps, self.buffer)

    @property
    def defaults(self) -> list[str]:
        """The thresholds that are not given."""
        return list(self.settings.at_port(self.rate_bps, self.buffer).defaults(self.rate_bps))


class ClassConfig(_Model):
    """Packets that wait in a queue of their own, chosen by their DSCP (RFC 2474)."""

    dscp: int = Field(ge=0, le=63)
    """Differentiated services code point, without the two bits of ECN."""
    mask: int = Field(default=63, ge=0, le=63)
    """The bits of ``dscp`` that count."""
    queue: QueueNumber
    """The queue, in each port, in which these packets wait."""

    @model_validator(mode="after")
    def _within_mask(self) -> Self:
        if self.dscp & ~self.mask:
            raise fault_at(f"dscp {self.dscp:#08b} has bits that the mask {self.mask:#08b} leaves out", "dscp")
        return self


def _reachable(classes: tuple[ClassConfig, ...]) -> tuple[ClassConfig, ...]:
    for index, later in enumerate(classes):
        for earlier in classes[:index]:
            if later.mask & earlier.mask == earlier.mask and later.dscp & earlier.mask == earlier.dscp:
                what = f"dscp {earlier.dscp:#08b}, mask {earlier.mask:#08b}"
                raise fault_at(f"the class before it with {what} takes all of its packets", index)
    return classes


Classes = Annotated[tuple[ClassConfig, ...], Field(max_length=MAX_CLASSES), AfterValidator(_reachable)]
"""Classes of packets. The first that fits a packet chooses its queue; a packet that fits none waits in queue 0."""


class NextHopConfig(_Model):
    """The port and the MAC addresses of packets to a neighbour."""

    port: PortNumber
    """The egress port."""
    source_mac: MacField
    """Source of the Ethernet header that leaves: the switch's own address at this port."""
    destination_mac: MacField
    """Destination of the Ethernet header that leaves: the next hop's address."""


MAX_NEXT_HOPS = 64
"""Most next hops of a route, as in the P4 program."""
MAX_GROUPS = 500
"""Most different sets of several next hops. The P4 program's table has 1024 entries; a change may need it twice."""


class RouteConfig(_Model):
    """A route: the next hop of packets to a prefix, or several of equal cost, which share the flows."""

    prefix: PrefixField
    """The destination's prefix, such as ``10.0.2.0/24`` or ``2001:db8::/32``. The longest that fits counts."""
    port: PortNumber | None = None
    """The egress port of the one next hop."""
    source_mac: MacField | None = None
    """Source of the Ethernet header that leaves: the switch's own address at this port."""
    destination_mac: MacField | None = None
    """Destination of the Ethernet header that leaves: the next hop's address."""
    next_hops: tuple[NextHopConfig, ...] = Field(default=(), max_length=MAX_NEXT_HOPS)
    """Several next hops, in place of the other three: a flow keeps to one, by a hash over its five-tuple."""

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        own = [self.port, self.source_mac, self.destination_mac]
        if self.next_hops:
            if own != [None] * 3:
                raise fault_at(
                    "they take the place of port, source_mac and destination_mac: leave those out", "next_hops"
                )
            if len(set(self.next_hops)) < len(self.next_hops):
                raise fault_at("a next hop is given twice", "next_hops")
        elif None in own:
            raise ValueError("give 'port', 'source_mac' and 'destination_mac', or 'next_hops' with these for each")
        return self

    @property
    def hops(self) -> tuple[NextHopConfig, ...]:
        """The next hop, or all of them."""
        if self.next_hops:
            return self.next_hops
        assert self.port is not None
        assert self.source_mac is not None
        assert self.destination_mac is not None
        return (NextHopConfig(port=self.port, source_mac=self.source_mac, destination_mac=self.destination_mac),)


class TlsConfig(_Model):
    """Files in PEM, relative to the configuration file. A switch may ask for ``cert`` and ``key`` (mutual TLS)."""

    ca: Path | None = None
    """The authority that must have signed the switch's certificate; null: any of gRPC's own list."""
    cert: Path | None = None
    """This controller's certificate, with the chain that leads to its authority."""
    key: Path | None = None
    """The private key of ``cert``."""
    server_name: str | None = None
    """The name in the switch's certificate; null: the host of its address."""

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.cert is None) != (self.key is None):
            raise ValueError("'cert' and 'key' belong together: give both or none")
        return self

    def relative_to(self, folder: Path) -> "TlsConfig":
        """The same files, with paths relative to ``folder``."""
        files = {name: folder / path for name in ("ca", "cert", "key") if (path := getattr(self, name)) is not None}
        return self.model_copy(update=files)


class TnaConfig(_Model):
    """The settings of a switch that runs the TNA program."""

    recirculation_ports: tuple[Literal[68, 196, 324, 452], ...] = Field(default=(68,), min_length=1, max_length=4)
    """The recirculation port of each pipe, local port 68. By others the program takes nothing but packets of hosts. The
    embedded switch has one pipe."""
    state_lifetime: SecondsField | None = Field(default=None, gt=0, le=3600)
    """The age up to which ingress uses the average that egress sent to it; null: by the thresholds and rates of the
    profiles, 10 ms at least."""
    filters: Literal["set", "tell"] = "set"
    """The filters of the averages: ``set`` them over P4Runtime, which a switch may refuse; ``tell``: where it does, log
    what to set by BF-Runtime, and go on."""

    @field_validator("recirculation_ports")
    @classmethod
    def _one_of_a_pipe(cls, ports: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(ports)) < len(ports):
            raise ValueError("a port is given twice: a pipe would get each state twice")
        return ports


class SwitchConfig(_Model):
    """One switch and all that the controller writes to it."""

    name: NameField
    """Name of the switch in commands, logs and metrics."""
    address: Annotated[str, BeforeValidator(server_address)]
    """Address of the P4Runtime server: ``HOST:PORT`` or ``unix:PATH``."""
    tls: TlsConfig | None = None
    """TLS of the connection; null: no encryption."""
    device_id: int = Field(default=DEFAULT_DEVICE_ID, ge=0, le=MAX_DEVICE_ID)
    """The switch's device id (P4Runtime specification, ``device_id``)."""
    pipeline: PipelineConfig
    """The compiled program, which the controller loads unless the switch runs it."""
    cpu_port: int | None = Field(default=None, ge=1, le=MAX_PORT)
    """The port by which copies of packets reach the controller; the switch is started with the same. Null: 510 on
    v1model, 320 on Tofino (192 where the program was compiled with it)."""
    tna: TnaConfig | None = None
    """The settings of the TNA program; null: the defaults of these settings."""
    router_address: Annotated[IPv4Address, AfterValidator(_one_host)]
    """Source address of the source quenches about this switch's queues."""
    router_ipv6_address: Annotated[IPv6Address, AfterValidator(_one_host)] | None = None
    """Source address of those about IPv6, which there are of RoCEv2; null: there are none."""
    ports: dict[PortNumber, PortConfig] = {}
    """The ports whose queues have a congestion profile, by number."""
    classes: Classes = ()
    """The queues of packets, by their DSCP."""
    routes: tuple[RouteConfig, ...] = ()
    """The routes, one for each prefix."""

    @field_validator("ports")
    @classmethod
    def _few_enough(cls, ports: dict[int, PortConfig]) -> dict[int, PortConfig]:
        queues = sum(len(port.profiles) for port in ports.values())
        if queues > MAX_PROFILES:
            raise ValueError(f"{queues} queues have a profile: {MAX_PROFILES} are the most")
        return ports

    @model_validator(mode="after")
    def _fits_the_program(self) -> Self:
        own = self.pipeline.program is not None
        for number, port in self.ports.items():
            if own != (port.settings is not None):
                wanted = (
                    "'settings', for the program is not Quench's" if own else "profiles: 'settings' need a 'program'"
                )
                raise fault_at(f"a port has {wanted}", "ports", number)
        if own and self.classes:
            raise fault_at("only Quench's program has classes", "classes")
        return self

    @field_validator("routes")
    @classmethod
    def _distinct(cls, routes: tuple[RouteConfig, ...]) -> tuple[RouteConfig, ...]:
        seen = set()
        for route in routes:
            if route.prefix in seen:
                raise ValueError(f"there are two routes to {route.prefix}")
            seen.add(route.prefix)
        groups = len({route.hops for route in routes if len(route.hops) > 1})
        if groups > MAX_GROUPS:
            raise ValueError(f"routes have {groups} different sets of several next hops: {MAX_GROUPS} are the most")
        return routes

    @property
    def route_ports(self) -> set[int]:
        """The ports that routes lead to."""
        return {hop.port for route in self.routes for hop in route.hops}


class LimitConfig(_Model):
    """A token bucket that limits the controller's source quenches."""

    rate: float = Field(gt=0)
    """Messages per second in the long run."""
    burst: int = Field(default=10, ge=1)
    """Most messages at once."""

    def to_limit(self) -> RateLimit:
        """The limit in the form that the limiter takes."""
        return RateLimit(self.rate, self.burst)


class MeterConfig(_Model):
    """The switch's own meter, which limits the source quenches that it sends itself."""

    rate: int = Field(ge=1, le=1_000_000)
    """Messages per second in the long run."""
    burst: int = Field(default=100, ge=1, le=1_000_000)
    """Most messages at once."""


class IsqConfig(_Model):
    """The sender of source quenches (ISQs), and their limits (RFC 1812 section 4.3.2.8)."""

    mode: Annotated[IsqMode, BeforeValidator(_yaml_off)] = "cpu"
    """The sender: ``cpu``: the controller; ``dataplane``: the switch itself; ``off``: none."""
    per_queue: MeterConfig | None = MeterConfig(rate=1000, burst=100)
    """The limit of the ISQs about one queue, with ``dataplane``; null: no limit."""
    per_source: LimitConfig | None = LimitConfig(rate=1000, burst=100)
    """The limit of the ISQs to one host, with ``cpu``; null: no limit."""
    total: LimitConfig | None = LimitConfig(rate=10000, burst=1000)
    """The limit of all ISQs about one switch, with ``cpu``; null: no limit."""
    format: IsqFormat = "icmp"
    """The form about data packets of RoCEv2: ``icmp`` as about all others, ``cnp``, or ``fast-cnp``, which is for IPv6
    and leaves IPv4 the plain CNP. Both need ``domain``."""
    domain: Annotated[tuple[PrefixField, ...], Field(max_length=MAX_DOMAIN_PREFIXES)] = ()
    """The prefixes of hosts and switches between which there are source quenches: no packet from elsewhere causes one,
    and the switches drop those from elsewhere. None: all of IPv4, with ICMP."""
    sender_support: Literal["unknown", "known"] = "unknown"
    """``known``: all senders of the domain understand a Fast CNP, and get it in place of a mark; ``unknown``: both."""

    @model_validator(mode="after")
    def _formats(self) -> Self:
        if self.format != "icmp" and not self.domain:
            raise fault_at(f"{self.format!r} needs isq.domain: the prefixes of the hosts and switches", "format")
        if self.format == "fast-cnp" and all(prefix.version == 4 for prefix in self.domain):
            raise fault_at("a Fast CNP is for IPv6: give isq.domain a prefix of IPv6, or take 'cnp'", "format")
        if self.sender_support == "known" and self.format != "fast-cnp":
            raise fault_at("'known' is for the format 'fast-cnp': leave it out", "sender_support")
        for index, prefix in enumerate(self.domain):
            if prefix.is_multicast:
                raise fault_at(f"{prefix} is multicast: give prefixes of hosts and switches", "domain", index)
        if len(set(self.domain)) < len(self.domain):
            raise fault_at("a prefix is given twice", "domain")
        return self

    def origin(self, address: IPv4Address, ipv6_address: IPv6Address | None = None) -> Origin:
        """The maker of a switch's source quenches, which come from these addresses."""
        return Origin(address, ipv6_address, self.format, self.domain)

    def limiter(self, seed: bytes | None = None) -> Limiter:
        """The limits of what the controller sends about one switch."""
        per_source = self.per_source.to_limit() if self.per_source else None
        return Limiter(per_source, self.total.to_limit() if self.total else None, seed)


class ControllerIsqConfig(IsqConfig):
    """Source quenches of a controller that runs in real time."""

    max_age: AgeField | None = 0.2
    """Greatest age of a packet-in that is answered, about a round trip: later the mark has reached the source, or its
    retransmission timer has run out. Null: no limit."""


class NetworkLinkConfig(_Model):
    """A link between two nodes. A switch's end has its port, a host's end has none."""

    a: NameField
    """The name of one node."""
    a_port: PortNumber | None = None
    """Its port; null at a host."""
    b: NameField
    """The name of the other node."""
    b_port: PortNumber | None = None
    """Its port; null at a host."""


class NetworkConfig(_Model):
    """The network around the switches. The controller only shows it: it may name nodes that are not configured."""

    hosts: tuple[NameField, ...] = Field(default=(), max_length=MAX_NETWORK_HOSTS)
    """Names of the hosts."""
    switches: tuple[NameField, ...] = Field(default=(), max_length=MAX_NETWORK_SWITCHES)
    """Names of the switches, as in ``switches`` of the whole file."""
    links: tuple[NetworkLinkConfig, ...] = Field(default=(), max_length=MAX_NETWORK_LINKS)
    """The links between them."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        for name, times in Counter((*self.hosts, *self.switches)).items():
            if times > 1:
                raise ValueError(f"there are two nodes named {name!r}")
        hosts, switches = set(self.hosts), set(self.switches)
        taken: set[tuple[str, int | None]] = set()
        for index, link in enumerate(self.links):
            for side, node, port in (("a", link.a, link.a_port), ("b", link.b, link.b_port)):
                if node not in hosts | switches:
                    raise fault_at(f"there is no host and no switch {node!r}", "links", index, side)
                if (port is None) == (node in switches):
                    reason = f"{node!r} is a switch: give its port" if port is None else f"{node!r} is a host: no port"
                    raise fault_at(reason, "links", index, f"{side}_port")
                if port is not None and (node, port) in taken:
                    raise fault_at(f"two links end at port {port} of {node!r}", "links", index, f"{side}_port")
                taken.add((node, port))
        return self


class Config(_Model):
    """The whole file."""

    switches: tuple[SwitchConfig, ...] = Field(min_length=1)
    """The switches that this controller programs."""
    profiles: dict[NameField, ProfileSettings] = {}
    """Congestion profiles by name, for the ports of all switches."""
    isq: ControllerIsqConfig = ControllerIsqConfig()
    """The sender of source quenches, and their limits."""
    election_id: int = Field(default=10, ge=1, le=2**63 - 1)
    """Priority among the controllers of a switch (P4Runtime's arbitration): the highest works, the others stand by."""
    socket: Path = Path("/run/quench/controller.sock")
    """Path of the Unix socket by which the command line reaches the controller."""
    metrics: Annotated[str, BeforeValidator(host_and_port)] | None = None
    """``HOST:PORT`` of the Prometheus endpoint; null: no endpoint."""
    history: Annotated[SecondsField, Field(ge=60, le=3600)] | None = None
    """The time from 60 s to 1 h that the live feed looks back, as far as 16 MiB of samples reach; null: 15 minutes."""
    network: NetworkConfig | None = None
    """The network around the switches, for a picture of it; null: there is no picture."""

    @model_validator(mode="after")
    def _references(self) -> Self:
        for name, times in Counter(switch.name for switch in self.switches).items():
            if times > 1:
                raise ValueError(f"there are two switches named {name!r}")
        for index, switch in enumerate(self.switches):
            self._check_addresses(index, switch)
            for number, port in switch.ports.items():
                for queue, profile in port.profiles.items():
                    try:
                        compile_profile(Queue(self.settings_of(profile), port.rate, port.buffer).whole, port.rate)
                    except (KeyError, ValueError) as error:
                        reason = f"there is no profile {error}" if isinstance(error, KeyError) else str(error)
                        place = ("profile",) if port.profile is not None else ("queues", queue)
                        raise fault_at(reason, "switches", index, "ports", number, *place) from error
        return self

    def _check_addresses(self, index: int, switch: SwitchConfig) -> None:
        """Other switches of the domain must let this one's source quenches pass."""
        domain = self.isq.domain
        addresses = {"router_address": switch.router_address, "router_ipv6_address": switch.router_ipv6_address}
        for field, address in addresses.items():
            prefixes = [prefix for prefix in domain if address is not None and prefix.version == address.version]
            if prefixes and not any(address in prefix for prefix in prefixes):
                raise fault_at(
                    f"{address} is outside of isq.domain: switches would drop its source quenches",
                    "switches",
                    index,
                    field,
                )
        has_ipv6 = any(prefix.version == 6 for prefix in domain)
        if self.isq.format != "icmp" and has_ipv6 and switch.router_ipv6_address is None:
            raise fault_at(
                f"{self.isq.format!r} about IPv6 needs an address to come from",
                "switches",
                index,
                "router_ipv6_address",
            )

    def queues_of(self, switch: SwitchConfig) -> dict[tuple[int, int], Queue]:
        """The queues of a switch that have a profile, by port and queue."""
        return {
            (number, queue): Queue(self.settings_of(profile), port.rate, port.buffer)
            for number, port in switch.ports.items()
            for queue, profile in port.profiles.items()
        }

    def settings_of(self, profile: str | ProfileSettings) -> ProfileSettings:
        """The settings of a profile, looked up if it is a name. Raises KeyError for a name that the file lacks."""
        return self.profiles[profile] if isinstance(profile, str) else profile
