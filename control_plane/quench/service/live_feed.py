# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's feed: samples of all switches and all changes, from its start, so that the past can be seen.

Samples are made ten times a second while somebody watches, and once a second while nobody does.
"""

import asyncio
import logging
import time
from collections.abc import Sequence

import finsy as fy
from pydantic_core import to_json
from quench_switch.outside.text import one_line
from quench_switch.outside.units import parse_seconds

from quench.client.session import SessionError
from quench.feed.history import Place
from quench.feed.hub import Hub
from quench.feed.layout import events_between, profile_layout_of
from quench.feed.model import (
    IDLE_S,
    INTERVAL_S,
    MOST_FLOWS,
    MOST_HOSTS,
    FlowSample,
    HostSample,
    Layout,
    NetworkLayout,
    PortLayout,
    PortSample,
    QueueLayout,
    QueueSample,
    SwitchLayout,
)
from quench.feed.port_rates import PortRates
from quench.feed.rates import STALE_S
from quench.service.agent import SwitchAgent

LOGGER = logging.getLogger(__name__)

FLOWS_S = 2.0
"""Time for which handed-in flows are shown."""
MOST_REPORTERS = 16
REPORT_INTERVALS = 3
"""The number of report intervals without a packet-in about a queue after which no packet leaves it."""
LEAST_REPORT_S = 0.5
"""The least time for this: packets of a slow link are far apart."""
READING_SHARE = 0.1
"""Share of the time that reading counters takes: a switch with many ports is read less often."""
MOST_PAUSE_S = STALE_S / 4
"""The longest pause between two readings, however long they take: rates need two that are not stale."""


def pause_after_s(took_s: float) -> float:
    """The time in seconds until the next reading of counters, after one that took so long."""
    return min(max(INTERVAL_S - took_s, took_s * (1 / READING_SHARE - 1)), MOST_PAUSE_S)


class LiveFeed:
    """The feed of one controller."""

    def __init__(
        self, agents: Sequence[SwitchAgent], title: str, history_s: float, network: NetworkLayout | None
    ) -> None:
        self.hub = Hub(self._produce, records=True, history_s=history_s)
        self._title = title
        self._network = network
        self._switches = [_Switch(agent, self.hub) for agent in agents]
        self._reported: dict[str, tuple[float, list[HostSample], list[FlowSample]]] = {}
        self.layout: Layout = self._layout_now()
        self.hub.set_layout(self.layout)

    @property
    def watched(self) -> bool:
        """Whether somebody reads."""
        return self.hub.watched

    async def answer(self, epoch: str, number: int, wait_s: float) -> bytes:
        """The JSON of a ``FeedAnswer``."""
        news = await self.hub.after(Place(epoch, number), wait_s)
        json, place = (b"null", Place(epoch, number)) if news is None else news
        return b'{"epoch":%b,"number":%d,"update":%b}' % (to_json(place.epoch), place.number, json)

    def take_flows(self, reporter: str, hosts: list[HostSample], flows: list[FlowSample]) -> None:
        """Show these hosts and flows, instead of those that the same reporter handed in before."""
        self._reported[reporter] = (time.monotonic(), hosts, flows)
        if len(self._reported) > MOST_REPORTERS:
            del self._reported[min(self._reported, key=lambda name: self._reported[name][0])]

    def look_for_changes(self) -> None:
        """Put what has changed in the agents into the feed."""
        before, self.layout = self.layout, self._layout_now()
        for event in events_between(before, self.layout, time.time()):
            self.hub.add_event(event)
        self.hub.set_layout(self.layout)

    async def close(self) -> None:
        """End it."""
        await self.hub.close()

    def _layout_now(self) -> Layout:
        return {
            "title": self._title,
            "clock": "unix",
            "can_change": True,
            "changes_isq": True,
            "playing": None,
            "switches": [switch.layout() for switch in self._switches],
            "network": self._network,
        }

    async def _produce(self) -> None:
        readings = [asyncio.create_task(switch.read_for_ever()) for switch in self._switches]
        try:
            due_s = time.monotonic()
            while True:
                self._add_sample()
                due_s = max(due_s + (INTERVAL_S if self.watched else IDLE_S), time.monotonic())
                await self.hub.pause(due_s)
                due_s = min(due_s, time.monotonic())
                for reading in readings:
                    if reading.done():
                        reading.result()
        finally:
            for reading in readings:
                reading.cancel()
            await asyncio.wait(readings)

    def _add_sample(self) -> None:
        now_s = time.monotonic()
        hosts: list[HostSample] = []
        flows: list[FlowSample] = []
        for reported_s, its_hosts, its_flows in self._reported.values():
            if now_s - reported_s < FLOWS_S:
                hosts += its_hosts
                flows += its_flows
        self.hub.add_sample(
            {
                "time_s": round(time.time(), 3),
                "ports": [port for switch in self._switches for port in switch.sample(now_s)],
                "flows": flows[:MOST_FLOWS],
                "hosts": hosts[:MOST_HOSTS],
            }
        )


class _Switch:
    """One switch in the feed."""

    def __init__(self, agent: SwitchAgent, hub: Hub) -> None:
        self._agent = agent
        self._hub = hub
        self._rates: dict[int, PortRates] = {}
        self._said = ""
        self._silence_s: dict[tuple[int, int], float] = {}
        """Age at which the newest packet-in about a queue says nothing of now."""

    def layout(self) -> SwitchLayout:
        ports: dict[int, PortLayout] = {}
        for row in self._agent.queues.thresholds():
            port = ports.setdefault(row["port"], {"port": row["port"], "rate_bps": row["rate_bps"], "queues": []})
            shown: QueueLayout = {
                "queue": row["queue"],
                "profile": profile_layout_of(row["settings"]),
                "number": row["profile"],
            }
            buffer = self._agent.queues.buffer(row["port"], row["queue"])
            if buffer is not None:
                shown["buffer"] = str(buffer)
            port["queues"].append(shown)
            interval_s = parse_seconds(row["settings"]["report_interval"])
            self._silence_s[row["port"], row["queue"]] = max(LEAST_REPORT_S, REPORT_INTERVALS * interval_s)
        for number, queue, rate_bps in self._agent.queues_without_profile():
            port = ports.setdefault(number, {"port": number, "rate_bps": rate_bps, "queues": []})
            port["queues"].append({"queue": queue, "profile": None, "reason": self._agent.no_depth})
            self._silence_s[number, queue] = LEAST_REPORT_S
        isq = self._agent.isq()
        self._layout: SwitchLayout = {
            "switch": self._agent.name,
            "connected": self._agent.ready,
            "isq_mode": isq["mode"] if self._agent.sends_isqs else None,
            "ports": list(ports.values()),
        }
        return self._layout

    async def read_for_ever(self) -> None:
        """Read the counters again and again. A switch that does not answer delays no sample."""
        while True:
            began_s = time.monotonic()
            try:
                await self._read()
                self._said = ""
            except (fy.P4ClientError, SessionError) as error:
                reason = one_line(str(error))
                if reason != self._said:
                    about = {"about": self._agent.name}
                    LOGGER.warning("%s: its counters cannot be read now: %s", self._agent.name, reason, extra=about)
                self._said = reason
            pause_s = pause_after_s(time.monotonic() - began_s)
            await self._hub.pause(time.monotonic() + (pause_s if self._hub.watched else max(pause_s, IDLE_S)))

    async def _read(self) -> None:
        ports = await self._agent.port_counters()
        now_s = time.monotonic()
        for port, counters in ports.items():
            rates = self._rates.setdefault(port, PortRates())
            rates.add(now_s, counters, self._agent.packet_ins.isqs_by_port[port])

    def sample(self, now_s: float) -> list[PortSample]:
        if not self._layout["connected"]:
            return []
        return [self._port(port, now_s) for port in self._layout["ports"]]

    def _port(self, port: PortLayout, now_s: float) -> PortSample:
        rates = self._rates.setdefault(port["port"], PortRates())
        queues = [self._queue(port["port"], queue["queue"], now_s) for queue in port["queues"]]
        return rates.sample(self._agent.name, port, queues, now_s)

    def _queue(self, port: int, queue: int, now_s: float) -> QueueSample:
        newest = self._agent.packet_ins.seen(port, queue)
        is_silent = newest is None or now_s - newest.time_s > self._silence_s[port, queue]
        return {
            "queue": queue,
            "depth_pkts": None if newest is None or is_silent else newest.depth_pkts,
            "average_pkts": None if newest is None or is_silent else round(newest.average_pkts, 3),
            "profile": self._agent.queues.number(port, queue),
        }
