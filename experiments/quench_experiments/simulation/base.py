# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of a scenario's models."""

import json
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from quench.profiles.settings import fault_at

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=64)]
"""The name of a host, router, link, stack or source. It has no dot: ``LINK.ab`` is a direction of a link."""
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
"""Simulated time."""
Lasting = Annotated[float, Field(ge=1e-9, le=1e9, allow_inf_nan=False)]
"""A time that the simulation's clock, which counts nanoseconds, can tell from none."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


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
        except (TypeError, ValueError, RecursionError) as error:
            raise fault_at(f"cannot be written as JSON: {error}", name) from None
    try:
        check(json.dumps(fields))
    except ValueError as error:
        place, problem = error.args
        raise fault_at(problem, *filter(None, [place])) from None
