# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of a scenario's models."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=64)]
"""The name of a host, router, link, stack or source. It has no dot: ``LINK.ab`` is a direction of a link."""
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
"""Simulated time."""
Lasting = Annotated[float, Field(ge=1e-9, le=1e9, allow_inf_nan=False)]
"""A time that the simulation's clock, which counts nanoseconds, can tell from none."""
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Ecn = Annotated[int, Field(ge=0, le=3)]
"""The ECN field: 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE."""


class Model(BaseModel):
    """A part of a scenario: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)
