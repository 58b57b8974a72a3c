# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What one run of the demo leaves behind, before anything is computed from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quench_topologies.traffic import WindowSample


@dataclass(frozen=True, slots=True)
class Crossed:
    """What has left the bottleneck port so far, by the kernel's count of its interface."""

    time_s: float
    pkts: int
    bytes: int
    """Of Ethernet frames."""


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of the switch's port and of the controller so far."""

    time_s: float
    port: Mapping[str, int]
    """Packets by the names of the P4 program's counters, such as port_marked."""
    isqs_sent: Mapping[str, int]
    """By what they say: marked, dropped."""
    isqs_suppressed: int
    isqs_ineligible: int

    @property
    def isqs_sent_pkts(self) -> int:
        """Of both kinds."""
        return sum(self.isqs_sent.values())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All counts at a moment."""

    crossed: Crossed
    counters: Counters
    hosts: Mapping[str, int]
    """quench-host's counters, summed over the senders; empty for the kernel's own TCP."""
    windows: Sequence[WindowSample]
    """One for each flow."""


@dataclass(frozen=True, slots=True)
class QueueReport:
    """The bottleneck queue as the switch reported it."""

    time_s: float
    depth_pkts: int
    average_pkts: float


@dataclass(slots=True)
class Recording:
    """One run. Times are time.monotonic's."""

    started_s: float
    """When the flows began."""
    before: Snapshot
    """At the end of the warm-up: the measured time begins."""
    after: Snapshot
    """At the end of the measured time."""
    queue: Mapping[str, Any] | None
    """The switch's statistics of the queue over the measured time; None where the target keeps none."""
    overflow_pkts: int | None
    """Packets that the full queue refused in the measured time; None where the target does not count them."""
    reports: list[QueueReport] = field(default_factory=list)
    counters: list[Counters] = field(default_factory=list)
    """Over the whole run."""
    windows: list[list[WindowSample]] = field(default_factory=list)
    """Of each flow over the whole run."""

    def measured_reports(self) -> list[QueueReport]:
        """Those of the measured time."""
        begin_s, end_s = self.before.counters.time_s, self.after.counters.time_s
        return [report for report in self.reports if begin_s <= report.time_s <= end_s]
