# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a setting is stable under a load, and by how much."""

from dataclasses import dataclass

from quench_experiments.tuning.errors import TuningError
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
    """What control theory says of a setting."""

    load: Load
    marking: Marking
    point: OperatingPoint
    loop: Loop
    gain_ecn: float
    """K0: what ECN's gain is with the same minth, maxth, maxp and round trip (P3, equation 2)."""

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
        """The same of the loop with all of its poles."""
        return self.loop.delay_margin_s

    @property
    def least_delay_margin_s(self) -> float:
        """The smaller of both: what a verdict rests on."""
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
