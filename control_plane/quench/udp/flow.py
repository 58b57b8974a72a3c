# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The statistics of one flow at its receiver, in bounded memory."""

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum

from quench.udp.wire import DataHeader

ECN_MASK = 0b11
ECT1 = 0b01
CE = 0b11
MAX_GAPS = 4096
"""Most gaps that are remembered. A packet that arrives late for an older gap counts as a duplicate, and as lost."""


class Arrival(Enum):
    """The kind of an arrival."""

    IN_ORDER = "in order"
    REORDERED = "reordered"
    DUPLICATE = "duplicate"
    EARLIER = "earlier"
    """The packet is before the first one that was counted."""


class Sequence:
    """Loss, reordering (RFC 4737: later than one with a larger number) and duplicates of a flow."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._next = first
        # Gaps as first number and end, in ascending order.
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.lost_pkts = 0

    def arrived(self, number: int) -> Arrival:
        """Count the arrival of a sequence number, and return its kind."""
        if number < self._first:
            return Arrival.EARLIER
        if number >= self._next:
            if number > self._next:
                self._add_gap(self._next, number)
            self._next = number + 1
            return Arrival.IN_ORDER
        index = bisect_right(self._starts, number) - 1
        if index < 0 or number >= self._ends[index]:
            return Arrival.DUPLICATE
        start, end = self._starts[index], self._ends[index]
        rest = [(a, b) for a, b in ((start, number), (number + 1, end)) if a < b]
        self._starts[index : index + 1] = [a for a, _ in rest]
        self._ends[index : index + 1] = [b for _, b in rest]
        self.lost_pkts -= 1
        return Arrival.REORDERED

    def _add_gap(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)
        self.lost_pkts += end - start
        if len(self._starts) > MAX_GAPS:
            del self._starts[0], self._ends[0]


@dataclass(frozen=True, slots=True)
class FlowReport:
    """A flow as it stands. Packets and bits are those of IP packets."""

    source: str
    """Address and port of the sender."""
    flow: str
    """The number that the sender drew, in hexadecimal."""
    seconds: float
    """The time from the first to the last packet that counts."""
    goodput_bps: float
    """Bits of packets that arrived for the first time, without the first packet, over ``seconds``."""
    received_pkts: int
    """The number of packets without duplicates."""
    lost_pkts: int
    """Missing below the highest sequence number that arrived."""
    loss: float
    """Lost packets over lost and received ones."""
    reordered_pkts: int
    duplicate_pkts: int
    jitter_s: float
    """Mean absolute difference of the delays of successive packets."""
    delay_mean_s: float
    """Right as far as the two machines' clocks agree; so is ``delay_max_s``."""
    delay_max_s: float
    ce_pkts: int
    ect1_pkts: int


class Flow:
    """The statistics of one flow, from ``warm_up_s`` after its first packet on."""

    def __init__(self, source: str, number: int, warm_up_s: float) -> None:
        self._source = source
        self._number = number
        self._warm_up_ns = round(warm_up_s * 1e9)
        self._began_ns: int | None = None
        self._sequence: Sequence | None = None
        self._first_ns = self._last_ns = 0
        self._bits = 0
        self._received_pkts = self._reordered_pkts = self._duplicate_pkts = 0
        self._ce_pkts = self._ect1_pkts = 0
        self._last_delay_ns = 0
        self._delays_ns = self._differences_ns = 0
        self._delay_max_ns = 0

    def received(self, arrival_ns: int, header: DataHeader, packet_bytes: int, tos: int) -> None:
        """A packet of the flow arrived."""
        if self._began_ns is None:
            self._began_ns = arrival_ns
        if arrival_ns - self._began_ns < self._warm_up_ns:
            return
        if self._sequence is None:
            self._sequence = Sequence(header.sequence)
            self._first_ns = arrival_ns
        arrival = self._sequence.arrived(header.sequence)
        if arrival is Arrival.EARLIER:
            return
        if arrival is Arrival.DUPLICATE:
            self._duplicate_pkts += 1
            return
        self._reordered_pkts += arrival is Arrival.REORDERED
        self._ce_pkts += tos & ECN_MASK == CE
        self._ect1_pkts += tos & ECN_MASK == ECT1
        delay_ns = arrival_ns - header.sent_ns
        self._delays_ns += delay_ns
        self._delay_max_ns = max(self._delay_max_ns, delay_ns) if self._received_pkts else delay_ns
        if self._received_pkts:
            self._bits += 8 * packet_bytes
            self._differences_ns += abs(delay_ns - self._last_delay_ns)
        self._last_delay_ns = delay_ns
        self._received_pkts += 1
        self._last_ns = arrival_ns

    def report(self) -> FlowReport:
        """The statistics as they stand."""
        received = self._received_pkts
        lost = self._sequence.lost_pkts if self._sequence is not None else 0
        seconds = (self._last_ns - self._first_ns) / 1e9
        return FlowReport(
            source=self._source,
            flow=f"{self._number:016x}",
            seconds=seconds,
            goodput_bps=self._bits / seconds if seconds > 0 else 0.0,
            received_pkts=received,
            lost_pkts=lost,
            loss=lost / (lost + received) if received else 0.0,
            reordered_pkts=self._reordered_pkts,
            duplicate_pkts=self._duplicate_pkts,
            jitter_s=self._differences_ns / 1e9 / (received - 1) if received > 1 else 0.0,
            delay_mean_s=self._delays_ns / 1e9 / received if received else 0.0,
            delay_max_s=self._delay_max_ns / 1e9,
            ce_pkts=self._ce_pkts,
            ect1_pkts=self._ect1_pkts,
        )
