# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A topology without its hosts: routers, the links between them, and places to which traffic attaches hosts."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from ipaddress import IPv4Address
from typing import Literal

from quench.config.model import ClassConfig
from quench_switch.outside.units import Depth

from quench_experiments.simulation.scenario import Direction, Host, Link, split_queue

FIRST_ADDRESS = IPv4Address("10.0.0.0")
PLACE_SIZE = 1 << 16
"""Addresses of a place."""


@dataclass(frozen=True, slots=True)
class Place:
    """A router's place for hosts. Hosts have as much memory as they need; so has the router, unless it has a buffer."""

    router: str
    rate_bps: float
    delay_s: float
    hosts: int | None = None
    """The number of hosts, which flows use in turn; None: a host of its own for each flow."""
    farthest_s: float | None = None
    """Delay of a group's last flow; those between are spaced evenly from ``delay_s`` on. None: all have ``delay_s``."""
    loss: float = 0.0
    """The share of packets lost on the way from the router to the host."""
    buffer: Depth | None = None
    """The limit of the router's queue to each host; None: it never drops."""
    managed: bool = False
    """Whether that queue has the scheme's profile."""
    urgent_dscp: int | None = None
    """The DSCP of packets that leave a host before all others that wait there; None: all are alike."""
    turns: bool = False
    """Whether the connections of a host send in turn, a packet each."""
    nics: bool = False
    """Whether a network card of each host runs the routers' program, and its queue has the scheme's profile.
    It has the routers' queues and classes in place of ``urgent_dscp`` and ``turns``."""
    nic_buffer: Depth | None = None
    """The limit of that queue; None: it never drops."""

    @property
    def to_hosts(self) -> Direction:
        """The direction of the router's link to each host."""
        return queue(self.rate_bps, self.buffer).model_copy(update={"loss": self.loss})

    @property
    def from_hosts(self) -> Direction:
        """The direction of each host's link to the router."""
        if self.nics:
            return queue(self.rate_bps, self.nic_buffer)
        return Direction(rate_bps=self.rate_bps, urgent_dscp=self.urgent_dscp, turns=self.turns)


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
    shared_buffer_bytes: int | None = None
    """The limit of what waits at all ports of a router together; None: that of each queue alone."""
    equal_paths: Literal["first", "all"] = "first"
    """The ways that routers take of equally short ones, as in a scenario."""
    together: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names for several places with a fixed number of hosts."""

    def managed_by(self) -> dict[str, list[str]]:
        """The managed directions by the router that sends into them."""
        links = {link.name: link for link in self.links}
        found: dict[str, list[str]] = {router: [] for router in self.routers}
        for direction in self.managed:
            name, way = direction.split(".")[:2]
            found[links[name].a if way == "ab" else links[name].b].append(direction)
        return found

    def managed_queues(self) -> dict[tuple[Direction, int], str]:
        """The unlike queues that have the scheme's profile, by direction and queue; each has the name of the first."""
        links = {link.name: link for link in self.links}
        found: dict[tuple[Direction, int], str] = {}
        for name in self.managed:
            direction, number = split_queue(name)
            link, _, way = direction.partition(".")
            found.setdefault((links[link].ab if way == "ab" else links[link].ba, number), name)
        for name, place in self.places.items():
            host = next((each for _, each in self.fixed_hosts(name) or ()), f"{name}1")
            if place.managed:
                found.setdefault((place.to_hosts, 0), f"to-{host}.ab")
            if place.nics:
                found.setdefault((place.from_hosts, 0), f"to-{host}.ba")
        return found

    def fixed_hosts(self, name: str) -> list[tuple[str, str]] | None:
        """The hosts, each with its place, of a place that has a fixed number of them; None for any other place.

        ``PLACE/2-5`` and ``PLACE/7`` are some of them, counted from 1. Raises ValueError for an unknown place.
        """
        whole, slash, part = name.partition("/")
        if whole not in self.places and whole not in self.together:
            known = ", ".join((*self.together, *self.places))
            raise ValueError(f"there is no place {whole!r}: there is {known}")
        hosts: list[tuple[str, str]] = []
        for place_name in self.together.get(whole, (whole,)):
            count = self.places[place_name].hosts
            if count is None:
                if slash:
                    raise ValueError(f"{name!r}: {whole} has no fixed number of hosts")
                return None
            names = [place_name] if count == 1 else [f"{place_name}{number}" for number in range(1, count + 1)]
            hosts += [(place_name, host) for host in names]
        return hosts[_slice(part, len(hosts))] if slash else hosts

    def manages(self, direction: str) -> bool:
        """Whether the queue of a direction has the scheme's profile."""
        if direction in self.managed:
            return True
        host, _, way = direction.removeprefix("to-").partition(".")
        return any(
            (place.managed if way == "ab" else place.nics)
            and (place_name, host) in (self.fixed_hosts(place_name) or ())
            for place_name, place in self.places.items()
            if direction in (f"to-{host}.ab", f"to-{host}.ba") and host.startswith(place_name)
        )

    def without_nics(self) -> "Network":
        """The same network, whose hosts have queues without a program."""
        return replace(self, places={name: replace(place, nics=False) for name, place in self.places.items()})


