# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A network on paper: hosts, switches, links and routes, before anything is started."""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from operator import itemgetter
from typing import Any

from quench_topologies.errors import NodeError, TopologyError

ETHERNET_MTU_BYTES = 1500
ETHERNET_HEADER_BYTES = 14
"""Rates and capacities are those of Ethernet frames."""
TCP_IP_HEADER_BYTES = 40
SCHEDULERS = ("strict", "drr", "scfq")
"""Ways in which a port chooses among its queues, as `quench switch` names them."""
MAX_NODES = 2000
MAX_INTERFACE_NAME = 15
"""Linux's IFNAMSIZ without the zero at the end."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""The name of a node: a word of Mininet's command line, whose numbers are arguments of commands. Names of interfaces,
files and processes are made of it."""
# fmt: off
PROMPT_COMMANDS = frozenset(
    {
        "EOF", "dpctl", "dump", "exit", "gterm", "help", "intfs", "iperf", "iperfudp", "link", "links", "net",
        "nodes", "noecho", "pingall", "pingallfull", "pingpair", "pingpairfull", "ports", "px", "py", "quit", "sh",
        "source", "switch", "time", "traffic", "wait", "x", "xterm",
    }
)
# fmt: on
"""The commands of Mininet's prompt, as which a node's name would be read."""
ISQ_MODES = ("cpu", "dataplane", "off")
"""The maker of source quenches, as the controller's YAML names it."""


@dataclass(frozen=True, slots=True)
class TcpPlan:
    """The hosts' TCP. The defaults are the papers' (N1); MODERN_TCP is Linux's."""

    paper: bool = True
    """quench-host turns off what the papers' TCP lacks, such as SACK and RACK."""
    packet_bytes: int = 1000
    """A full segment as an IP packet, headers included."""
    max_window_pkts: int | None = 100
    """None: the kernel chooses."""
    initial_window_pkts: int | None = 1
    """None: the kernel's own."""
    delayed_acks: bool = False

    @property
    def max_window_bytes(self) -> int | None:
        """The same in bytes of payload."""
        if self.max_window_pkts is None:
            return None
        return self.max_window_pkts * (self.packet_bytes - TCP_IP_HEADER_BYTES)


PAPER_TCP = TcpPlan()
MODERN_TCP = TcpPlan(
    paper=False,
    packet_bytes=ETHERNET_MTU_BYTES,
    max_window_pkts=None,
    initial_window_pkts=None,
    delayed_acks=True,
)


@dataclass(frozen=True, slots=True)
class PortPlan:
    """The queues of a switch's port and the link behind it. Raises TopologyError for contradictory values."""

    rate_bps: int | None = None
    """Bits of Ethernet frames per second; None: unlimited."""
    capacity_bytes: int | None = None
    """Capacity of each queue; None: the switch's own default."""
    delay_ns: int = 0
    """Propagation delay of the outgoing link."""
    loss: float = 0.0
    """Probability that the outgoing link loses a packet."""
    profile: Mapping[str, Any] | None = None
    """Congestion profile of queue 0 as in the controller's YAML; None: the queue has none."""
    profiles: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Congestion profiles of the other queues."""
    scheduler: str = "strict"
    """One of SCHEDULERS."""
    weights: Mapping[int, float] = field(default_factory=dict)
    """The weights of the queues, for drr and scfq; a queue without one weighs 1."""
    queue_capacity_bytes: Mapping[int, int] = field(default_factory=dict)
    """The capacities of the queues that differ from capacity_bytes."""

    def __post_init__(self) -> None:
        if self.scheduler not in SCHEDULERS:
            raise TopologyError(f"scheduler {self.scheduler!r}: choose {', '.join(SCHEDULERS)}")
        if 0 in self.profiles:
            raise TopologyError("the profile of queue 0 is given as profile, not among profiles")

    @property
    def queues(self) -> int:
        """The number of queues that the port needs: up to the highest that has a profile, weight or capacity."""
        return 1 + max({0, *self.profiles, *self.weights, *self.queue_capacity_bytes})

    @property
    def queue_profiles(self) -> dict[int, Mapping[str, Any]]:
        """All congestion profiles, by queue."""
        first = {} if self.profile is None else {0: self.profile}
        return {**first, **dict(sorted(self.profiles.items()))}


def interface_name(node: str, port: int) -> str:
    """The name that Mininet gives to the interface at a port; a host's is at port 0."""
    return f"{node}-eth{port}"


