# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A network on paper: hosts, switches, links and routes, before anything is started."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from quench_topologies.errors import TopologyError


@dataclass(frozen=True, slots=True)
class TcpPlan:
    """What the hosts' routes say about TCP. The defaults are the papers' (N1)."""

    packet_bytes: int = 1000
    """A full segment as an IP packet, headers included."""
    max_window_pkts: int = 100
    initial_window_pkts: int = 1
    delayed_acks: bool = False


@dataclass(frozen=True, slots=True)
class PortPlan:
    """The queue of a switch's port and the link behind it."""

    rate_bps: int | None = None
    """Bits of Ethernet frames per second; None: unlimited."""
    capacity_bytes: int | None = None
    """What the queue holds; None: the switch's own default."""
    delay_ns: int = 0
    """Propagation delay of the outgoing link."""
    loss: float = 0.0
    """Probability that the outgoing link loses a packet."""
    profile: Mapping[str, Any] | None = None
    """Congestion profile as in the controller's YAML; None: the queue has none."""


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
        return "eth0" if self.commands else f"{self.name}-eth0"

    @property
    def gateway(self) -> IPv4Address:
        """An address of the host's subnet that stands for its switch: the last one that is free."""
        last = self.address.network.broadcast_address - 1
        return last if last != self.address.ip else last - 1


@dataclass(frozen=True, slots=True)
class RoutePlan:
    """Packets to a prefix leave by a port; next_hop_mac is the MAC address at the other end."""

    prefix: IPv4Network
    port: int
    next_hop_mac: str


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """A switch. Without routes of its own it gets those of the shortest paths."""

    name: str
    ports: Mapping[int, PortPlan]
    routes: tuple[RoutePlan, ...] | None = None


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

    def __post_init__(self) -> None:
        names = [host.name for host in self.hosts] + [switch.name for switch in self.switches]
        for name in names:
            if names.count(name) > 1:
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
        return f"02:00:00:00:{self.device_id(end.node):02x}:{end.port:02x}"

    def router_address(self, switch: str) -> IPv4Address:
        """The address from which the switch's ICMP messages come (RFC 2544's block for test networks)."""
        return IPv4Address("198.18.0.0") + self.device_id(switch)

    def routes(self, switch: SwitchPlan) -> tuple[RoutePlan, ...]:
        """The switch's own routes, or those of the shortest paths to every host."""
        if switch.routes is not None:
            return switch.routes
        routes = []
        for host in self.hosts:
            port = self._port_towards(switch, host)
            if port is not None:
                next_hop = self.peer(Endpoint(switch.name, port))
                assert next_hop is not None
                routes.append(RoutePlan(IPv4Network(host.address.ip), port, self.mac(next_hop)))
        return tuple(routes)

    def _port_towards(self, switch: SwitchPlan, host: HostPlan) -> int | None:
        """The port of the shortest path (fewest links, then the lowest port), found breadth first."""
        ways: deque[tuple[str, int]] = deque()
        visited = {switch.name}

        def leave(name: str, first: int | None) -> int | None:
            for port in sorted(end.port for end in self._ends() if end.node == name):
                far = self.peer(Endpoint(name, port))
                assert far is not None
                way = port if first is None else first
                if far.node == host.name:
                    return way
                if not self.is_host(far.node) and far.node not in visited:
                    visited.add(far.node)
                    ways.append((far.node, way))
            return None

        found = leave(switch.name, None)
        while found is None and ways:
            found = leave(*ways.popleft())
        return found
