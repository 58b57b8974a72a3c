# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P3's model of TCP and a queue (equations 5 to 9), in time and not linear, with the rows that a switch gets.

The linear analysis knows the setting as it was computed. A switch holds it in numbers of so many bits, and what it
does with them is what matters: so the recommendation is compiled, and the model runs with its rows.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import expm1

from quench.profiles import ProfileRows
from quench.profiles.decompile import curve_of_rows
from quench.profiles.formats import FRACTION_ONE

from quench_experiments.errors import TuningError
from quench_experiments.tuning.analysis import Analysis
from quench_experiments.tuning.loop import averaging_rad_s

_LEAST_STEPS, _MOST_STEPS = 4, 20
"""The least and the largest number of steps of a round trip. A slow loop needs few."""
_FADED, _MOST_CROSSOVERS = 12.0, 40.0
"""The time of a run, in reciprocals of the crossover: until a swing has faded, and for a loop of little damping."""
_DISTURBANCE = 1.1
"""The queue begins longer than where it should settle, by this factor."""
_MOST_OFF = 0.05
"""The queue may settle this part away from where the theory says."""


@dataclass(frozen=True, slots=True)
class Settling:
    """The queue in the last quarter of a run, in packets, and how long the run was."""

    mean_pkts: float
    least_pkts: float
    most_pkts: float
    duration_s: float


def settle(found: Analysis, rows: ProfileRows) -> Settling:
    """The model from a queue that is 10 % too long on. Raises TuningError if it settles elsewhere than ``found``."""
    loop = found.loop
    # A loop without a crossover only sinks, as fast as its slowest part.
    slowest = loop.crossover_rad_s or min(loop.averaging_rad_s, loop.window_rad_s, loop.queue_rad_s)
    damping = min(1.0, max(_FADED / _MOST_CROSSOVERS, found.exact_delay_margin_s * slowest))
    duration_s = _FADED / damping / slowest
    steps = round(min(max(_LEAST_STEPS, 100 * slowest * loop.rtt_s), _MOST_STEPS))
    queues = _run(found, rows, steps, duration_s)
    tail = queues[-len(queues) // 4 :]
    settling = Settling(sum(tail) / len(tail), min(tail), max(tail), duration_s)
    expected = found.point.queue_pkts
    if abs(settling.mean_pkts / expected - 1) > _MOST_OFF:
        raise TuningError(
            f"with a switch's rows the queue settles at {settling.mean_pkts:.4g} packets instead of {expected:.4g}: "
            "choose another wq or mean packet"
        )
    return settling


def _run(found: Analysis, rows: ProfileRows, steps: int, duration_s: float) -> list[float]:
    """The queue after each step, of which a round trip has ``steps``."""
    load, point = found.load, found.point
    strength = _strength(found, rows)
    step_s = point.rtt_s / steps
    follows = -expm1(-averaging_rad_s(load.capacity_pps, rows.parameters.weight / FRACTION_ONE) * step_s)
    queue = average = point.queue_pkts * _DISTURBANCE
    window = point.window_pkts
    # A sender learns of a mark one round trip later: by what it sent then, and by the average of then.
    reactions = deque([window / point.rtt_s * strength(average)] * steps)
    queues = []
    for _ in range(round(duration_s / step_s)):
        rtt_s = load.round_trip_s(queue)
        rate_pps = window / rtt_s
        reactions.append(rate_pps * strength(average))
        window = max(1.0, window + step_s * (1 / rtt_s - window * reactions.popleft()))
        queue = max(0.0, queue + step_s * (load.flows * rate_pps - load.capacity_pps))
        average += follows * (queue - average)
        queues.append(queue)
    return queues


def _strength(found: Analysis, rows: ProfileRows) -> Callable[[float], float]:
    """The part of a window that a packet takes away on average, by the rows, over the average queue in packets."""
    curve = curve_of_rows(rows.curve)
    first, second = found.marking.reductions

    def strength(average_pkts: float) -> float:
        segment = curve.at(average_pkts)
        if segment is None:
            return 0.0
        p1, p2 = segment.p1(average_pkts), segment.p2(average_pkts)
        return first * p1 * (1 - p2) + second * p2

    return strength
