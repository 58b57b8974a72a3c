# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Marks at random on the wire, and the ACKs that echo them."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from hostlab.hosts import Pair
from hostlab.packets import ECE, SYN, Segment, set_ce
from hostlab.transfer import Transfer


@dataclass
class Marker:
    """A rule of the wire that marks data packets at random, and records which."""

    probability: float
    seed: int
    marked: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, segment: Segment) -> bytes:
        chosen = self.marked[segment.end_seq] = self._random.random() < self.probability
        return set_ce(segment.frame) if chosen else segment.frame

    @property
    def marks(self) -> int:
        return sum(self.marked.values())


@dataclass(frozen=True)
class Ack:
    """An ACK of new data: the packets that it acknowledges, and whether it echoes a mark."""

    end_seqs: list[int]
    ece: bool


def acks(pair: Pair) -> Iterator[Ack]:
    """The ACKs that the receiver sent, with the data segments that each acknowledges."""
    data = iter([s.end_seq for s in pair.wire.sent if s.payload_bytes])
    waiting = next(data, None)
    for answer in pair.wire.answered:
        if answer.flags & SYN:
            continue
        covered = []
        while waiting is not None and (answer.ack - waiting) & 0xFFFFFFFF < 1 << 31:
            covered.append(waiting)
            waiting = next(data, None)
        if covered:
            yield Ack(covered, bool(answer.flags & ECE))


def wait_for_marker(marker: Marker, packets: int) -> None:
    """Wait until the marker has seen so many packets."""
    deadline_s = time.monotonic() + 40
    while len(marker.marked) < packets:
        assert time.monotonic() < deadline_s, f"{len(marker.marked)} packets in 40 s"
        time.sleep(0.01)


def until_quiet(transfer: Transfer, pair: Pair) -> None:
    """End the marking and wait until everything is acknowledged."""
    pair.wire.always = None
    transfer.pause()
