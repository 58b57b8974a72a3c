# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The load of a bottleneck, and where its queue settles (P3, equations 5 to 9)."""

from dataclasses import dataclass

import scipy

from quench_experiments.errors import TuningError
from quench_experiments.tuning.marking import Marking


@dataclass(frozen=True, slots=True)
class Load:
    """Equal flows that always have something to send. Raises TuningError for values that are not positive."""

    flows: float
    """N. A real number, so that limits can be searched for."""
    capacity_pps: float
    """C: packets of mean size in a second."""
    rtt_s: float
    """Tp: the round trip without any queue."""

    def __post_init__(self) -> None:
        for name, value in (
            ("flows", self.flows),
            ("the capacity", self.capacity_pps),
            ("the round trip", self.rtt_s),
        ):
            if not 0 < value < float("inf"):
                raise TuningError(f"{name} must be greater than 0, not {value:g}")

    def round_trip_s(self, queue_pkts: float) -> float:
        """R0: with a queue of this length (P3, equation 9)."""
        return queue_pkts / self.capacity_pps + self.rtt_s

    def window_pkts(self, queue_pkts: float) -> float:
        """W0: a flow's window when all of them together fill the link (P3, equation 8)."""
        return self.round_trip_s(queue_pkts) * self.capacity_pps / self.flows


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The state in which windows and queue stay as they are."""

    queue_pkts: float
    rtt_s: float
    window_pkts: float
    p1: float
    p2: float


def operating_point(load: Load, marking: Marking) -> OperatingPoint:
    """The queue at which growth by one packet a round trip and the marks balance: W0^2 * strength = 1 (equation 5).

    Raises TuningError if that queue would be longer than maxth.
    """

    def balance(queue_pkts: float) -> float:
        return load.window_pkts(queue_pkts) ** 2 * marking.strength(queue_pkts)

    longest = marking.maxth
    if balance(longest) < 1:
        raise TuningError(
            f"{load.flows:g} flows push the queue beyond maxth ({longest:g}pkts): windows are "
            f"{load.window_pkts(longest):.3g} packets there; raise maxp or maxth"
        )
    queue = float(scipy.optimize.brentq(lambda queue_pkts: balance(queue_pkts) - 1, marking.minth, longest))
    return OperatingPoint(
        queue_pkts=queue,
        rtt_s=load.round_trip_s(queue),
        window_pkts=load.window_pkts(queue),
        p1=marking.p1(queue),
        p2=marking.p2(queue),
    )
