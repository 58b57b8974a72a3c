# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Where a quantity passes a value."""

from collections.abc import Callable

_ROUNDS = 60
"""Halvings that use up the digits of a float."""


def first_where(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The least number in ``low..high`` from which on ``holds`` is true, which it is at ``high``."""
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
