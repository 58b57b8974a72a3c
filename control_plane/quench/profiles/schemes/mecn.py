# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""mecn."""

from math import inf
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.scheme import CE, ECT1, OTHER_SHAPES, RedSettings, known
from quench.profiles.segment import Segment
from quench.units import Depth, ThresholdField

MIDTH_PART = 1 / 2
"""Default of midth: this part of the way from minth to maxth."""


class Mecn(RedSettings):
    """Multilevel ECN (Durresi et al.): ECT(1) marks incipient congestion from ``minth``, CE moderate from ``midth``."""

    host_algorithm: ClassVar = "mecn"

    scheme: Literal["mecn"] = "mecn"
    midth: ThresholdField | None = Field(
        default=None, description="Where the second level begins. Default: midway from minth to maxth."
    )
    """Average queue from which packets are marked with the second level. Null: midway from ``minth`` to ``maxth``."""

    @model_validator(mode="after")
    def _midth_lies_between(self) -> Self:
        if not known(self.minth, self.midth, self.maxth):
            return self
        if not self.in_pkts(self.minth) <= self.in_pkts(self.midth) <= self.in_pkts(self.maxth):
            raise ValueError(
                f"midth ({self.midth}) must lie between minth ({self.minth}) and maxth ({self.maxth}); {OTHER_SHAPES}"
            )
        return self

    def defaults(self, rate_bps: int) -> dict[str, Depth]:
        """RED's, and midth in the middle: P3's values belong to its own network."""
        found = super().defaults(rate_bps)
        return found if self.midth is not None else {**found, "midth": self.between(found, MIDTH_PART)}

    def segments(self) -> list[Segment]:
        """Two ramps that both end at maxp, then drops."""
        minth, midth, maxth = self.in_pkts(self.minth), self.in_pkts(self.midth), self.in_pkts(self.maxth)
        if self.is_step:
            # Both levels begin there, and the second counts.
            return [Segment(maxth, inf, 1.0, 1.0, 1.0, 1.0)]
        at_midth = self.maxp * (midth - minth) / (maxth - minth)
        return [
            Segment(minth, midth, 0.0, at_midth),
            Segment(midth, maxth, at_midth, self.maxp, 0.0, self.maxp),
            # A selected packet is dropped there, and a drop has one level.
            *self.above_maxth(),
        ]

    def codepoints(self) -> tuple[int, int]:
        """Incipient congestion is ECT(1), moderate congestion CE."""
        return ECT1, CE
