# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one scheme: sets the switches and the hosts, lets the flows run, and records."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quench_topologies.datagram_traffic import DatagramTraffic
from quench_topologies.demo.codepoints import CodepointCounter
from quench_topologies.demo.flows import Flow, algorithms_of, flows_of
from quench_topologies.demo.recording import Counters, Crossed, QueueReport, Recording, Snapshot
from quench_topologies.demo.scenarios import Scenario
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Bottleneck, LoadedPlan
from quench_topologies.network import RunningNetwork
from quench_topologies.traffic import Traffic

START_SPREAD_S = 2.0
"""The flows of a run begin within this time."""
DRAIN_S = 1.5
"""The pause between two runs: everything on the way arrives, and the average queue decays."""
TICK_S = 0.1
COUNTERS_INTERVAL_S = 0.5
QUEUE = 0
CLOCK_START_US = 1_000_000
"""A report that is older than its predecessor by so much comes from a switch that was started again."""
"""The queue of TCP."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Settings of all runs of a demo."""

    warmup_s: float
    measured_s: float
    seed: int
    host_loader: Path
    mix: float
    """Share of the other flows in a mixed run."""

    @property
    def run_s(self) -> float:
        """The time in seconds that the flows of one run last."""
        return self.warmup_s + self.measured_s


class Runner:
    """Runs schemes on a network that is up, one after the other."""

    def __init__(self, network: RunningNetwork, loaded: LoadedPlan, settings: RunSettings) -> None:
        self._network = network
        self._loaded = loaded
        self._settings = settings
        self._queues = [_QueueWatch(network, bottleneck) for bottleneck in loaded.bottlenecks]

    def run(self, scenario: Scenario, progress: Callable[[float], None]) -> Recording:
        """One scheme; progress gets the seconds since the flows began. Raises TopologyError or ControllerError."""
        with self._network.causes_named():
            return self._run(scenario, progress)

    def _run(self, scenario: Scenario, progress: Callable[[float], None]) -> Recording:
        # A program of one's own has its settings since the network began.
        for switch, port in _profiled_queues(self._loaded) if scenario.program is None else ():
            self._network.control.call(
                "thresholds.set", switch=switch, port=port, queue=QUEUE, settings=dict(scenario.profile)
            )
        flows = flows_of(self._loaded, scenario, self._settings.mix)
        loader = self._settings.host_loader
        algorithms = algorithms_of(flows, scenario)
        try:
            for name, (algorithm, settings) in algorithms.items():
                self._network.hosts[name].enable(loader, algorithm, settings)
            time.sleep(DRAIN_S)
            with ExitStack() as stack:
                for queue in self._queues:
                    stack.enter_context(queue)
                return self._record(flows, progress)
        finally:
            for name in algorithms:
                self._network.hosts[name].disable(loader)

    def _record(self, flows: list[Flow], progress: Callable[[float], None]) -> Recording:
        settings = self._settings
        senders = sorted({flow.sender for flow in flows})
        # The scheme's own flows come first.
        params = self._network.hosts[flows[0].sender].parameters(settings.host_loader)
        traffic = Traffic(
            [self._network.ends(flow.sender, flow.receiver) for flow in flows],
            START_SPREAD_S,
            settings.seed,
            self._loaded.plan.tcp.max_window_bytes,
        )
        datagrams: DatagramTraffic | None = None
        counters: list[Counters] = []
        for queue in self._queues:
            queue.forget_reports()
        started_s = time.monotonic()

        def watch(until_s: float) -> None:
            while (elapsed_s := time.monotonic() - started_s) < until_s:
                if not counters or time.monotonic() - counters[-1].time_s >= COUNTERS_INTERVAL_S:
                    self._network.check()
                    traffic.check()
                    if datagrams is not None:
                        datagrams.check()
                    counters.append(self._counters())
                    for queue in self._queues:
                        queue.collect_reports()
                progress(elapsed_s)
                time.sleep(min(TICK_S, max(0.0, until_s - elapsed_s)))

        record = None
        try:
            if self._loaded.datagrams is not None:
                plan = self._loaded.datagrams
                datagrams = DatagramTraffic(self._network.ends(plan.sender, plan.receiver), plan.load, settings.seed)
                datagrams.start()
            traffic.start()
            watch(settings.warmup_s)
            for queue in self._queues:
                queue.reset_statistics()
            queues_before = [queue.statistics() for queue in self._queues]
            before = self._snapshot(traffic, senders)
            watch(settings.run_s)
            queues = [queue.statistics() for queue in self._queues]
            after = self._snapshot(traffic, senders)
            for queue in self._queues:
                queue.collect_reports()
            counters.append(after.counters)
            windows = traffic.samples()
        finally:
            if datagrams is not None:
                record = datagrams.stop()
            traffic.stop()
        return Recording(
            started_s,
            flows,
            before,
            after,
            queues,
            [_overflow(*each) for each in zip(queues_before, queues, strict=True)],
            [queue.reports() for queue in self._queues],
            counters,
            windows,
            record,
            params,
        )

    def _snapshot(self, traffic: Traffic, senders: list[str]) -> Snapshot:
        wall_ns = time.time_ns()
        windows = traffic.sample()
        crossed = [queue.crossed() for queue in self._queues]
        counters = self._counters()
        hosts: Counter[str] = Counter()
        for name in senders:
            hosts.update(self._network.hosts[name].counters(self._settings.host_loader))
        return Snapshot(wall_ns, crossed, counters, hosts, windows)

    def _counters(self) -> Counters:
        stats = {each["switch"]: each for each in self._network.control.call("stats")}
        sent: Counter[str] = Counter()
        for each in stats.values():
            sent.update(each["isqs_sent"])
        try:
            ports = [stats[each.switch]["ports"][str(each.port)] for each in self._loaded.bottlenecks]
        except KeyError as error:
            raise TopologyError(f"the controller has lost a switch: no counters of {error}") from error
        return Counters(
            time.monotonic(),
            [{name: count["packets"] for name, count in port.items()} for port in ports],
            dict(sent),
            sum(sum(each["isqs_limited"].values()) for each in stats.values()),
            sum(sum(each["isqs_refused"].values()) for each in stats.values()),
        )


