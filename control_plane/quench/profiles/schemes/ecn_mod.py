# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ecn-mod."""

from math import sqrt
from typing import ClassVar, Literal

from pydantic import Field

from quench.profiles.fit import fit
from quench.profiles.formats import CURVE_FORMAT
from quench.profiles.scheme import RedSettings
from quench.profiles.segment import Segment

TOLERANCE = 0.0099
"""Relative error of the straight pieces; the rest of 1 % is for the points between which ``fit`` does not look."""


class EcnMod(RedSettings):
    """As ``ecn`` with the marking function of Misra and Ott's ECN-mod, for senders that react to each mark a little."""

    host_algorithm: ClassVar = "ecn-mod"
    shared_with_hosts: ClassVar = ("c1", "c2")
    variant: ClassVar = "c1"

    scheme: Literal["ecn-mod"] = "ecn-mod"
    c1: float = Field(default=0.0625, gt=0, le=1000, description="Increase per unmarked ACK, in packets.")
    """Increase of the senders' window for an unmarked ACK, in packets."""
    c2: float = Field(default=0.25, gt=0, le=1, description="Decrease per marked ACK, of the window.")
    """The part of their window that the senders give up for a marked ACK."""

    def segments(self) -> list[Segment]:
        """Equation 11 over RED's probability, in straight pieces; then drops."""
        if self.is_step:
            return self.ramp()
        minth, maxth = self.in_pkts(self.minth), self.in_pkts(self.maxth)

        def marking(depth_pkts: float) -> float:
            return ecn_mod(self.maxp * (depth_pkts - minth) / (maxth - minth), self.c1, self.c2)

        pieces = fit(marking, minth, maxth, TOLERANCE, CURVE_FORMAT)
        return [
            *(Segment(piece.start_pkts, piece.end_pkts, piece.first, piece.last) for piece in pieces),
            # To a drop the senders react as any TCP, so RED's own probability gives them the same window.
            *self.above_maxth(),
        ]


def ecn_mod(probability: float, c1: float, c2: float) -> float:
    """ECN-mod's marking probability where RED has ``probability`` (Misra and Ott, equation 11).

    A sender that adds c1 per unmarked ACK and gives up c2 of its window per marked ACK then has the mean window that
    TCP has at ``probability``.
    """
    if probability <= 0:
        return 0.0
    return 1 / (1 + c2 / c1 * sqrt(max(0.0, 2 * (1 - probability) / probability)))
