# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of every scheme's declaration: common settings, and the properties that the rest of Quench reads.

Each file in ``schemes/`` declares one scheme as a class. Its fields are the settings that a user writes; a field
with a description is also an option of the command line. Its methods are the curve. Its class variables say how the
demo, the topologies and the experiments run it.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from quench_switch.outside.units import format_rate_bps

from quench.errors import message_of
from quench.profiles.formats import LEAST_WEIGHT, MAX_DEPTH_PKTS
from quench.profiles.segment import MAX_ISQ_LEVEL, Segment
from quench.units import AdviceField, Depth, ProbabilityField, RelativeDepth, SecondsField, Threshold, ThresholdField

MarkAt = Literal["head", "tail"]
DepthKind = Literal["average", "now"]
ONCE_PER_PATH_MASK = 0b000011
"""DSCP bits of ``once_per_path: true``: pool 2 of RFC 2474 (xxxx11), left to local use."""
ISQ_LEVELS = 128
"""The number of steps of the level, from the queue where source quenches begin to maxth."""
ECT1 = 0b01
CE = 0b11
N1_RATE_BPS = 10_000_000
"""Rate of the bottleneck in the papers' network N1, whose thresholds are the defaults, scaled to the port's rate."""
OTHER_SHAPES = "the scheme 'curve' takes any shape"
"""The hint at the end of a refusal of contradictory thresholds."""
N1_MINTH_BYTES = 15_000
N1_MAXTH_BYTES = 45_000


class Model(BaseModel):
    """A part of a profile: frozen, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CommonSettings(Model):
    """Settings of every scheme."""

    host_algorithm: ClassVar[str]
    """TCP of the scheme's hosts, as ``quench-host`` names it (docs/hosts.md)."""
    shared_with_hosts: ClassVar[tuple[str, ...]] = ()
    """Settings that the hosts need too; they are parameters of the same names there."""
    sends_isqs: ClassVar[bool] = False
    """Marks or drops of the scheme send source quenches."""
    variant: ClassVar[str | None] = None
    """The setting that VALUE is in ``quench demo --scheme SCHEME:VALUE``."""
    depths_by_topology: ClassVar[Mapping[str, str]] = {}
    """Depths for which the topologies have a value under another name (minth, midth, becnthresh or maxth)."""
    fixed: ClassVar[frozenset[str]] = frozenset()
    """Settings of all schemes that can have one value only in this one, so nobody is asked for it."""

    if TYPE_CHECKING:
        # Each scheme has this field as a Literal, by which pydantic chooses the class.
        scheme: str

    wq: float = Field(default=0.002, ge=LEAST_WEIGHT, le=1, description="Weight of one sample in the average queue.")
    """Weight of one sample in the average queue."""
    mean_packet_bytes: int = Field(default=1000, ge=40, le=65535, description="Size of the mean IP packet.")
    """Mean IP packet: turns bytes into packets, and times the decay of the average while the queue is idle."""
    report_interval: SecondsField = Field(
        default=0.1, ge=0, le=4000, description="Shortest time between two queue reports; 0 switches them off."
    )
    """Shortest time between two queue reports to the controller, in seconds; 0 switches them off."""

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """The names of the settings that are chosen for the scheme."""
        return tuple(name for name in cls.model_fields if name not in cls.fixed)

    @abstractmethod
    def segments(self) -> list[Segment]:
        """The curve's pieces in ascending order; those without length do not count."""

    def in_pkts(self, depth: Threshold | None) -> float:
        """A depth in packets of mean size. Raises ValueError for a threshold that only ``at_rate`` knows."""
        if depth is None:
            raise ValueError("a threshold is not given, and its default needs the port's rate")
        if isinstance(depth, RelativeDepth):
            raise ValueError(f"a threshold of {depth} needs the port's rate or buffer")
        return depth.in_pkts(self.mean_packet_bytes)

    def defaults(self, rate_bps: int) -> dict[str, Depth]:  # noqa: ARG002 - of schemes with thresholds
        """The thresholds that are not given, as a port of this rate in bits per second has them."""
        return {}

    @property
    def path_rtt_s(self) -> float | None:
        """The round trip of the path in seconds, for thresholds in ``bdp``; None: it is not given."""
        return None

    def relative(self, at_port: Callable[[RelativeDepth], Threshold]) -> dict[str, Any]:
        """The settings whose thresholds are no depths yet, as JSON with those that these are at a port."""
        found = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: str(at_port(value)) for name, value in found if isinstance(value, RelativeDepth)}

    def at_port(self, rate_bps: int, buffer: Depth | None = None) -> Self:
        """The same settings without thresholds in percent, in time or in bdp.

        Raises ValueError where they contradict others, or are of a buffer that is not known.
        """
        values = self.relative(lambda depth: depth.at_port(rate_bps, buffer, self.path_rtt_s))
        try:
            return self._with(values)
        except ValidationError as error:
            fault = message_of(error.errors()[0])
            raise ValueError(f"{fault}; the port has {format_rate_bps(rate_bps)}") from error

    def at_rate(self, rate_bps: int, buffer: Depth | None = None) -> Self:
        """The same settings with every threshold. Raises ValueError if a default contradicts what is given."""
        settings = self.at_port(rate_bps, buffer)
        taken = settings.defaults(rate_bps)
        try:
            return settings._with({name: str(each) for name, each in taken.items()})
        except ValidationError as error:
            fault = message_of(error.errors()[0])
            names = " and ".join(taken)
            verb = "has its default" if len(taken) == 1 else "have their defaults"
            raise ValueError(f"{fault}; {names} {verb} for {format_rate_bps(rate_bps)}: give other values") from error

    def _with(self, values: dict[str, Any]) -> Self:
        """The same settings but for these. Raises pydantic.ValidationError."""
        return type(self).model_validate(self.model_dump(mode="json", exclude_unset=True) | values) if values else self

    def codepoints(self) -> tuple[int, int]:
        """The two-bit ECN fields that mark levels 1 and 2 write."""
        return CE, CE

    def algorithm(self) -> str:
        """``host_algorithm``, where the settings do not ask for another."""
        return self.host_algorithm

    def named_depths(self) -> list[tuple[str, Depth]]:
        """Depths to show in a picture, with their names; a depth may have none."""
        found = ((name, getattr(self, name)) for name in type(self).model_fields)
        return [(name, value) for name, value in found if isinstance(value, Depth)]


