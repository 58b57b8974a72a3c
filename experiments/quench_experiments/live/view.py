# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A running simulation as the feed shows it: the layout, and samples. Little is kept, however long it runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quench.feed.layout import profile_layout
from quench.feed.model import (
    MOST_FLOWS,
    FlowSample,
    Layout,
    NetworkLayout,
    NetworkLink,
    Playing,
    PortLayout,
    PortSample,
    QueueLayout,
    QueueSample,
    Sample,
    SwitchLayout,
)
from quench.feed.port_rates import PortRates
from quench.feed.rates import Rates

from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.scenario import Link, Router, Scenario, split_queue

_FULL = "dropped_full"
"""The name of a counter that the program cannot have: it does not see what a full buffer drops."""
_TX_BYTES = "tx_bytes"


@dataclass(frozen=True, slots=True)
class Place:
    """A port with a queue that is managed."""

    router: str
    direction: str
    port: int


class View:
    """The managed queues of a simulation, and its flows."""

    def __init__(self, running: RunningSimulation, title: str) -> None:
        scenario = running.scenario
        self._running = running
        self._title = title
        self._places = list(_places(scenario))
        self._places_of: dict[str, list[Place]] = {}
        for place in self._places:
            self._places_of.setdefault(place.router, []).append(place)
        self._rates = {place: PortRates() for place in self._places}
        self._sent = {place: Rates() for place in self._places}
        managed = [(router.name, name) for router in scenario.routers for name in router.profiles]
        self._profiles = {queue: number for number, queue in enumerate(managed, 1)}
        self._names = dict(_queues(scenario, managed))
        """The name of each queue with a profile: neither ports nor names change while it runs."""
        self._newest = len(managed)
        self._hosts = {source.name: ", ".join(source.sending) for source in scenario.sources}

    @property
    def can_change(self) -> bool:
        """Whether the queues have profiles: a program of one's own has settings that the page cannot say."""
        return self._running.scenario.program is None

    def queue(self, router: str, port: int, queue: int) -> str | None:
        """The name of a queue with a profile, as among the router's profiles; None: it has none."""
        return self._names.get((router, port, queue))

    def count_changes(self, before: Scenario) -> dict[tuple[str, str], int]:
        """Number the profiles that are others than in this scenario: no profile has had their numbers."""
        after, changed = self._running.scenario, {}
        for router, name in self._profiles:
            if _rows(before, router, name) != _rows(after, router, name):
                self._newest += 1
                self._profiles[router, name] = changed[router, name] = self._newest
        return changed

    def layout(self, playing: Playing, remark: str = "") -> Layout:
        """The layout now."""
        scenario = self._running.scenario
        return {
            "title": f"simulation {self._title}{remark}",
            "clock": "run",
            "can_change": self.can_change,
            "changes_isq": self.can_change,
            "playing": playing,
            "network": _network(scenario),
            "switches": [self._switch(router) for router in scenario.routers if self._ports_of(router)],
        }

    def _switch(self, router: Router) -> SwitchLayout:
        return {
            "switch": router.name,
            "connected": True,
            "isq_mode": router.isq.mode if self.can_change else None,
            "ports": [self._port_layout(router, place) for place in self._ports_of(router)],
        }

    def _ports_of(self, router: Router) -> list[Place]:
        return self._places_of.get(router.name, [])

    def _port_layout(self, router: Router, place: Place) -> PortLayout:
        return {
            "port": place.port,
            "rate_bps": self._rate_bps(place),
            "queues": [self._queue_layout(router, place, number) for number in range(router.queues)],
        }

    def _rate_bps(self, place: Place) -> int | None:
        rate_bps = self._running.scenario.direction(place.direction).rate_bps
        return None if rate_bps is None else round(rate_bps)

    def _queue_layout(self, router: Router, place: Place, number: int) -> QueueLayout:
        scenario = self._running.scenario
        name = self.queue(router.name, place.port, number)
        layout: QueueLayout = {
            "queue": number,
            "profile": None if name is None else profile_layout(scenario.profile(router, name)),
            "number": None if name is None else self._profiles[router.name, name],
        }
        if scenario.program is not None:
            description = scenario.program.description
            layout["program"] = {
                "title": description.title,
                "mean_packet_bytes": description.mean_packet_bytes,
            }
        buffer = scenario.direction(place.direction).buffer(number)
        if buffer is not None:
            layout["buffer"] = str(buffer)
        return layout

    def sample(self) -> Sample:
        """Everything now."""
        seen = self._running.look()
        ports = {port["direction"]: port for port in seen["ports"]}
        flows = [self._flow(source) for source in seen["sources"] if source["window"] is not None]
        return {
            "time_s": round(seen["now_s"], 6),
            "ports": [self._port(place, ports[place.direction], seen["now_s"]) for place in self._places],
            "flows": flows[:MOST_FLOWS],
            "hosts": [],
        }

    def _port(self, place: Place, port: Mapping[str, Any], now_s: float) -> PortSample:
        rates, sent = self._rates[place], self._sent[place]
        counters = {name: dict(counts) for name, counts in _counters(port)}
        isqs = self._running.tally(place.router).isqs_by_port[place.port] if self.can_change else None
        rates.add(now_s, counters, isqs)
        sent.add(now_s, {_TX_BYTES: port["tx_bytes"]})
        rate_bps = self._rate_bps(place)
        layout: PortLayout = {"port": place.port, "rate_bps": rate_bps, "queues": []}
        shown = rates.sample(place.router, layout, list(self._queues(place, port)), now_s)
        sent_bytes_per_s = sent.per_s(now_s).get(_TX_BYTES)
        if sent_bytes_per_s is not None and rate_bps:
            # The program counts Ethernet headers, which the rates of the simulation do not have.
            shown["utilisation"] = round(min(1.0, 8 * sent_bytes_per_s / rate_bps), 4)
        return shown

    def _queues(self, place: Place, port: Mapping[str, Any]) -> Iterator[QueueSample]:
        for number, queue in enumerate(port["queues"]):
            name = self.queue(place.router, place.port, number)
            average_pkts = queue["average_pkts"]
            yield {
                "queue": number,
                "depth_pkts": queue["pkts"],
                "average_pkts": None if average_pkts is None else round(average_pkts, 3),
                "profile": None if name is None else self._profiles[place.router, name],
            }

    def _flow(self, source: Mapping[str, Any]) -> FlowSample:
        window = source["window"]
        srtt_s, ssthresh_pkts = window["srtt_s"], window["ssthresh_pkts"]
        return {
            "flow": source["name"],
            "host": self._hosts[source["name"]],
            "cwnd_pkts": round(window["cwnd_pkts"], 3),
            "ssthresh_pkts": None if ssthresh_pkts is None else round(ssthresh_pkts, 3),
            "srtt_ms": None if srtt_s is None else round(1000 * srtt_s, 3),
            "acked_bytes": source["acked_bytes"],
            "retransmitted_pkts": source["retransmitted_pkts"],
            "reductions": source["reactions"],
        }


