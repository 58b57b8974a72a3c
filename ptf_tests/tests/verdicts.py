# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Each scheme's verdict in each region of the average, for each ECN codepoint."""

from dataclasses import dataclass
from typing import Any

from quench.client.packet_in import Reason
from support.base import CE, ECT0, ECT1, NOT_ECT, PACKET_BYTES, QUEUE_PORT, QuenchTest, ecn_of, number_of

AVERAGE = 30
COUNT = 60
SELECTED = range(COUNT // 2 - 1, COUNT)
"""With probability 1/2 gaps are 1 or 2. The first packet only starts the count. All gaps are 1 once in 2^59 runs."""

REGIONS: dict[str, dict[str, Any]] = {
    "below": {"minth": 40, "maxth": 60},
    "ramp": {"minth": 10, "maxth": 50, "maxp": 1.0},
    "gentle": {"minth": 10, "maxth": 20, "maxp": 0.001},
    "above": {"minth": 5, "maxth": 10, "gentle": False},
}
ECN_MOD = {"c1": 0.5, "c2": 0.35}
"""With these the curve stays near 1/2 where RED's own probability is 1/2."""
BECNTHRESH = {"below": 50, "ramp": 40, "gentle": 15, "above": 8}


@dataclass(frozen=True)
class Expected:
    marks: bool = False
    drops: bool = False
    all_selected: bool = False
    copies: bool = False


def expected(scheme: str, region: str, ecn: int) -> Expected:
    """docs/schemes.md, row by row."""
    if scheme == "taildrop" or region == "below":
        return Expected()
    copies = ecn != NOT_ECT and (scheme == "becn" or (scheme == "ecn-becn" and region != "ramp"))
    if scheme == "red" or ecn == NOT_ECT or region in ("gentle", "above"):
        return Expected(drops=True, all_selected=region == "above", copies=copies)
    return Expected() if ecn == CE else Expected(marks=True, copies=copies)


class _Verdicts(QuenchTest):
    scheme: str

    def verify(self) -> None:
        self.fill(AVERAGE, scheme="taildrop")
        for mark_at in ("head", "tail"):
            for region, thresholds in REGIONS.items():
                settings: dict[str, Any] = {"scheme": self.scheme, "wq": 6e-8}
                if self.scheme != "taildrop":
                    settings |= {"mark_at": mark_at, "wait": False, "byte_mode": False, **thresholds}
                if self.scheme == "ecn-becn":
                    settings |= {"becnthresh": BECNTHRESH[region]}
                if self.scheme == "ecn-mod":
                    settings |= ECN_MOD
                self.set_profile(**settings)
                for v6 in (False, True) if mark_at == "head" else (False,):
                    for ecn in (NOT_ECT, ECT0, ECT1, CE):
                        with self.subTest(mark_at=mark_at, region=region, ecn=ecn, v6=v6):
                            self.check(expected(self.scheme, region, ecn), ecn, v6)

    def check(self, wanted: Expected, ecn: int, v6: bool) -> None:
        names = ("port_seen", "port_marked", "port_dropped_early", "port_dropped_forced", "port_cloned")
        before = {name: self.counter(name) for name in names}
        came = self.outcome(self.frames(ecn, COUNT, v6))
        self.nothing_leaves()
        counted = {name: self.counter(name) - before[name] for name in names}
        copies = self.copies(counted["port_cloned"])

        dropped = COUNT - len(came)
        marked = [frame for frame in came if ecn_of(frame) != ecn]
        self.assertTrue(all(ecn_of(frame) == CE for frame in marked))
        self.assertTrue(all(len(frame) == 14 + PACKET_BYTES for frame in came))
        selected = len(marked) if wanted.marks else dropped
        if wanted.marks or wanted.drops:
            self.assertIn(selected, [COUNT] if wanted.all_selected else SELECTED)
        self.assertEqual(len(marked), selected if wanted.marks else 0)
        self.assertEqual(dropped, selected if wanted.drops else 0)

        self.assertEqual(counted["port_seen"], COUNT)
        self.assertEqual(counted["port_marked"], len(marked))
        forced = dropped if wanted.all_selected else 0
        self.assertEqual(counted["port_dropped_forced"], forced)
        self.assertEqual(counted["port_dropped_early"], dropped - forced)

        copied = selected if wanted.copies and not v6 else 0
        self.assertEqual(len(copies), copied)
        self.assertEqual(counted["port_cloned"], copied)
        reason = (
            Reason.MARKED if wanted.marks else Reason.DROPPED_FORCED if wanted.all_selected else Reason.DROPPED_EARLY
        )
        for copy in copies:
            self.assertIs(copy.reason, reason)
            self.assertEqual(copy.level, 1 if wanted.marks else 0)
            self.assertEqual((copy.ingress_port, copy.egress_port, copy.queue), (1, 2, 0))
            self.assertAlmostEqual(copy.average_pkts, AVERAGE, delta=0.1)


class TailDropVerdicts(_Verdicts):
    scheme = "taildrop"

    def runTest(self) -> None:
        self.verify()


class RedVerdicts(_Verdicts):
    scheme = "red"

    def runTest(self) -> None:
        self.verify()


class EcnVerdicts(_Verdicts):
    scheme = "ecn"

    def runTest(self) -> None:
        self.verify()


class BecnVerdicts(_Verdicts):
    scheme = "becn"

    def runTest(self) -> None:
        self.verify()


class EcnBecnVerdicts(_Verdicts):
    scheme = "ecn-becn"

    def runTest(self) -> None:
        self.verify()


class EcnModVerdicts(_Verdicts):
    scheme = "ecn-mod"

    def runTest(self) -> None:
        self.verify()


class DctcpVerdicts(QuenchTest):
    """By the queue of the moment: a packet that leaves K or more behind is marked, one that leaves fewer is not.

    Where marks are decided on arrival, the queue that the last departure left counts. So it does for packets that are
    not ECT, which are dropped.
    """

    K = 4
    WAITING = 10

    def runTest(self) -> None:
        for mark_at in ("head", "tail"):
            for v6 in (False, True) if mark_at == "head" else (False,):
                for ecn in (ECT0, ECT1, CE, NOT_ECT):
                    with self.subTest(mark_at=mark_at, ecn=ecn, v6=v6):
                        self.set_profile(scheme="dctcp", k=self.K, mark_at=mark_at)
                        self.check(ecn, by_departure=mark_at == "head", v6=v6)

    def check(self, ecn: int, *, by_departure: bool, v6: bool) -> None:
        names = ("port_marked", "port_dropped_early", "port_dropped_forced", "port_cloned")
        before = {name: self.counter(name) for name in names}
        self.switch.ports.slow(QUEUE_PORT)
        # The port is busy with this one when the first of those that count comes. The queue is empty behind it.
        self.send(self.packet(ecn, 100, v6))
        self.assertEqual(len(self.collect(1)), 1)
        frames = self.frames(ecn, self.WAITING + 1, v6)
        for frame in frames[:-1]:
            self.send(frame)
        came = self.collect(1)
        # It left WAITING - 1 packets behind, which is K or more.
        self.send(frames[-1])
        came += self.collect(self.WAITING - (ecn == NOT_ECT))
        self.switch.ports.release(QUEUE_PORT)
        self.nothing_leaves()
        left = [number_of(frame) for frame in came]
        marked = [number_of(frame) for frame in came if ecn_of(frame) != ecn]
        self.assertTrue(all(ecn_of(frame) == CE for frame in came if ecn_of(frame) != ecn))
        # Behind the first are WAITING - 1, behind the second WAITING - 1 of which one is new, and then one less each.
        behind = {number: self.WAITING - max(number, 1) for number in range(self.WAITING + 1)}
        expected = [number for number, pkts in behind.items() if pkts >= self.K] if by_departure else [self.WAITING]
        self.assertEqual(marked, expected if ecn in (ECT0, ECT1) else [])
        dropped = 1 if ecn == NOT_ECT else 0
        self.assertEqual(left, list(range(self.WAITING + 1 - dropped)))
        counted = [self.counter(name) - before[name] for name in names]
        self.assertEqual(counted, [len(marked), 0, dropped, 0])


class BecnthreshAtItsEnds(QuenchTest):
    """becnthresh = minth behaves as BECN, = maxth as ECN, on the ramp and above it."""

    def runTest(self) -> None:
        self.fill(AVERAGE, scheme="taildrop")
        for region in ("ramp", "gentle"):
            ends = {"minth": "becn", "maxth": "ecn"}
            for end, same_as in ends.items():
                with self.subTest(region=region, becnthresh=end):
                    thresholds = REGIONS[region]
                    combined = self.run_once(scheme="ecn-becn", becnthresh=thresholds[end], **thresholds)
                    plain = self.run_once(scheme=same_as, **thresholds)
                    for name in ("marks", "drops", "copies"):
                        self.assertEqual(combined[name] in SELECTED, plain[name] in SELECTED, name)
                        self.assertEqual(combined[name] == 0, plain[name] == 0, name)
                    self.assertEqual(combined["copies"], combined["marks"] + combined["drops"] if end == "minth" else 0)

    def run_once(self, **settings: Any) -> dict[str, int]:
        self.set_profile(wq=6e-8, wait=False, byte_mode=False, **settings)
        before = self.counter("port_cloned")
        came = self.outcome(self.frames(ECT0, COUNT))
        return {
            "marks": sum(ecn_of(frame) == CE for frame in came),
            "drops": COUNT - len(came),
            "copies": len(self.copies(self.counter("port_cloned") - before)),
        }
