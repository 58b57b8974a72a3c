# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The requests of the controller's socket: their only declaration, for server, client and documentation."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from quench.config.fields import PortNumber, QueueNumber
from quench.config.isq import IsqMode, MeterConfig
from quench.errors import message_of
from quench.feed.model import CHANGED, MOST_FLOWS, MOST_HOSTS, Change, FlowSample, HostSample
from quench.profiles import ProfileSettings
from quench.service.answers import FeedAnswer, FlowsAnswer, IsqRow, ProfileAnswer, ReportRow, StatsRow, ThresholdsRow
from quench.units import DepthField, RateField

MAX_REPORTS = 10_000
"""Most queue reports in one answer; the next request asks for those after the last one."""
MOST_WAIT_S = 10.0
"""Longest wait for news of the feed in one request."""
MAX_CHANGES = 100
"""Most settings in a change of a profile: more than any scheme has."""
_LATER = ConfigDict(defer_build=True)
SwitchName = Annotated[str, Field(max_length=256)]
SettingName = Annotated[str, Field(max_length=64)]


class Request(BaseModel):
    """The parameters of one method. The reference of the socket shows the docstrings."""

    # A model takes milliseconds to build: the first request of its kind pays for it, and not the start.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    method: ClassVar[str]
    answer: ClassVar[TypeAdapter[Any]]
    """Checks the result."""


class OfSwitches(Request):
    """A request about one switch, or about all."""

    switch: SwitchName | None = None
    """Its name in the configuration; None: all switches."""


class Ping(Request):
    """Whether each switch is connected and programmed."""

    method = "ping"
    answer = TypeAdapter(dict[str, bool], config=_LATER)


class ThresholdsShow(OfSwitches):
    """The profile of each queue."""

    method = "thresholds.show"
    answer = TypeAdapter(list[ThresholdsRow], config=_LATER)


class ThresholdsSet(Request):
    """Change a queue's profile under traffic, or give it a new one: one atomic change."""

    method = "thresholds.set"
    answer = TypeAdapter(ProfileAnswer)

    switch: SwitchName
    """Its name in the configuration."""
    port: PortNumber
    """The egress port."""
    queue: QueueNumber | None = None
    """None: the port's only queue that has a profile."""
    rate: RateField | None = None
    """Rate of the port; None: as the configuration says."""
    buffer: DepthField | None = None
    """Capacity of the port's queues, for thresholds in percent; None: as the configuration or the last change says."""
    settings: ProfileSettings | None = None
    """A whole profile, in which settings that are left out have their defaults; None: that of the queue."""
    changes: dict[SettingName, Any] = Field(default={}, max_length=MAX_CHANGES)
    """Settings to change in it, by name; with another ``scheme`` the settings stay that it knows too."""
    unset: tuple[SettingName, ...] = Field(default=(), max_length=MAX_CHANGES)
    """Settings that go back to their defaults."""


class IsqShow(OfSwitches):
    """The sender of source quenches, and the limit of those that the switch sends."""

    method = "isq.show"
    answer = TypeAdapter(list[IsqRow], config=_LATER)


class IsqSet(OfSwitches):
    """Change the sender or the limit; a parameter that is left out stays as it is."""

    method = "isq.set"
    answer = TypeAdapter(list[IsqRow], config=_LATER)

    mode: IsqMode | None = None
    """``cpu``: the controller; ``dataplane``: the switch; ``off``: nobody."""
    per_queue: MeterConfig | None = None
    """Limit of the switch's own source quenches about one queue; null: no limit."""


class Reports(Request):
    """Queue reports, oldest first: those after a number, 10 000 at most; without a number the newest of each queue."""

    method = "reports"
    answer = TypeAdapter(list[ReportRow], config=_LATER)

    switch: SwitchName
    """Its name in the configuration."""
    after: int | None = Field(default=None, ge=0, lt=2**63)
    """The number of the last report that the caller has; 0: none."""


class Stats(OfSwitches):
    """Counters of the switches and of the controller."""

    method = "stats"
    answer = TypeAdapter(list[StatsRow], config=_LATER)


class Feed(Request):
    """News of the feed: samples, events and the layout. Ten samples a second are made while this is asked for."""

    method = "feed"
    answer = TypeAdapter(FeedAnswer)

    epoch: Annotated[str, Field(max_length=64)] = ""
    """The epoch of the last answer; empty at first."""
    number: int = Field(default=0, ge=0, lt=2**63)
    """The number of the last answer."""
    wait_s: float = Field(default=0.0, ge=0, le=MOST_WAIT_S)
    """Longest time to wait for news, in seconds."""


class FeedChange(Request, Change):
    """Change a queue's profile, its port's rate and the sender of source quenches at once."""

    method = "feed.change"
    answer = CHANGED


class FeedFlows(Request):
    """Hand in hosts and their TCP connections, for the samples of the next two seconds."""

    method = "feed.flows"
    answer = TypeAdapter(FlowsAnswer)

    reporter: Annotated[str, Field(max_length=100)]
    """The name of the client, whose hosts and flows of before they replace."""
    hosts: list[HostSample] = Field(max_length=MOST_HOSTS)
    """The hosts that run quench-host."""
    flows: list[FlowSample] = Field(max_length=MOST_FLOWS)
    """The TCP connections at their senders."""


REQUESTS: dict[str, type[Request]] = {
    model.method: model
    for model in (
        Ping,
        ThresholdsShow,
        ThresholdsSet,
        IsqShow,
        IsqSet,
        Reports,
        Stats,
        Feed,
        FeedChange,
        FeedFlows,
    )
}


class InvalidRequestError(ValueError):
    """A line or parameters that are no request. The message is one line."""


class _Envelope(BaseModel):
    model_config = ConfigDict(extra="forbid")

    method: str
    params: dict[str, Any] = {}


_ENVELOPE = TypeAdapter(_Envelope)


def parse_line(line: bytes) -> Request:
    """The request that a line holds. Raises InvalidRequestError."""
    try:
        envelope = _ENVELOPE.validate_json(line)
    except ValidationError as error:
        raise InvalidRequestError(f"not a request: {_sentences(error)}") from None
    return make(envelope.method, envelope.params)


def make(method: str, params: dict[str, Any]) -> Request:
    """The request with these parameters. Raises InvalidRequestError."""
    model = REQUESTS.get(method)
    if model is None:
        known = ", ".join(sorted(REQUESTS))
        raise InvalidRequestError(f"there is no method {method[:100]!r}: known are {known}")
    try:
        return model.model_validate(params)
    except ValidationError as error:
        raise InvalidRequestError(_sentences(error)) from None


def _sentences(error: ValidationError) -> str:
    texts = []
    for fault in error.errors(include_url=False, include_input=False)[:5]:
        keys = ".".join(str(part) for part in fault["loc"])
        message = " ".join(message_of(fault).split())[:500]
        texts.append(f"{keys}: {message}" if keys else message)
    return "; ".join(texts)
