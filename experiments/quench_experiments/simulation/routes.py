# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where each router sends what: shortest paths."""

from collections import deque
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, collapse_addresses

from quench.config.model import RouteConfig

from quench_experiments.simulation.errors import SimulationError
from quench_experiments.simulation.scenario import Scenario

_HOST_MACS = 0x0200 << 32
_ROUTER_MACS = 0x0600 << 32
"""Both locally administered; the rest is the host's address, or the router's number and port."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A link as one of its ends sees it."""

    neighbour: str
    mac: str
    neighbour_mac: str


class Paths:
    """The routes of all routers of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._hosts = {host.name: host.address for host in scenario.hosts}
        routers = {router.name: number for number, router in enumerate(scenario.routers)}
        used = dict.fromkeys(routers, 0)
        self._edges: dict[str, list[_Edge]] = {name: [] for name in (*self._hosts, *routers)}
        """Of each node; a router's ports from 1 on."""
        for link in scenario.links:
            macs = []
            for end in (link.a, link.b):
                if end in routers:
                    used[end] += 1
                    macs.append(_mac(_ROUTER_MACS | routers[end] << 16 | used[end]))
                else:
                    macs.append(host_mac(self._hosts[end]))
            self._edges[link.a].append(_Edge(link.b, macs[0], macs[1]))
            self._edges[link.b].append(_Edge(link.a, macs[1], macs[0]))

    def routes(self, router: str) -> list[RouteConfig]:
        """A router's routes to every host: the fewest hops, and of equally short ways the one by the earlier link.

        Hosts behind another router share a route where their addresses fill a prefix. Raises SimulationError.
        """
        first_ports = self._first_ports(router)
        attached: list[tuple[IPv4Network, int]] = []
        behind: dict[int, list[IPv4Network]] = {}
        for name, address in self._hosts.items():
            port = first_ports.get(name)
            if port is None:
                raise SimulationError(f"links: no way leads from router {router!r} to host {name!r}")
            if self._edges[router][port - 1].neighbour == name:
                attached.append((IPv4Network(address), port))
            else:
                behind.setdefault(port, []).append(IPv4Network(address))
        through = [(prefix, port) for port in sorted(behind) for prefix in collapse_addresses(behind[port])]
        return [self._route(router, prefix, port) for prefix, port in attached + through]

    def _route(self, router: str, prefix: IPv4Network, port: int) -> RouteConfig:
        edge = self._edges[router][port - 1]
        return RouteConfig(prefix=prefix, port=port, source_mac=edge.mac, destination_mac=edge.neighbour_mac)

    def _first_ports(self, router: str) -> dict[str, int]:
        """The port by which the way to each node begins, where there is a way; only routers pass packets on."""
        first = {router: 0}
        todo = deque([router])
        while todo:
            node = todo.popleft()
            if node in self._hosts:
                continue
            for port, edge in enumerate(self._edges[node], 1):
                if edge.neighbour not in first:
                    first[edge.neighbour] = port if node == router else first[node]
                    todo.append(edge.neighbour)
        return first


def host_mac(address: IPv4Address) -> str:
    """The MAC address of a host."""
    return _mac(_HOST_MACS | int(address))


def _mac(number: int) -> str:
    return ":".join(f"{octet:02x}" for octet in number.to_bytes(6, "big"))
