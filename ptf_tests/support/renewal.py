# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The number of packets that RED selects: the gaps (Floyd and Jacobson 1993, section IV) as a renewal process.

When ``count`` packets have come since the last selected one, the next is selected with p / (1 - count * p), or with
``wait``, as in ns-2, with p / (2 - count * p) from count * p = 1 on, where count includes the packet itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from statistics import fmean, pvariance

CRITICAL_0_001 = dict(
    enumerate(
        (
            *(10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32, 26.12, 27.88, 29.59, 31.26, 32.91, 34.53, 36.12, 37.70),
            *(39.25, 40.79, 42.31, 43.82, 45.31, 46.80, 48.27, 49.73, 51.18, 52.62),
        ),
        start=1,
    )
)
"""Upper 0.001 quantile of the chi-square distribution by degrees of freedom."""


@dataclass(frozen=True, slots=True)
class Count:
    """Mean and variance of a number of packets."""

    mean: float
    variance: float


Shares = Mapping[int, float]
"""The probability of each gap."""


def selected(packets: int, gaps: Shares, firsts: Shares) -> Count:
    """The number of packets that are selected of the ``packets`` after a reset.

    ``firsts``: the places of the first one. The mean is exact, by the renewal equation. The variance is that of a long
    sequence.
    """
    mean_gap = sum(gap * share for gap, share in gaps.items())
    variance_gap = sum((gap - mean_gap) ** 2 * share for gap, share in gaps.items())
    at = [0.0] * (packets + 1)
    for packet in range(1, packets + 1):
        at[packet] = firsts.get(packet, 0.0) + sum(
            share * at[packet - gap] for gap, share in gaps.items() if gap < packet
        )
    return Count(sum(at), packets * variance_gap / mean_gap**3)


REPETITIONS, SEED = 300, 1
"""Packets of the simulation: its mean is off by 1/17 of a standard deviation."""


def selected_alone(packets: int, gaps: Shares, firsts: Shares, others_gaps: Shares, others_firsts: Shares) -> Count:
    """The number of ``packets`` that are selected, and not by another process beside that counts the same packets.

    Both spread what they select, so that their phases stay alike for long: the variance is found by simulation.
    """
    random = Random(SEED)
    found = [
        len(_places(random, packets, gaps, firsts) - _places(random, packets, others_gaps, others_firsts))
        for _ in range(REPETITIONS)
    ]
    return Count(fmean(found), pvariance(found))


def _places(random: Random, packets: int, gaps: Shares, firsts: Shares) -> set[int]:
    """The places of the packets that are selected, from 1 on."""
    first = random.choices(list(firsts), list(firsts.values()))
    later = random.choices(list(gaps), list(gaps.values()), k=packets // min(gaps))
    return {place for place in accumulate(first + later) if place <= packets}


def gap_shares(probability: float, wait: bool, least_gap: int) -> dict[int, float]:
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
