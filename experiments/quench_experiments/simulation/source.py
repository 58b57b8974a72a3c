# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traffic: the fields that Python needs. ``simulator/src/traffic`` declares those of each kind, and checks them."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator
from quench_simulator import check_source

from quench_experiments.simulation.base import Model, Name, Seconds, check_by_simulator

WITH_CONNECTIONS = frozenset({"ftp", "files", "web", "messages", "incast"})
"""The kinds that send over connections; the others send datagrams."""
OF_MANY = frozenset({"messages", "incast"})
"""The kinds of which a source has many hosts, each of which may send and receive."""


class Source(Model):
    """A source of traffic: one of the kinds of docs/reference/simulator.md, with the fields of its kind."""

    model_config = ConfigDict(extra="allow")

    name: Name
    kind: str
    group: str | None = None
    """Sources of one group are summed up together in the metrics."""
    start_s: Seconds = 0.0
    stack: Name | None = None
    """The stack of a kind that sends over connections."""
    from_: Name | None = Field(default=None, alias="from")
    """Host that sends."""
    to: Name | None = None
    """Host that receives."""
    servers: tuple[Name, ...] | None = None
    """Web: the hosts that send, in place of ``from``."""
    clients: tuple[Name, ...] | None = None
    """Web: the hosts that receive, in place of ``to``."""

    senders: tuple[Name, ...] | None = None
    """Messages, incast: the hosts that send."""
    receivers: tuple[Name, ...] | None = None
    """Messages, incast: the hosts that receive; None: those that send."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The fields of its kind, as far as they are given."""
        return self.model_extra or {}

    @property
    def sending(self) -> tuple[str, ...]:
        """Its hosts that send."""
        return self.senders or self.servers or tuple(filter(None, [self.from_]))

    @property
    def receiving(self) -> tuple[str, ...]:
        """Its hosts that receive."""
        if self.kind in OF_MANY:
            return self.receivers or self.sending
        return self.clients or tuple(filter(None, [self.to]))

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_by_simulator(check_source, self)
        return self


def mean(value: Any) -> float:
    """The mean of a distribution, as a scenario writes it; 0 for None."""
    if not isinstance(value, Mapping):
        return float(value or 0.0)
    if value["distribution"] == "points":
        return mean_of_points(value["points"], value.get("between", "linear"))
    if value["distribution"] == "uniform":
        return float(value["low"] + value["high"]) / 2
    return float(value["value" if value["distribution"] == "constant" else "mean"])


def mean_of_points(points: Sequence[Sequence[float]], between: str) -> float:
    """The mean of a distribution by its points: values, and the percentages up to them."""
    first = points[0]
    parts = [first[0] * first[1]]
    for (low, before), (high, until) in pairwise(points):
        parts.append((until - before) * (high if between == "steps" else (low + high) / 2))
    return math.fsum(parts) / 100


def message_packets(source: Source, rate_bps: float, duration_s: float, packet_bytes: float) -> float:
    """An estimate of the data packets of a source of many hosts, whose links have this rate."""
    settings = source.settings
    bytes_of_each = mean(settings["message_bytes"])
    if source.kind == "messages":
        loaded = source.receiving if settings.get("load_of") == "receivers" else source.sending
        count: float = settings["load"] * len(loaded) * rate_bps / 8 / bytes_of_each * duration_s
    else:
        period_s = mean(settings.get("period_s"))
        bursts = max(1.0, duration_s / period_s) if period_s else 1.0
        count = bursts * settings["degree"] * settings.get("messages", 1)
    # The last packet of a message is not full, and each has a handshake.
    return count * (bytes_of_each / packet_bytes + 2)
