# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a setting is stable under a load, by how much, and in which range of loads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from quench_experiments.errors import TuningError
from quench_experiments.tuning.loop import (
    Loop,
    averaging_rad_s,
    crossover_rad_s,
    delay_margin_s,
    sensitivity_gain,
)
from quench_experiments.tuning.marking import Marking
from quench_experiments.tuning.operating import Load, OperatingPoint, operating_point


@dataclass(frozen=True, slots=True)
class Analysis:
    """The result of control theory for a setting under a load."""

    load: Load
    marking: Marking
    point: OperatingPoint
    loop: Loop
    gain_ecn: float
    """K0: ECN's gain with the same minth, maxth, maxp and round trip (P3, equation 2)."""

    @property
    def gain(self) -> float:
        """K_MECN above midth (P3, equation 13), K1 below (25); of ECN K0 (2)."""
        return self.loop.gain

    @property
    def crossover_rad_s(self) -> float:
        """The crossover of P3's approximation, wg."""
        return crossover_rad_s(self.gain, self.loop.averaging_rad_s)

    @property
    def delay_margin_s(self) -> float:
        """DM of P3's approximation (equation 23)."""
        return delay_margin_s(self.gain, self.loop.averaging_rad_s, self.point.rtt_s)

    @property
    def exact_delay_margin_s(self) -> float:
        """The delay margin of the loop with all of its poles."""
        return self.loop.delay_margin_s

    @property
    def least_delay_margin_s(self) -> float:
        """The smaller of both, on which the verdict rests."""
        return min(self.delay_margin_s, self.exact_delay_margin_s)

    @property
    def sensitivity_gain(self) -> float:
        """(1+K_MECN)/(1+K0)."""
        return sensitivity_gain(self.gain, self.gain_ecn)

    @property
    def stable(self) -> bool:
        """Whether the queue settles instead of oscillating."""
        return self.least_delay_margin_s > 0

    @property
    def approximation_holds(self) -> bool:
        """Whether the crossover lies below the poles that P3 leaves out (its condition 16)."""
        return self.crossover_rad_s < min(self.loop.window_rad_s, self.loop.queue_rad_s)


def analyse(load: Load, marking: Marking, wq: float) -> Analysis:
    """The loop at the operating point. Raises TuningError without one, or for a weight outside 0..1."""
    if not 0 < wq < 1:
        raise TuningError(f"wq must lie between 0 and 1, not {wq:g}")
    point = operating_point(load, marking)
    pipe_pkts = point.rtt_s * load.capacity_pps
    loop = Loop(
        gain=pipe_pkts**3 / (2 * load.flows**2) * marking.strength_slope(point.queue_pkts),
        averaging_rad_s=averaging_rad_s(load.capacity_pps, wq),
        window_rad_s=2 * load.flows / (point.rtt_s * pipe_pkts),
        queue_rad_s=1 / point.rtt_s,
        rtt_s=point.rtt_s,
    )
    return Analysis(load, marking, point, loop, gain_ecn=marking.slope1 * pipe_pkts**3 / (2 * load.flows) ** 2)


_STEPS_OF_FLOWS = 100
_STEP_OF_RTT = 1.01
_FARTHEST = 100.0
"""The search ends at a hundred times the flows or the round trip."""


@dataclass(frozen=True, slots=True)
class StableRange:
    """The range in which a stable load can move, one quantity at a time, while the queue settles in minth..maxth."""

    least_flows: int
    most_flows: int
    longest_rtt_s: float


def delay_margin_or_nan(load: Load, marking: Marking, wq: float) -> float:
    """The least delay margin in seconds; not a number where the queue cannot settle below maxth."""
    try:
        return analyse(load, marking, wq).least_delay_margin_s
    except TuningError:
        return nan


def delay_margins(
    flows: Sequence[float], rtts_s: Sequence[float], capacity_pps: float, marking: Marking, wq: float
) -> NDArray[np.float64]:
    """The delay margin for every number of flows (rows) and round trip (columns), as :func:`delay_margin_or_nan`."""
    return np.array(
        [[delay_margin_or_nan(Load(number, capacity_pps, rtt_s), marking, wq) for rtt_s in rtts_s] for number in flows]
    )


def stable_range(load: Load, marking: Marking, wq: float) -> StableRange | None:
    """The range around ``load``, within a step of 1 % (of flows: at least one); none if it is not stable itself."""

    def stable(changed: Load) -> bool:
        return delay_margin_or_nan(changed, marking, wq) > 0

    def last(values: Iterable[float], change: Callable[[float], Load]) -> float | None:
        found = None
        for value in values:
            if not stable(change(value)):
                break
            found = value
        return found

    if not stable(load):
        return None
    flows = round(load.flows)
    step = max(1, flows // _STEPS_OF_FLOWS)
    down = last(range(flows - step, 0, -step), lambda value: replace(load, flows=value))
    up = last(range(flows + step, int(flows * _FARTHEST), step), lambda value: replace(load, flows=value))
    rtts = (load.rtt_s * _STEP_OF_RTT**power for power in range(1, int(np.log(_FARTHEST) / np.log(_STEP_OF_RTT))))
    longest = last(rtts, lambda value: replace(load, rtt_s=value))
    return StableRange(
        least_flows=flows if down is None else int(down),
        most_flows=flows if up is None else int(up),
        longest_rtt_s=load.rtt_s if longest is None else longest,
    )
