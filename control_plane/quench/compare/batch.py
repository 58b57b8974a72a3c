# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of one batch: some seconds of samples about a queue."""

from collections.abc import Sequence
from statistics import fmean
from typing import Literal, get_args

from quench.compare.statistics import percentile
from quench.feed.model import FlowSample, PortSample, QueueSample

FIGURES = {
    "delay_ms": "mean delay, ms",
    "delay_p95_ms": "p95 delay, ms",
    "utilisation": "utilisation",
    "loss": "loss",
    "goodput_mbps": "goodput, Mb/s",
    "marked_pps": "marks/s",
    "isqs_pps": "ISQs/s",
}
"""The figures by name, with their titles. Delay is what the bytes in the queue take to be sent."""


_OfPort = Literal["seen_pps", "dropped_early_pps", "dropped_forced_pps", "utilisation", "marked_pps", "isqs_pps"]


class Goodput:
    """The bytes that the connections of the network have delivered, from one sample to the next."""

    def __init__(self) -> None:
        self._acked_bytes: dict[str, int] = {}

    def grown_bytes(self, flows: Sequence[FlowSample]) -> int | None:
        """Bytes that were acknowledged since the sample before, of connections in both; None: none is in both."""
        now = {flow["flow"]: acked for flow in flows if (acked := flow.get("acked_bytes")) is not None}
        grown = [acked - self._acked_bytes[name] for name, acked in now.items() if name in self._acked_bytes]
        self._acked_bytes = now
        return sum(each for each in grown if each > 0) if grown else None


class Batch:
    """The samples of one batch."""

    def __init__(self, packet_ms: float) -> None:
        """``packet_ms``: the time in which the port sends a packet of the profile's mean size."""
        self._packet_ms = packet_ms
        self._delays_ms: list[float] = []
        self._of_port: dict[_OfPort, list[float | None]] = {name: [] for name in get_args(_OfPort)}
        self._acked_bytes: list[int] = []

    def add(self, port: PortSample, queue: QueueSample, acked_bytes: int | None) -> None:
        """A sample of the queue and of its port."""
        for name, values in self._of_port.items():
            values.append(port[name])
        if queue["depth_pkts"] is not None:
            self._delays_ms.append(queue["depth_pkts"] * self._packet_ms)
        if acked_bytes is not None:
            self._acked_bytes.append(acked_bytes)

    def figures(self, length_s: float) -> dict[str, float | None]:
        """The value of each of ``FIGURES``; None: the samples do not have it."""
        means = {name: self._mean(values) for name, values in self._of_port.items()}
        seen, dropped = means["seen_pps"], [means["dropped_early_pps"], means["dropped_forced_pps"]]
        lost = sum(each for each in dropped if each is not None)
        acked = self._acked_bytes
        return {
            "delay_ms": self._mean(self._delays_ms),
            "delay_p95_ms": percentile(self._delays_ms, 0.95) if self._delays_ms else None,
            "utilisation": means["utilisation"],
            "loss": lost / seen if seen and None not in dropped else None,
            "goodput_mbps": 8 * sum(acked) / length_s / 1e6 if acked else None,
            "marked_pps": means["marked_pps"],
            "isqs_pps": means["isqs_pps"],
        }

    @staticmethod
    def _mean(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return fmean(known) if known else None
