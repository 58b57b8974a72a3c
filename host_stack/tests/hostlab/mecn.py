# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Multilevel ECN on the wire: the marks of routers, and the codes of the ends."""

from __future__ import annotations

import time
from collections.abc import Callable

from hostlab.hosts import Pair, counters
from hostlab.netns import Namespace
from hostlab.packets import ACK, CE, CWR, ECE, ECT1, RST, SYN, Segment, set_ecn

# Kind 253, 4 bytes, experiment "ME".
OPTION = b"\xfd\x04ME"
CODEPOINTS = {"incipient": ECT1, "moderate": CE}
# The paper's table 2, as (CWR, ECE).
REDUCED, NONE, INCIPIENT, MODERATE = 0, ECE, CWR, CWR | ECE
CODES = {"incipient": INCIPIENT, "moderate": MODERATE}
WINDOWS = {"incipient": 32, "moderate": 24}


def mark(level: str) -> Callable[[Segment], bytes]:
    """A rule of the wire that marks a packet with this level, as a router does."""
    return lambda segment: set_ecn(segment.frame, CODEPOINTS[level])


def code(segment: Segment) -> int:
    """The packet's code of table 2."""
    return segment.flags & (CWR | ECE)


def codes(segments: list[Segment]) -> list[int]:
    """The codes of the packets of the established connection."""
    return [code(s) for s in segments if not s.flags & (SYN | RST)]


def is_sent_once(sent: list[int], wanted: int) -> bool:
    """Is the code sent once, or in consecutive segments, into which the kernel cut one long packet (GSO)?"""
    first = sent.index(wanted)
    return wanted not in sent[first + sent.count(wanted) :]


def wait_for(end: Namespace, counter: str) -> None:
    """Wait until the counter is not 0."""
    deadline_s = time.monotonic() + 20
    while counter not in counters(end):
        assert time.monotonic() < deadline_s, f"no {counter} in 20 s, but {counters(end)}"
        time.sleep(0.01)


def handshake(pair: Pair) -> tuple[Segment, Segment]:
    """The first SYN and SYN-ACK."""
    segments = sorted(pair.wire.sent + pair.wire.answered, key=lambda s: s.time_s)
    syns = [s for s in segments if s.flags & SYN]
    return next(s for s in syns if not s.flags & ACK), next(s for s in syns if s.flags & ACK)
