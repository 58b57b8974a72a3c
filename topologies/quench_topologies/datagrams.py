# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The times at which UDP sources send: telephone calls (P2), a constant rate with pauses (P4). No sockets here.

A schedule is the same for the same seed, whatever the network does to its packets.
"""

import heapq
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial

UDP_IP_HEADER_BYTES = 28
HEADER_BYTES = 16
"""The length of our own header in each payload: stream, sequence number, time."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A packet that is due."""

    time_s: float
    """Since the beginning."""
    stream: int
    """The call it belongs to; 0 for a constant rate."""


@dataclass(frozen=True, slots=True)
class VoiceCalls:
    """Calls that come at random and last a random time, each an on-off source; beyond a limit they are blocked.

    G.711 in packets of 20 ms is 160 bytes of samples and 12 of RTP (RFC 3550, RFC 3551). Talk and silence have the
    mean lengths of ITU-T P.59. P2 varies the load; the load here is our own choice.
    """

    arrivals_per_s: float = 1.0
    holding_s: float = 40.0
    limit: int = 60
    talk_s: float = 1.004
    silence_s: float = 1.587
    interval_s: float = 0.02
    packet_bytes: int = 200
    """IP packets."""
    dscp: int = 46
    """Expedited forwarding (RFC 3246)."""

    @property
    def most_pps(self) -> float:
        """Packets per second while every call that is let in talks."""
        return self.limit / self.interval_s

    def schedule(self, seed: int) -> Iterator[Departure]:
        """Packets without end. The first moment has as many calls as a random moment of the steady state."""
        draw = random.Random(seed)
        numbers = itertools.count(1)
        packets: list[tuple[float, int, Iterator[float]]] = []
        ends: list[float] = []

        def call(begin_s: float, talking: bool) -> None:
            end_s = begin_s + draw.expovariate(1 / self.holding_s)
            heapq.heappush(ends, end_s)
            times = self._call(begin_s, end_s, talking, random.Random(draw.getrandbits(64)))
            first_s = next(times, None)
            if first_s is not None:
                heapq.heappush(packets, (first_s, next(numbers), times))

        for _ in range(self._calls_in_progress(draw)):
            call(0.0, draw.random() < self.talk_s / (self.talk_s + self.silence_s))
        arrival_s = draw.expovariate(self.arrivals_per_s)
        while True:
            while not packets or arrival_s <= packets[0][0]:
                while ends and ends[0] <= arrival_s:
                    heapq.heappop(ends)
                if len(ends) < self.limit:
                    call(arrival_s, talking=True)
                arrival_s += draw.expovariate(self.arrivals_per_s)
            time_s, number, times = packets[0]
            yield Departure(time_s, number)
            next_s = next(times, None)
            if next_s is None:
                heapq.heappop(packets)
            else:
                heapq.heapreplace(packets, (next_s, number, times))

    def _call(self, begin_s: float, end_s: float, talking: bool, draw: random.Random) -> Iterator[float]:
        """The times of one call's packets."""
        # A codec's clock runs through the silence, and no two calls are in step.
        tick_s = begin_s + draw.uniform(0, self.interval_s)
        change_s = begin_s
        while tick_s < end_s:
            change_s += draw.expovariate(1 / (self.talk_s if talking else self.silence_s))
            while tick_s < min(change_s, end_s):
                if talking:
                    yield tick_s
                tick_s += self.interval_s
            talking = not talking

    def _calls_in_progress(self, draw: random.Random) -> int:
        """A draw from the stationary distribution of calls: Poisson, cut off at the limit (Erlang)."""
        load = self.arrivals_per_s * self.holding_s
        weights = [load**count / factorial(count) for count in range(self.limit + 1)]
        return draw.choices(range(self.limit + 1), weights)[0]


@dataclass(frozen=True, slots=True)
class ConstantRate:
    """One source at a constant rate, which sends and pauses in turn."""

    rate_bps: int
    """The rate of IP packets, in bits/s, while it sends."""
    packet_bytes: int = 100
    """IP packets."""
    on_s: float = 10.0
    off_s: float | None = None
    """None: as long as it sends."""
    dscp: int = 0

    @property
    def most_pps(self) -> float:
        """Packets per second while it sends."""
        return self.rate_bps / 8 / self.packet_bytes

    def schedule(self, seed: int) -> Iterator[Departure]:
        """Packets without end. The seed decides how far into its first period the source begins."""
        interval_s = 8 * self.packet_bytes / self.rate_bps
        packets_per_period = round(self.on_s / interval_s)
        begin_s = -random.Random(seed).uniform(0, self.on_s)
        while True:
            for number in range(packets_per_period):
                time_s = begin_s + number * interval_s
                if time_s >= 0:
                    yield Departure(time_s, 0)
            begin_s += self.on_s + (self.on_s if self.off_s is None else self.off_s)
