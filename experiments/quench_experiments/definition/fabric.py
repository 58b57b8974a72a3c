# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Data-centre topologies, from a few numbers.

The queues between switches have the same limit. So have those to hosts whose number is fixed, but for a fat tree's.
Flows share all shortest ways.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator
from quench.config.model import Classes
from quench.profiles.settings import fault_at
from quench_switch.outside.units import Depth
from quench_topologies.papers import declared
from quench_topologies.papers.leaf_spine import MAX_LEAVES, MAX_SPINES

from quench_experiments.definition.network import Network, Place, queue
from quench_experiments.definition.quantity import Buffer, Rate, Time
from quench_experiments.definition.shape import Shape
from quench_experiments.simulation.scenario import MAX_PORTS, MAX_QUEUES, Link

MAX_TREE_PORTS = 16
"""The most ports of a fat tree's switch: 1024 hosts."""
MAX_RACKS = 200
"""The most racks of a tree: each has addresses for its hosts."""
MAX_TREE_HOSTS = 4096
HOSTS = "hosts"
"""The place that stands for all hosts."""
_GBPS = 1_000_000_000
_FULL_PACKETS = Depth(1000, "pkts")


class _Fabric(Shape):
    """Switches with several queues."""

    queues: int = Field(default=1, ge=1, le=MAX_QUEUES)
    """The number of each port's queues, of which the highest is served first."""
    classes: Classes = ()
    """The queue of packets by their DSCP; 0 has the rest."""
    urgent_dscp: int | None = Field(default=None, ge=0, le=63)
    """The DSCP of packets that leave a host before all others that wait there."""
    shared_buffer: Buffer | None = None
    """The limit, in bytes, of what waits at all ports of a switch together, beside that of each queue."""
    turns: bool = False
    """Whether the connections of a host send in turn, a packet each."""

    @field_validator("shared_buffer")
    @classmethod
    def _shared_in_bytes(cls, buffer: Depth | None) -> Depth | None:
        if buffer is not None and buffer.unit != "bytes":
            raise ValueError("ports share bytes, such as 32MB, and no packets")
        return buffer

    @model_validator(mode="after")
    def _queues_are_there(self) -> Self:
        for index, each in enumerate(self.classes):
            if each.queue >= self.queues:
                raise fault_at(f"there are {self.queues} queues, from 0 on", "classes", index, "queue")
        return self

    def _network(self, routers: Sequence[str], links: Sequence[Link], places: dict[str, Place]) -> Network:
        places = {
            name: replace(place, urgent_dscp=self.urgent_dscp, turns=self.turns) for name, place in places.items()
        }
        fixed = tuple(name for name, place in places.items() if place.hosts is not None)
        return Network(
            routers=tuple(routers),
            links=tuple(links),
            places=places,
            managed=tuple(f"{link.name}.{way}" for link in links for way in ("ab", "ba")),
            queues=self.queues,
            classes=self.classes,
            shared_buffer_bytes=None if self.shared_buffer is None else round(self.shared_buffer.value),
            equal_paths="all" if _has_choice(links) else "first",
            together={HOSTS: fixed} if fixed and HOSTS not in places else {},
        )


def _has_choice(links: Sequence[Link]) -> bool:
    """Whether a switch has more than one link up."""
    lower = [link.a for link in links]
    return len(lower) > len(set(lower))


class _WithCards(_Fabric):
    """A fabric whose hosts are at switches, some at each, and may have network cards that run the switches' program."""

    nics: bool = False
    """Whether hosts' network cards run the switches' program."""
    hosts: int
    access_rate: Rate = 100 * _GBPS
    access_delay: Time
    buffer: Buffer = _FULL_PACKETS

    def _place(self, switch: str) -> Place:
        """The hosts of a switch."""
        return Place(
            switch,
            self.access_rate,
            self.access_delay,
            self.hosts,
            buffer=self.buffer,
            managed=True,
            nics=self.nics,
            nic_buffer=self.buffer,
        )


