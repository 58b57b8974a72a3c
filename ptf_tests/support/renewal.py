# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How many packets RED selects: the gaps between them (Floyd and Jacobson 1993, section IV) as a renewal process.

When ``count`` packets have come since the last selected one, the next is selected with p / (1 - count * p), or with
``wait``, as in ns-2, with p / (2 - count * p) from count * p = 1 on, where count includes the packet itself.
"""

from dataclasses import dataclass

CRITICAL_0_001 = {4: 18.47, 7: 24.32, 8: 26.12, 9: 27.88, 12: 32.91, 19: 43.82}
"""Upper 0.001 quantile of the chi-square distribution by degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Count:
    """Mean and variance of a number of packets."""

    mean: float
    variance: float


def selected(packets: int, probability: float, *, wait: bool) -> Count:
    """How many packets are selected of the ``packets`` after a reset, where the first only starts the count.

    The mean is exact, by the renewal equation. The variance is that of a long sequence.
    """
    gaps, firsts = _gaps(probability, wait, 1), _gaps(probability, wait, 2)
    mean_gap = sum(gap * share for gap, share in gaps.items())
    variance_gap = sum((gap - mean_gap) ** 2 * share for gap, share in gaps.items())
    at = [0.0] * (packets + 1)
    for packet in range(1, packets + 1):
        at[packet] = firsts.get(packet, 0.0) + sum(
            share * at[packet - gap] for gap, share in gaps.items() if gap < packet
        )
    return Count(sum(at), packets * variance_gap / mean_gap**3)


def _gaps(probability: float, wait: bool, least_gap: int) -> dict[int, float]:
    """The distribution of the gap, where gaps below ``least_gap`` are not possible."""
    least = 1.0 if wait else 0.0
    shares: dict[int, float] = {}
    left, gap = 1.0, least_gap
    while left > 0:
        passed = (gap if wait else gap - 1) * probability
        room = least + 1 - passed
        share = 0.0 if passed < least else left if room <= probability else left * probability / room
        if share:
            shares[gap] = share
        left -= share
        gap += 1
    return shares
