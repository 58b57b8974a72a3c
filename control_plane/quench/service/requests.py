# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller's socket may be asked: the only declaration of it, for server, client and documentation."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from quench.config.model import IsqMode, MeterConfig, PortNumber, QueueNumber
from quench.profiles import ProfileSettings
from quench.units import RateField

MAX_REPORTS = 10_000
"""In one answer; ask again from the last one's time on."""
SwitchName = Annotated[str, Field(max_length=256)]


class Request(BaseModel):
    """The parameters of one method. The docstrings are the documentation's sentences."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: ClassVar[str]


class OfSwitches(Request):
    """About one switch, or about all."""

    switch: SwitchName | None = None


class Ping(Request):
    """Whether each switch is connected and programmed."""

    method = "ping"


class ThresholdsShow(OfSwitches):
    """The profile of each queue."""

    method = "thresholds.show"


class ThresholdsSet(Request):
    """Give a queue a profile under traffic."""

    method = "thresholds.set"

    switch: SwitchName
    port: PortNumber
    queue: QueueNumber | None = None
    rate: RateField | None = None
    settings: ProfileSettings


class IsqShow(OfSwitches):
    """Who sends source quenches, and how many the switch may send."""

    method = "isq.show"


class IsqSet(OfSwitches):
    """Change that; what is not given stays."""

    method = "isq.set"

    mode: IsqMode | None = None
    per_queue: MeterConfig | None = None
    """None, said so: no limit."""


class Reports(Request):
    """Queue reports, those after a time of the switch's clock, oldest first, 10 000 at most."""

    method = "reports"

    switch: SwitchName
    since_us: int = Field(default=0, ge=0, lt=2**63)


class Stats(OfSwitches):
    """Counters of the switches and of the controller."""

    method = "stats"


REQUESTS: dict[str, type[Request]] = {
    model.method: model for model in (Ping, ThresholdsShow, ThresholdsSet, IsqShow, IsqSet, Reports, Stats)
}


class InvalidRequestError(ValueError):
    """A line, or a method's parameters, that say nothing. One line of text."""


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
        message = " ".join(fault["msg"].removeprefix("Value error, ").split())[:500]
        texts.append(f"{keys}: {message}" if keys else message)
    return "; ".join(texts)
