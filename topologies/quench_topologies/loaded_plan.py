# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A network with its load: the congested queues, the places where flows enter and leave, and the datagrams."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from quench_topologies.datagrams import ConstantRate, VoiceCalls
from quench_topologies.errors import TopologyError
from quench_topologies.plan import NetworkPlan, TcpPlan


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """Settings that every topology takes."""

    profile: Mapping[str, Any]
    """The profile of the congested queues."""
    rate_bps: int
    """The rate of the congested links; in MP the later ones carry more flows and are faster in proportion."""
    delay_ns: int
    """The delay of the congested links, one way."""
    pairs: int
    """The number of pairs of hosts, at each place where flows enter."""
    flows: int
    tcp: TcpPlan
    isq_mode: str = "cpu"
    reverse_loss: float = 0.0
    """N2: probability that a packet is lost on its way back to the sender."""
    scheduler: str = "scfq"
    """VW: how voice and best effort share the link; fifo: one queue for both."""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """A queue that is meant to be congested, and the interface in which its link ends."""

    switch: str
    port: int
    next_switch: str
    next_port: int

    @property
    def name(self) -> str:
        """The name that people read."""
        return f"{self.switch} to {self.next_switch}"


@dataclass(frozen=True, slots=True)
class Place:
    """A place where TCP flows enter and leave: pairs of hosts (sender, receiver) that share them."""

    pairs: tuple[tuple[str, str], ...]
    flows: int
    """The paper's number, or a share of the number that the user gave."""


@dataclass(frozen=True, slots=True)
class Datagrams:
    """UDP that does not react, from one host to another."""

    sender: str
    receiver: str
    load: VoiceCalls | ConstantRate


@dataclass(frozen=True, slots=True)
class LoadedPlan:
    """The network of a demo, with its load."""

    plan: NetworkPlan
    bottlenecks: tuple[Bottleneck, ...]
    places: tuple[Place, ...]
    datagrams: Datagrams | None = None

    @property
    def flows(self) -> int:
        """TCP flows of all places."""
        return sum(place.flows for place in self.places)

    @property
    def tcp_ends(self) -> list[tuple[str, str]]:
        """Sender and receiver of each flow."""
        return [place.pairs[number % len(place.pairs)] for place in self.places for number in range(place.flows)]

    def rate_bps(self, bottleneck: Bottleneck) -> int:
        """The rate at which the link is served."""
        switch = next(each for each in self.plan.switches if each.name == bottleneck.switch)
        rate_bps = switch.ports[bottleneck.port].rate_bps
        assert rate_bps is not None
        return rate_bps


def shared_out(total: int, shares: int) -> list[int]:
    """A number in whole parts that differ by one at most."""
    return [total * (index + 1) // shares - total * index // shares for index in range(shares)]


def pair_letters(pairs: int) -> list[str]:
    """Endings of the names of hosts that share a place: none, b, c and so on. Raises TopologyError."""
    if not 1 <= pairs <= len(ascii_lowercase):
        raise TopologyError(f"--pairs {pairs}: choose from 1 to {len(ascii_lowercase)} here")
    return ["", *ascii_lowercase[1:pairs]]
