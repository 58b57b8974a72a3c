# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How often each scheme selects packets, all along its curve: chi-square tests at significance 0.001.

The average is 30 packets, and each test moves the curve. The expected probabilities are the papers' formulas, written
here once more and not taken from the control plane.
"""

from math import sqrt
from typing import Any

from support.base import BURST, CE, ECT0, ECT1, NOT_ECT, QuenchTest, ecn_of
from support.renewal import CRITICAL_0_001, Count, Shares, gap_shares, selected, selected_alone

AVERAGE = 30
PACKETS = 800
MAXP = 0.5
WIDTH = 20
"""From minth to maxth, in packets."""
ON_RAMP = (0.1125, 0.3, 0.525, 0.7, 0.9)
"""The average's position between minth and maxth. With ``wait`` no probability may be just below 1/k: the average
decays a little while PTF collects, and the least gap would be k + 1 instead of k."""
GENTLE = (1.2, 1.5, 1.8)
"""The average in multiples of maxth."""
BELOW = {"scheme": "ecn", "minth": 40, "maxth": 60}


class _WholeCurve(QuenchTest):
    def setUp(self) -> None:
        super().setUp()
        self.fill(AVERAGE, scheme="taildrop")
        self.statistic = 0.0
        self.terms = 0

    def offer(self, ecn: int, wait: bool, **settings: Any) -> dict[int, int]:
        """The number of packets that came out after a reset of the count, by their codepoint."""
        common = {"wq": 6e-8, "byte_mode": False, "wait": wait}
        self.set_profile(**common, **BELOW)
        self.send(self.packet(NOT_ECT))
        self.assertEqual(len(self.collect(1)), 1)
        self.set_profile(**common, **settings)
        came = dict.fromkeys((NOT_ECT, ECT1, ECT0, CE), 0)
        burst = self.frames(ecn, BURST)
        for _ in range(0, PACKETS, BURST):
            for frame in self.outcome(burst):
                came[ecn_of(frame)] += 1
        return came

    def compare(self, observed: int, packets: int, exact: float, wait: bool, level: int = 1) -> None:
        probability = self.probability(exact, AVERAGE, level)
        self.add(observed, selected(packets, *_gaps(probability, wait)), probability)

    def compare_levels(self, came: dict[int, int], exact1: float, exact2: float, wait: bool) -> None:
        """Both mark levels, of which the second has precedence."""
        self.compare(came[CE], PACKETS, exact2, wait, level=2)
        if not self.program.levels_count_alike:
            self.compare(came[ECT1], PACKETS - came[CE], exact1, wait)
            return
        probability1, probability2 = (
            self.probability(exact, AVERAGE, level) for level, exact in ((1, exact1), (2, exact2))
        )
        expected = selected_alone(PACKETS, *_gaps(probability1, wait), *_gaps(probability2, wait))
        self.add(came[ECT1], expected, max(probability1, probability2))

    def add(self, observed: int, expected: Count, probability: float) -> None:
        if expected.variance == 0:
            # With ``wait`` and a large probability every second packet is selected.
            self.assertLess(abs(observed - expected.mean), 1)
        else:
            rounding = expected.mean * self.program.rounding(probability)
            self.statistic += (observed - expected.mean) ** 2 / (expected.variance + rounding**2)
        self.terms += 1

    def judge(self) -> None:
        self.assertLess(self.statistic, CRITICAL_0_001[self.terms])

    def on_ramp(self, marks: bool, between: dict[str, float] | None = None, **settings: Any) -> None:
        """Along RED's ramp. ``between`` is the position of a scheme's other threshold between minth and maxth."""
        for number, position in enumerate(ON_RAMP):
            minth = AVERAGE - position * WIDTH
            wait = number % 2 == 0
            came = self.offer(ECT0, wait, **_thresholds(minth, minth + WIDTH, between), **settings)
            observed = came[CE] if marks else PACKETS - came[ECT0]
            self.compare(observed, PACKETS, MAXP * position, wait)

    def above(self, between: dict[str, float] | None = None, **settings: Any) -> None:
        """Along gentle RED's second slope: drops of ECT packets too."""
        for number, multiple in enumerate(GENTLE):
            maxth = AVERAGE / multiple
            wait = number % 2 == 0
            came = self.offer(ECT0, wait, **_thresholds(maxth / 2, maxth, between), gentle=True, **settings)
            self.compare(PACKETS - came[ECT0], PACKETS, MAXP + (1 - MAXP) * (multiple - 1), wait)


