# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user says of a profile: one model per scheme, told apart by ``scheme``.

The schemes and the names of their thresholds are those of the papers; see docs/schemes.md.
"""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from quench.units import DepthField, SecondsField

MarkAt = Literal["head", "tail"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CommonSettings(_Model):
    """What every scheme has."""

    wq: float = Field(default=0.002, gt=0, le=1)
    """Weight of one sample in the average queue."""
    mean_packet_bytes: int = Field(default=1000, ge=40, le=65535)
    """Mean IP packet: turns bytes into packets, and times the decay of the average while the queue is idle."""
    report_interval: SecondsField = Field(default=0.1, ge=0, le=4000)
    """Shortest time between two queue reports to the controller, in seconds; 0 switches them off."""


class AqmSettings(CommonSettings):
    """What every scheme has that chooses packets."""

    byte_mode: bool = True
    """A packet is chosen with a probability that is proportional to its size."""
    wait: bool = True
    """At least 1/p packets between two that are chosen (ns-2's ``wait_``): gaps are uniform on 1/p..2/p."""
    mark_at: MarkAt = "head"
    """Where marks are decided: ``head``, when the packet leaves the queue; ``tail``, when it arrives."""


class TailDrop(CommonSettings):
    """Nothing is marked or dropped early: the queue overflows."""

    scheme: Literal["taildrop"] = "taildrop"


class _Red(AqmSettings):
    minth: DepthField
    """Average queue from which packets are chosen."""
    maxth: DepthField
    """Average queue at which the probability has reached ``maxp``."""
    maxp: float = Field(default=0.1, gt=0, le=1)
    gentle: bool = True
    """Above ``maxth`` drop with a probability that grows to 1 at twice ``maxth``, instead of always."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        minth, maxth = self.minth.in_pkts(self.mean_packet_bytes), self.maxth.in_pkts(self.mean_packet_bytes)
        if not 0 <= minth < maxth:
            raise ValueError(f"minth ({self.minth}) must be less than maxth ({self.maxth})")
        return self


class Red(_Red):
    """Random early detection (Floyd and Jacobson 1993): chosen packets are dropped."""

    scheme: Literal["red"] = "red"


class Ecn(_Red):
    """RED that marks ECT packets CE instead of dropping them (RFC 3168), up to ``maxth``."""

    scheme: Literal["ecn"] = "ecn"


class Becn(_Red):
    """As ``ecn``, and the source of each marked or dropped ECT packet gets an ICMP source quench."""

    scheme: Literal["becn"] = "becn"


class EcnBecn(_Red):
    """As ``ecn`` below ``becnthresh``, as ``becn`` from there."""

    scheme: Literal["ecn-becn"] = "ecn-becn"
    becnthresh: DepthField

    @model_validator(mode="after")
    def _becnthresh_lies_between(self) -> Self:
        mean = self.mean_packet_bytes
        if not self.minth.in_pkts(mean) <= self.becnthresh.in_pkts(mean) <= self.maxth.in_pkts(mean):
            raise ValueError(
                f"becnthresh ({self.becnthresh}) must lie between minth ({self.minth}) and maxth ({self.maxth}): "
                "at minth the scheme is becn, at maxth it is ecn"
            )
        return self


class Point(_Model):
    """A corner of a user's own curve. What is said here holds from this depth to the next point."""

    depth: DepthField
    p1: float = Field(ge=0, le=1)
    """Probability of the first mark level (or of a drop) at this depth; straight to the next point's."""
    p2: float = Field(default=0.0, ge=0, le=1)
    """Probability of the second mark level."""
    isq: bool = False
    """A mark or a drop of an ECT packet also sends a source quench."""
    drop: bool = False
    """A chosen packet is dropped even if it is ECT."""


class UserCurve(AqmSettings):
    """A curve drawn point by point. Behind the last point its probabilities stay."""

    scheme: Literal["curve"] = "curve"
    points: tuple[Point, ...] = Field(min_length=1)
    level1_codepoint: Literal["ect1", "ce"] = "ce"
    level2_codepoint: Literal["ect1", "ce"] = "ce"

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        depths = [point.depth.in_pkts(self.mean_packet_bytes) for point in self.points]
        for left, right in pairwise(depths):
            if left > right:
                raise ValueError(f"the points' depths must not fall: {left:g} pkts comes before {right:g} pkts")
        return self


ProfileSettings = Annotated[TailDrop | Red | Ecn | Becn | EcnBecn | UserCurve, Field(discriminator="scheme")]

_ADAPTER: TypeAdapter[ProfileSettings] = TypeAdapter(ProfileSettings)

SCHEMES = ("taildrop", "red", "ecn", "becn", "ecn-becn", "curve")


def parse_settings(values: dict[str, Any]) -> ProfileSettings:
    """The settings that ``values`` says. Raises pydantic.ValidationError."""
    return _ADAPTER.validate_python(values)
