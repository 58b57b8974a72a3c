# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How often packets are selected, against RED's formula: chi-square tests of the gaps at significance 0.001."""

from collections import Counter
from itertools import pairwise
from typing import Any

from support.base import BURST, CE, ECT0, PACKET_BYTES, QuenchTest, ecn_of, number_of
from support.renewal import CRITICAL_0_001, gap_shares

AVERAGE = 30
COUNT = 3000
LEAST_EXPECTED = 5
"""Of a kind of gap that stands by itself in the chi-square test."""


class MarkingFrequency(QuenchTest):
    """With probability 1/k gaps are uniform on 1..k; with ``wait`` on k..2k-1; half-size packets in byte mode on 1..2k.

    The curve is a ramp from 10 to 50 packets, so that at 30 the probability is half of maxp. With ``wait`` it is a
    little more than 1/8: with a little less there would be no gaps of 8.
    """

    def runTest(self) -> None:
        self.fill(AVERAGE, scheme="taildrop")
        for k, size, settings in (
            (5, 1000, {"wait": False, "byte_mode": False}),
            (10, 1000, {"wait": False, "byte_mode": True}),
            (7.9, 1000, {"wait": True, "byte_mode": False}),
            (10, 500, {"wait": False, "byte_mode": True}),
        ):
            for mark_at in ("head", "tail"):
                with self.subTest(k=k, size=size, mark_at=mark_at, **settings):
                    gaps = self.gaps(size, minth=10, maxth=50, maxp=2 / k, mark_at=mark_at, **settings)
                    share = size / PACKET_BYTES if settings["byte_mode"] else 1
                    self.assert_gaps(gaps, self.probability(share / k, AVERAGE, size=size), settings["wait"])

    def gaps(self, size: int, **settings: Any) -> list[int]:
        self.set_profile(scheme="ecn", wq=6e-8, **settings)
        marks = []
        frames = self.frames(ECT0, COUNT, size=size)
        for start in range(0, COUNT, BURST):
            came = self.outcome(frames[start : start + BURST])
            self.assertEqual(len(came), BURST)
            marks += [number_of(frame) for frame in came if ecn_of(frame) == CE]
        return [after - before for before, after in pairwise(marks)]

    def assert_gaps(self, gaps: list[int], probability: float, wait: bool) -> None:
        """Each gap as often as the formula says; those that are rare together."""
        shares = gap_shares(probability, wait, 1)
        # Rounding and the decay while PTF collects change the probability a little: a gap may be one more or less.
        self.assertEqual([gap for gap in gaps if not min(shares) - 1 <= gap <= max(shares) + 1], [])
        common = [gap for gap, share in shares.items() if share * len(gaps) >= LEAST_EXPECTED]
        counts = Counter(min(max(gap, common[0]), common[-1]) for gap in gaps)
        expected = {gap: shares[gap] * len(gaps) for gap in common}
        expected[common[0]] += sum(share for gap, share in shares.items() if gap < common[0]) * len(gaps)
        expected[common[-1]] += sum(share for gap, share in shares.items() if gap > common[-1]) * len(gaps)
        statistic = sum((counts[gap] - each) ** 2 / each for gap, each in expected.items())
        self.assertLess(statistic, CRITICAL_0_001[len(expected) - 1], f"gaps are wrong: {sorted(counts.items())}")
