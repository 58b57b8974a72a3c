# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of a scenario's models."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from quench.profiles.settings import fault_at
from quench_switch.outside.units import quoted

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=64)]
"""The name of a host, router, link, stack or source. It has no dot: ``LINK.ab`` is a direction of a link."""
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
"""Simulated time."""
Lasting = Annotated[float, Field(ge=1e-9, le=1e9, allow_inf_nan=False)]
"""A time that the simulation's clock, which counts nanoseconds, can tell from none."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
MAX_BINS = 1000


def _size_bins(value: object) -> object:
    """Here, because of a union pydantic has a fault for each branch."""
    if isinstance(value, list | tuple):
        edges = [_whole(each) for each in value]
        if not 1 <= len(edges) <= MAX_BINS:
            raise ValueError(f"{len(edges)} edges: give 1 to {MAX_BINS}")
        if edges[0] < 1 or any(low >= high for low, high in pairwise(edges)):
            raise ValueError("the edges must rise, from 1 byte on")
        return tuple(edges)
    count = _whole(value)
    if not 1 <= count <= MAX_BINS:
        raise ValueError(f"{quoted(count)} bins: 1 to {MAX_BINS} are possible")
    return count


def _whole(value: object) -> int:
    """A whole number; arithmetic of an experiment makes ``4.0``."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError(f"{quoted(value)} is no whole number: write a number of bins, or a list of their upper edges")
    return int(value)


SizeBins = Annotated[int | tuple[int, ...], BeforeValidator(_size_bins)]


class Model(BaseModel):
    """A part of a scenario: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


def check_by_simulator(check: Callable[[str], None], part: Model) -> None:
    """Let the simulator check a part of a scenario. Raises what becomes a fault with its place."""
    fields = part.model_dump(exclude_none=True)
    for name, value in fields.items():
        try:
            # As null a NaN would be the default.
            json.dumps(value, allow_nan=False)
        except ValueError:
            raise fault_at("must be a finite number", name) from None
        except (TypeError, RecursionError) as error:
            raise fault_at(f"cannot be written as JSON: {error}", name) from None
    try:
        check(json.dumps(fields))
    except ValueError as error:
        place, problem = error.args
        raise fault_at(problem, *filter(None, [place])) from None
