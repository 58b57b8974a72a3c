# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of a program's YAML file. docs/reference/programs.md describes them."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from quench_common.units import MAX_VALUE, Depth, parse_depth, parse_number, parse_rate_bps, parse_seconds

from quench.profiles.settings import fault_at

QueueSettings = Mapping[str, Any]
"""Settings of a queue by name, as people write them: ``target: 15ms``."""
Unit = Literal["ns", "us", "ms", "s", "bytes", "pkts", "bps", "number"]
ROUTE_VARIABLES: Final = frozenset({"prefix", "port", "source_mac", "destination_mac"})
QUEUE_VARIABLES: Final = frozenset({"port", "queue", "rate_bps"})
_PER_SECOND: Final = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
SettingName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
"""Small letters, digits and ``_``."""
P4Name = Annotated[str, Field(min_length=1, max_length=200)]
"""A name of P4Info, or a suffix of it that is unique."""
EntryValue = Annotated[int, Field(ge=0, strict=True)] | Annotated[str, Field(max_length=200)]
"""A number, a text that P4Runtime's client reads (such as an address), or ``$NAME``."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Setting(_Model):
    """A setting of a queue: how it is written, and the number that the program gets."""

    unit: Unit
    """The program's unit. People write times, depths and rates with units of their own; ``number`` has none."""
    default: int | float | str
    """As people write it."""
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


class EntryTemplate(_Model):
    """An entry of a table; a text ``$NAME`` stands for a variable."""

    table: P4Name
    """The table's name."""
    match: dict[P4Name, EntryValue] = Field(default={}, max_length=32)
    """Keys by name; none for the default entry."""
    action: P4Name
    """The action's name."""
    arguments: dict[P4Name, EntryValue] = Field(default={}, max_length=64)
    """The action's parameters by name."""
    priority: int | None = Field(default=None, ge=1, lt=1 << 31)
    """For tables with ternary, range or optional keys."""

    def variables(self) -> set[str]:
        """The names behind ``$``."""
        values = (*self.match.values(), *self.arguments.values())
        return {each[1:] for each in values if isinstance(each, str) and each.startswith("$")}

    def filled(self, find: Callable[[str], Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Keys and arguments with the variables' values."""

        def value(each: int | str) -> Any:
            return find(each[1:]) if isinstance(each, str) and each.startswith("$") else each

        return (
            {name: value(each) for name, each in self.match.items()},
            {name: value(each) for name, each in self.arguments.items()},
        )


class CounterNames(_Model):
    """Counters with a cell for each port, by what they count. A kind without a name is not counted."""

    seen: P4Name | None = None
    """Packets routed to the port, also those that are dropped then."""
    marked: P4Name | None = None
    """Marked packets."""
    dropped_early: P4Name | None = None
    """Chosen by the queue management."""
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


class Description(_Model):
    """The whole file."""

    title: str = Field(min_length=1, max_length=100)
    """The program's name in reports."""
    p4: str = Field(min_length=1, max_length=1000)
    """The P4 source, or the JSON that a compiler made of it with its P4Info beside it; relative to the file."""
    algorithm: str = Field(default="ecn", max_length=64)
    """The TCP of the hosts that belongs to it, as in docs/hosts.md."""
    mean_packet_bytes: int = Field(default=1000, ge=40, le=65535)
    """By which depths in bytes become packets, and the reverse."""
    settings: dict[SettingName, Setting] = Field(default={}, max_length=64)
    """The settings of a managed queue."""
    route: EntryTemplate
    """The entry of each route: ``$prefix``, ``$port``, ``$source_mac``, ``$destination_mac``."""
    queue: tuple[EntryTemplate, ...] = Field(default=(), max_length=100)
    """The entries of each managed queue: ``$port``, ``$queue``, ``$rate_bps``, and the settings."""
    once: tuple[EntryTemplate, ...] = Field(default=(), max_length=1000)
    """Entries of each switch, without variables."""
    counters: CounterNames = CounterNames()
    """The program's counts of marks and drops."""

    @model_validator(mode="after")
    def _variables_are_known(self) -> Self:
        for name in self.settings:
            if name in QUEUE_VARIABLES:
                raise fault_at(f"${name} is given already: name the setting otherwise", "settings", name)
        known = QUEUE_VARIABLES | self.settings.keys()
        places: list[tuple[tuple[str | int, ...], EntryTemplate, frozenset[str]]] = [
            (("route",), self.route, ROUTE_VARIABLES),
            *((("queue", index), each, frozenset(known)) for index, each in enumerate(self.queue)),
            *((("once", index), each, frozenset()) for index, each in enumerate(self.once)),
        ]
        for place, entry, allowed in places:
            for name in sorted(entry.variables() - allowed):
                these = ", ".join(f"${each}" for each in sorted(allowed)) or "no variable"
                raise fault_at(f"${name} means nothing here: write {these}", *place)
        return self

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