class AqmSettings(CommonSettings):
    """Settings of every scheme that selects packets."""

    byte_mode: bool = Field(default=True, description="Probability in proportion to the packet's size.")
    """A packet is selected with a probability that is proportional to its size."""
    wait: bool = Field(default=True, description="At least 1/p packets between two selected.")
    """At least 1/p packets between two that are selected (ns-2's ``wait_``): gaps are uniform on 1/p..2/p."""
    mark_at: MarkAt = Field(default="head", description="head or tail: when packets leave the queue, or arrive.")
    """The place where marks are decided: ``head``, when the packet leaves the queue; ``tail``, when it arrives."""
    depth: DepthKind = Field(
        default="average", description="average or now: the queue that thresholds are compared with."
    )
    """The queue that decides: its ``average``; or ``now``, the bytes that wait at the moment of the decision."""
    spare_empty: bool = Field(
        default=False, description="Nothing is selected on arrival while no packet waits, as in ns-2."
    )
    """A packet that finds an empty queue is not selected on arrival, however large the average still is (ns-2)."""
    once_per_path: StrictBool | Annotated[int, Field(ge=0, le=63)] = Field(
        default=False, description="No second source quench about a packet further along its path."
    )
    """A packet about which a source quench was sent causes none downstream: its DSCP then has all bits of this mask."""

    rtt: Annotated[SecondsField, Field(gt=0, le=100)] | None = Field(
        default=None, description="Round trip of the path, for thresholds such as 0.5bdp."
    )
    """Round trip of the path, by which thresholds in ``bdp``, the bandwidth-delay product, are depths; null: such
    thresholds are refused."""

    @model_validator(mode="after")
    def _rtt_is_known(self) -> Self:
        if self.rtt is None:
            self.relative(_refuse_bdp)
        return self

    @property
    def path_rtt_s(self) -> float | None:
        """The setting ``rtt``."""
        return self.rtt

    @property
    def once_per_path_mask(self) -> int:
        """The mask of ``once_per_path`` as the P4 takes it; 0: the rule is off."""
        return ONCE_PER_PATH_MASK * self.once_per_path if isinstance(self.once_per_path, bool) else self.once_per_path


