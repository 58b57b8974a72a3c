# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The envelope of a long curve: drawn point by point, it would be a solid band that shows nothing between its edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = Sequence[float] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Envelope:
    """Least, mean and greatest of the values in spans of equal length. Spans without a value are left out."""

    start: list[float]
    """The beginning of each span."""
    middle: list[float]
    """The middle of each span."""
    least: list[float]
    mean: list[float]
    greatest: list[float]


def envelope(x: Values, y: Values, spans: int) -> Envelope:
    """The envelope of a curve whose x do not fall, over this many spans. Raises ValueError without a point."""
    places, values = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if not len(places) or len(places) != len(values) or spans < 1:
        raise ValueError(f"no envelope of {len(places)} places and {len(values)} values over {spans} spans")
    first, length = places[0], (places[-1] - places[0]) / spans or 1.0
    # The last place belongs to the last span, and begins no other.
    numbers = np.minimum(((places - first) / length).astype(int), spans - 1)
    found, begins, counts = np.unique(numbers, return_index=True, return_counts=True)
    start = first + length * found
    return Envelope(
        start.tolist(),
        (start + length / 2).tolist(),
        np.minimum.reduceat(values, begins).tolist(),
        (np.add.reduceat(values, begins) / counts).tolist(),
        np.maximum.reduceat(values, begins).tolist(),
    )
