# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The models of the configuration file. docs/how-to/controller.md has an example of everything."""

from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator
from quench_switch.p4runtime.address import DEFAULT_DEVICE_ID, MAX_DEVICE_ID

from quench.config.fields import (
    MAX_PORT,
    ConfigModel,
    MacField,
    NameField,
    PortNumber,
    PrefixField,
    QueueNumber,
    host_and_port,
    server_address,
)
from quench.config.isq import ControllerIsqConfig
from quench.isq.cnp import Address
from quench.profiles.compile import compile_profile
from quench.profiles.settings import ProfileSettings, fault_at
from quench.units import Depth, DepthField, RateField, SecondsField

MAX_CLASSES = 64
"""Most classes of a switch: the size of the P4 program's table ``dscp_queue``."""
MAX_PROFILES = 1000
"""Most profiles of a switch. The P4 program's table has 1024 entries; a change needs one more for a while."""
MAX_NETWORK_HOSTS, MAX_NETWORK_SWITCHES, MAX_NETWORK_LINKS = 1000, 100, 1000
"""The largest picture of a network: a browser draws it."""


class PipelineConfig(ConfigModel):
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


class PortConfig(ConfigModel):
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
    queues: dict[QueueNumber, str | ProfileSettings] = Field(default_factory=dict)
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


class ClassConfig(ConfigModel):
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


class NextHopConfig(ConfigModel):
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


class RouteConfig(ConfigModel):
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


class TlsConfig(ConfigModel):
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


class TnaConfig(ConfigModel):
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


def _one_host(address: Address) -> Address:
    of_one_link = address.is_link_local or getattr(address, "scope_id", None) is not None
    if address.is_multicast or address.is_unspecified or address.is_loopback or of_one_link:
        raise ValueError(f"{address} is not an address by which other networks reach this switch")
    return address


class SwitchConfig(ConfigModel):
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
    ports: dict[PortNumber, PortConfig] = Field(default_factory=dict)
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


class NetworkLinkConfig(ConfigModel):
    """A link between two nodes. A switch's end has its port, a host's end has none."""

    a: NameField
    """The name of one node."""
    a_port: PortNumber | None = None
    """Its port; null at a host."""
    b: NameField
    """The name of the other node."""
    b_port: PortNumber | None = None
    """Its port; null at a host."""


class NetworkConfig(ConfigModel):
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


class Config(ConfigModel):
    """The whole file."""

    switches: tuple[SwitchConfig, ...] = Field(min_length=1)
    """The switches that this controller programs."""
    profiles: dict[NameField, ProfileSettings] = Field(default_factory=dict)
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