class RedSettings(AqmSettings):
    """Settings of every scheme whose probability rises from minth to maxth."""

    minth: ThresholdField | None = Field(
        default=None,
        description="Where packets begin to be selected, such as 15KB or 15pkts. Default: 15KB at 10Mbps, "
        "in proportion at other rates.",
    )
    """Average queue from which packets are selected. Null: N1's 15 KB at 10 Mb/s, in proportion at other rates."""
    maxth: ThresholdField | None = Field(
        default=None, description="Where the probability has reached maxp. Default: 45KB at 10Mbps, as minth."
    )
    """Average queue at which the probability has reached ``maxp``. Null: N1's 45 KB at 10 Mb/s, in proportion."""
    maxp: ProbabilityField = Field(default=0.1, gt=0, description="Probability at maxth, such as 0.1 or 10%.")
    """Probability at ``maxth`` (P1: Pmax)."""
    gentle: bool = Field(default=True, description="Gentle RED above maxth.")
    """Above ``maxth`` drop with a probability that grows to 1 at twice ``maxth``, instead of always."""

    @model_validator(mode="after")
    def _minth_lies_below_maxth(self) -> Self:
        if not known(self.minth, self.maxth):
            return self
        minth, maxth = self.in_pkts(self.minth), self.in_pkts(self.maxth)
        if minth > maxth:
            raise ValueError(f"minth ({self.minth}) must be less than maxth ({self.maxth}); {OTHER_SHAPES}")
        if minth == maxth and self.maxp < 1:
            raise ValueError(
                f"minth ({self.minth}) and maxth ({self.maxth}) are the same, which is a step: it needs maxp 100%; "
                f"{OTHER_SHAPES}"
            )
        if maxth > MAX_DEPTH_PKTS:
            raise ValueError(beyond_depth("maxth", self.maxth, maxth))
        return self

    def defaults(self, rate_bps: int) -> dict[str, Depth]:
        """N1's minth and maxth, scaled: the delay that they mean stays the same."""
        n1_bytes = {"minth": N1_MINTH_BYTES, "maxth": N1_MAXTH_BYTES}
        return {
            name: Depth(float(round(depth_bytes * rate_bps / N1_RATE_BPS)), "bytes")
            for name, depth_bytes in n1_bytes.items()
            if getattr(self, name) is None
        }

    def between(self, defaults: Mapping[str, Depth], part: float) -> Depth:
        """The depth this part of the way from minth to maxth, which have these defaults."""
        minth, maxth = (defaults.get(name) or getattr(self, name) for name in ("minth", "maxth"))
        if minth.unit == maxth.unit == "bytes":
            return Depth(float(round(minth.value + part * (maxth.value - minth.value))), "bytes")
        low, high = self.in_pkts(minth), self.in_pkts(maxth)
        return Depth(round(low + part * (high - low), 3), "pkts")

    @property
    def is_step(self) -> bool:
        """Nothing is selected below maxth, and everything from there on: minth is the same, and maxp is 1."""
        return self.in_pkts(self.minth) == self.in_pkts(self.maxth)

    def ramp(
        self, *, drop: bool = False, isq_from_pkts: float = inf, isq_levels: bool = False, advice: int = 0
    ) -> list[Segment]:
        """RED's ramp from minth to maxth, cut where source quenches begin. A step has no end."""
        minth, maxth = self.in_pkts(self.minth), self.in_pkts(self.maxth)
        if self.is_step:
            isq = isq_from_pkts <= maxth
            level = MAX_ISQ_LEVEL if isq and isq_levels else 0
            advice = advice if isq else 0
            return [Segment(maxth, inf, 1.0, 1.0, 0.0, 0.0, isq, drop, level, level, advice)]
        cut = min(max(isq_from_pkts, minth), maxth)
        at_cut = self.maxp * (cut - minth) / (maxth - minth)
        levels = ISQ_LEVELS if isq_levels else 0
        return [
            Segment(minth, cut, 0.0, at_cut, drop=drop),
            Segment(cut, maxth, at_cut, self.maxp, isq=True, drop=drop, isq_level_end=levels, advice=advice),
        ]

    def above_maxth(self, *, isq: bool = False, isq_levels: bool = False, advice: int = 0) -> list[Segment]:
        """Drops above maxth: always, or with gentle RED's second slope up to 2 * maxth. None above a step."""
        if self.is_step:
            return []
        maxth = self.in_pkts(self.maxth)
        always_from = 2 * maxth if self.gentle else maxth
        level = MAX_ISQ_LEVEL if isq and isq_levels else 0
        return [
            Segment(start, end, p1, 1.0, 0.0, 0.0, isq, True, level, level, advice if isq else 0)
            for start, end, p1 in ((maxth, always_from, self.maxp), (always_from, inf, 1.0))
        ]

    def named_depths(self) -> list[tuple[str, Depth]]:
        """The thresholds, and where gentle RED's slope ends."""
        if not self.gentle or not isinstance(self.maxth, Depth) or not known(self.minth) or self.is_step:
            return super().named_depths()
        return [*super().named_depths(), ("2 maxth", Depth(2 * self.maxth.value, self.maxth.unit))]


