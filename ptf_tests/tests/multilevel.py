# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Multilevel ECN: the new codepoint of each codepoint, in each region of the average. A mark never goes down."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from support.base import CE, ECT0, ECT1, NOT_ECT, QuenchTest, ecn_of

AVERAGE = 30
COUNT = 60
HALF = range(COUNT // 2 - 1, COUNT)
"""With probability 1/2 gaps are 1 or 2. The first packet only starts the count."""
SOME = range(1, COUNT)
NONE = range(1)
ALL = range(COUNT, COUNT + 1)

REGIONS: dict[str, dict[str, Any]] = {
    "below": {"minth": 40, "midth": 50, "maxth": 60},
    "incipient": {"minth": 10, "midth": 40, "maxth": 50, "maxp": 1.0},
    "moderate": {"minth": 5, "midth": 10, "maxth": 50, "maxp": 1.0},
    "gentle": {"minth": 10, "midth": 15, "maxth": 20, "maxp": 0.001},
    "above": {"minth": 5, "midth": 7, "maxth": 10, "gentle": False},
}


@dataclass(frozen=True)
class Expected:
    """The number of packets that become incipient, become moderate, or are dropped."""

    incipient: range = NONE
    moderate: range = NONE
    dropped: range = NONE


def expected(region: str, ecn: int) -> Expected:
    """docs/schemes.md, row by row."""
    if region == "below":
        return Expected()
    if region in ("gentle", "above") or ecn == NOT_ECT:
        return Expected(dropped=ALL if region == "above" else HALF)
    if ecn == CE:
        return Expected()
    moderate = HALF if region == "moderate" else NONE
    incipient = NONE if ecn == ECT1 else SOME if region == "moderate" else HALF
    return Expected(incipient, moderate)


class MecnVerdicts(QuenchTest):
    """ECT(0) may become ECT(1) or CE, ECT(1) may become CE, and nothing else changes."""

    def runTest(self) -> None:
        self.fill(AVERAGE, scheme="taildrop")
        for mark_at in ("head", "tail"):
            for region, thresholds in REGIONS.items():
                self.set_profile(scheme="mecn", wq=6e-8, mark_at=mark_at, wait=False, byte_mode=False, **thresholds)
                for v6 in (False, True):
                    for ecn in (NOT_ECT, ECT0, ECT1, CE):
                        with self.subTest(mark_at=mark_at, region=region, ecn=ecn, v6=v6):
                            self.check(expected(region, ecn), ecn, v6)

    def check(self, wanted: Expected, ecn: int, v6: bool) -> None:
        names = ("port_marked", "port_dropped_early", "port_dropped_forced", "port_cloned")
        before = {name: self.counter(name) for name in names}
        came = self.outcome(self.frames(ecn, COUNT, v6))
        counted = {name: self.counter(name) - before[name] for name in names}

        codepoints = Counter(ecn_of(frame) for frame in came)
        changed = {codepoint: number for codepoint, number in codepoints.items() if codepoint != ecn}
        self.assertLessEqual(set(changed), {ECT1, CE})
        self.assertIn(changed.get(ECT1, 0), wanted.incipient)
        self.assertIn(changed.get(CE, 0), wanted.moderate)
        self.assertIn(COUNT - len(came), wanted.dropped)
        self.assertEqual(counted["port_marked"], sum(changed.values()))
        self.assertEqual(counted["port_dropped_early"] + counted["port_dropped_forced"], COUNT - len(came))
        self.assertEqual(counted["port_cloned"], 0)
