# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Prometheus metrics of the controller. Names and labels are listed in docs/reference/metrics.md."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from quench.client.packet_in import Copy
from quench.client.pipelines.pipeline import QueueKey
from quench.isq import Ineligible

AGES_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """All metrics of one controller, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.packet_ins = self._counter("packet_ins", "Copies of packets received from a switch", "switch", "reason")
        self.packet_ins_lost = self._counter("packet_ins_lost", "Packet-ins for which there was no room", "switch")
        self.packet_ins_stale = self._counter("packet_ins_stale", "Copies that were too old to be answered", "switch")
        self.packet_in_age = Histogram(
            "quench_packet_in_age_seconds",
            "Age of a packet-in when the controller looks at it",
            ("switch",),
            registry=self.registry,
            buckets=AGES_S,
        )
        self.packet_ins_bad = self._counter("packet_ins_bad", "Packet-ins that could not be decoded", "switch")
        self.stream_errors = self._counter("stream_errors", "Packet-outs that the switch refused", "switch")
        self.isqs_sent = self._counter("isqs_sent", "ICMP source quenches sent", "switch", "kind")
        self.isqs_limited = self._counter("isqs_limited", "ISQs that a rate limit forbade", "switch", "limit")
        self.isqs_refused = self._counter("isqs_refused", "Copies that no ISQ may answer", "switch", "reason")
        self.connections = self._counter("connections", "Times that a switch was programmed after connecting", "switch")
        self.primary = self._gauge("primary", "Whether this controller may change the switch", "switch")
        self.connected = self._gauge("connected", "Whether a switch is connected and programmed", "switch")
        self.queue_average = self._gauge(
            "queue_average_pkts", "Average queue as last reported", "switch", "port", "queue"
        )
        self.queue_depth = self._gauge("queue_depth_pkts", "Queue depth as last reported", "switch", "port", "queue")
        self.queue_maxth = self._gauge("queue_maxth_pkts", "Threshold maxth of a queue", "switch", "port", "queue")

    def _counter(self, name: str, help_text: str, *labels: str) -> Counter:
        return Counter(f"quench_{name}", help_text, labels, registry=self.registry)

    def _gauge(self, name: str, help_text: str, *labels: str) -> Gauge:
        return Gauge(f"quench_{name}", help_text, labels, registry=self.registry)

    def saw(self, switch: str, copy: Copy, age_s: float) -> None:
        """Count a packet-in of this age in seconds, and remember what it says of its queue."""
        self.packet_in_age.labels(switch).observe(age_s)
        self.packet_ins.labels(switch, copy.reason.name.lower()).inc()
        self.queue_average.labels(switch, copy.egress_port, copy.queue).set(copy.average_pkts)
        self.queue_depth.labels(switch, copy.egress_port, copy.queue).set(copy.depth_pkts)

    def show_maxth(self, switch: str, maxth_pkts: Mapping[QueueKey, float | None]) -> None:
        """The thresholds of a switch's queues; None for a profile without maxth."""
        for (port, queue), depth_pkts in maxth_pkts.items():
            if depth_pkts is None:
                with suppress(KeyError):
                    self.queue_maxth.remove(switch, port, queue)
            else:
                self.queue_maxth.labels(switch, port, queue).set(depth_pkts)

    def values(self, metric: Counter | Gauge, switch: str, labels: Iterable[str]) -> dict[str, int]:
        """The values of one switch, keyed by another label's value."""
        names = list(labels)
        result: dict[str, int] = {}
        for family in metric.collect():
            for sample in family.samples:
                if sample.name.endswith("_created") or sample.labels.get("switch") != switch:
                    continue
                result["/".join(sample.labels[name] for name in names)] = int(sample.value)
        return result


class IsqObserver:
    """Counts the ISQs of one switch."""

    def __init__(self, metrics: Metrics, switch: str) -> None:
        self._metrics = metrics
        self._switch = switch

    def sent(self, *, marked: bool) -> None:
        """An ISQ goes out."""
        self._metrics.isqs_sent.labels(self._switch, "marked" if marked else "dropped").inc()

    def limited(self, limit: Literal["source", "total"]) -> None:
        """A limit forbade one."""
        self._metrics.isqs_limited.labels(self._switch, limit).inc()

    def refused(self, reason: Ineligible) -> None:
        """The packet may not be answered."""
        self._metrics.isqs_refused.labels(self._switch, reason.value).inc()
