# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ecn-becn."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.scheme import OTHER_SHAPES, IsqSettings, known
from quench.profiles.segment import Segment
from quench.units import Depth, ThresholdField

BECNTHRESH_PART = 1 / 6
"""Default of becnthresh: this part of the way from minth to maxth (P0: 20 KB between 15 and 45 KB)."""


class EcnBecn(IsqSettings):
    """As ``ecn`` below ``becnthresh``, as ``becn`` from there."""

    host_algorithm: ClassVar = "ecn-becn"
    variant: ClassVar = "becnthresh"

    scheme: Literal["ecn-becn"] = "ecn-becn"
    becnthresh: ThresholdField | None = Field(
        default=None, description="Where source quenches begin. Default: a sixth of the way from minth to maxth."
    )
    """Average queue from which marks and drops send source quenches (P0). Null: a sixth of the way from ``minth`` to
    ``maxth``, as P0's 20 KB on N1."""

    @model_validator(mode="after")
    def _becnthresh_lies_between(self) -> Self:
        if not known(self.minth, self.becnthresh, self.maxth):
            return self
        if not self.in_pkts(self.minth) <= self.in_pkts(self.becnthresh) <= self.in_pkts(self.maxth):
            raise ValueError(
                f"becnthresh ({self.becnthresh}) must lie between minth ({self.minth}) and maxth ({self.maxth}): "
                f"at minth the scheme is becn, at maxth it is ecn; {OTHER_SHAPES}"
            )
        if self.in_pkts(self.becnthresh) == self.in_pkts(self.maxth) and (self.advice or self.advice_at_maxth):
            raise ValueError("advice is for source quenches, and becnthresh at maxth leaves none: leave it out")
        return self

    def defaults(self, rate_bps: int) -> dict[str, Depth]:
        """RED's, and becnthresh at the first of P0's two places."""
        found = super().defaults(rate_bps)
        return found if self.becnthresh is not None else {**found, "becnthresh": self.between(found, BECNTHRESH_PART)}

    def segments(self) -> list[Segment]:
        """As becn, with source quenches from becnthresh; none at all where that is maxth. A step is becn's."""
        return self.quenching(self.in_pkts(self.becnthresh))
