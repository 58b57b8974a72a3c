# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A compiled program with its description: the P4Runtime entities that a controller writes for it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_network
from typing import Any, Final

import finsy as fy
from finsy.p4schema import P4MatchType
from google.protobuf import text_format
from pydantic import BaseModel, ConfigDict
from quench_switch.arch import architecture
from quench_switch.outside.units import Depth, parse_rate_bps

from quench.client.entries import Hops, flow_seed_of, groups_of
from quench.client.pipelines import pipeline_of
from quench.client.schema import read_schema
from quench.config.fields import MAX_PORT
from quench.config.model import RouteConfig
from quench.programs.clones import missing_session
from quench.programs.description import Description
from quench.programs.entities import MALFORMED, ProgramError, entities_of, in_order
from quench.programs.settings import ManagedPort, QueueSettings
from quench.programs.templates import (
    CloneSessionTemplate,
    EntryTemplate,
    MulticastGroupTemplate,
    ProfileTemplate,
    TableTemplate,
)

MOST_ROUTE_ENTRIES = 4096
"""Most entries of one route, where it has one for each host and each port."""
_CALLS_EXTENSION: Final = re.compile(r'"op"\s*:\s*"(time_ns|enqueued|queue_depth)"')
"""A primitive of JSON that the embedded switch alone has."""
_READS_NANOSECONDS: Final = re.compile(r'"op"\s*:\s*"(time_ns|enqueued)"')
"""Those of them that tell the time."""


