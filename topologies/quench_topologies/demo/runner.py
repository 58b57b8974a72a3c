# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one scheme: sets the switch and the hosts, lets the flows run, and records."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_topologies.demo.recording import Counters, Crossed, QueueReport, Recording, Snapshot
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.dumbbell import BOTTLENECK_SWITCH, TRUNK_PORT
from quench_topologies.network import RunningNetwork
from quench_topologies.traffic import Ends, Traffic

START_SPREAD_S = 2.0
"""The flows of a run begin within this time."""
DRAIN_S = 1.5
"""Between two runs: everything on the way arrives, and the average queue decays."""
TICK_S = 0.1
COUNTERS_INTERVAL_S = 0.5


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What all runs of a demo share."""

    flows: int
    warmup_s: float
    measured_s: float
    seed: int
    host_loader: Path

    @property
    def run_s(self) -> float:
        """How long the flows of one run last."""
        return self.warmup_s + self.measured_s


class Runner:
    """Runs schemes on a dumbbell that is up, one after the other."""

    def __init__(self, network: RunningNetwork, settings: RunSettings) -> None:
        self._network = network
        self._settings = settings
        self._switch = network.switches[BOTTLENECK_SWITCH]
        self._senders = [host for name, host in network.hosts.items() if name.startswith("server")]
        self._ends = [
            Ends(
                network.hosts[f"server{number}"].namespace,
                network.hosts[f"client{number}"].namespace,
                str(network.plan.host(f"client{number}").address.ip),
            )
            for number in range(1, len(self._senders) + 1)
        ]
        # The switch tells times of its own clock: the least lag of its newest report places them on ours.
        self._clock_lag_s = float("inf")
        self._last_report_us = 0

    def run(self, scenario: Scenario, progress: Callable[[float], None]) -> Recording:
        """One scheme; progress gets the seconds since the flows began. Raises TopologyError or ControllerError."""
        self._network.control.call(
            "thresholds.set", switch=BOTTLENECK_SWITCH, port=TRUNK_PORT, settings=scenario.profile()
        )
        loader = self._settings.host_loader
        try:
            for host in self._network.hosts.values():
                host.enable(loader, scenario.host_algorithm, paper=True)
            time.sleep(DRAIN_S)
            return self._record(progress)
        finally:
            for host in self._network.hosts.values():
                host.disable(loader)

    def _record(self, progress: Callable[[float], None]) -> Recording:
        settings = self._settings
        traffic = Traffic(self._ends, settings.flows, START_SPREAD_S, settings.seed)
        reports: list[dict[str, Any]] = []
        counters: list[Counters] = []
        self._reports()
        started_s = time.monotonic()

        def watch(until_s: float) -> None:
            while (elapsed_s := time.monotonic() - started_s) < until_s:
                if not counters or time.monotonic() - counters[-1].time_s >= COUNTERS_INTERVAL_S:
                    self._network.check()
                    traffic.check()
                    counters.append(self._counters())
                    reports.extend(self._reports())
                progress(elapsed_s)
                time.sleep(min(TICK_S, max(0.0, until_s - elapsed_s)))

        try:
            traffic.start()
            watch(settings.warmup_s)
            self._switch.reset_queue_statistics(TRUNK_PORT)
            queue_before = self._switch.queue_statistics(TRUNK_PORT)
            before = self._snapshot(traffic)
            watch(settings.run_s)
            queue = self._switch.queue_statistics(TRUNK_PORT)
            after = self._snapshot(traffic)
            reports.extend(self._reports())
            counters.append(after.counters)
            windows = traffic.samples()
        finally:
            traffic.stop()
        name = "dropped_full_pkts"
        overflow_pkts = None if queue is None or queue_before is None else queue[name] - queue_before[name]
        return Recording(started_s, before, after, queue, overflow_pkts, self._on_our_clock(reports), counters, windows)

    def _snapshot(self, traffic: Traffic) -> Snapshot:
        windows = traffic.sample()
        crossed = self._crossed()
        counters = self._counters()
        hosts: Counter[str] = Counter()
        for host in self._senders:
            hosts.update(host.counters(self._settings.host_loader))
        return Snapshot(crossed, counters, hosts, windows)

    def _crossed(self) -> Crossed:
        interface = self._switch.interfaces()[TRUNK_PORT]
        for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
            name, _, numbers = line.partition(":")
            if name.strip() == interface:
                sent = numbers.split()[8:]
                return Crossed(time.monotonic(), pkts=int(sent[1]), bytes=int(sent[0]))
        raise AssertionError(f"{interface} is gone")

    def _counters(self) -> Counters:
        (stats,) = self._network.control.call("stats", switch=BOTTLENECK_SWITCH)
        counts = stats["ports"][str(TRUNK_PORT)]
        return Counters(
            time.monotonic(),
            {name: count["packets"] for name, count in counts.items()},
            dict(stats["isqs_sent"]),
            sum(stats["isqs_suppressed"].values()),
            sum(stats["isqs_ineligible"].values()),
        )

    def _reports(self) -> list[dict[str, Any]]:
        """What the switch has reported about the bottleneck since the last call."""
        reports = self._network.control.call("reports", switch=BOTTLENECK_SWITCH, since_us=self._last_report_us)
        if reports:
            self._last_report_us = reports[-1]["time_us"]
            self._clock_lag_s = min(self._clock_lag_s, time.monotonic() - self._last_report_us / 1e6)
        return [report for report in reports if report["port"] == TRUNK_PORT]

    def _on_our_clock(self, reports: list[dict[str, Any]]) -> list[QueueReport]:
        return [
            QueueReport(report["time_us"] / 1e6 + self._clock_lag_s, report["depth_pkts"], report["average_pkts"])
            for report in reports
        ]
