# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed's only declaration: what a sample, an event, the layout and a change are, in Python and as JSON.

All but ``Change`` are dictionaries that are their own JSON. A value that a source cannot know is None, never 0. Keys
that are ``NotRequired`` are absent in the feed of an older controller, which says the same as None.
"""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from quench.config.fields import PortNumber, QueueNumber
from quench.config.isq import IsqMode
from quench.profiles import ProfileSettings
from quench.units import RateField

INTERVAL_S = 0.1
"""Time between two samples while somebody watches."""
IDLE_S = 1.0
"""Time between two samples of a feed that goes on while nobody watches."""
RATE_WINDOW_S = 1.0
"""Rates are means over this time, as far as samples reach back: one mark in a tenth of a second is not ten a second."""
HISTORY_S = 900.0
"""The age in seconds at which a sample leaves the history, where the source has no setting for it."""
WHOLE_S = 60.0
"""Age up to which the history keeps every sample; of older ones it keeps one of each second."""
HISTORY_BYTES = 16 << 20
"""Most bytes of JSON of the history's samples."""
MOST_EVENTS = 1000
"""Events that the history keeps."""
MOST_FLOWS = 200
"""Flows of one sample; those that sent least are left out."""
MOST_HOSTS = 200
SWITCH_NAME_CHARACTERS = 256
_OPEN = ConfigDict(extra="allow", defer_build=True)

Clock = Literal["unix", "run"]
"""The zero of ``time_s``, which is in seconds: 1970, or the beginning of a simulation."""
EventKind = Literal["profile", "isq", "rate", "connected", "disconnected"]
Number = Annotated[int, Field(ge=0, lt=2**63)]


@with_config(_OPEN)
class QueueSample(TypedDict):
    """A queue at a moment. None: the queue has reported nothing lately, because no packet leaves it."""

    queue: int
    depth_pkts: float | None
    average_pkts: float | None
    """The average in packets of the profile's mean size."""
    profile: NotRequired[int | None]
    """Number of the profile that the queue had then (``QueueLayout.number``); None: none, or the source cannot know."""


@with_config(_OPEN)
class PortSample(TypedDict):
    """A port at a moment; the rates are packets per second over ``RATE_WINDOW_S``.

    The P4 program counts by port, so the queues of a port share its rates.
    """

    switch: str
    port: int
    utilisation: float | None
    """Share of the port's rate, 0 to 1, that the packets took which were neither dropped early nor by force."""
    seen_pps: float | None
    """Packets that were routed to the port."""
    marked_pps: float | None
    dropped_early_pps: float | None
    dropped_forced_pps: float | None
    isqs_pps: float | None
    """Source quenches about the port's packets, by the controller and by the switch itself."""
    counters: dict[str, float]
    """The program's other counters by port, by their names in P4Info."""
    queues: list[QueueSample]


@with_config(_OPEN)
class FlowSample(TypedDict):
    """A TCP connection at its sender (``struct tcp_info`` of Linux)."""

    flow: str
    """Its name, the same for its whole life: ``server1 10.0.1.1:40000 > 10.1.1.1:5001``."""
    host: str
    cwnd_pkts: float
    ssthresh_pkts: float | None
    """None: not set yet."""
    srtt_ms: float | None
    acked_bytes: NotRequired[int | None]
    """Bytes acknowledged so far."""
    retransmitted_pkts: int | None
    reductions: int | None
    """Times that ssthresh was seen to change, which each reaction to a mark, a source quench or a loss does."""


@with_config(_OPEN)
class HostSample(TypedDict):
    """A host that runs quench-host."""

    host: str
    algorithm: str
    counters: dict[str, int]
    """The counters of ``quench-host status``, such as ``reactions_isq_marked``: counts so far, without those that are
    0."""


@with_config(_OPEN)
class Sample(TypedDict):
    """Everything at one moment."""

    time_s: float
    ports: list[PortSample]
    flows: list[FlowSample]
    hosts: list[HostSample]


@with_config(_OPEN)
class Event(TypedDict):
    """A change, by the page or by any other client."""

    time_s: float
    kind: EventKind
    switch: str
    port: int | None
    """None: the whole switch."""
    queue: int | None
    text: str
    """A sentence for people, such as ``ecn: minth 15KB, maxth 45KB``; one line."""
    change: NotRequired[int | None]
    """The number of a change of a profile, a rate or the sender of source quenches: 1, 2, 3 and so on in this feed.
    None: the event is no change, but a connection that began or ended."""


@with_config(_OPEN)
class Threshold(TypedDict):
    """A depth of a profile by its name, such as ``minth``; a curve's points have the name ``""``."""

    name: str
    text: str
    """The threshold as it is set, with its unit: ``15KB``."""
    pkts: float
    """The threshold in packets of the profile's mean size, as the average."""
    editable: bool
    """Whether it is a setting of its own, which a change may set; ``2 maxth`` is not."""