class Star(_WithCards):
    """Hosts at one switch. The place is ``hosts``; the congested queues are those to the hosts."""

    kind: Literal["star"] = "star"
    hosts: int = Field(default=16, ge=2, le=MAX_PORTS)
    access_delay: Time = 1.938e-6

    def network(self) -> Network:
        """Routers, links and places."""
        return self._network(["switch"], [], {HOSTS: self._place("switch")})


class LeafSpine(_Fabric):
    """Each leaf has a link to each spine. The places are ``leaf1-hosts`` and so on; with ``hosts``, ``hosts`` too.

    Links are named ``leaf1-spine1`` and so on, and ``ab`` is the way up.
    """

    kind: Literal["leaf-spine"] = "leaf-spine"
    rate: Rate = declared.LEAF_SPINE.rate_bps
    delay: Time = declared.LEAF_SPINE.delay_s
    buffer: Buffer = declared.LEAF_SPINE.buffer
    access_rate: Rate = declared.LEAF_SPINE.source.rate_bps
    access_delay: Time = declared.LEAF_SPINE.source.delay_s
    leaves: int = Field(default=declared.LEAF_SPINE.leaves, ge=2, le=MAX_LEAVES)
    spines: int = Field(default=declared.LEAF_SPINE.spines, ge=1, le=MAX_SPINES)
    hosts: int | None = Field(default=None, ge=1, le=MAX_PORTS - MAX_SPINES)
    """Hosts of each leaf, with queues like those between switches; None: a host for each flow, and its link never
    drops."""

    def network(self) -> Network:
        """Routers, links and places."""
        leaves = tuple(f"leaf{number}" for number in range(1, self.leaves + 1))
        spines = tuple(f"spine{number}" for number in range(1, self.spines + 1))
        both = queue(self.rate, self.buffer)
        links = [
            Link(name=f"{leaf}-{spine}", a=leaf, b=spine, delay_s=self.delay, ab=both, ba=both)
            for leaf in leaves
            for spine in spines
        ]
        fixed = self.hosts is not None
        places = {
            f"{leaf}-hosts": Place(
                leaf,
                self.access_rate,
                self.access_delay,
                self.hosts,
                buffer=self.buffer if fixed else None,
                managed=fixed,
            )
            for leaf in leaves
        }
        return self._network(leaves + spines, links, places)