class IsqSettings(RedSettings):
    """Settings of every scheme of RED's shape whose marks and drops send source quenches."""

    shared_with_hosts: ClassVar = ("isq_levels",)
    sends_isqs: ClassVar = True

    isq_levels: bool = Field(default=False, description="Source quenches carry a level, 0 to 127.")
    """Source quenches carry a level that grows from 0 where they begin to 127 at ``maxth``."""
    advice: AdviceField = Field(
        default=0, description="Source quenches ask for a reduction such as 30%, or a pause such as 100us."
    )
    """The advice of source quenches: a reduction of the rate, a pause, or ``none``."""
    advice_at_maxth: AdviceField | None = Field(
        default=None, description="Advice from maxth on, about drops. Default: as advice."
    )
    """The advice of source quenches from ``maxth`` on. Null: that of ``advice``."""

    @model_validator(mode="after")
    def _advice_at_maxth_is_about_drops(self) -> Self:
        if self.advice_at_maxth is not None and known(self.minth, self.maxth) and self.is_step:
            raise ValueError("advice_at_maxth is about drops, and a step has none: leave it out")
        return self

    def quenching(self, isq_from_pkts: float) -> list[Segment]:
        """Marks with source quenches from a depth on, and drops with them from maxth; neither if that is maxth."""
        isq = isq_from_pkts != self.in_pkts(self.maxth)
        at_maxth = self.advice if self.advice_at_maxth is None else self.advice_at_maxth
        return [
            *self.ramp(isq_from_pkts=isq_from_pkts, isq_levels=self.isq_levels, advice=self.advice),
            *self.above_maxth(isq=isq, isq_levels=self.isq_levels, advice=at_maxth),
        ]


def _refuse_bdp(depth: RelativeDepth) -> RelativeDepth:
    if depth.unit == "bdp":
        raise ValueError(f"{depth} needs 'rtt', the round trip of the path: give it, such as rtt: 20ms")
    return depth


def known(*thresholds: Threshold | None) -> bool:
    """Whether all of these are depths already, without a port's rate and buffer."""
    return all(isinstance(each, Depth) for each in thresholds)


def beyond_depth(name: str, depth: object, depth_pkts: float) -> str:
    """The fault of a depth that no queue can have."""
    return (
        f"{name} ({depth}) is {depth_pkts:g} packets, more than a queue reports ({MAX_DEPTH_PKTS}): "
        "give a lower one, or a larger mean_packet_bytes"
    )


def fault_at(message: str, *place: str | int) -> PydanticCustomError:
    """A fault that a model as a whole finds, with the keys that lead to where it lies."""
    return PydanticCustomError("fault", "{message}", {"message": message, "place": place})
