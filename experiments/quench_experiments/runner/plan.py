# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulations that experiments need. A run that several of them need is done once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from quench.profiles.settings import ProfileSettings

from quench_experiments.runner.cache import key_of
from quench_experiments.runner.environment import Environment
from quench_experiments.simulation.scenario import Router, Scenario
from quench_experiments.simulation.source import OF_MANY, Source, message_packets
from quench_experiments.simulation.ways import mean_routers

FULL_PACKET_BITS = 8000
PACKETS_PER_RUN = 2000.0
"""The cost of starting a simulation, in packets."""
PACKETS_PER_CONNECTION = 20.0
S_PER_PACKET = 2e-6
"""The time of such a packet and its ACK on one core, about."""
QUENCHING = 1.3
"""The time that packets take where the controller sends source quenches about some, as a multiple of others'."""


def estimated_packets(scenario: Scenario) -> float:
    """Packets that cross links between routers when these are full, one way; work is about proportional to it.

    Messages cross those on their ways, and one to their receiver.
    """
    routers = {router.name for router in scenario.routers}
    others = {host for source in scenario.sources if source.kind not in OF_MANY for host in _ends(source)}
    between = [link for link in scenario.links if {link.a, link.b} <= routers]
    between = between or [link for link in scenario.links if {link.a, link.b} & others] or list(scenario.links)
    # Data fills one way, ACKs come back: the faster direction is what data can take.
    rates_bps = [max(link.ab.rate_bps or 0.0, link.ba.rate_bps or 0.0) for link in between]
    messages = [source for source in scenario.sources if source.kind in OF_MANY]
    fills = not messages or len(messages) < len(scenario.sources)
    crossing = scenario.duration_s * sum(rates_bps) / FULL_PACKET_BITS if fills else 0.0
    if messages:
        crossing += _of_messages(scenario, messages, routers)
    if any(router.isq.mode == "cpu" and profile.sends_isqs for router, profile in _profiles(scenario)):
        crossing *= QUENCHING
    return PACKETS_PER_RUN + PACKETS_PER_CONNECTION * len(scenario.sources) + crossing


def _ends(source: Source) -> tuple[str, ...]:
    return (*source.sending, *source.receiving)


def _of_messages(scenario: Scenario, sources: Sequence[Source], routers: set[str]) -> float:
    """The packets of messages, at each router that they pass."""
    hosts = Counter(end for link in scenario.links for end in (link.a, link.b) if {link.a, link.b} - routers)
    between = [link for link in scenario.links if {link.a, link.b} <= routers]
    access = [link for link in scenario.links if {link.a, link.b} - routers]
    rate_bps = max(max(link.ab.rate_bps or 0.0, link.ba.rate_bps or 0.0) for link in access)
    packets = 0.0
    for source in sources:
        segment_bytes = None if source.stack is None else scenario.stacks[source.stack].segment_bytes
        packets += message_packets(source, rate_bps, scenario.duration_s, segment_bytes or FULL_PACKET_BITS / 8)
    nics = 1 if any(host.nic is not None for host in scenario.hosts) else 0
    passed = mean_routers(between, {router: count for router, count in hosts.items() if router in routers})
    return packets * (passed + nics)


def _profiles(scenario: Scenario) -> Iterator[tuple[Router, ProfileSettings]]:
    return ((router, profile) for router in scenario.routers for profile in router.profiles.values())


class PlannedRun(Protocol):
    """A run of an experiment, as its definition has it."""

    @property
    def id(self) -> str:
        """Unique: it begins with the experiment's key."""

    @property
    def scenario(self) -> Scenario:
        """The scenario to simulate."""


@dataclass(frozen=True, slots=True)
class Job:
    """One simulation, which one run or several runs need."""

    key: str
    scenario: Scenario
    packets: float
    """An estimate of the work."""
    names: tuple[str, ...]
    """The ids of the runs that it stands for."""

    @property
    def about_s(self) -> float:
        """An estimate of its time on one core."""
        return self.packets * S_PER_PACKET

    @property
    def name(self) -> str:
        """Its first run's name, and the number of others."""
        more = len(self.names) - 1
        return f"{self.names[0]} (and {more} more)" if more else self.names[0]


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs of each experiment by their keys, and the jobs, largest first."""

    environment: Environment
    keys: Mapping[str, Sequence[tuple[str, str]]]
    """The runs of each experiment: the id and the key in the cache."""
    jobs: tuple[Job, ...]


def make_plan(experiments: Iterable[tuple[str, Sequence[PlannedRun]]], environment: Environment) -> Plan:
    """Plan the runs of experiments. Large ones go first, so that no core is left with one at the end."""
    keys: dict[str, list[tuple[str, str]]] = {}
    scenarios: dict[str, Scenario] = {}
    names: dict[str, list[str]] = {}
    for experiment, runs in experiments:
        keys[experiment] = []
        for run in runs:
            key = key_of(run.scenario, environment)
            keys[experiment].append((run.id, key))
            scenarios.setdefault(key, run.scenario)
            names.setdefault(key, []).append(run.id)
    jobs = [Job(key, scenario, estimated_packets(scenario), tuple(names[key])) for key, scenario in scenarios.items()]
    return Plan(environment, keys, tuple(sorted(jobs, key=lambda job: -job.packets)))
