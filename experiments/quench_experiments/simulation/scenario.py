# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A scenario: a network, its traffic, and its measurements. The same scenario gives the same bytes.

The models have the fields that Python needs; stacks and sources are declared by the simulator, which checks them.
Fields that only the control plane needs (profiles, source quenches, classes, router addresses) are left out of the
JSON that the simulator reads.
docs/reference/simulator.md describes the format.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, Self

from finsy import P4Schema
from pydantic import AfterValidator, Field, ValidationError, model_validator
from quench.config.isq import IsqConfig
from quench.config.model import Classes
from quench.errors import message_of
from quench.profiles.settings import ProfileSettings, fault_at
from quench.programs import SwitchProgram
from quench.programs.description import Description, Scheduler
from quench.programs.entities import in_order
from quench.programs.settings import QueueSettings
from quench.units import Depth, ProbabilityField

from quench_experiments.errors import ScenarioError
from quench_experiments.simulation.base import Lasting, Model, Name, Positive, Seconds, SizeBins
from quench_experiments.simulation.source import OF_MANY, Source
from quench_experiments.simulation.stack import Stack

Way = Literal["ab", "ba"]
NS_PER_S = 1_000_000_000
MAX_QUEUES = 8
MAX_PORTS = 509
"""The most ports of a router: 510 is the controller's, 511 the drop port."""
MAX_SLOWDOWN = 1_000_000
CONTROL_PLANE = {"address", "profiles", "queue_settings", "isq", "isq_loss", "classes"}
"""Fields of a router that the simulator does not know."""


def _of_a_host(address: IPv4Address) -> IPv4Address:
    if address.packed[0] in (0, 127) or address.packed[0] >= 224:
        raise ValueError(f"{address} is no address of a host: routers do not forward to it")
    return address


HostAddress = Annotated[IPv4Address, AfterValidator(_of_a_host)]


class Host(Model):
    """An end host; exactly one link ends at it."""

    name: Name
    address: HostAddress
    nic: Name | None = None
    """The router that is its network card: what the host sends passes its program, and waits in its queues. What comes
    for the host does not. None: the host's link has a queue without a program."""


class Router(Model):
    """A router: the P4 program, with tables, registers and queues of its own.

    Ports are numbered from 1, in the order of ``Scenario.links``. No link ends at a network card: port 1 leads out of
    its host, and port 2 to it.
    """

    name: Name
    controller_latency_s: Seconds = 0.0
    """The time from a packet-in to the packet-out that answers it."""
    queues: int = Field(default=1, ge=1, le=MAX_QUEUES)
    """The number of queues of each port."""
    shared_buffer_bytes: int | None = Field(default=None, ge=1)
    """The limit of what waits at all ports together, beside that of each queue; None: no limit."""
    slowdown: int | None = Field(default=None, ge=1, le=MAX_SLOWDOWN)
    """The factor by which the chip's clock is slower than time; None: 1000 with the TNA program, 1 otherwise."""
    address: HostAddress | None = None
    """The source address of its source quenches; None: 10.255.255.N for the Nth router."""
    profiles: dict[str, ProfileSettings] = Field(default_factory=dict)
    """Congestion profiles by the direction out of the router, ``LINK.ab`` or ``LINK.ba``; ``LINK.ab.1`` for queue 1."""
    queue_settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """The settings of the scenario's own program by the direction, in place of ``profiles``."""
    isq: IsqConfig = IsqConfig()
    """The sender of source quenches (``mode``) and their limits, as in the controller's configuration."""
    isq_loss: ProbabilityField = 0.0
    """The probability that a source quench which the controller sends is lost at once, independent of others."""
    classes: Classes = ()
    """The queue of packets by their DSCP; the first that fits counts, and queue 0 has the rest."""


class Direction(Model):
    """One direction of a link: a queue and a wire. Packets count with their IP bytes."""

    rate_bps: Positive | None = None
    """None: sending takes no time."""
    loss: ProbabilityField = 0.0
    """The probability that a packet is lost on the wire, independent of others."""
    buffer_pkts: int | None = Field(default=None, ge=1)
    """The limit of each queue, besides the packet being sent; None: no limit."""
    buffer_bytes: int | None = Field(default=None, ge=1)
    scheduler: Scheduler | None = None
    """The scheduler between a router's queues: strict priority, deficit round robin or self-clocked fair queuing."""
    weights: tuple[float, ...] = Field(default=(), max_length=MAX_QUEUES)
    """The weights of the queues from 0 on, for drr and scfq."""
    queue_buffer_pkts: tuple[int, ...] = Field(default=(), max_length=MAX_QUEUES)
    """The limits of the queues from 0 on, in place of ``buffer_pkts``."""
    queue_buffer_bytes: tuple[int, ...] = Field(default=(), max_length=MAX_QUEUES)
    urgent_dscp: int | None = Field(default=None, ge=0, le=63)
    """Packets with this DSCP leave a host before all others that wait there; None: all in one queue."""
    turns: bool = False
    """The connections of a host send in turn, a packet each; if not, their packets wait in one queue."""

    def buffer(self, queue: int) -> Depth | None:
        """The limit of a queue; None: it has none.

        If a queue has two, in packets and in bytes, that in bytes counts.
        """
        of_bytes = self.queue_buffer_bytes[queue] if queue < len(self.queue_buffer_bytes) else self.buffer_bytes
        if of_bytes is not None:
            return Depth(float(of_bytes), "bytes")
        of_pkts = self.queue_buffer_pkts[queue] if queue < len(self.queue_buffer_pkts) else self.buffer_pkts
        return None if of_pkts is None else Depth(float(of_pkts), "pkts")


