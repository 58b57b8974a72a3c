# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A topology without its hosts: routers, the links between them, and places to which traffic attaches hosts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Literal

from quench.config.model import ClassConfig

from quench_experiments.simulation.scenario import Direction, Host, Link

FIRST_ADDRESS = IPv4Address("10.0.0.0")
PLACE_SIZE = 1 << 16
"""Addresses of a place."""


@dataclass(frozen=True, slots=True)
class Place:
    """A router's place for hosts. Access links never drop: their buffers have no limit."""

    router: str
    rate_bps: float
    delay_s: float
    hosts: int | None = None
    """The number of hosts, which flows use in turn; None: a host of its own for each flow."""
    farthest_s: float | None = None
    """Delay of a group's last flow; those between are spaced evenly from ``delay_s`` on. None: all have ``delay_s``."""
    loss: float = 0.0
    """The share of packets lost on the way from the router to the host."""


@dataclass(frozen=True, slots=True)
class Network:
    """Routers, their links and the places."""

    routers: tuple[str, ...]
    links: tuple[Link, ...]
    places: dict[str, Place]
    managed: tuple[str, ...]
    """Directions (``LINK.ab``, or ``LINK.ab.QUEUE``) whose queue has the scheme's profile."""
    queues: int = 1
    """The number of queues of each port of a router."""
    classes: tuple[ClassConfig, ...] = ()
    equal_paths: Literal["first", "all"] = "first"
    """The ways that routers take of equally short ones, as in a scenario."""

    def leaves(self, direction: str) -> str:
        """The router that sends into a direction ``LINK.ab`` of one of the links."""
        name, way = direction.split(".")[:2]
        link = next(each for each in self.links if each.name == name)
        return link.a if way == "ab" else link.b


def directions(links: Iterable[Link]) -> set[str]:
    """``LINK.ab`` and ``LINK.ba`` of each."""
    return {f"{link.name}.{way}" for link in links for way in ("ab", "ba")}


@dataclass
class Hosts:
    """The hosts that flows have asked for so far, and their links."""

    network: Network
    hosts: list[Host] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    _count: dict[str, int] = field(default_factory=dict)

    def end(self, place_name: str, index: int, flows: int) -> str:
        """The host where flow ``index`` of a group of ``flows`` ends. Raises ValueError for an unknown place."""
        if place_name not in self.network.places:
            raise ValueError(f"there is no place {place_name!r}: there is {', '.join(self.network.places)}")
        place = self.network.places[place_name]
        if place.hosts is None:
            delay_s = place.delay_s
            if place.farthest_s is not None and flows > 1:
                delay_s += (place.farthest_s - place.delay_s) * index / (flows - 1)
            return self._add(place_name, place, delay_s)
        number = index % place.hosts + 1
        name = place_name if place.hosts == 1 else f"{place_name}{number}"
        if all(host.name != name for host in self.hosts):
            return self._add(place_name, place, place.delay_s, name)
        return name

    def all_of(self, place_name: str) -> tuple[str, ...]:
        """All hosts of a place that has a fixed number of them. Raises ValueError for any other."""
        place = self.network.places.get(place_name)
        if place is None or place.hosts is None:
            fixed = [name for name, each in self.network.places.items() if each.hosts is not None]
            raise ValueError(f"{place_name!r} is no place with a fixed number of hosts: {', '.join(fixed) or 'none'}")
        return tuple(self.end(place_name, index, place.hosts) for index in range(place.hosts))

    def _add(self, place_name: str, place: Place, delay_s: float, name: str | None = None) -> str:
        number = self._count[place_name] = self._count.get(place_name, 0) + 1
        name = name or f"{place_name}{number}"
        first = FIRST_ADDRESS + (list(self.network.places).index(place_name) + 1) * PLACE_SIZE
        self.hosts.append(Host(name=name, address=first + number))
        self.links.append(
            Link(
                name=f"to-{name}",
                a=place.router,
                b=name,
                delay_s=delay_s,
                ab=Direction(rate_bps=place.rate_bps, loss=place.loss),
                ba=Direction(rate_bps=place.rate_bps),
            )
        )
        return name
