# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ecn-becn."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.scheme import RedSettings
from quench.profiles.segment import Segment
from quench.units import DepthField


class EcnBecn(RedSettings):
    """As ``ecn`` below ``becnthresh``, as ``becn`` from there."""

    host_algorithm: ClassVar = "ecn-becn"
    shared_with_hosts: ClassVar = ("isq_levels",)
    sends_isqs: ClassVar = True
    variant: ClassVar = "becnthresh"

    scheme: Literal["ecn-becn"] = "ecn-becn"
    becnthresh: DepthField = Field(description="Where source quenches begin.")
    """Average queue from which marks and drops send source quenches (P0)."""
    isq_levels: bool = Field(default=False, description="Source quenches carry a level, 0 to 127.")
    """Source quenches carry a level that grows from 0 at ``becnthresh`` to 127 at ``maxth``."""

    @model_validator(mode="after")
    def _becnthresh_lies_between(self) -> Self:
        if not self.in_pkts(self.minth) <= self.in_pkts(self.becnthresh) <= self.in_pkts(self.maxth):
            raise ValueError(
                f"becnthresh ({self.becnthresh}) must lie between minth ({self.minth}) and maxth ({self.maxth}): "
                "at minth the scheme is becn, at maxth it is ecn"
            )
        return self

    def segments(self) -> list[Segment]:
        """As becn, with source quenches from becnthresh; none at all where that is maxth."""
        becnthresh, levels = self.in_pkts(self.becnthresh), self.isq_levels
        isq = becnthresh != self.in_pkts(self.maxth)
        return [
            *self.ramp(isq_from_pkts=becnthresh, isq_levels=levels),
            *self.above_maxth(isq=isq, isq_levels=levels),
        ]
