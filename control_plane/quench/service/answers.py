# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The answers of the controller's socket, declared for server and client. A newer controller may add keys."""

from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from quench.config.model import Queue
from quench.feed.model import Update

_OPEN = ConfigDict(extra="allow", defer_build=True)
Digits = Annotated[str, Field(pattern=r"^[0-9]{1,5}$")]
"""A port's number as a key of JSON."""


@with_config(_OPEN)
class SettingsAnswer(TypedDict):
    """A profile's settings, with their units."""

    scheme: str


@with_config(_OPEN)
class ThresholdsRow(TypedDict):
    """A queue's profile."""

    switch: str
    port: int
    queue: int
    rate_bps: int
    connected: bool
    profile: NotRequired[int | None]
    """Its id on the switch; None: the switch is not connected."""
    settings: SettingsAnswer
    defaults: NotRequired[list[str]]
    """The thresholds among the settings that were not given."""


@with_config(_OPEN)
class ProfileAnswer(TypedDict):
    """A profile that was written: its id, its queue, its settings, and those of them that were not given."""

    profile: int
    queue: int
    rate_bps: int
    settings: SettingsAnswer
    defaults: list[str]


def profile_answer(profile_id: int, number: int, queue: Queue) -> ProfileAnswer:
    """The answer about the profile that queue ``number`` of a port got."""
    settings: Any = queue.whole.model_dump(mode="json")
    return ProfileAnswer(
        profile=profile_id, queue=number, rate_bps=queue.rate_bps, settings=settings, defaults=queue.defaults
    )


@with_config(_OPEN)
class LimitAnswer(TypedDict):
    """A limit in messages per second, and messages at once."""

    rate: int
    burst: int


@with_config(_OPEN)
class IsqRow(TypedDict):
    """The sender of a switch's source quenches, and the limit of the switch's own; None: no limit."""

    switch: str
    mode: str
    per_queue: LimitAnswer | None
    connected: bool


@with_config(_OPEN)
class ReportRow(TypedDict):
    """A queue at a moment of the switch's clock; reports are numbered as they arrive."""

    number: Annotated[int, Field(ge=0, lt=2**63)]
    time_us: Annotated[int, Field(ge=0, lt=2**63)]
    port: int
    queue: int
    depth_pkts: int
    average_pkts: float


@with_config(_OPEN)
class Count(TypedDict):
    """A counter of packets and bytes."""

    packets: int
    bytes: int


@with_config(_OPEN)
class PortCounters(TypedDict, total=False):
    """The switch's counters of one port (docs/reference/metrics.md), and those that a user's program has besides."""

    port_seen: Count
    port_marked: Count
    port_dropped_early: Count
    port_dropped_forced: Count
    port_cloned: Count
    port_isq_sent: Count
    port_isq_limited: Count
    port_isq_ipv6: Count
    port_isq_once_per_path: Count
    port_isq_refused: Count
    port_dropped_invalid: Count
    port_dropped_vlan: Count
    port_dropped_isq: Count


@with_config(_OPEN)
class StatsRow(TypedDict):
    """A switch's counters by port, the controller's by reason, and the newest report of each queue."""

    switch: str
    connected: bool
    ports: dict[Digits, PortCounters]
    queues: list[ReportRow]
    packet_ins: dict[str, int]
    isqs_sent: dict[str, int]
    isqs_limited: dict[str, int]
    isqs_refused: dict[str, int]


@with_config(_OPEN)
class FeedAnswer(TypedDict):
    """News of the feed, and the place behind them; None: there are none."""

    epoch: str
    number: Annotated[int, Field(ge=0, lt=2**63)]
    update: Update | None


@with_config(_OPEN)
class FlowsAnswer(TypedDict):
    """Whether anybody watches: if not, nothing more needs to be handed in for a second."""

    watched: bool


@with_config(_OPEN)
class Envelope(TypedDict, total=False):
    """One line of the controller: a result, or an error in a sentence."""

    result: Any
    error: str
