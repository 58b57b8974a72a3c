# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traffic: ``simulator/src/traffic`` reads the same JSON."""

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from quench_experiments.simulation.base import Dscp, Ecn, Lasting, Model, Name, NotNegative, Positive, Seconds


class Constant(Model):
    """Always the same. A scenario may write the number alone."""

    distribution: Literal["constant"] = "constant"
    value: NotNegative


class Uniform(Model):
    """Even over ``low`` to ``high``."""

    distribution: Literal["uniform"] = "uniform"
    low: NotNegative
    high: Positive

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low ({self.low:g}) must be less than high ({self.high:g})")
        return self


class Exponential(Model):
    """Exponential with this mean."""

    distribution: Literal["exponential"] = "exponential"
    mean: Positive


class Pareto(Model):
    """Pareto I with this mean: at least ``mean * (shape - 1) / shape``."""

    distribution: Literal["pareto"] = "pareto"
    mean: Positive
    shape: Annotated[float, Field(gt=1, allow_inf_nan=False)]


class ParetoII(Model):
    """Pareto II (Lomax) with this mean: from 0 on."""

    distribution: Literal["pareto_ii"] = "pareto_ii"
    mean: Positive
    shape: Annotated[float, Field(gt=1, allow_inf_nan=False)]


def _number(value: object) -> object:
    return {"distribution": "constant", "value": value} if isinstance(value, int | float) else value


Distribution = Annotated[
    Constant | Uniform | Exponential | Pareto | ParetoII, Field(discriminator="distribution"), BeforeValidator(_number)
]


class _Source(Model):
    name: Name
    group: str | None = None
    """Sources of one group are summed up together in the metrics."""
    start_s: Seconds = 0.0


class _Pair(_Source):
    from_: Name = Field(alias="from")
    """Host that sends."""
    to: Name
    """Host that receives."""


class Ftp(_Pair):
    """One TCP connection that always has data to send, or ``bytes`` of it."""

    kind: Literal["ftp"] = "ftp"
    stack: Name
    start_spread_s: Seconds = 0.0
    """The start is drawn evenly from ``start_s`` to this much later."""
    stop_s: Seconds | None = None
    bytes_: int | None = Field(default=None, alias="bytes", ge=1)


class Files(_Pair):
    """A file over a new connection, a random pause, the next file (P4)."""

    kind: Literal["files"] = "files"
    stack: Name
    start_spread_s: Seconds = 0.0
    """The first start is drawn evenly from ``start_s`` to this much later."""
    file_bytes: Distribution
    """Rounded up."""
    pause_s: Distribution
    """The time from the acknowledgement of the last byte to the next file."""


class Web(_Source):
    """Web sessions of pages of objects, each object over a new connection (P0, P1).

    An object's transfer delay runs from the request to the server's receipt of the ACK of its last packet. The defaults
    are the papers' table.
    """

    kind: Literal["web"] = "web"
    servers: tuple[Name, ...] = Field(min_length=1)
    clients: tuple[Name, ...] = Field(min_length=1)
    """A session's client and a page's server are drawn evenly from these."""
    stack: Name
    sessions: int = Field(default=1000, ge=1)
    inter_session_s: Distribution = Exponential(mean=0.5)
    pages: Distribution = Constant(value=10)
    """The pages of a session; rounded up, as objects and packets are."""
    inter_page_s: Distribution = ParetoII(mean=10, shape=2)
    inter_page_from: Literal["start", "end"] = "end"
    """The beginning of the time to the next page: the first request, or the end of the last object (ns-2's default)."""
    objects_per_page: Distribution = ParetoII(mean=3, shape=1.5)
    inter_object_s: Distribution = ParetoII(mean=0.1, shape=1.5)
    """The time from one request of a page to the next."""
    object_pkts: Distribution
    packet_bytes: int = Field(ge=1, le=8960)
    """Payload of a full packet of the stack: what turns packets into bytes."""
    request_bytes: int | None = Field(default=None, ge=1)
    """Payload of a request; None: one full packet."""


class _Stream(_Pair):
    start_spread_s: Seconds = 0.0
    """The first packet goes at a time drawn evenly from ``start_s`` to this much later."""
    stop_s: Seconds | None = None
    rate_bps: Positive
    """The rate of IP packets while the source is on."""
    packet_bytes: int = Field(ge=48, le=9000)
    """The size of a whole IP packet: 28 bytes of headers and the payload."""
    dscp: Dscp = 0
    ecn: Ecn = 0


class Cbr(_Stream):
    """UDP at a constant rate, on and off for fixed times if both are given."""

    kind: Literal["cbr"] = "cbr"
    on_s: Lasting | None = None
    off_s: Seconds | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if (self.on_s is None) != (self.off_s is None):
            raise ValueError("on_s and off_s come together")
        return self


class OnOff(_Stream):
    """UDP that is on and off for random times: many Pareto ones make a self-similar aggregate."""

    kind: Literal["on_off"] = "on_off"
    on_s: Distribution
    off_s: Distribution


class Voip(_Pair):
    """G.711 calls that arrive as a Poisson process and last for exponential times, with an admission limit (P2).

    One direction of each call is simulated, in talkspurts and silence.
    """

    kind: Literal["voip"] = "voip"
    stop_s: Seconds | None = None
    """The time until which calls arrive; None: the end."""
    calls_per_s: Annotated[float, Field(gt=0, le=1e9)]
    holding_s: Lasting
    """Mean duration of a call."""
    max_calls: int | None = Field(default=None, ge=0)
    """A call that arrives while so many go on is blocked; None: no limit."""
    initial_calls: int = Field(default=0, ge=0)
    """Calls that go on already at the start."""
    packet_s: float = Field(default=0.02, ge=0.002, le=0.175)
    """Voice in a packet: 0.02 s are 160 bytes, 200 with RTP, UDP and IP headers."""
    talk_s: Distribution = Exponential(mean=1.004)
    """ITU-T P.59's mean talkspurt, and pause."""
    silence_s: Distribution = Exponential(mean=1.587)
    dscp: Dscp = 46
    ecn: Ecn = 0
    drain_s: Seconds = 1.0
    """A packet that arrives later than this after the end of its call is lost."""


Source = Annotated[Ftp | Files | Web | Cbr | OnOff | Voip, Field(discriminator="kind")]
