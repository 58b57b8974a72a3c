# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies, and all by their kinds. Defaults are the declared networks' values; a file may give others.

Each builds a `Network`. The congested link is named ``bottleneck`` (``hop1``, ``hop2``, ... where there are several),
and ``ab`` is the way the data takes.
"""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator
from quench.config.model import ClassConfig
from quench.profiles.settings import fault_at
from quench.units import ProbabilityField
from quench_switch.outside.units import Depth
from quench_topologies.papers import declared
from quench_topologies.papers.declared import VOICE_DRAIN_NS, VOICE_DSCP, VOICE_QUEUE, VOICE_WEIGHT, VW_ROUND_TRIPS_NS

from quench_experiments.definition.fabric import FatTree, LeafSpine, Star, Tree
from quench_experiments.definition.network import PLACE_SIZE, Network, Place, queue
from quench_experiments.definition.quantity import Buffer, Rate, Time
from quench_experiments.definition.shape import Shape
from quench_experiments.simulation.scenario import MAX_PORTS, Direction, Link

BEST_EFFORT_QUEUE = 0
BEST_EFFORT_PACKET_BYTES = 1000
MAX_ROUTERS = 100
"""The most routers in a row: each has addresses for the hosts at it."""


class _Dumbbell(Shape):
    """Two routers; hosts on the left send to hosts on the right."""

    rate: Rate
    delay: Time
    buffer: Buffer
    """The limit of the bottleneck's queue. The way back has none: only ACKs and source quenches take it."""
    source_rate: Rate
    source_delay: Time
    sink_rate: Rate
    sink_delay: Time

    def network(self) -> Network:
        """Routers, links and places."""
        return Network(
            routers=("r1", "r2"),
            links=(
                Link(
                    name="bottleneck",
                    a="r1",
                    b="r2",
                    delay_s=self.delay,
                    ab=queue(self.rate, self.buffer),
                    ba=Direction(rate_bps=self.rate),
                ),
            ),
            places={
                "servers": Place("r1", self.source_rate, self.source_delay),
                "clients": Place("r2", self.sink_rate, self.sink_delay),
                **self._more_places(),
            },
            managed=("bottleneck.ab",),
        )

    def _more_places(self) -> dict[str, Place]:
        return {}


class N1(_Dumbbell):
    """P0, P1: network 1. FTP servers and clients one to a flow, web servers and clients shared by the sessions."""

    kind: Literal["n1"] = "n1"
    rate: Rate = declared.N1.rate_bps
    delay: Time = declared.N1.delay_s
    buffer: Buffer = declared.N1.buffer
    source_rate: Rate = declared.N1.source.rate_bps
    source_delay: Time = declared.N1.source.delay_s
    sink_rate: Rate = declared.N1.sink.rate_bps
    sink_delay: Time = declared.N1.sink.delay_s
    web_servers: int = Field(default=10, ge=1, lt=PLACE_SIZE)
    web_clients: int = Field(default=10, ge=1, lt=PLACE_SIZE)

    def _more_places(self) -> dict[str, Place]:
        return {
            "web-servers": Place("r1", self.source_rate, self.source_delay, self.web_servers),
            "web-clients": Place("r2", self.sink_rate, self.sink_delay, self.web_clients),
        }


class N2(_Dumbbell):
    """P0: network 2. One sender, one receiver; the link from the first router back to the sender loses packets."""

    kind: Literal["n2"] = "n2"
    rate: Rate = declared.N2.rate_bps
    delay: Time = declared.N2.delay_s
    buffer: Buffer = declared.N2.buffer
    source_rate: Rate = declared.N2.source.rate_bps
    source_delay: Time = declared.N2.source.delay_s
    sink_rate: Rate = declared.N2.sink.rate_bps
    sink_delay: Time = declared.N2.sink.delay_s
    reverse_loss: ProbabilityField = 0.0

    def _more_places(self) -> dict[str, Place]:
        return {"sender": Place("r1", self.source_rate, self.source_delay, 1, loss=self.reverse_loss)}