def _check_name(name: str, last_port: int) -> None:
    """Raises NodeError for a name that Mininet's prompt or Linux does not take."""
    shown = repr(name[:40])
    if not _NAME.fullmatch(name):
        raise NodeError(name, f"{shown} names no node: give a letter, then letters, digits and '_'")
    if name in PROMPT_COMMANDS:
        raise NodeError(name, f"{shown} names no node: it is a command of Mininet's prompt")
    ending = interface_name("", last_port)
    longest = MAX_INTERFACE_NAME - len(ending)
    if len(name) > longest:
        raise NodeError(
            name,
            f"{shown} names no node: {longest} characters are the most, for its interface is named "
            f"'...{ending}' and Linux takes {MAX_INTERFACE_NAME} characters",
        )


@dataclass(frozen=True, slots=True)
class HostPlan:
    """A host with one interface."""

    name: str
    address: IPv4Interface
    mac: str
    uplink_rate_bps: int | None = None
    """Rate at which the host itself sends (a token bucket), in bits/s."""
    commands: tuple[str, ...] = ()
    """Shell commands that set the host's routes up, instead of a default route through its switch."""

    @property
    def interface(self) -> str:
        """The name of the interface inside the host's namespace; commands written for a host call it eth0."""
        return "eth0" if self.commands else interface_name(self.name, 0)

    @property
    def gateway(self) -> IPv4Address:
        """An address of the host's subnet that stands for its switch: the last one that is free."""
        last = self.address.network.broadcast_address - 1
        return last if last != self.address.ip else last - 1


@dataclass(frozen=True, slots=True)
class HopPlan:
    """A port, and the MAC address at the other end of its link."""

    port: int
    mac: str


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """The next hop of packets to a prefix, or several that share the flows."""

    prefix: IPv4Network
    hops: tuple[HopPlan, ...]


@dataclass(frozen=True, slots=True)
class ClassPlan:
    """Packets of a DSCP wait in a queue of their own, at every port of the switch."""

    dscp: int
    queue: int


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """A switch. Without routes of its own it gets those of the shortest paths."""

    name: str
    ports: Mapping[int, PortPlan]
    routes: tuple[RoutePlan, ...] | None = None
    classes: tuple[ClassPlan, ...] = ()
    """Packets of no class wait in queue 0."""

    def queues(self, port: int) -> int:
        """The number of queues that a port needs.

        A class needs its queue at every port: a packet without a queue is dropped.
        """
        of_port = self.ports[port].queues if port in self.ports else 1
        return max([of_port, *(1 + each.queue for each in self.classes)])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An end of a link: a switch's port, or a host (port 0)."""

    node: str
    port: int = 0


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """A link between two nodes."""

    a: Endpoint
    b: Endpoint


