# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traffic: ``softswitch/netsim/src/traffic`` reads the same JSON."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from quench_experiments.simulation.base import Dscp, Model, Name, Positive, Seconds


class Constant(Model):
    """Always the same. A scenario may write the number alone."""

    distribution: Literal["constant"] = "constant"
    value: Positive


class Uniform(Model):
    """Even over ``low`` to ``high``."""

    distribution: Literal["uniform"] = "uniform"
    low: Seconds = 0.0
    high: Positive


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
    """From the acknowledgement of the last byte to the next file."""


class Web(_Source):
    """Web sessions of pages of objects, each object over a new connection (P0, P1).

    An object's transfer delay runs from the request to the server's receipt of the ACK of its last packet.
    """

    kind: Literal["web"] = "web"
    servers: tuple[Name, ...] = Field(min_length=1)
    clients: tuple[Name, ...] = Field(min_length=1)
    stack: Name
    sessions: int = Field(ge=1)
    session_interval_s: Distribution
    pages: Distribution
    page_interval_s: Distribution
    objects: Distribution
    object_interval_s: Distribution
    object_pkts: Distribution


class Cbr(_Pair):
    """UDP at a constant rate, on and off for fixed times."""

    kind: Literal["cbr"] = "cbr"
    rate_bps: Positive
    """While it is on, IP headers included."""
    packet_bytes: int = Field(ge=48, le=9000)
    """IP packets."""
    on_s: Positive | None = None
    """None: always on."""
    off_s: Seconds = 0.0
    stop_s: Seconds | None = None
    dscp: Dscp = 0


class OnOff(_Pair):
    """UDP that is on and off for random times: many Pareto ones make a self-similar aggregate."""

    kind: Literal["on_off"] = "on_off"
    rate_bps: Positive
    packet_bytes: int = Field(ge=48, le=9000)
    on_s: Distribution
    off_s: Distribution
    stop_s: Seconds | None = None
    dscp: Dscp = 0


class Voip(_Pair):
    """G.711 calls that arrive as a Poisson process and last for exponential times, with an admission limit (P2)."""

    kind: Literal["voip"] = "voip"
    calls_per_s: Positive
    mean_holding_s: Positive
    max_calls: int = Field(ge=1)
    """Calls at a time; what arrives beyond is blocked."""
    dscp: Dscp = 46


Source = Annotated[Ftp | Files | Web | Cbr | OnOff | Voip, Field(discriminator="kind")]