class Link(Model):
    """A full-duplex link between two nodes."""

    name: Name
    a: Name
    b: Name
    delay_s: Seconds
    """Propagation, each way."""
    ab: Direction = Direction()
    ba: Direction = Direction()


class Change(Model):
    """A change of one direction of a link while the simulation runs; other settings stay."""

    at_s: Seconds
    link: Name
    direction: Way
    rate_bps: Positive | None = None
    loss: ProbabilityField | None = None
    delay_s: Seconds | None = None
    """The delay of packets sent from then on; they never overtake one another."""
    buffer_pkts: int | None = Field(default=None, ge=1)
    buffer_bytes: int | None = Field(default=None, ge=1)


class Pcap(Model):
    """Write all that crosses a link to a file."""

    link: Name
    path: str
    """Nanosecond pcap with Ethernet headers; its folder must exist."""


class Measure(Model):
    """Measurements besides the totals, which are always made."""

    series_interval_s: Lasting = 0.1
    """The interval of the time series, and of the readings of RED's average."""
    series: tuple[str, ...] = ()
    """Directions ``LINK.ab`` whose queue, average, marks, drops and source quenches are kept as time series."""
    queues: tuple[str, ...] = ()
    """Directions of whose queue percentiles are measured."""
    size_bins: SizeBins | None = None
    """The bins of messages by their size: a number of equal shares, or the bins' upper edges in bytes."""
    cwnd: bool = False
    """Keep each TCP connection's window as a time series."""
    max_points: int = Field(default=20_000, ge=2)
    """The most points of a series; a longer one is thinned out."""
    pcap: tuple[Pcap, ...] = ()