@with_config(_OPEN)
class CurvePiece(TypedDict):
    """A straight piece of the marking curve (``quench.profiles.Segment``); ``end_pkts`` None: without end."""

    start_pkts: float
    end_pkts: float | None
    p1_start: float
    p1_end: float
    p2_start: float
    p2_end: float
    isq: bool
    drop: bool


@with_config(_OPEN)
class ProfileLayout(TypedDict):
    """A queue's profile."""

    settings: dict[str, Any]
    """The settings that ``quench.profiles.parse_settings`` takes, with ``scheme``; empty where only the curve can be
    read."""
    thresholds: list[Threshold]
    curve: list[CurvePiece]
    mean_packet_bytes: int | None


@with_config(_OPEN)
class ProgramLayout(TypedDict):
    """A program that manages queues by settings of its own, in place of profiles."""

    title: str
    mean_packet_bytes: int
    """The packet size by which depths become delays."""


@with_config(_OPEN)
class QueueLayout(TypedDict):
    """A queue. None: it has no profile, or the source cannot read it."""

    queue: int
    profile: ProfileLayout | None
    buffer: NotRequired[str]
    """The most that it holds, such as ``90KB``, where the source knows it: thresholds in percent are of it."""
    number: NotRequired[int | None]
    """Number of the profile on the switch, as samples have it; None: the source cannot know it."""
    program: NotRequired[ProgramLayout]
    """The program of a queue that has no profile because of it."""
    reason: NotRequired[str | None]
    """The reason that no sample has the queue's depth, in a sentence; None: samples may have it."""


@with_config(_OPEN)
class PortLayout(TypedDict):
    """A port with queues in the samples."""

    port: int
    rate_bps: int | None
    queues: list[QueueLayout]


@with_config(_OPEN)
class SwitchLayout(TypedDict):
    """A switch. While it is not connected it has no samples."""

    switch: str
    connected: bool
    isq_mode: str | None
    """``cpu``, ``dataplane``, ``off``; None: the source cannot know."""
    ports: list[PortLayout]


@with_config(_OPEN)
class NetworkLink(TypedDict):
    """A link between two nodes; the ports are those of switches, and None at hosts."""

    a: str
    a_port: int | None
    b: str
    b_port: int | None


@with_config(_OPEN)
class NetworkLayout(TypedDict):
    """The network around the switches, by the names of its nodes."""

    hosts: list[str]
    switches: list[str]
    links: list[NetworkLink]


@with_config(_OPEN)
class Playing(TypedDict):
    """The playback of a recording, or the pace of a simulation; the same for all who watch it."""

    duration_s: float | None
    """None: a simulation, which has no end, and does not go back."""
    paused: bool
    speed: float
    """Its seconds in a second."""


@with_config(_OPEN)
class Layout(TypedDict):
    """Everything that changes rarely. It comes first, and whole again after each change."""

    title: str
    """The source, for people."""
    clock: Clock
    can_change: bool
    """Whether ``change`` may succeed: not in a recording."""
    changes_isq: bool
    """Whether a change may name ``isq_mode``."""
    playing: Playing | None
    """None: live."""
    switches: list[SwitchLayout]
    network: NotRequired[NetworkLayout | None]
    """None: the source does not know it."""


@with_config(_OPEN)
class Update(TypedDict):
    """News since the update before it."""

    layout: Layout | None
    """None: as before."""
    samples: list[Sample]
    """Oldest first."""
    events: list[Event]
    """Oldest first."""
    restarted: bool
    """The source began anew (another controller, a recording that was wound back): forget samples and events."""
    lost: str | None
    """A sentence where the source is gone for now; None: it is there. The iteration goes on."""


class Change(BaseModel):
    """One atomic change of a queue, under traffic. A field that is left out changes nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    switch: Annotated[str, Field(max_length=SWITCH_NAME_CHARACTERS)]
    """Its name in the layout."""
    port: PortNumber
    """The egress port."""
    queue: QueueNumber = 0
    """The queue of the port."""
    settings: ProfileSettings | None = None
    """The whole new profile: the layout's settings with what changes."""
    rate: RateField | None = None
    """Rate of the port's link, such as ``10Mbps``."""
    isq_mode: IsqMode | None = None
    """The sender of the switch's source quenches, for all of its queues."""


@with_config(_OPEN)
class Changed(TypedDict):
    """The answer to a change: what holds now. The feed has its event and layout too."""

    profile: int | None
    """Id of the profile on the switch; None: the profile did not change."""
    settings: dict[str, Any]
    rate_bps: int
    isq_mode: str | None


UPDATE: TypeAdapter[Update] = TypeAdapter(Update)
SAMPLE: TypeAdapter[Sample] = TypeAdapter(Sample)
CHANGED: TypeAdapter[Changed] = TypeAdapter(Changed)
