# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feedback loop of TCP and a marking queue, linearised: crossover, delay margin, sensitivity (P3, section 3).

The open loop is a gain, the delay of one round trip and three poles: the filter of the average queue, the window and
the queue. P3 keeps the filter's alone (equation 18), for which there are formulas; :class:`Loop` has all three
(equation 12).
"""

from dataclasses import dataclass
from math import atan, atan2, hypot, inf, log, pi, prod, sqrt

import scipy


def averaging_rad_s(capacity_pps: float, wq: float) -> float:
    """K: the corner frequency of the average queue, sampled once a packet, with ``0 < wq < 1`` (P3, equation 1)."""
    return -capacity_pps * log(1 - wq)


def crossover_rad_s(gain: float, averaging_rad_s: float) -> float:
    """wg: where the loop's gain has fallen to 1, for the filter's pole alone; 0 if it is never above 1."""
    return averaging_rad_s * sqrt(gain**2 - 1) if gain > 1 else 0.0


def delay_margin_s(gain: float, averaging_rad_s: float, rtt_s: float) -> float:
    """The growth of the round trip at which the loop begins to oscillate (P3, equation 23); negative: it does already.

    Infinite for a gain of at most 1, with which no delay makes a loop oscillate.
    """
    crossover = crossover_rad_s(gain, averaging_rad_s)
    if crossover == 0:
        return inf
    return (pi - atan(crossover / averaging_rad_s)) / crossover - rtt_s


def largest_gain(averaging_rad_s: float, rtt_s: float, margin_s: float = 0.0) -> float:
    """The gain at which the delay margin of :func:`delay_margin_s` is ``margin_s``: it falls as the gain grows."""
    low, high = 1.0, 2.0
    while delay_margin_s(high, averaging_rad_s, rtt_s) > margin_s:
        low, high = high, 2 * high
    # Not brentq, which interpolates: at a gain of 1 the margin is infinite.
    return float(scipy.optimize.bisect(lambda gain: delay_margin_s(gain, averaging_rad_s, rtt_s) - margin_s, low, high))


def sensitivity_gain(gain: float, reference: float) -> float:
    """The factor by which ``gain`` damps slow disturbances more than ``reference`` does (P3, equation 20)."""
    return (1 + gain) / (1 + reference)


@dataclass(frozen=True, slots=True)
class Loop:
    """The whole open loop of P3's equation 12."""

    gain: float
    """The gain for a constant disturbance: K_MECN, K1 or K0."""
    averaging_rad_s: float
    """Corner of the average queue's filter: K."""
    window_rad_s: float
    """Corner of the window: 2N/(R0^2 C)."""
    queue_rad_s: float
    """Corner of the queue: 1/R0."""
    rtt_s: float

    @property
    def crossover_rad_s(self) -> float:
        """The frequency at which the gain has fallen to 1; 0 if it is never above 1."""
        if self.gain <= 1:
            return 0.0
        # The magnitude falls, and from the least corner on at least as fast as with one pole.
        highest = self.gain * min(self._corners)
        return float(
            scipy.optimize.brentq(
                lambda at: prod(hypot(1, at / corner) for corner in self._corners) - self.gain, 0.0, highest
            )
        )

    @property
    def delay_margin_s(self) -> float:
        """The growth of the round trip at which the loop begins to oscillate; infinite for a gain of at most 1."""
        crossover = self.crossover_rad_s
        if crossover == 0:
            return inf
        lag = sum(atan2(crossover, corner) for corner in self._corners)
        return (pi - lag) / crossover - self.rtt_s

    @property
    def _corners(self) -> tuple[float, float, float]:
        return self.averaging_rad_s, self.window_rad_s, self.queue_rad_s