def _slice(part: str, count: int) -> slice:
    """The hosts that ``2-5`` or ``7`` stands for. Raises ValueError."""
    first, dash, last = part.partition("-")
    last = last if dash else first
    if not all(text.isascii() and text.isdecimal() and len(text) < 6 for text in (first, last)):
        raise ValueError(f"{part!r} is neither a host's number nor two of them such as 2-5")
    low, high = int(first), int(last)
    if not 1 <= low <= high <= count:
        raise ValueError(f"{part} is not within the hosts 1-{count}")
    return slice(low - 1, high)


def queue(rate_bps: float, buffer: Depth | None) -> Direction:
    """A direction whose queues have this limit."""
    if buffer is None:
        return Direction(rate_bps=rate_bps)
    if buffer.unit == "bytes":
        return Direction(rate_bps=rate_bps, buffer_bytes=round(buffer.value))
    return Direction(rate_bps=rate_bps, buffer_pkts=round(buffer.value))


def nic_of(host: str) -> str:
    """The name of the router that is a host's network card."""
    return f"{host}-nic"


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
    _names: set[str] = field(default_factory=set)
    _places: list[Place] = field(default_factory=list)
    """The place of each host."""
    _ends: dict[str, tuple[IPv4Address, Direction, Direction]] = field(default_factory=dict)
    """The first address of each place, and both directions of its hosts' links."""

    def end(self, place_name: str, index: int, flows: int) -> str:
        """The host where flow ``index`` of a group of ``flows`` ends. Raises ValueError for an unknown place."""
        fixed = self.network.fixed_hosts(place_name)
        if fixed is None:
            place = self.network.places[place_name]
            delay_s = place.delay_s
            if place.farthest_s is not None and flows > 1:
                delay_s += (place.farthest_s - place.delay_s) * index / (flows - 1)
            return self._add(place_name, place, delay_s)
        return self._fixed(*fixed[index % len(fixed)])

    def all_of(self, place_name: str) -> tuple[str, ...]:
        """All hosts of a place that has a fixed number of them. Raises ValueError for any other."""
        hosts = self.network.fixed_hosts(place_name)
        if hosts is None:
            known = [name for name, each in self.network.places.items() if each.hosts is not None]
            raise ValueError(f"{place_name!r} is no place with a fixed number of hosts: {', '.join(known) or 'none'}")
        return tuple(self._fixed(*each) for each in hosts)

    def managed(self, router: str) -> list[str]:
        """The directions out of a router to its hosts whose queue has the scheme's profile."""
        return [
            f"{link.name}.ab"
            for link, place in zip(self.links, self._places, strict=True)
            if link.a == router and place.managed
        ]

    def _fixed(self, place_name: str, name: str) -> str:
        if name not in self._names:
            place = self.network.places[place_name]
            self._add(place_name, place, place.delay_s, name)
        return name

    def _add(self, place_name: str, place: Place, delay_s: float, name: str | None = None) -> str:
        number = self._count[place_name] = self._count.get(place_name, 0) + 1
        name = name or f"{place_name}{number}"
        if place_name not in self._ends:
            first = FIRST_ADDRESS + (list(self.network.places).index(place_name) + 1) * PLACE_SIZE
            self._ends[place_name] = (first, *_ends(place))
        first, ab, ba = self._ends[place_name]
        self._names.add(name)
        self._places.append(place)
        self.hosts.append(_host(name, first, number, place.nics))
        self.links.append(_access_link(name, place.router, delay_s, ab, ba))
        return name


# An experiment's points have the same hosts, and each is asked for its own many times while its file is checked.
@lru_cache(maxsize=64)
def _ends(place: Place) -> tuple[Direction, Direction]:
    return place.to_hosts, place.from_hosts


@lru_cache(maxsize=4096)
def _host(name: str, first: IPv4Address, number: int, has_nic: bool) -> Host:
    return Host(name=name, address=first + number, nic=nic_of(name) if has_nic else None)


@lru_cache(maxsize=4096)
def _access_link(name: str, router: str, delay_s: float, ab: Direction, ba: Direction) -> Link:
    return Link(name=f"to-{name}", a=router, b=name, delay_s=delay_s, ab=ab, ba=ba)
