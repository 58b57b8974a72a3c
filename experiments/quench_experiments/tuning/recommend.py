# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Thresholds for a load: the shortest queue, and so the largest gain, that leaves the delay margin asked for.

P3 says to choose maxp and the thresholds so that K_MECN is as large as a positive delay margin allows. That leaves
much open; the rest is our own choice: minth, midth and maxth stand to one another as 1 : 2 : 3 (as in the papers'
settings), and maxp is such that the queue settles in the middle of the steepest part of the curve, as far from either
end as it can be: between midth and maxth, or between minth and maxth where there is no midth. Then one number is
left, the scale, and the gain falls as it grows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log10
from sys import float_info

import scipy

from quench_experiments.errors import TuningError
from quench_experiments.known import Scheme
from quench_experiments.tuning.analysis import Analysis, analyse
from quench_experiments.tuning.marking import ECN_REDUCTIONS, MECN_REDUCTIONS, Marking
from quench_experiments.tuning.operating import Load

MOST_MAXP = 0.2
"""Windows of about four packets would need more, and halving them is too coarse for the linear model."""
USUAL_WQ = 0.002
"""The weight that the papers and RED's authors use."""
_LEAST_WQ = 1e-7
_QUEUE_OF_A_FLOW_PKTS = 5.0
"""The queue may settle where it doubles the round trip, or at this many packets a flow: windows of less than about four
packets would need a larger maxp."""
_STEP = 1.01
_LEAST_MINTH_PKTS = 1.0
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A setting, and its analysis by the theory."""

    scheme: Scheme
    wq: float
    analysis: Analysis

    @property
    def marking(self) -> Marking:
        """The ramps."""
        return self.analysis.marking

    @property
    def becnthresh(self) -> float | None:
        """The depth from which ECN+BECN sends source quenches: half way up, where the queue settles.

        None for other schemes. Below it marks are enough, and while the queue is where it should be about half of the
        signals are saved.
        """
        return (self.marking.minth + self.marking.maxth) / 2 if self.scheme == "ecn-becn" else None


def recommend(scheme: Scheme, load: Load, *, wq: float | None = None, margin_s: float | None = None) -> Recommendation:
    """The setting of the largest gain whose delay margin is at least ``margin_s`` (none: the round trip ``rtt_s``).

    ``wq``, none: 0.002, and where no thresholds will do with it, half of it and so on: the filter is part of the loop.
    Depths are rounded to whole packets and maxp to three digits, and the margin is that of the rounded setting. It
    holds in P3's approximation and for the whole loop. Raises TuningError where there is none.
    """
    needed = load.rtt_s if margin_s is None else margin_s
    if needed < 0:
        raise TuningError(f"the delay margin must not be negative: {needed:g} s")
    weight = USUAL_WQ if wq is None else wq
    while weight >= _LEAST_WQ:
        for marking in _candidates(scheme, load):
            found = analyse(load, marking, weight)
            if found.stable and found.least_delay_margin_s >= needed:
                if wq is not None and weight != wq:
                    raise TuningError(
                        f"no thresholds leave a delay margin of {needed:g} s with wq {wq:g}; with {weight:g} some do"
                    )
                return Recommendation(scheme, weight, found)
        weight /= 2
    raise TuningError(f"no thresholds leave a delay margin of {needed:g} s with any wq: ask for less")


def _candidates(scheme: Scheme, load: Load) -> Iterator[Marking]:
    """Settings from the shortest queue to the longest."""
    longest = max(load.capacity_pps * load.rtt_s, _QUEUE_OF_A_FLOW_PKTS * load.flows)
    minth = 0.0
    exact = _LEAST_MINTH_PKTS
    while minth == 0 or _settles_at(scheme, exact) <= longest:
        if round(exact) > minth:
            minth = float(round(exact))
            marking = _with_maxp(scheme, load, minth)
            if marking is not None:
                yield marking
        exact *= _STEP


def _settles_at(scheme: Scheme, minth: float) -> float:
    """The depth at which the queue should settle."""
    return 2.5 * minth if scheme == "mecn" else 2 * minth


def _with_maxp(scheme: Scheme, load: Load, minth: float) -> Marking | None:
    """The marking of this scale that holds the queue where it should be; none if maxp would be too large."""

    def make(maxp: float) -> Marking:
        if scheme == "mecn":
            return Marking(minth, 3 * minth, maxp, 2 * minth, MECN_REDUCTIONS)
        return Marking(minth, 3 * minth, maxp, reductions=ECN_REDUCTIONS)

    queue = _settles_at(scheme, minth)
    needed = 1 / load.window_pkts(queue) ** 2
    if make(MOST_MAXP).strength(queue) < needed:
        return None
    # A maxp may be as small as 1e-6: brentq's own tolerance, 2e-12, would reach its digits.
    exact = float(
        scipy.optimize.brentq(lambda maxp: make(maxp).strength(queue) - needed, float_info.min, MOST_MAXP, xtol=1e-18)
    )
    return make(_rounded(exact))


def _rounded(value: float) -> float:
    """The value rounded up, so that the queue settles no further up than it should."""
    digits = _DIGITS - 1 - floor(log10(value))
    scale = 10.0**digits
    return min(MOST_MAXP, ceil(value * scale - 1e-9) / scale)
