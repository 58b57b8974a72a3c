# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How far two simulators may be apart and still be said to agree."""

from dataclasses import dataclass

UTILISATION_POINTS = 0.003
QUEUE_SHARE = 0.05
LOSS_SHARE = 0.15
LOSS_POINTS = 0.001
SMALL_LOSS = 0.005
"""Under this a loss is compared in points, for a share of next to nothing says nothing."""
MARKS_SHARE = 0.10


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric of one case."""

    metric: str
    theirs: float
    ours: float
    difference: float
    """In points where `relative` is false, else as a share of theirs."""
    relative: bool
    within: bool


def compare(theirs: dict[str, float], ours: dict[str, float]) -> list[Agreement]:
    """The metrics that have a tolerance and that both measured."""
    return [_RULES[name](name, theirs[name], ours[name]) for name in _RULES if name in theirs and name in ours]


def _points(metric: str, theirs: float, ours: float, tolerance: float) -> Agreement:
    difference = ours - theirs
    return Agreement(metric, theirs, ours, difference, relative=False, within=abs(difference) <= tolerance)


def _share(metric: str, theirs: float, ours: float, tolerance: float) -> Agreement:
    if theirs == 0:
        return Agreement(metric, theirs, ours, ours, relative=False, within=ours == 0)
    difference = ours / theirs - 1
    return Agreement(metric, theirs, ours, difference, relative=True, within=abs(difference) <= tolerance)


def _utilisation(metric: str, theirs: float, ours: float) -> Agreement:
    return _points(metric, theirs, ours, UTILISATION_POINTS)


def _loss(metric: str, theirs: float, ours: float) -> Agreement:
    if theirs < SMALL_LOSS:
        return _points(metric, theirs, ours, LOSS_POINTS)
    return _share(metric, theirs, ours, LOSS_SHARE)


def _queue(metric: str, theirs: float, ours: float) -> Agreement:
    return _share(metric, theirs, ours, QUEUE_SHARE)


def _marks(metric: str, theirs: float, ours: float) -> Agreement:
    return _share(metric, theirs, ours, MARKS_SHARE)


_RULES = {
    "utilisation": _utilisation,
    "loss": _loss,
    "mean_queue_bytes": _queue,
    "marked_pkts": _marks,
}