class Vw(_Dumbbell):
    """P2: voice and best effort over one link, in two queues (self-clocked fair queuing) or in one."""

    kind: Literal["vw"] = "vw"
    rate: Rate = declared.VW.rate_bps
    delay: Time = declared.VW.delay_s
    buffer: Buffer = declared.VW.buffer
    source_rate: Rate = declared.VW.source.rate_bps
    source_delay: Time = declared.VW.source.delay_s
    sink_rate: Rate = declared.VW.sink.rate_bps
    sink_delay: Time = declared.VW.sink.delay_s
    isolation: bool = True
    """False: one queue for all, first in, first out."""
    voice_weight: float = Field(default=VOICE_WEIGHT, gt=0, lt=1)
    voice_buffer: Time = VOICE_DRAIN_NS / 1e9
    """The voice queue's limit, as the time in which it empties at its share of the link."""
    rtt: tuple[Time, Time] = (VW_ROUND_TRIPS_NS[0] / 1e9, VW_ROUND_TRIPS_NS[1] / 1e9)
    """Propagation round trips of a group's flows, evenly from the first to the second."""

    @model_validator(mode="after")
    def _rtt_is_possible(self) -> Self:
        if not 2 * (self.delay + self.sink_delay) <= self.rtt[0] <= self.rtt[1]:
            least = 2 * (self.delay + self.sink_delay)
            raise fault_at(f"rtt goes from a least value, {least * 1000:g}ms or more, to a greatest", "rtt")
        return self

    def network(self) -> Network:
        """Routers, links and places."""
        plain = super().network()
        if not self.isolation:
            return plain
        weights = (1 - self.voice_weight, self.voice_weight)
        voice_bytes = round(self.voice_buffer * self.rate * self.voice_weight / 8)
        # Both limits in bytes: the list has one for each queue. Packets of best effort have the papers' 1000 bytes.
        in_bytes = self.buffer.value * (1 if self.buffer.unit == "bytes" else BEST_EFFORT_PACKET_BYTES)
        (link,) = plain.links
        forward = Direction(
            rate_bps=self.rate,
            scheduler="scfq",
            weights=weights,
            queue_buffer_bytes=(round(in_bytes), voice_bytes),
        )
        return Network(
            routers=plain.routers,
            links=(link.model_copy(update={"ab": forward}),),
            places=plain.places,
            managed=(f"bottleneck.ab.{BEST_EFFORT_QUEUE}",),
            queues=2,
            classes=(ClassConfig(dscp=VOICE_DSCP, queue=VOICE_QUEUE),),
        )

    def _more_places(self) -> dict[str, Place]:
        near, far = (rtt / 2 - self.delay - self.sink_delay for rtt in self.rtt)
        return {
            "sources": Place("r1", self.source_rate, near, farthest_s=far),
            "voice-source": Place("r1", self.source_rate, self.source_delay, 1),
            "voice-sink": Place("r2", self.sink_rate, self.sink_delay, 1),
        }


class Mf(_Dumbbell):
    """P3: FTP sources and sinks, one to a flow."""

    kind: Literal["mf"] = "mf"
    rate: Rate = declared.MF.rate_bps
    delay: Time = declared.MF.delay_s
    source_rate: Rate = declared.MF.source.rate_bps
    source_delay: Time = declared.MF.source.delay_s
    sink_rate: Rate = declared.MF.sink.rate_bps
    sink_delay: Time = declared.MF.sink.delay_s


class Mw(Mf):
    """P3: as MF, with UDP sources, a web server with clients, and FTP."""

    kind: Literal["mw"] = "mw"  # type: ignore[assignment]
    web_clients: int = Field(default=30, ge=1, lt=PLACE_SIZE)

    def _more_places(self) -> dict[str, Place]:
        return {
            "web-server": Place("r1", self.source_rate, self.source_delay, 1),
            "web-clients": Place("r2", self.sink_rate, self.sink_delay, self.web_clients),
        }