def _queues(scenario: Scenario, managed: Iterable[tuple[str, str]]) -> Iterator[tuple[tuple[str, int, int], str]]:
    """Router, port and queue of each queue with a profile, and its name among the router's profiles."""
    ports = {router.name: scenario.ports(router.name) for router in scenario.routers}
    for router, name in managed:
        direction, number = split_queue(name)
        yield (router, ports[router][direction], number), name


def _places(scenario: Scenario) -> Iterator[Place]:
    for router in scenario.routers:
        managed = {split_queue(name)[0] for name in (*router.profiles, *router.queue_settings)}
        for direction, port in scenario.ports(router.name).items():
            if direction in managed:
                yield Place(router.name, direction, port)


def _rows(scenario: Scenario, router: str, name: str) -> object:
    """All that the rows of a queue's profile are made of."""
    of = scenario.router(router)
    return scenario.profile(of, name), scenario.direction(split_queue(name)[0]).rate_bps, of.isq.mode == "dataplane"


def _counters(port: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, int]]]:
    """The program's counters by their names in P4Info, and the packets that a full queue dropped."""
    for counter in port["program"]:
        name = counter["name"].rpartition(".")[2]
        yield name, {"packets": counter["packets"], "bytes": counter["bytes"]}
    yield _FULL, {"packets": port["dropped_full_pkts"], "bytes": 0}


def _network(scenario: Scenario) -> NetworkLayout:
    ports = {router.name: scenario.ports(router.name) for router in scenario.routers}
    return {
        "hosts": [host.name for host in scenario.hosts],
        "switches": [router.name for router in scenario.routers],
        "links": [_link(link, ports) for link in scenario.links],
    }


def _link(link: Link, ports: Mapping[str, Mapping[str, int]]) -> NetworkLink:
    return {
        "a": link.a,
        "a_port": ports[link.a][f"{link.name}.ab"] if link.a in ports else None,
        "b": link.b,
        "b_port": ports[link.b][f"{link.name}.ba"] if link.b in ports else None,
    }