class Tree(_WithCards):
    """Three tiers: racks and aggregation switches in pods, and cores.

    Each rack has a link to each aggregation switch of its pod. The aggregation switches of a pod have ``core_links``
    each, to the cores in turn. The places are ``pod1-tor1-hosts`` and so on, and ``hosts``. Links are named
    ``pod1-tor1-agg1`` and ``pod1-agg1-core1``, and ``ab`` is the way up.
    """

    kind: Literal["tree"] = "tree"
    pods: int = Field(default=4, ge=2, le=MAX_RACKS)
    racks: int = Field(default=2, ge=1, le=MAX_RACKS)
    """The number in each pod."""
    hosts: int = Field(default=8, ge=1, le=MAX_PORTS)
    """The number in each rack."""
    aggregation: int = Field(default=2, ge=1, le=MAX_PORTS)
    """The number in each pod."""
    cores: int = Field(default=4, ge=1, le=MAX_PORTS)
    core_links: int = Field(default=2, ge=1, le=MAX_PORTS)
    """The number of each aggregation switch's links up."""
    access_delay: Time = 315e-9
    rate: Rate = 400 * _GBPS
    """The rate of the links between racks and aggregation."""
    delay: Time = 315e-9
    core_rate: Rate = 400 * _GBPS
    core_delay: Time = 315e-9

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.pods * self.racks > MAX_RACKS:
            raise fault_at(f"{self.pods * self.racks} racks in all, {MAX_RACKS} are the most", "racks")
        if self.pods * self.racks * self.hosts > MAX_TREE_HOSTS:
            raise fault_at(
                f"{self.pods * self.racks * self.hosts} hosts in all, {MAX_TREE_HOSTS} are the most", "hosts"
            )
        for name, ports in (
            ("hosts", self.hosts + self.aggregation),
            ("core_links", self.racks + self.core_links),
            ("pods", self.pods * -(-self.aggregation * self.core_links // self.cores)),
        ):
            if ports > MAX_PORTS:
                raise fault_at(f"a switch has {ports} ports, {MAX_PORTS} are the most", name)
        if self.core_links > self.cores:
            raise fault_at(f"an aggregation switch has a link to each of {self.cores} cores at most", "core_links")
        if self.aggregation * self.core_links < self.cores:
            what = f"the {self.aggregation * self.core_links} links of a pod do not reach all {self.cores} cores"
            raise fault_at(what, "cores")
        return self

    def network(self) -> Network:
        """Routers, links and places."""
        tors = [f"pod{pod}-tor{tor}" for pod in _numbers(self.pods) for tor in _numbers(self.racks)]
        lower, upper = queue(self.rate, self.buffer), queue(self.core_rate, self.buffer)
        ends = _tiers(tors, self.pods, self.aggregation, self.cores, self.core_links)
        links = [
            Link(name=name, a=a, b=b, delay_s=self.delay, ab=lower, ba=lower)
            if a in tors
            else Link(name=name, a=a, b=b, delay_s=self.core_delay, ab=upper, ba=upper)
            for a, b, name in ends
        ]
        places = {f"{tor}-hosts": self._place(tor) for tor in tors}
        return self._network(_switches(tors, self.pods, self.aggregation, self.cores), links, places)


class FatTree(_Fabric):
    """Three tiers of switches of ``ports`` ports, whose flows share all shortest ways (``declared.FatTree``).

    The places are ``pod1-edge1-hosts`` and so on, and ``hosts``. Links are named ``pod1-edge1-agg1`` and
    ``pod1-agg1-core1``, and ``ab`` is the way up.
    """

    kind: Literal["fat-tree"] = "fat-tree"
    rate: Rate = declared.FAT_TREE.rate_bps
    delay: Time = declared.FAT_TREE.delay_s
    buffer: Buffer = declared.FAT_TREE.buffer
    access_rate: Rate = declared.FAT_TREE.source.rate_bps
    access_delay: Time = declared.FAT_TREE.source.delay_s
    ports: int = Field(default=declared.FAT_TREE.ports, ge=4, le=MAX_TREE_PORTS, multiple_of=2)

    def network(self) -> Network:
        """Routers, links and places."""
        half = self.ports // 2
        edges = [f"pod{pod}-edge{edge}" for pod in _numbers(self.ports) for edge in _numbers(half)]
        both = queue(self.rate, self.buffer)
        ends = _tiers(edges, self.ports, half, half**2, half)
        links = [Link(name=name, a=a, b=b, delay_s=self.delay, ab=both, ba=both) for a, b, name in ends]
        places = {f"{edge}-hosts": Place(edge, self.access_rate, self.access_delay, half) for edge in edges}
        return self._network(_switches(edges, self.ports, half, half**2), links, places)


def _numbers(count: int) -> range:
    return range(1, count + 1)


def _aggregation(pods: int, aggregation: int) -> list[str]:
    return [f"pod{pod}-agg{agg}" for pod in _numbers(pods) for agg in _numbers(aggregation)]


def _switches(racks: Sequence[str], pods: int, aggregation: int, cores: int) -> list[str]:
    return [*racks, *_aggregation(pods, aggregation), *(f"core{core}" for core in _numbers(cores))]


def _tiers(
    racks: Sequence[str], pods: int, aggregation: int, cores: int, core_links: int
) -> list[tuple[str, str, str]]:
    """The links of three tiers: the lower end, the upper end, the name."""
    lower = [
        (rack, f"{rack.partition('-')[0]}-agg{agg}", f"{rack}-agg{agg}")
        for rack in racks
        for agg in _numbers(aggregation)
    ]
    # The first aggregation switch of each pod has the first cores, and so on.
    upper = [
        (agg, f"core{core}", f"{agg}-core{core}")
        for number, agg in enumerate(_aggregation(pods, aggregation))
        for core in sorted((number % aggregation * core_links + link) % cores + 1 for link in range(core_links))
    ]
    return lower + upper
