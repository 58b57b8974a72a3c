# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""curve: a curve that a user draws."""

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.formats import MAX_DEPTH_PKTS
from quench.profiles.scheme import CE, ECT1, AqmSettings, Model, beyond_depth, fault_at, known
from quench.profiles.segment import MAX_ISQ_LEVEL, Segment
from quench.units import AdviceField, Depth, ProbabilityField, RelativeDepth, Threshold, ThresholdField

MAX_POINTS = 1024
"""The largest number of points of a curve. The table ``curve`` has 8192 rows for all profiles of a switch, and a change
needs old and new ones."""
Codepoint = Literal["ect1", "ce"]
_BITS: dict[Codepoint, int] = {"ect1": ECT1, "ce": CE}


class Point(Model):
    """A corner of a user's own curve. Its values hold from this depth to the next point."""

    depth: ThresholdField
    """Average queue at this corner."""
    p1: ProbabilityField
    """Probability of the first mark level (or of a drop) at this depth; straight to the next point's."""
    p2: ProbabilityField = 0.0
    """Probability of the second mark level."""
    isq: bool = False
    """A mark or a drop of an ECT packet also sends a source quench."""
    isq_level: float = Field(default=0.0, ge=0, le=MAX_ISQ_LEVEL)
    """Level that the source quench carries, rounded down; straight to the next point's."""
    advice: AdviceField = 0
    """Advice that the source quench carries, up to the next point: a reduction, a pause, or ``none``."""
    drop: bool = False
    """A selected packet is dropped even if it is ECT."""


class UserCurve(AqmSettings):
    """A curve drawn point by point. Behind the last point its probabilities stay."""

    host_algorithm: ClassVar = "ecn"

    scheme: Literal["curve"] = "curve"
    points: tuple[Point, ...] = Field(min_length=1, max_length=MAX_POINTS)
    """The curve's corners, by ascending depth."""
    level1_codepoint: Codepoint = "ce"
    """ECN codepoint that the first mark level writes (RFC 3168)."""
    level2_codepoint: Codepoint = "ce"
    """ECN codepoint that the second mark level writes."""

    @model_validator(mode="after")
    def _advice_has_a_source_quench(self) -> Self:
        for index, point in enumerate(self.points):
            if point.advice and not point.isq:
                raise fault_at("advice is for source quenches: give the point isq: true", "points", index, "advice")
        return self

    @model_validator(mode="after")
    def _ascending_and_within_reach(self) -> Self:
        for index, point in enumerate(self.points):
            if known(point.depth) and self.in_pkts(point.depth) > MAX_DEPTH_PKTS:
                raise fault_at(beyond_depth("depth", point.depth, self.in_pkts(point.depth)), "points", index, "depth")
        for index, (left, right) in enumerate(pairwise(self.points), 1):
            if known(left.depth, right.depth) and self.in_pkts(left.depth) > self.in_pkts(right.depth):
                raise fault_at(
                    f"the points' depths must not fall: {left.depth} comes before {right.depth}",
                    "points",
                    index,
                    "depth",
                )
        return self

    def relative(self, at_port: Callable[[RelativeDepth], Threshold]) -> dict[str, Any]:
        """The points, if the depth of one is no depth yet."""
        if known(*(point.depth for point in self.points)):
            return {}
        points = [point.model_dump(mode="json", exclude_unset=True) for point in self.points]
        for point, values in zip(self.points, points, strict=True):
            if isinstance(point.depth, RelativeDepth):
                values["depth"] = str(at_port(point.depth))
        return {"points": points}

    def segments(self) -> list[Segment]:
        """A piece from each point to the next, and one from the last on."""
        corners = [*pairwise(self.points), (self.points[-1], self.points[-1])]
        ends = [*(self.in_pkts(point.depth) for point in self.points[1:]), inf]
        return [
            Segment(
                self.in_pkts(a.depth), end, a.p1, b.p1, a.p2, b.p2, a.isq, a.drop, a.isq_level, b.isq_level, a.advice
            )
            for (a, b), end in zip(corners, ends, strict=True)
        ]

    def codepoints(self) -> tuple[int, int]:
        """The codepoints of the two levels, as bits of the IP header."""
        return _BITS[self.level1_codepoint], _BITS[self.level2_codepoint]

    def algorithm(self) -> str:
        """TCP that understands all signals of the curve: ECT(1) is mecn's, source quenches are ecn-becn's."""
        if self.level1_codepoint == "ect1":
            return "mecn"
        return "ecn-becn" if any(point.isq for point in self.points) else self.host_algorithm

    def named_depths(self) -> list[tuple[str, Depth]]:
        """The corners."""
        return [("", point.depth) for point in self.points if isinstance(point.depth, Depth)]