@dataclass(frozen=True)
class NetworkPlan:
    """A whole network. Raises TopologyError when its parts do not fit together."""

    hosts: tuple[HostPlan, ...]
    switches: tuple[SwitchPlan, ...]
    links: tuple[LinkPlan, ...]
    tcp: TcpPlan = field(default_factory=TcpPlan)
    isq_mode: str = "cpu"
    """One of ISQ_MODES."""
    ecmp: bool = False
    """Whether flows to a host share all of the shortest paths; otherwise a switch takes that by its lowest port."""
    offloads: bool = False
    """Whether hosts and switches hand over frames that are longer than the links', for the other end to cut up."""

    def __post_init__(self) -> None:
        if self.isq_mode not in ISQ_MODES:
            raise TopologyError(f"isq mode {self.isq_mode!r}: choose {', '.join(ISQ_MODES)}")
        names = [host.name for host in self.hosts] + [switch.name for switch in self.switches]
        if len(names) > MAX_NODES:
            raise TopologyError(f"{len(names)} hosts and switches: {MAX_NODES} are the most")
        last_ports: dict[str, int] = {}
        for end in self._ends():
            last_ports[end.node] = max(end.port, last_ports.get(end.node, 0))
        for name, times in Counter(names).items():
            _check_name(name, last_ports.get(name, 0))
            if times > 1:
                raise TopologyError(f"there are two nodes named {name!r}")
        seen: set[Endpoint] = set()
        for end in self._ends():
            if end.node not in names:
                raise TopologyError(f"a link ends at {end.node!r}, which is neither a host nor a switch")
            if end in seen:
                raise TopologyError(f"two links end at {self._describe(end)}")
            seen.add(end)
        for host in self.hosts:
            if Endpoint(host.name) not in seen:
                raise TopologyError(f"host {host.name!r} has no link")
        with_address: dict[IPv4Address, str] = {}
        for host in self.hosts:
            other = with_address.setdefault(host.address.ip, host.name)
            if other != host.name:
                raise NodeError(host.name, f"{host.name!r} has the address {host.address.ip} of {other!r}")

    @property
    def has_rates(self) -> bool:
        """Whether a rate limits some link, so that packets can meet a queue."""
        ports = (port for switch in self.switches for port in switch.ports.values())
        rates = [*(port.rate_bps for port in ports), *(host.uplink_rate_bps for host in self.hosts)]
        return any(rate_bps is not None for rate_bps in rates)

    def _ends(self) -> Iterator[Endpoint]:
        for link in self.links:
            yield link.a
            yield link.b

    def _describe(self, end: Endpoint) -> str:
        return f"host {end.node!r}" if self.is_host(end.node) else f"port {end.port} of {end.node!r}"

    def is_host(self, name: str) -> bool:
        """Whether a node is a host."""
        return any(host.name == name for host in self.hosts)

    def host(self, name: str) -> HostPlan:
        """The host of that name."""
        return next(host for host in self.hosts if host.name == name)

    def neighbours(self, host: HostPlan) -> tuple[HostPlan, ...]:
        """The other hosts in a host's subnet, wherever their links are."""
        return tuple(each for each in self.hosts if each != host and each.address.ip in host.address.network)

    def peer(self, end: Endpoint) -> Endpoint | None:
        """The other end of a link, or None where there is no link."""
        for link in self.links:
            if link.a == end:
                return link.b
            if link.b == end:
                return link.a
        return None

    def device_id(self, switch: str) -> int:
        """P4Runtime's device id: 1 for the first switch."""
        return 1 + [each.name for each in self.switches].index(switch)

    def mac(self, end: Endpoint) -> str:
        """The MAC address at an end of a link."""
        if self.is_host(end.node):
            return self.host(end.node).mac
        high, low = divmod(self.device_id(end.node), 256)
        return f"02:00:00:{high:02x}:{low:02x}:{end.port:02x}"

    def router_address(self, switch: str) -> IPv4Address:
        """The address from which the switch's ICMP messages come (RFC 2544's block for test networks)."""
        return IPv4Address("198.18.0.0") + self.device_id(switch)

    def routes(self, switch: SwitchPlan) -> tuple[RoutePlan, ...]:
        """The switch's own routes, or those of the shortest paths to every host."""
        if switch.routes is not None:
            return switch.routes
        ways: dict[str, list[tuple[int, Endpoint]]] = {}
        for link in self.links:
            ways.setdefault(link.a.node, []).append((link.a.port, link.b))
            ways.setdefault(link.b.node, []).append((link.b.port, link.a))
        routes = []
        for host in self.hosts:
            links = self._distances(host, ways)
            nearer = [
                HopPlan(port, self.mac(far))
                for port, far in sorted(ways.get(switch.name, ()), key=itemgetter(0))
                if switch.name in links and links.get(far.node) == links[switch.name] - 1
            ]
            if nearer:
                routes.append(RoutePlan(IPv4Network(host.address.ip), tuple(nearer if self.ecmp else nearer[:1])))
        return tuple(routes)

    def _distances(self, host: HostPlan, ways: Mapping[str, list[tuple[int, Endpoint]]]) -> dict[str, int]:
        """The links from each node to a host, found breadth first. Only switches pass packets on."""
        switches = {each.name for each in self.switches}
        links = {host.name: 0}
        todo = deque([host.name])
        while todo:
            node = todo.popleft()
            for _, far in ways.get(node, ()):
                if far.node in switches and far.node not in links:
                    links[far.node] = links[node] + 1
                    todo.append(far.node)
        return links
