# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of a program's YAML file. docs/reference/programs.md describes them."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator
from quench_switch.outside.units import (
    MAX_VALUE,
    Depth,
    UnitError,
    parse_depth,
    parse_number,
    parse_rate_bps,
    parse_seconds,
)
from quench_switch.tna.generator import parse_generator

from quench.profiles.settings import fault_at
from quench.programs.templates import EntryTemplate, P4Name, Part, TableTemplate, Template

QueueSettings = Mapping[str, Any]
"""Settings of a queue by name, as people write them: ``target: 15ms``."""
Unit = Literal["ns", "us", "ms", "s", "bytes", "pkts", "bps", "number"]
ROUTE_VARIABLES: Final = frozenset({"prefix", "host", "port", "ingress_port", "source_mac", "destination_mac"})
PORT_VARIABLES: Final = frozenset({"port"})
QUEUE_VARIABLES: Final = frozenset({"port", "queue", "rate_bps"})
_PER_SECOND: Final = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
SettingName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
"""Small letters, digits and ``_``."""


class Setting(Part):
    """A setting of a queue: how it is written, and the number that the program gets."""

    unit: Unit
    """The program's unit. People write times, depths and rates with units of their own; ``number`` has none."""
    default: int | float | str
    """The default value as people write it."""
    scale: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """The program gets the value in ``unit`` times this, rounded: 2^32 for a probability in 2^-32."""
    description: str = Field(default="", max_length=500)
    """The meaning, for people."""

    @model_validator(mode="after")
    def _has_a_default(self) -> Self:
        try:
            self.value(self.default, mean_packet_bytes=1000)
        except ValueError as error:
            raise fault_at(str(error), "default") from error
        return self

    def value(self, given: object, mean_packet_bytes: int) -> int:
        """The program's number. Raises ValueError."""
        number = self._in_unit(given, mean_packet_bytes) * self.scale
        if not 0 <= number <= MAX_VALUE:
            raise ValueError(f"{given!r} is too large")
        return round(number)

    def _in_unit(self, given: object, mean_packet_bytes: int) -> float:
        if self.unit == "bps":
            return parse_rate_bps(given)
        if self.unit in _PER_SECOND:
            return parse_seconds(given) * _PER_SECOND[self.unit]
        if self.unit == "number":
            return parse_number(str(given), 0, MAX_VALUE)
        depth: Depth = parse_depth(given)
        pkts = depth.in_pkts(mean_packet_bytes)
        return pkts if self.unit == "pkts" else pkts * mean_packet_bytes


class CounterNames(Part):
    """Counters with a cell for each port, by what they count. A kind without a name is not counted."""

    seen: P4Name | None = None
    """Packets routed to the port, also those that are dropped then."""
    marked: P4Name | None = None
    """Marked packets."""
    dropped_early: P4Name | None = None
    """Selected by the queue management."""
    dropped_forced: P4Name | None = None
    """Dropped for certain, such as above a threshold."""

    @model_validator(mode="after")
    def _are_distinct(self) -> Self:
        names = [*self.by_role().values()]
        if len(set(names)) < len(names):
            raise ValueError("a counter is named twice: it counts one kind")
        return self

    def by_role(self) -> dict[str, str]:
        """The names that there are, by ``seen``, ``marked``, ``dropped_early`` and ``dropped_forced``."""
        return {role: name for role, name in self.model_dump().items() if name is not None}


class Description(Part):
    """The whole file."""

    title: str = Field(min_length=1, max_length=100)
    """The program's name in reports."""
    p4: str = Field(min_length=1, max_length=1000)
    """The P4 source, or the JSON that a compiler made of it with its P4Info beside it; relative to the file."""
    algorithm: str = Field(default="ecn", max_length=64)
    """The TCP of the hosts that belongs to it, as in docs/hosts.md."""
    mean_packet_bytes: int = Field(default=1000, ge=40, le=65535)
    """The packet size by which depths in bytes become packets, and the reverse."""
    settings: dict[SettingName, Setting] = Field(default={}, max_length=64)
    """The settings of a managed queue."""
    route: TableTemplate
    """The entry of each route: ``$prefix``, ``$port``, ``$source_mac``, ``$destination_mac``. With ``$host`` and
    ``$ingress_port`` there is one for each host of the prefix, and for each port of the switch."""
    port: tuple[EntryTemplate, ...] = Field(default=(), max_length=100)
    """The entries of each port that has a link: ``$port``."""
    queue: tuple[EntryTemplate, ...] = Field(default=(), max_length=100)
    """The entries of each managed queue: ``$port``, ``$queue``, ``$rate_bps``, and the settings."""
    once: tuple[EntryTemplate, ...] = Field(default=(), max_length=1000)
    """The entries of each switch, without variables."""
    packet_generator: tuple[Annotated[str, Field(max_length=40_000)], ...] = Field(default=(), max_length=8)
    """Applications of Tofino's packet generator, as ``quench switch --generate`` has them."""
    counters: CounterNames = CounterNames()
    """The program's counts of marks and drops."""

    @model_validator(mode="after")
    def _variables_are_known(self) -> Self:
        for name in self.settings:
            if name in QUEUE_VARIABLES:
                raise fault_at(f"${name} is given already: name the setting otherwise", "settings", name)
        known = QUEUE_VARIABLES | self.settings.keys()
        places: list[tuple[tuple[str | int, ...], Template, frozenset[str]]] = [
            (("route",), self.route, ROUTE_VARIABLES),
            *((("port", index), each, PORT_VARIABLES) for index, each in enumerate(self.port)),
            *((("queue", index), each, frozenset(known)) for index, each in enumerate(self.queue)),
            *((("once", index), each, frozenset()) for index, each in enumerate(self.once)),
        ]
        for place, entry, allowed in places:
            for name in sorted(entry.variables() - allowed):
                these = ", ".join(f"${each}" for each in sorted(allowed)) or "no variable"
                raise fault_at(f"${name} means nothing here: write {these}", *place)
        return self

    @model_validator(mode="after")
    def _applications_can_be_read(self) -> Self:
        for index, application in enumerate(self.packet_generator):
            try:
                number, _ = parse_generator(application)
            except UnitError as error:
                raise fault_at(str(error), "packet_generator", index) from error
            if any(parse_generator(other)[0] == number for other in self.packet_generator[:index]):
                raise fault_at(f"application {number} is given twice", "packet_generator", index)
        return self

    def templates(self) -> tuple[EntryTemplate, ...]:
        """All entries, in the order in which a switch gets them."""
        return (*self.once, self.route, *self.port, *self.queue)

    def values(self, given: QueueSettings) -> dict[str, int]:
        """The program's numbers for all settings, the defaults for those that are not given. Raises ValueError."""
        for name in given:
            if name not in self.settings:
                raise ValueError(f"{self.title} has no setting {name!r}: it has {', '.join(self.settings) or 'none'}")
        found = {}
        for name, setting in self.settings.items():
            try:
                found[name] = setting.value(given.get(name, setting.default), self.mean_packet_bytes)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        return found