def _gaps(probability: float, wait: bool) -> tuple[Shares, Shares]:
    """The shares of the gaps, and of the first places: the first packet only starts the count."""
    return gap_shares(probability, wait, 1), gap_shares(probability, wait, 2)


def _thresholds(minth: float, maxth: float, between: dict[str, float] | None) -> dict[str, float]:
    others = {name: minth + share * (maxth - minth) for name, share in (between or {}).items()}
    return {"minth": minth, "maxth": maxth, "maxp": MAXP, **others}


class RedCurve(_WholeCurve):
    def runTest(self) -> None:
        self.on_ramp(marks=False, scheme="red")
        self.above(scheme="red")
        self.judge()


class EcnCurve(_WholeCurve):
    def runTest(self) -> None:
        self.on_ramp(marks=True, scheme="ecn")
        self.above(scheme="ecn")
        self.judge()


class BecnCurve(_WholeCurve):
    def runTest(self) -> None:
        self.on_ramp(marks=True, scheme="becn")
        self.above(scheme="becn")
        self.judge()


class EcnBecnCurve(_WholeCurve):
    """Marks follow one ramp, with and without ISQs."""

    def runTest(self) -> None:
        self.on_ramp(marks=True, scheme="ecn-becn", between={"becnthresh": 0.5})
        self.above(scheme="ecn-becn", between={"becnthresh": 0.5})
        self.judge()


class EcnModCurve(_WholeCurve):
    """Misra and Ott's equation 11. Above maxth drops follow RED's own probability."""

    def runTest(self) -> None:
        for number, (position, c1) in enumerate(zip(ON_RAMP, (0.0625, 0.125, 0.25, 0.125, 0.0625), strict=True)):
            minth = AVERAGE - position * WIDTH
            wait = number % 2 == 0
            came = self.offer(ECT0, wait, scheme="ecn-mod", minth=minth, maxth=minth + WIDTH, maxp=MAXP, c1=c1, c2=0.25)
            p = MAXP * position
            self.compare(came[CE], PACKETS, 1 / (1 + 0.25 / c1 * sqrt(2 * (1 - p) / p)), wait)
        self.above(scheme="ecn-mod")
        self.judge()


class MecnCurve(_WholeCurve):
    """Prob(moderate) = p2, Prob(incipient) = p1 (1 - p2): level 1 draws only if level 2 has not selected the packet."""

    def runTest(self) -> None:
        for number, position in enumerate(ON_RAMP):
            minth, maxth = AVERAGE - position * WIDTH, AVERAGE + (1 - position) * WIDTH
            midth = minth + WIDTH / 4
            wait = number % 2 == 0
            came = self.offer(ECT0, wait, scheme="mecn", minth=minth, midth=midth, maxth=maxth, maxp=MAXP)
            self.assertEqual(sum(came.values()), PACKETS)
            if midth < AVERAGE:
                p2 = MAXP * (AVERAGE - midth) / (maxth - midth)
                self.compare_levels(came, MAXP * position, p2, wait)
            else:
                self.assertEqual(came[CE], 0)
                self.compare(came[ECT1], PACKETS, MAXP * position, wait)
        self.above(scheme="mecn", between={"midth": 0.25})
        self.judge()


class DrawnCurve(_WholeCurve):
    """A user's own curve: it falls as well as rises, and has both levels."""

    POINTS = (
        {"depth": 0, "p1": 0.4, "p2": 0.0},
        {"depth": 20, "p1": 0.1, "p2": 0.3},
        {"depth": 40, "p1": 0.5, "p2": 0.1},
    )

    def runTest(self) -> None:
        for number, depth in enumerate((5, 15, 22, 28)):
            wait = number % 2 == 0
            shift = AVERAGE - depth
            points = [{**point, "depth": point["depth"] + shift} for point in self.POINTS]
            came = self.offer(ECT0, wait, scheme="curve", points=points, level1_codepoint="ect1")
            start, end = self.POINTS[depth // 20], self.POINTS[depth // 20 + 1]
            share = (depth - start["depth"]) / 20
            p1, p2 = (start[name] + (end[name] - start[name]) * share for name in ("p1", "p2"))
            self.compare_levels(came, p1, p2, wait)
        self.judge()
