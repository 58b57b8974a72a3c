# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities of a definition, within what the simulator can take."""

from typing import Annotated

from pydantic import AfterValidator, Field
from quench.units import DepthField, RateField, SecondsField
from quench_switch.outside.units import Depth

Time = Annotated[SecondsField, Field(ge=0, le=1e9, allow_inf_nan=False)]
Rate = Annotated[RateField, Field(le=10**15)]


def _holds_a_packet(depth: Depth) -> Depth:
    if not 1 <= depth.value <= 10**15:
        raise ValueError(f"{depth} is no size of a buffer: 1 packet or byte is the least, 1e15 the most")
    return depth


Buffer = Annotated[DepthField, AfterValidator(_holds_a_packet)]
