# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a setting is stable: over the number of flows and the round trip."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from quench_experiments.tuning.analysis import analyse
from quench_experiments.tuning.errors import TuningError
from quench_experiments.tuning.marking import Marking
from quench_experiments.tuning.operating import Load

_STEPS_OF_FLOWS = 100
_STEP_OF_RTT = 1.01
_FARTHEST = 100.0
"""What holds for a hundred times the flows or the round trip is not looked at further."""


@dataclass(frozen=True, slots=True)
class StableRange:
    """How far a stable load can move, one quantity at a time, before the queue oscillates or leaves minth..maxth."""

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