class Scenario(Model):
    """A network, its traffic and its measurements."""

    seed: int = Field(default=1, ge=0, lt=1 << 53)
    """The seed of everything random."""
    duration_s: Lasting
    warmup_s: Seconds = 0.0
    """Statistics begin here."""
    program: SwitchProgram | None = None
    """The routers' program; None: Quench's, or the argument of ``simulate``."""
    equal_paths: Literal["first", "all"] = "first"
    """The ways that a router takes of equally short ones: that by the ``first`` link, or ``all``, which share flows."""
    hosts: tuple[Host, ...] = ()
    routers: tuple[Router, ...] = ()
    links: tuple[Link, ...] = Field(min_length=1)
    stacks: dict[Name, Stack] = Field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    changes: tuple[Change, ...] = ()
    measure: Measure = Measure()

    @classmethod
    def parse(cls, values: Mapping[str, Any] | str) -> Self:
        """A scenario from JSON text or from the values in it. Raises ScenarioError."""
        try:
            return cls.model_validate_json(values) if isinstance(values, str) else cls.model_validate(values)
        except ValidationError as error:
            raise ScenarioError("\n".join(_sentence(fault) for fault in error.errors())) from error

    def simulator_json(self) -> str:
        """The simulator's input. Equal scenarios give the same text."""
        values = self.model_dump(
            mode="json",
            exclude={
                "routers": {"__all__": CONTROL_PLANE},
                "program": True,
                "equal_paths": True,
                "measure": {"size_bins"},
            },
            exclude_none=True,
        )
        if self.program is not None:
            counters = self.program.description.counters.by_role()
            # The simulator itself counts all that is offered to a link.
            values["counters"] = {role: [name] for role, name in counters.items() if role != "seen"}
            self._set_schedulers(values["links"], self.program.description)
        return json.dumps(values, separators=(",", ":"))

    def _set_schedulers(self, links: list[dict[str, Any]], description: Description) -> None:
        """Give the directions with a managed queue the program's scheduler, unless they have one."""
        if description.scheduler is None:
            return
        by_name = {link["name"]: link for link in links}
        for name in {split_queue(name)[0] for router in self.routers for name in router.queue_settings}:
            link, _, way = name.partition(".")
            direction = by_name[link][way]
            if "scheduler" not in direction:
                weights = direction["weights"] or description.weights
                direction |= {"scheduler": description.scheduler, "weights": weights}

    def ports(self, router: str) -> dict[str, int]:
        """A router's ports by the direction that leaves by them, ``LINK.ab`` or ``LINK.ba``."""
        node = next((host.name for host in self.hosts if host.nic == router), router)
        directions = [
            f"{link.name}.{'ab' if link.a == node else 'ba'}" for link in self.links if node in (link.a, link.b)
        ]
        return {direction: port for port, direction in enumerate(directions, 1)}

    def direction(self, name: str) -> Direction:
        """The direction ``LINK.ab`` or ``LINK.ba``. Raises KeyError."""
        link_name, _, way = name.partition(".")
        for link in self.links:
            if link.name == link_name and way in ("ab", "ba"):
                return link.ab if way == "ab" else link.ba
        raise KeyError(name)

    def router(self, name: str) -> Router:
        """The router of this name. Raises KeyError."""
        for router in self.routers:
            if router.name == name:
                return router
        raise KeyError(name)

    def sender(self, direction: str) -> Router | None:
        """The router that sends in ``LINK.ab`` or ``LINK.ba``, if there is one; a host's network card may be."""
        name, _, way = direction.partition(".")
        nics = {host.name: host.nic for host in self.hosts}
        ends = (link.a if way == "ab" else link.b for link in self.links if link.name == name)
        node = next((nics.get(end) or end for end in ends), None)
        return next((router for router in self.routers if router.name == node), None)

    def with_router(self, router: Router) -> Self:
        """The scenario with this router in the place of the one of its name."""
        return self.model_copy(
            update={"routers": tuple(router if each.name == router.name else each for each in self.routers)}
        )

    def at_rate(self, link: str, way: Way, rate_bps: float) -> Self:
        """The scenario with another rate of a direction."""
        links = tuple(
            each.model_copy(update={way: getattr(each, way).model_copy(update={"rate_bps": rate_bps})})
            if each.name == link
            else each
            for each in self.links
        )
        return self.model_copy(update={"links": links})

    @model_validator(mode="after")
    def _names_are_distinct(self) -> Self:
        for what, names in (
            ("nodes are named", [host.name for host in self.hosts] + [router.name for router in self.routers]),
            ("links are named", [link.name for link in self.links]),
            ("sources are named", [source.name for source in self.sources]),
            ("hosts have the address", [str(host.address) for host in self.hosts]),
        ):
            name, count = Counter(names).most_common(1)[0] if names else ("", 0)
            if count > 1:
                raise ValueError(f"{count} {what} {name}")
        return self

    @model_validator(mode="after")
    def _is_warm_before_the_end(self) -> Self:
        if round(self.warmup_s * NS_PER_S) >= round(self.duration_s * NS_PER_S):
            raise fault_at(f"{self.warmup_s:g} s is not before the end at {self.duration_s:g} s", "warmup_s")
        return self

    @model_validator(mode="after")
    def _links_fit(self) -> Self:
        hosts = {host.name for host in self.hosts}
        routers = {router.name for router in self.routers}
        for index, link in enumerate(self.links):
            for end in ("a", "b"):
                if getattr(link, end) not in hosts | routers:
                    raise fault_at(f"there is no node {getattr(link, end)!r}", "links", index, end)
            if link.a == link.b:
                raise fault_at(f"both ends are {link.a!r}", "links", index)
        ends = Counter(end for link in self.links for end in (link.a, link.b))
        for index, host in enumerate(self.hosts):
            count = ends[host.name]
            if count != 1:
                raise fault_at(f"a host has exactly one link, {host.name!r} has {count}", "hosts", index)
            if host.nic is not None:
                if host.nic not in routers:
                    known = any(router.name == host.nic for router in self.routers)
                    whose = " that is nobody else's" if known else ""
                    what = f"there is no router {host.nic!r}{whose}"
                    raise fault_at(what, "hosts", index, "nic")
                if ends[host.nic]:
                    what = f"{host.nic!r} has links: those of a network card end at its host"
                    raise fault_at(what, "hosts", index, "nic")
                routers.remove(host.nic)
        directions = {f"{link.name}.{way}" for link in self.links for way in ("ab", "ba")}
        for place, name in self._directions():
            if name not in directions:
                raise fault_at(f"there is no direction {name!r}: write LINK.ab or LINK.ba", *place)
        return self

    def profile(self, router: Router, name: str) -> ProfileSettings:
        """The profile of ``LINK.ab`` or ``LINK.ab.QUEUE``, with every threshold. Raises ValueError."""
        direction, queue = split_queue(name)
        where = self.direction(direction)
        assert where.rate_bps is not None, "a direction with a profile has a rate"
        return router.profiles[name].at_rate(round(where.rate_bps), where.buffer(queue))

    def _directions(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """The places where directions are named, and their names."""
        for index, change in enumerate(self.changes):
            yield ("changes", index, "link"), f"{change.link}.{change.direction}"
        for index, name in enumerate(self.measure.series):
            yield ("measure", "series", index), name
        for index, name in enumerate(self.measure.queues):
            yield ("measure", "queues", index), name
        for index, pcap in enumerate(self.measure.pcap):
            yield ("measure", "pcap", index, "link"), f"{pcap.link}.ab"

    @model_validator(mode="after")
    def _profiles_fit(self) -> Self:
        for index, router in enumerate(self.routers):
            ports = self.ports(router.name)
            if len(ports) > MAX_PORTS:
                raise fault_at(f"{len(ports)} links end at {router.name!r}, the most is {MAX_PORTS}", "routers", index)
            if router.profiles and self.program is not None:
                what = f"{self.program.description.title} has queue_settings in place of profiles"
                raise fault_at(what, "routers", index, "profiles")
            if router.queue_settings and self.program is None:
                raise fault_at("they belong to a program, which is not given", "routers", index, "queue_settings")
            key = "profiles" if self.program is None else "queue_settings"
            for name in (*router.profiles, *router.queue_settings):
                place = ("routers", index, key, name)
                try:
                    direction, queue = split_queue(name)
                except ValueError as error:
                    raise fault_at(str(error), *place) from error
                if direction not in ports:
                    raise fault_at(f"{direction!r} does not leave {router.name}; {', '.join(ports)} do", *place)
                if queue >= router.queues:
                    raise fault_at(f"{router.name} has {router.queues} queues, from 0 on", *place)
                if self.direction(direction).rate_bps is None:
                    raise fault_at(f"{direction} needs a rate_bps: it times the profile's decay", *place)
        return self

    @model_validator(mode="after")
    def _sources_fit(self) -> Self:
        hosts = {host.name for host in self.hosts}
        for index, source in enumerate(self.sources):
            named = (*source.sending, *source.receiving)
            for name in named:
                if name not in hosts:
                    raise fault_at(f"there is no host {name!r}", "sources", index)
            if source.kind not in OF_MANY and len(named) != len(set(named)):
                raise fault_at("a host is named twice, and cannot send to itself", "sources", index)
            if source.stack is not None and source.stack not in self.stacks:
                raise fault_at(f"there is no stack {source.stack!r}", "sources", index, "stack")
        return self

    @model_validator(mode="after")
    def _time_passes(self) -> Self:
        """A connection between hosts that no time lies between would send for ever at one moment."""
        near = {name: name for each in (self.hosts, self.routers) for name in (node.name for node in each)}

        def first(node: str) -> str:
            while near[node] != node:
                node = near[node]
            return node

        for link in self.links:
            if link.ab.rate_bps is link.ba.rate_bps is None and round(link.delay_s * NS_PER_S) == 0:
                near[first(link.a)] = first(link.b)
        for index, source in enumerate(self.sources):
            if source.stack is None:
                continue
            senders: dict[str, list[str]] = {}
            for one in source.sending:
                senders.setdefault(first(one), []).append(one)
            for other in source.receiving:
                for one in senders.get(first(other), ()):
                    if one != other:
                        what = f"no time passes between {one!r} and {other!r}: give a link between them"
                        raise fault_at(f"{what} a rate_bps or a delay_s", "sources", index)
        return self


def own_queue(
    program: SwitchProgram, schema: P4Schema, port: int, queue: int, where: Direction, settings: QueueSettings
) -> list[Any]:
    """The entities of a managed queue that has these settings, in the order in which a switch takes them.

    Raises ValueError for settings that the program cannot have there.
    """
    assert where.rate_bps is not None, "a managed direction has a rate"
    return in_order(program.queue(port, queue, round(where.rate_bps), settings, where.buffer(queue)), schema)


def split_queue(name: str) -> tuple[str, int]:
    """``LINK.ab`` or ``LINK.ab.QUEUE`` as direction and queue. Raises ValueError."""
    link, way, *queue = name.split(".")[:3] if name.count(".") in (1, 2) else ("", "")
    if way not in ("ab", "ba") or not all(text.isdigit() and int(text) < MAX_QUEUES for text in queue):
        raise ValueError(f"{name!r} is not LINK.ab, LINK.ba, LINK.ab.QUEUE or LINK.ba.QUEUE")
    return f"{link}.{way}", int(queue[0]) if queue else 0


def _sentence(fault: Any) -> str:
    place = ".".join(str(part) for part in (*fault["loc"], *fault.get("ctx", {}).get("place", ())))
    message = message_of(fault)
    return f"{place}: {message}" if place else message
