# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a user says of a profile: one model per scheme, told apart by ``scheme``.

The schemes and the names of their thresholds are those of the papers; see docs/schemes.md.
"""

from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from quench.profiles.formats import MAX_AVERAGE_PKTS, PROBABILITY_ONE
from quench.units import DepthField, SecondsField

MarkAt = Literal["head", "tail"]
TOLD_MASK = 0b000011
"""What ``once_per_path: true`` sets in the DSCP: pool 2 of RFC 2474 (xxxx11), left to local use."""
MAX_ISQ_LEVEL = 127
MAX_POINTS = 1024
"""Of a curve. The table ``curve`` has 8192 rows for all profiles of a switch, and a change needs old and new ones."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CommonSettings(_Model):
    """What every scheme has."""

    wq: float = Field(default=0.002, ge=1 / PROBABILITY_ONE, le=1)
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
    spare_empty: bool = False
    """A packet that finds nobody waiting is not chosen on arrival, however large the average still is (ns-2)."""
    once_per_path: StrictBool | Annotated[int, Field(ge=0, le=63)] = False
    """A packet that was told about is told about no more downstream: its DSCP then has all bits of this mask."""

    @property
    def told_mask(self) -> int:
        """The mask of ``once_per_path`` as the P4 takes it; 0: the rule is off."""
        return TOLD_MASK * self.once_per_path if isinstance(self.once_per_path, bool) else self.once_per_path


class TailDrop(CommonSettings):
    """Nothing is marked or dropped early: the queue overflows."""

    scheme: Literal["taildrop"] = "taildrop"


class _Red(AqmSettings):
    minth: DepthField
    """Average queue from which packets are chosen."""
    maxth: DepthField
    """Average queue at which the probability has reached ``maxp``."""
    maxp: float = Field(default=0.1, gt=0, le=1)
    """Probability at ``maxth`` (P1: Pmax)."""
    gentle: bool = True
    """Above ``maxth`` drop with a probability that grows to 1 at twice ``maxth``, instead of always."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        minth, maxth = self.minth.in_pkts(self.mean_packet_bytes), self.maxth.in_pkts(self.mean_packet_bytes)
        if not 0 <= minth < maxth:
            raise ValueError(f"minth ({self.minth}) must be less than maxth ({self.maxth})")
        if maxth > MAX_AVERAGE_PKTS:
            raise ValueError(f"maxth ({self.maxth}) is {maxth:g} packets: the tables hold {MAX_AVERAGE_PKTS:g}")
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
    isq_levels: bool = False
    """Source quenches carry a level that grows from 0 at ``minth`` to 127 at ``maxth``."""


class EcnBecn(_Red):
    """As ``ecn`` below ``becnthresh``, as ``becn`` from there."""

    scheme: Literal["ecn-becn"] = "ecn-becn"
    becnthresh: DepthField
    """Average queue from which marks and drops send source quenches (P0)."""
    isq_levels: bool = False
    """Source quenches carry a level that grows from 0 at ``becnthresh`` to 127 at ``maxth``."""

    @model_validator(mode="after")
    def _becnthresh_lies_between(self) -> Self:
        mean = self.mean_packet_bytes
        if not self.minth.in_pkts(mean) <= self.becnthresh.in_pkts(mean) <= self.maxth.in_pkts(mean):
            raise ValueError(
                f"becnthresh ({self.becnthresh}) must lie between minth ({self.minth}) and maxth ({self.maxth}): "
                "at minth the scheme is becn, at maxth it is ecn"
            )
        return self


class Mecn(_Red):
    """Multilevel ECN (Durresi et al.): ECT(1) marks incipient congestion from ``minth``, CE moderate from ``midth``."""

    scheme: Literal["mecn"] = "mecn"
    midth: DepthField
    """Average queue from which packets are marked with the second level."""

    @model_validator(mode="after")
    def _midth_lies_between(self) -> Self:
        mean = self.mean_packet_bytes
        if not self.minth.in_pkts(mean) <= self.midth.in_pkts(mean) <= self.maxth.in_pkts(mean):
            raise ValueError(f"midth ({self.midth}) must lie between minth ({self.minth}) and maxth ({self.maxth})")
        return self


class EcnMod(_Red):
    """As ``ecn`` with the marking function of Misra and Ott's ECN-mod, for senders that react to each mark a little."""

    scheme: Literal["ecn-mod"] = "ecn-mod"
    c1: float = Field(default=0.0625, gt=0, le=1000)
    """What the senders add to their window for an unmarked ACK, in packets."""
    c2: float = Field(default=0.25, gt=0, le=1)
    """The part of their window that they give up for a marked ACK."""


class Point(_Model):
    """A corner of a user's own curve. What is said here holds from this depth to the next point."""

    depth: DepthField
    """Average queue at this corner."""
    p1: float = Field(ge=0, le=1)
    """Probability of the first mark level (or of a drop) at this depth; straight to the next point's."""
    p2: float = Field(default=0.0, ge=0, le=1)
    """Probability of the second mark level."""
    isq: bool = False
    """A mark or a drop of an ECT packet also sends a source quench."""
    isq_level: float = Field(default=0.0, ge=0, le=MAX_ISQ_LEVEL)
    """Level that the source quench carries, rounded down; straight to the next point's."""
    drop: bool = False
    """A chosen packet is dropped even if it is ECT."""


class UserCurve(AqmSettings):
    """A curve drawn point by point. Behind the last point its probabilities stay."""

    scheme: Literal["curve"] = "curve"
    points: tuple[Point, ...] = Field(min_length=1, max_length=MAX_POINTS)
    """The curve's corners, by ascending depth."""
    level1_codepoint: Literal["ect1", "ce"] = "ce"
    """ECN codepoint that the first mark level writes (RFC 3168)."""
    level2_codepoint: Literal["ect1", "ce"] = "ce"
    """ECN codepoint that the second mark level writes."""

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        for index, (left, right) in enumerate(pairwise(self.points), 1):
            if left.depth.in_pkts(self.mean_packet_bytes) > right.depth.in_pkts(self.mean_packet_bytes):
                raise fault_at(
                    f"the points' depths must not fall: {left.depth} comes before {right.depth}",
                    "points",
                    index,
                    "depth",
                )
        return self


def fault_at(message: str, *place: str | int) -> PydanticCustomError:
    """A fault that a model as a whole finds, with the keys that lead to where it lies."""
    return PydanticCustomError("fault", "{message}", {"message": message, "place": place})


ProfileSettings = Annotated[
    TailDrop | Red | Ecn | Becn | EcnBecn | Mecn | EcnMod | UserCurve, Field(discriminator="scheme")
]

_ADAPTER: TypeAdapter[ProfileSettings] = TypeAdapter(ProfileSettings)

_SCHEME_MODELS: tuple[type[CommonSettings], ...] = (TailDrop, Red, Ecn, Becn, EcnBecn, Mecn, EcnMod, UserCurve)
SCHEMES: tuple[str, ...] = tuple(model.model_fields["scheme"].default for model in _SCHEME_MODELS)


def parse_settings(values: dict[str, Any]) -> ProfileSettings:
    """The settings that ``values`` says. Raises pydantic.ValidationError."""
    return _ADAPTER.validate_python(values)


def fields_of(scheme: str) -> frozenset[str]:
    """The names of a scheme's settings. Raises KeyError."""
    return frozenset(dict(zip(SCHEMES, _SCHEME_MODELS, strict=True))[scheme].model_fields)
