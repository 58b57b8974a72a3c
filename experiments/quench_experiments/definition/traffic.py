# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of sources: as a definition gives them, and as the simulator takes them."""

import random
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from quench.errors import ConfigError
from quench.profiles.settings import fault_at

from quench_experiments.definition import schemes
from quench_experiments.definition.network import PLACE_SIZE, Hosts
from quench_experiments.definition.quantity import Time
from quench_experiments.definition.workloads import workload
from quench_experiments.simulation.base import Name
from quench_experiments.simulation.source import OF_MANY, WITH_CONNECTIONS, Source

SCHEME_STACK = "scheme"
"""Name of the stack that the run's scheme gives its hosts."""
UNRESPONSIVE_STACK = "unresponsive"
"""Name of the same stack in hosts that do not react to congestion."""
_OF_THE_GROUP = frozenset(
    {"name", "group", "start_s", "from", "to", "servers", "clients", "senders", "receivers", "stack"}
)


def _at_or_between(value: object) -> object:
    return value if isinstance(value, list | tuple) else (value, value)


def _with_workloads(source: object) -> object:
    """The points of each named workload in its place."""
    if not isinstance(source, dict):
        return source
    found = {}
    for key, value in source.items():
        if isinstance(value, dict) and "workload" in value:
            if len(value) > 1:
                raise fault_at("a workload's name stands alone", key)
            try:
                value = workload(value["workload"])
            except ConfigError as error:
                raise fault_at(str(error), key, "workload") from error
        found[key] = value
    return found


class Traffic(BaseModel):
    """Sources that are alike: one group of the metrics."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    group: Name
    count: int = Field(default=1, ge=0, lt=PLACE_SIZE)
    from_: str = Field(alias="from")
    """A place of the topology."""
    to: str
    start: Annotated[tuple[Time, Time], BeforeValidator(_at_or_between)] = (0.0, 0.0)
    """The start: a time, or two times between which each source's start is drawn."""
    stack: str = SCHEME_STACK
    """``scheme``: as the run's scheme says; ``unresponsive``: the same without a reaction (``reacts: false``), if its
    transport has this setting; or the name of another scheme's preset."""
    source: Annotated[dict[str, Any], BeforeValidator(_with_workloads)]
    """The kind of source and its settings (docs/reference/simulator.md)."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        known = (SCHEME_STACK, UNRESPONSIVE_STACK, *schemes.PRESETS)
        if self.stack not in known:
            raise fault_at(f"there is no stack {self.stack!r}: there is {', '.join(known)}", "stack")
        if self.start[0] > self.start[1]:
            raise fault_at("the second time is before the first", "start")
        for key in self.source:
            if key in _OF_THE_GROUP:
                raise fault_at("belongs to the group, not to its source", "source", key)
        return self


def sources(traffic: Traffic, hosts: Hosts, generator: random.Random) -> list[Source]:
    """The group's sources; their hosts are attached. Raises pydantic.ValidationError."""
    kind = str(traffic.source.get("kind"))
    found = []
    for index, name in enumerate(names(traffic)):
        if kind in OF_MANY:
            ends: dict[str, Any] = {"senders": hosts.all_of(traffic.from_)}
            if traffic.to != traffic.from_:
                ends["receivers"] = hosts.all_of(traffic.to)
        elif kind == "web":
            ends = {"servers": hosts.all_of(traffic.from_), "clients": hosts.all_of(traffic.to)}
        else:
            ends = {side: hosts.end(place, index, traffic.count) for side, place in _sides(traffic)}
        if kind in WITH_CONNECTIONS:
            ends["stack"] = traffic.stack
        start_s = generator.uniform(*traffic.start)
        found.append(
            Source.model_validate({"name": name, "group": traffic.group, "start_s": start_s, **ends, **traffic.source})
        )
    return found


def names(traffic: Traffic) -> list[str]:
    """The names of the group's sources."""
    if traffic.count == 1:
        return [traffic.group]
    return [f"{traffic.group}{number}" for number in range(1, traffic.count + 1)]


def one_of(traffic: Traffic, hosts: Hosts) -> Source:
    """One source as the group has. Raises as `sources`."""
    (found,) = sources(traffic.model_copy(update={"count": 1}), hosts, random.Random(0))
    return found


def _sides(traffic: Traffic) -> tuple[tuple[str, str], ...]:
    return ("from", traffic.from_), ("to", traffic.to)
