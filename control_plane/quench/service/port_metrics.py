# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switches' own counters as Prometheus metrics, read from the switches at each scrape."""

import asyncio
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError

import finsy as fy
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector
from quench_switch.outside.text import one_line

from quench.client.entries import PORT_COUNTERS
from quench.client.session import SessionError
from quench.service.agent import SwitchAgent

LOGGER = logging.getLogger(__name__)

READ_TIMEOUT_S = 5.0
_OWN = "program_counter"
_HELP = {
    "port_seen": "Packets routed to a port",
    "port_marked": "Packets marked",
    "port_dropped_early": "Packets dropped by chance",
    "port_dropped_forced": "Packets dropped because the probability was 1",
    "port_cloned": "Copies made for a source quench",
    "port_isq_sent": "ISQs sent by the switch itself",
    "port_isq_limited": "ISQs that the switch's meter forbade",
    "port_isq_ipv6": "IPv6 packets without a source quench: they are no data of RoCEv2 from the domain",
    "port_isq_once_per_path": "Packets about which a switch upstream sent a source quench",
    "port_isq_refused": "Packets about which no source quench may be sent",
    "port_dropped_invalid": "Packets from a port whose IP header or length is wrong",
    "port_dropped_vlan": "Frames from a port that belong to a VLAN",
    "port_dropped_isq": "Source quenches from a port whose sender is outside of the domain, and what may hide one",
}


class PortMetrics(Collector):
    """A collector that reads the counters by the agents, in their event loop, at each scrape."""

    def __init__(self, agents: Sequence[SwitchAgent], loop: asyncio.AbstractEventLoop) -> None:
        self._agents = agents
        self._loop = loop

    def register(self, registry: CollectorRegistry) -> None:
        """Add these metrics to a registry."""
        registry.register(self)

    def describe(self) -> Iterable[Metric]:
        """The metrics without values, for a registry that cannot wait for the switches."""
        return self.families().values()

    def collect(self) -> Iterator[Metric]:
        """The metrics of all switches that answer."""
        families = self.families()
        # All at once: a switch that does not answer must not delay the other switches' counters.
        readings = [
            (agent, asyncio.run_coroutine_threadsafe(agent.port_counters(), self._loop))
            for agent in self._agents
            if agent.ready
        ]
        deadline_s = time.monotonic() + READ_TIMEOUT_S
        for agent, reading in readings:
            try:
                ports = reading.result(max(0.0, deadline_s - time.monotonic()))
            except (TimeoutError, CancelledError, SessionError, fy.P4ClientError) as error:
                reading.cancel()
                reason = one_line(str(error)) or "no answer in time"
                about = {"about": agent.name}
                LOGGER.warning("%s: its counters cannot be read: %s", agent.name, reason, extra=about)
                continue
            for port, counters in ports.items():
                for name, counts in counters.items():
                    if name in PORT_COUNTERS:
                        families[name].add_metric([agent.name, str(port)], counts["packets"])
                        continue
                    for unit, value in counts.items():
                        families[f"{_OWN}_{unit}"].add_metric([agent.name, str(port), name], value)
        yield from families.values()

    @staticmethod
    def families() -> dict[str, CounterMetricFamily]:
        """A metric without values for each counter of the program, by the counter's name; others share two."""
        families = {
            name: CounterMetricFamily(f"quench_{name}_packets", _HELP[name], labels=("switch", "port"))
            for name in PORT_COUNTERS
        }
        for unit in ("packets", "bytes"):
            name = f"{_OWN}_{unit}"
            families[name] = CounterMetricFamily(
                f"quench_{name}", f"Other counters by port of the program, {unit}", labels=("switch", "port", "counter")
            )
        return families