class _Chain(Shape):
    """Routers in a row, all hops alike."""

    rate: Rate
    delay: Time
    buffer: Buffer
    access_rate: Rate
    access_delay: Time

    def _row(self, routers: int, both_ways: bool) -> tuple[tuple[str, ...], tuple[Link, ...], tuple[str, ...]]:
        """Names of the routers, the links, and the directions that have a profile."""
        names = tuple(f"r{number}" for number in range(1, routers + 1))
        links = tuple(
            Link(
                name="bottleneck" if routers == 2 else f"hop{number}",
                a=names[number - 1],
                b=names[number],
                delay_s=self.delay,
                ab=queue(self.rate, self.buffer),
                ba=queue(self.rate, self.buffer) if both_ways else Direction(rate_bps=self.rate),
            )
            for number in range(1, routers)
        )
        ways = ("ab", "ba") if both_ways else ("ab",)
        return names, links, tuple(f"{link.name}.{way}" for link in links for way in ways)


class Mp(_Chain):
    """P3: parking lot. Flows enter at each router but the last (``enter1``, ...) and leave at the last."""

    kind: Literal["mp"] = "mp"
    rate: Rate = declared.MP.rate_bps
    delay: Time = declared.MP.delay_s
    routers: int = Field(default=declared.MP.routers, ge=2, le=MAX_ROUTERS)
    access_rate: Rate = declared.MP.source.rate_bps
    access_delay: Time = declared.MP.source.delay_s
    sink_delay: Time = declared.MP.sink.delay_s

    def network(self) -> Network:
        """Routers, links and places."""
        names, links, managed = self._row(self.routers, both_ways=False)
        places = {
            f"enter{number}": Place(name, self.access_rate, self.access_delay)
            for number, name in enumerate(names[:-1], 1)
        }
        places["leave"] = Place(names[-1], self.access_rate, self.sink_delay)
        return Network(names, links, places, managed)


class _Gateways(_Chain):
    """P4: RED with the same settings both ways on the links between routers, drop-tail on the others."""

    rate: Rate = declared.G1.rate_bps
    delay: Time = declared.G1.delay_s
    buffer: Buffer = declared.G1.buffer
    access_rate: Rate = declared.G1.source.rate_bps
    access_delay: Time = declared.G1.source.delay_s

    _declared: ClassVar[declared.Row]

    def network(self) -> Network:
        """Routers, links and places."""
        names, links, managed = self._row(self._declared.routers, self._declared.both_ways)
        places = {
            name: Place(names[router], self.access_rate, self.access_delay, 1)
            for name, router in self._declared.hosts.items()
        }
        return Network(names, links, places, managed)


class G1(_Gateways):
    """P4: one congested link; a server and two clients."""

    kind: Literal["g1"] = "g1"
    _declared = declared.G1


class G3(_Gateways):
    """P4: three congested links in a row; most flows share the middle one."""

    kind: Literal["g3"] = "g3"
    _declared = declared.G3


class Dumbbell(_Dumbbell):
    """No paper's: two switches of a data centre, with short links.

    Places: ``servers`` and ``clients`` as N1 has them, ``left`` and ``right`` with a fixed number of hosts.
    """

    kind: Literal["dumbbell"] = "dumbbell"
    rate: Rate = 100_000_000_000
    delay: Time = 1.272e-6
    buffer: Buffer = Depth(1000, "pkts")
    source_rate: Rate = 102_000_000_000
    source_delay: Time = 1.272e-6
    sink_rate: Rate = 102_000_000_000
    sink_delay: Time = 1.272e-6
    hosts: int = Field(default=8, ge=2, lt=MAX_PORTS)
    """Those of ``left``, and those of ``right``."""
    nics: bool = False
    """Whether hosts' network cards run the switches' program."""

    def network(self) -> Network:
        """Routers, links and places."""
        plain = super().network()
        places = {name: replace(place, nics=self.nics, nic_buffer=self.buffer) for name, place in plain.places.items()}
        return replace(plain, places=places)

    def _more_places(self) -> dict[str, Place]:
        return {
            "left": Place("r1", self.source_rate, self.source_delay, self.hosts),
            "right": Place("r2", self.sink_rate, self.sink_delay, self.hosts),
        }


Topology = Annotated[
    N1 | N2 | Vw | Mf | Mw | Mp | G1 | G3 | Dumbbell | Star | LeafSpine | Tree | FatTree, Field(discriminator="kind")
]