class _QueueWatch:
    """Looks at one bottleneck. Marks by level are counted from when it is entered as a context."""

    def __init__(self, network: RunningNetwork, bottleneck: Bottleneck) -> None:
        self._network = network
        self._bottleneck = bottleneck
        self._switch = network.switches[bottleneck.switch]
        self._codepoints: CodepointCounter | None = None
        self._reports: list[tuple[int, dict[str, Any]]] = []
        """Each with the start of the switch, counted from 0, by whose clock it is."""
        # The switch's times are of its own clock, which each start sets anew: the least lag of its newest report places
        # them on ours.
        self._clock_lags_s = [float("inf")]
        self._last_report: dict[str, int] = {"number": 0, "time_us": 0}

    def __enter__(self) -> None:
        far = self._network.switches[self._bottleneck.next_switch]
        self._codepoints = CodepointCounter(far.interfaces()[self._bottleneck.next_port])

    def __exit__(self, *exception: object) -> None:
        assert self._codepoints is not None
        self._codepoints.close()

    def reset_statistics(self) -> None:
        """The statistics of the queue start anew."""
        self._switch.reset_queue_statistics(self._bottleneck.port)

    def statistics(self) -> dict[str, Any] | None:
        """See P4Switch.queue_statistics."""
        return self._switch.queue_statistics(self._bottleneck.port, QUEUE)

    def crossed(self) -> Crossed:
        """The packets and bytes that have left the port."""
        assert self._codepoints is not None
        interface = self._switch.interfaces()[self._bottleneck.port]
        for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
            name, _, numbers = line.partition(":")
            if name.strip() == interface:
                sent = numbers.split()[8:]
                ect1, ce = self._codepoints.counts()
                return Crossed(time.monotonic(), int(sent[1]), int(sent[0]), ect1, ce)
        raise AssertionError(f"{interface} is gone")

    def forget_reports(self) -> None:
        """Drop the reports up to now, which belong to no run."""
        self.collect_reports()
        self._reports.clear()

    def collect_reports(self) -> None:
        """Take what the switch has reported since the last call."""
        mine = (self._bottleneck.port, QUEUE)
        while reports := self._network.control.call(
            "reports", switch=self._bottleneck.switch, after=self._last_report["number"]
        ):
            now_s = time.monotonic()
            for report in reports:
                if report["time_us"] < self._last_report["time_us"] - CLOCK_START_US:
                    self._clock_lags_s.append(float("inf"))
                self._last_report = report
                self._clock_lags_s[-1] = min(self._clock_lags_s[-1], now_s - report["time_us"] / 1e6)
                if (report["port"], report["queue"]) == mine:
                    self._reports.append((len(self._clock_lags_s) - 1, report))

    def reports(self) -> list[QueueReport]:
        """The reports of this run, on our clock."""
        return [
            QueueReport(
                report["time_us"] / 1e6 + self._clock_lags_s[start], report["depth_pkts"], report["average_pkts"]
            )
            for start, report in self._reports
        ]


def _profiled_queues(loaded: LoadedPlan) -> list[tuple[str, int]]:
    """All queues for TCP that have a profile: the bottlenecks, and in G3 those of the way back."""
    return [
        (switch.name, number)
        for switch in loaded.plan.switches
        for number, port in switch.ports.items()
        if port.profile is not None
    ]


def _overflow(before: dict[str, Any] | None, after: dict[str, Any] | None) -> int | None:
    name = "dropped_full_pkts"
    return None if before is None or after is None else int(after[name]) - int(before[name])
