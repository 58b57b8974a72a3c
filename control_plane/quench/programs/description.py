# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of a program's YAML file. docs/reference/programs.md describes them."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from quench_switch.outside.units import UnitError, parse_rate_bps
from quench_switch.port_options import LEAST_WEIGHT, MOST_WEIGHT
from quench_switch.tna.generator import parse_generator

from quench.profiles.settings import fault_at
from quench.programs.settings import (
    PORT_BOUNDS,
    ManagedPort,
    QueueSettings,
    Setting,
    SettingName,
    numbers,
    out_of_bounds,
)
from quench.programs.templates import EntryTemplate, P4Name, Part, TableTemplate, Template

ROUTE_VARIABLES: Final = frozenset({"prefix", "host", "port", "ingress_port", "source_mac", "destination_mac"})
PORT_VARIABLES: Final = frozenset({"port"})
QUEUE_VARIABLES: Final = frozenset({"port", "queue", "rate_bps"})
ONCE_VARIABLES: Final = frozenset({"seed"})
SHARED_ROUTE_VARIABLES: Final = frozenset({"prefix", "group"})
NEXT_HOP_VARIABLES: Final = frozenset({"group", "port", "source_mac", "destination_mac"})

Scheduler = Literal["strict", "drr", "scfq"]
"""The schedulers between the queues of a port, as the embedded switch names them."""


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
    transport: str | None = Field(default=None, max_length=64)
    """The transport of the simulator's hosts, in place of TCP; docs/reference/simulator.md has those that there are."""
    mean_packet_bytes: int = Field(default=1000, ge=40, le=65535)
    """The packet size by which depths in bytes become packets, and the reverse."""
    settings: dict[SettingName, Setting] = Field(default={}, max_length=64)
    """The settings of a managed queue."""
    rates: dict[str, dict[SettingName, Annotated[int, Field(ge=0, strict=True)]]] = Field(default={}, max_length=100)
    """Variables of a managed queue by the rate of its port, for a program that has numbers of its own for rates:
    ``10Gbps: {rate_code: 1}``. A port of another rate is an error."""
    queues: int = Field(default=1, ge=1, le=8)
    """The queues that a port needs at least. The simulator makes them."""
    scheduler: Scheduler | None = None
    """The scheduler between the queues of a port with a managed queue; None: strict priority. The simulator sets it
    where a link says nothing else."""
    weights: tuple[Annotated[float, Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)], ...] = Field(default=(), max_length=8)
    """The weights of these queues from 0 on, for drr and scfq; a queue without one weighs 1."""
    route: TableTemplate
    """The entry of each route: ``$prefix``, ``$port``, ``$source_mac``, ``$destination_mac``. With ``$host`` and
    ``$ingress_port`` there is one for each host of the prefix, and for each port of the switch."""
    shared_route: TableTemplate | None = None
    """The entry of a route with several next hops: ``$prefix``, ``$group``."""
    next_hops: TableTemplate | None = None
    """The entry of a group of next hops, in a table with an action selector: ``$group``, and for each of its next hops
    ``$port``, ``$source_mac``, ``$destination_mac``."""
    port: tuple[EntryTemplate, ...] = Field(default=(), max_length=100)
    """The entries of each port that has a link: ``$port``."""
    queue: tuple[EntryTemplate, ...] = Field(default=(), max_length=100)
    """The entries of each managed queue: ``$port``, ``$queue``, ``$rate_bps``, and the settings."""
    once: tuple[EntryTemplate, ...] = Field(default=(), max_length=1000)
    """The entries of each switch: ``$seed``, by which a switch shares flows in another way than others."""
    packet_generator: tuple[Annotated[str, Field(max_length=40_000)], ...] = Field(default=(), max_length=8)
    """Applications of Tofino's packet generator, as ``quench switch --generate`` has them."""
    counters: CounterNames = CounterNames()
    """The program's counts of marks and drops."""

    @model_validator(mode="after")
    def _settings_fit(self) -> Self:
        for name, setting in self.settings.items():
            if name in QUEUE_VARIABLES or name in PORT_BOUNDS:
                raise fault_at(f"${name} is given already: name the setting otherwise", "settings", name)
            for bound in sorted(setting.bounds() - self.settings.keys() - PORT_BOUNDS.keys()):
                these = ", ".join(f"${each}" for each in (*self.settings, *PORT_BOUNDS))
                raise fault_at(f"${bound} is no bound: write a number or one of {these}", "settings", name)
        defaults = {
            name: setting.value(setting.default, self.mean_packet_bytes) for name, setting in self.settings.items()
        }
        for name, fault in out_of_bounds(self.settings, {}, defaults, self.mean_packet_bytes, None):
            raise fault_at(fault, "settings", name, "default")
        return self

    @model_validator(mode="after")
    def _weights_fit(self) -> Self:
        if self.weights and self.scheduler not in {"drr", "scfq"}:
            raise fault_at("strict priority has no weights: give the scheduler drr or scfq", "weights")
        if len(self.weights) > self.queues:
            raise fault_at(f"there are {len(self.weights)} weights, and queues: {self.queues}", "weights")
        return self

    @model_validator(mode="after")
    def _rates_fit(self) -> Self:
        for rate, variables in self.rates.items():
            try:
                parse_rate_bps(rate)
            except UnitError as error:
                raise fault_at(str(error), "rates", rate) from error
            if variables.keys() != self.rate_variables:
                names = ", ".join(self.rate_variables)
                raise fault_at(f"each rate has the same variables, the first one {names}", "rates", rate)
            for name in variables:
                if name in QUEUE_VARIABLES or name in self.settings:
                    raise fault_at(f"${name} is given already: name it otherwise", "rates", rate, name)
        if len({parse_rate_bps(rate) for rate in self.rates}) < len(self.rates):
            raise fault_at("a rate is given twice", "rates")
        return self

    @property
    def rate_variables(self) -> frozenset[str]:
        """The variables that each rate has."""
        return frozenset(next(iter(self.rates.values()), {}))

    @model_validator(mode="after")
    def _variables_are_known(self) -> Self:
        if (self.shared_route is None) != (self.next_hops is None):
            raise ValueError("shared_route and next_hops belong together: give both, or none")
        known = QUEUE_VARIABLES | self.settings.keys() | self.rate_variables
        places: list[tuple[tuple[str | int, ...], Template | None, frozenset[str]]] = [
            (("route",), self.route, ROUTE_VARIABLES),
            (("shared_route",), self.shared_route, SHARED_ROUTE_VARIABLES),
            (("next_hops",), self.next_hops, NEXT_HOP_VARIABLES),
            *((("port", index), each, PORT_VARIABLES) for index, each in enumerate(self.port)),
            *((("queue", index), each, frozenset(known)) for index, each in enumerate(self.queue)),
            *((("once", index), each, ONCE_VARIABLES) for index, each in enumerate(self.once)),
        ]
        for place, entry, allowed in places:
            for name in sorted((entry.variables() if entry is not None else set()) - allowed):
                these = ", ".join(f"${each}" for each in sorted(allowed)) or "no variable"
                raise fault_at(f"${name} means nothing here: write {these}", *place)
        return self

    @model_validator(mode="after")
    def _groups_are_told_apart(self) -> Self:
        if self.shared_route is None or self.next_hops is None:
            return self
        if "group" not in self.shared_route.model_copy(update={"match": {}}).variables():
            raise fault_at("it names no $group: write it among the arguments of its action", "shared_route")
        if "$group" not in self.next_hops.match.values():
            raise fault_at("no key is $group: give a match with it, by which the table knows groups", "next_hops")
        if self.next_hops.action is None:
            raise fault_at("each next hop is an action: give one in place of member or group", "next_hops")
        if self.next_hops.rates is not None:
            raise fault_at("the entry of a group has no rates: leave them out", "next_hops", "rates")
        if self.next_hops.ranges is not None:
            raise fault_at("the entry of a group has no ranges: leave them out", "next_hops", "ranges")
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
        shared = [each for each in (self.next_hops, self.shared_route) if each is not None]
        return (*self.once, *shared, self.route, *self.port, *self.queue)

    def values(self, given: QueueSettings, port: ManagedPort | None = None) -> dict[str, int]:
        """The program's numbers for all settings, the defaults for those that are not given. Raises ValueError.

        Without a port, what depends on one is not looked at.
        """
        for name in given:
            if name not in self.settings:
                raise ValueError(f"{self.title} has no setting {name!r}: it has {', '.join(self.settings) or 'none'}")
        return numbers(self.settings, given, self.mean_packet_bytes, port)

    def of_rate(self, rate_bps: int) -> dict[str, int]:
        """The variables that a port of this rate has. Raises ValueError for one that the program has no numbers for."""
        for rate, variables in self.rates.items():
            if parse_rate_bps(rate) == rate_bps:
                return variables
        if self.rates:
            raise ValueError(f"the port has {rate_bps} bit/s: {self.title} has {', '.join(self.rates)}")
        return {}