class SwitchProgram(BaseModel):
    """A program by value: a scenario that has it needs no file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Description
    json_text: str
    """BMv2 JSON."""
    p4info_text: str

    @property
    def p4_schema(self) -> fy.P4Schema:
        """The P4Info for encoding, with the JSON for a switch: for reading. Raises ProgramError."""
        return _schema(self.json_text, self.p4info_text)

    def check_v1model(self) -> None:
        """Raises ProgramError for a program that no controller of a description writes to."""
        if not pipeline_of(self.p4_schema).takes_descriptions:
            raise ProgramError("its program is for TNA: by a description only the simulator runs it")

    @property
    def clock_step_ns(self) -> int:
        """The steps of the program's clock: nanoseconds of TNA or of the extension's time, or v1model's microseconds.

        Raises ProgramError.
        """
        return _clock_step_ns(self.json_text, self.p4info_text)

    @property
    def needs_extension(self) -> bool:
        """Whether the program calls what the embedded switch alone has: BMv2 refuses it."""
        return _CALLS_EXTENSION.search(self.json_text) is not None

    def once(self, switch: str) -> list[Any]:
        """The entities that each switch has once, for that of this name. Raises ProgramError."""
        return _all(self.description.once, {"seed": flow_seed_of(switch)})

    def port(self, port: int) -> list[Any]:
        """The entities of a port. Raises ProgramError."""
        return _all(self.description.port, {"port": port})

    @property
    def takes_groups(self) -> bool:
        """Whether a route may have several next hops."""
        return self.description.next_hops is not None

    def routes(self, configs: Sequence[RouteConfig], ports: Sequence[int]) -> list[Any]:
        """The entries of a switch's routes, behind those of groups of next hops. Raises ProgramError."""
        groups = {hops: number for number, hops in enumerate(groups_of(configs), start=1)}
        return [
            *(self._group(number, hops) for hops, number in groups.items() if self.takes_groups),
            *(entry for config in configs for entry in self._route(config, groups, ports)),
        ]

    def _group(self, number: int, hops: Hops) -> fy.P4TableEntry:
        """The entry of a group of next hops, each of which is one action of the same set."""
        assert self.description.next_hops is not None
        ((first,), *others) = [
            entities_of(self.description.next_hops, {"group": number, **hop.model_dump()}) for hop in hops
        ]
        actions = [first.action, *(each.action for (each,) in others)]
        return fy.P4TableEntry(
            first.table_id, match=first.match, action=fy.P4IndirectAction([(1, each) for each in actions])
        )

    def _route(self, config: RouteConfig, groups: Mapping[Hops, int], ports: Sequence[int]) -> list[Any]:
        """The entries of a route in a switch with these ports. Raises ProgramError."""
        if len(config.hops) > 1:
            shared = self.description.shared_route
            if shared is None:
                raise ProgramError(
                    f"the route to {config.prefix} has {len(config.hops)} next hops, and {self.description.title} has "
                    "no next_hops: give one"
                )
            return entities_of(shared, {"prefix": config.prefix, "group": groups[config.hops]})
        template = self.description.route
        used = template.variables()
        each_port = ports if "ingress_port" in used else (None,)
        hosts = config.prefix.num_addresses if "host" in used else 1
        if hosts * len(each_port) > MOST_ROUTE_ENTRIES:
            raise ProgramError(
                f"the route to {config.prefix} takes {hosts * len(each_port)} entries, one for each host and each port "
                f"that packets come by: {MOST_ROUTE_ENTRIES} are the most; give routes to single hosts"
            )
        known = {"prefix": config.prefix, **config.hops[0].model_dump()}
        return [
            entry
            for host in (config.prefix if "host" in used else (None,))
            for ingress_port in each_port
            for entry in entities_of(template, {**known, "host": host, "ingress_port": ingress_port})
        ]

    def queue(
        self, port: int, queue: int, rate_bps: int, settings: QueueSettings, buffer: Depth | None = None
    ) -> list[Any]:
        """The entities of a managed queue. Raises ValueError for settings that make no sense."""
        known = {"port": port, "queue": queue, "rate_bps": rate_bps, **self.description.of_rate(rate_bps)}
        values = self.description.values(settings, ManagedPort(rate_bps, buffer, self.clock_step_ns))
        return _all(self.description.queue, {**known, **values})

    def check(self) -> None:
        """Encode what there is of each kind. Raises ProgramError with the first that does not fit the program."""
        schema = self.p4_schema
        if self.description.packet_generator and not architecture(schema.arch).has_packet_generator:
            raise ProgramError("packet_generator: only a TNA program, which includes tna.p4, has one")
        self._check_route(schema)
        mac = "00:00:00:00:00:01"
        prefix = ip_network("10.0.0.1/32" if "host" in self.description.route.variables() else "10.0.0.0/8")
        route = RouteConfig(prefix=prefix, port=MAX_PORT, source_mac=mac, destination_mac=mac)
        routes = [route]
        if self.takes_groups:
            routes.append(RouteConfig.model_construct(prefix=route.prefix, next_hops=route.hops * 2))
        in_order((*self.once("s1"), *self.routes(routes[-1:], [MAX_PORT]), *self.port(1)), schema)
        for rate_bps in [parse_rate_bps(each) for each in self.description.rates] or [10_000_000]:
            in_order((*self.routes([route], [MAX_PORT]), *self._queue_of_defaults(rate_bps)), schema)
        for name in self.description.counters.by_role().values():
            try:
                fy.P4CounterEntry(name, index=MAX_PORT).encode(schema)
            except MALFORMED as error:
                raise ProgramError(f"counter {name}: {error}") from error
        try:
            missing = missing_session(self.json_text, self.description.templates())
        except (*MALFORMED, RecursionError) as error:
            raise ProgramError(f"it is no BMv2 JSON: {error}") from error
        if missing is not None:
            raise ProgramError(missing)

    def _queue_of_defaults(self, rate_bps: int) -> list[Any]:
        """The entities of a queue with the defaults, whether they fit a port of this rate or not."""
        known = {"port": 1, "queue": 0, "rate_bps": rate_bps, **self.description.of_rate(rate_bps)}
        return _all(self.description.queue, {**known, **self.description.values({})})

    def _check_route(self, schema: fy.P4Schema) -> None:
        """Raises ProgramError for a prefix in place of an address."""
        route = self.description.route
        try:
            fields = schema.tables[route.table].match_fields
            exact = [name for name in route.match if fields[name].match_type == P4MatchType.EXACT]
        except MALFORMED as error:
            raise ProgramError(f"an entry of table {route.table} does not fit the program: {error}") from error
        for name in exact:
            if route.match[name] == "$prefix":
                raise ProgramError(
                    f"table {route.table}: its key {name} is exact, which $prefix is not: write $host, by which a "
                    "route has an entry for each host"
                )

    def tables(self) -> list[str]:
        """The tables that the description writes, each once."""
        names = (each.table for each in self.description.templates() if isinstance(each, TableTemplate))
        return list(dict.fromkeys(names))

    def copies(self) -> list[fy.P4CloneSessionEntry | fy.P4MulticastGroupEntry]:
        """An empty entity of each kind of copies that the description makes."""
        used = {type(each) for each in self.description.templates()}
        found: list[fy.P4CloneSessionEntry | fy.P4MulticastGroupEntry] = []
        if CloneSessionTemplate in used:
            found.append(fy.P4CloneSessionEntry())
        if MulticastGroupTemplate in used:
            found.append(fy.P4MulticastGroupEntry())
        return found

    def profiles(self) -> list[str]:
        """The action profiles whose members and groups the description writes, each once."""
        names = (each.profile for each in self.description.templates() if isinstance(each, ProfileTemplate))
        return list(dict.fromkeys(names))


@lru_cache(maxsize=16)
def _schema(json_text: str, p4info_text: str) -> fy.P4Schema:
    """Kept, because each point of an experiment and each queue of a network asks for it, and it takes 20 ms."""
    try:
        return read_schema(p4info_text.encode(), json_text.encode())
    except (*MALFORMED, text_format.ParseError) as error:
        raise ProgramError(f"it is no P4Info: {' '.join(str(error).split())}") from error


@lru_cache(maxsize=16)
def _clock_step_ns(json_text: str, p4info_text: str) -> int:
    """Kept, because each queue of a network asks for it, and the JSON is long."""
    has_clock = architecture(_schema(json_text, p4info_text).arch).has_clock
    return 1 if has_clock or _READS_NANOSECONDS.search(json_text) is not None else 1000


def _all(templates: Iterable[EntryTemplate], variables: dict[str, Any]) -> list[Any]:
    return [entity for each in templates for entity in entities_of(each, variables)]
