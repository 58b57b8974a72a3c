# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How many packets RED chooses: the gaps between them (Floyd and Jacobson 1993, section IV) as a renewal process.

With probability p the gaps are uniform on 1..1/p, or with ``wait`` on 1/p..2/p - 1, as in ns-2.
"""

from dataclasses import dataclass
from math import ceil

CRITICAL_0_001 = {4: 18.47, 7: 24.32, 8: 26.12, 9: 27.88, 12: 32.91, 19: 43.82}
"""Upper 0.001 quantile of the chi-square distribution by degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Count:
    """Mean and variance of a number of packets."""

    mean: float
    variance: float


def chosen(packets: int, probability: float, *, wait: bool) -> Count:
    """How many of so many packets are chosen that follow a rest, where the first only draws.

    The mean is exact, by the renewal equation; the variance is that of a long sequence.
    """
    gaps = _gaps(probability, wait)
    mean_gap = sum(gap * share for gap, share in gaps.items())
    variance_gap = sum((gap - mean_gap) ** 2 * share for gap, share in gaps.items())
    at = [0.0] * (packets + 1)
    for packet in range(1, packets + 1):
        first = gaps.get(packet, 0.0) + gaps.get(1, 0.0) * (packet == 2) - gaps.get(1, 0.0) * (packet == 1)
        at[packet] = first + sum(share * at[packet - gap] for gap, share in gaps.items() if gap < packet)
    return Count(sum(at), packets * variance_gap / mean_gap**3)


def _gaps(probability: float, wait: bool) -> dict[int, float]:
    """The distribution of the gap."""
    least = 1.0 if wait else 0.0

    def beyond(gap: int) -> float:
        passed = gap + 1 if wait and gap else gap
        return min(1.0, max(0.0, 1.0 + least - passed * probability))

    longest = ceil((1.0 + least) / probability)
    shares = {gap: beyond(gap - 1) - beyond(gap) for gap in range(1, longest + 1)}
    return {gap: share for gap, share in shares.items() if share > 0}
