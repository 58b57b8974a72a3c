# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""mecn."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.scheme import CE, ECT1, RedSettings
from quench.profiles.segment import Segment
from quench.units import DepthField


class Mecn(RedSettings):
    """Multilevel ECN (Durresi et al.): ECT(1) marks incipient congestion from ``minth``, CE moderate from ``midth``."""

    host_algorithm: ClassVar = "mecn"

    scheme: Literal["mecn"] = "mecn"
    midth: DepthField = Field(description="Where the second level begins.")
    """Average queue from which packets are marked with the second level."""

    @model_validator(mode="after")
    def _midth_lies_between(self) -> Self:
        if not self.in_pkts(self.minth) <= self.in_pkts(self.midth) <= self.in_pkts(self.maxth):
            raise ValueError(f"midth ({self.midth}) must lie between minth ({self.minth}) and maxth ({self.maxth})")
        return self

    def segments(self) -> list[Segment]:
        """Two ramps that both end at maxp, then drops."""
        minth, midth, maxth = self.in_pkts(self.minth), self.in_pkts(self.midth), self.in_pkts(self.maxth)
        at_midth = self.maxp * (midth - minth) / (maxth - minth)
        return [
            Segment(minth, midth, 0.0, at_midth),
            Segment(midth, maxth, at_midth, self.maxp, 0.0, self.maxp),
            # A chosen packet is dropped there, and a drop has one level.
            *self.above_maxth(),
        ]

    def codepoints(self) -> tuple[int, int]:
        """Incipient congestion is ECT(1), moderate congestion CE."""
        return ECT1, CE
