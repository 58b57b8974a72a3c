# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The raw data of one run of the demo."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quench_topologies.datagram_traffic import DatagramRecord
from quench_topologies.demo.flows import Flow
from quench_topologies.traffic import WindowSample


@dataclass(frozen=True, slots=True)
class Crossed:
    """Packets and bytes that have left a bottleneck port so far, by the kernel's count of its interface."""

    time_s: float
    pkts: int
    bytes: int
    """The bytes of Ethernet frames."""
    ect1_pkts: int
    """Packets that came out of the link with ECT(1)."""
    ce_pkts: int


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of the switches' bottleneck ports and of the controller so far."""

    time_s: float
    ports: Sequence[Mapping[str, int]]
    """The packets of each bottleneck, by the names of the P4 program's counters, such as port_marked."""
    isqs_sent: Mapping[str, int]
    """Source quenches from the controller, by their kind: marked, dropped."""
    isqs_limited: int
    isqs_refused: int

    def port_total(self, name: str) -> int:
        """One count over all bottlenecks; 0 where the program does not have it."""
        return sum(port.get(name, 0) for port in self.ports)

    @property
    def isqs_sent_pkts(self) -> int:
        """Source quenches of both kinds, from the controller and from the switches."""
        return sum(self.isqs_sent.values()) + self.port_total("port_isq_sent")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All counts at a moment."""

    wall_ns: int
    """time.time_ns(), the clock of datagrams."""
    crossed: Sequence[Crossed]
    """One for each bottleneck."""
    counters: Counters
    hosts: Mapping[str, int]
    """quench-host's counters, summed over the senders; empty for the kernel's own TCP."""
    windows: Sequence[WindowSample]
    """One for each flow."""


@dataclass(frozen=True, slots=True)
class QueueReport:
    """A bottleneck queue as the switch reported it."""

    time_s: float
    depth_pkts: int
    average_pkts: float


@dataclass(slots=True)
class Recording:
    """One run. Times are time.monotonic's. Values of each bottleneck are in the plan's order."""

    started_s: float
    """The time at which the flows began."""
    flows: Sequence[Flow]
    before: Snapshot
    """The counts at the end of the warm-up: the measured time begins."""
    after: Snapshot
    """The counts at the end of the measured time."""
    queues: Sequence[Mapping[str, Any] | None]
    """The switches' statistics of each bottleneck queue over the measured time; None where the target keeps none."""
    overflow_pkts: Sequence[int | None]
    """Packets that each full queue refused in the measured time; None where the target does not count them."""
    reports: Sequence[list[QueueReport]] = field(default_factory=list)
    """The reports of each bottleneck."""
    counters: list[Counters] = field(default_factory=list)
    """The counters over the whole run."""
    windows: list[list[WindowSample]] = field(default_factory=list)
    """The window of each flow over the whole run."""
    datagrams: DatagramRecord | None = None
    host_params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of quench-host at the scheme's senders; empty for the kernel's own TCP."""

    def measured_reports(self, bottleneck: int) -> list[QueueReport]:
        """The samples of the measured time."""
        begin_s, end_s = self.before.counters.time_s, self.after.counters.time_s
        return [report for report in self.reports[bottleneck] if begin_s <= report.time_s <= end_s]
