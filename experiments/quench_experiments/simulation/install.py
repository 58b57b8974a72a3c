# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing a router's tables before it runs: routes by shortest paths, and the control plane's own entries."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, collapse_addresses
from typing import Any

import finsy as fy
from finsy.proto import p4r
from quench.client import entries
from quench.client.pipelines import Pipeline
from quench.client.tables import entry_of, identity
from quench.config.model import NextHopConfig, RouteConfig
from quench.programs import SwitchProgram
from quench.programs.entities import in_order, is_value
from quench_simulator import HOST_IPV6_PREFIX
from quench_switch import Control, DataPlaneError
from quench_switch.p4runtime.entities import Entities
from quench_switch.tna.generator import parse_generator

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.chip import Chip, at_slowdown
from quench_experiments.simulation.scenario import Router, Scenario, own_queue, split_queue

_HOST_ADDRESSES = IPv6Network(HOST_IPV6_PREFIX)
_HOST_MACS = 0x0200 << 32
_ROUTER_MACS = 0x0600 << 32
"""Both locally administered; the rest is the host's address, or the router's number and port."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A link as one of its ends sees it."""

    neighbour: str
    mac: str
    neighbour_mac: str


class Paths:
    """The routes of all routers of a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._takes_all = scenario.equal_paths == "all"
        stacks = {source.stack for source in scenario.sources}
        self._has_ipv6 = any(stack.ip_version == 6 for name, stack in scenario.stacks.items() if name in stacks)
        """Some hosts send IPv6."""
        self._hosts = {host.name: host.address for host in scenario.hosts}
        routers = {router.name: number for number, router in enumerate(scenario.routers)}
        used = dict.fromkeys(routers, 0)
        self._edges: dict[str, list[_Edge]] = {name: [] for name in (*self._hosts, *routers)}
        """The links of each node, in the order of a router's ports from 1 on."""
        for link in scenario.links:
            macs = []
            for end in (link.a, link.b):
                if end in routers:
                    used[end] += 1
                    macs.append(_mac(_ROUTER_MACS | routers[end] << 16 | used[end]))
                else:
                    macs.append(host_mac(self._hosts[end]))
            self._edges[link.a].append(_Edge(link.b, macs[0], macs[1]))
            self._edges[link.b].append(_Edge(link.a, macs[1], macs[0]))
        for host in scenario.hosts:
            if host.nic is not None:
                out, back = (_mac(_ROUTER_MACS | routers[host.nic] << 16 | port) for port in (1, 2))
                (edge,) = self._edges[host.name]
                self._edges[host.nic] = [
                    _Edge(edge.neighbour, out, edge.neighbour_mac),
                    _Edge(host.name, back, host_mac(host.address)),
                ]

    def routes(self, router: str) -> list[RouteConfig]:
        """A router's routes to every host: the fewest hops, and of equally short ways as the scenario says.

        Hosts behind another router share a route where their addresses fill a prefix. IPv6 has the same routes as IPv4
        where a source's stack sends it. Raises SimulationError.
        """
        first_ports = self._first_ports(router)
        attached: list[tuple[IPv4Network, tuple[int, ...]]] = []
        behind: dict[tuple[int, ...], list[IPv4Network]] = {}
        for name, address in self._hosts.items():
            ports = first_ports.get(name)
            if ports is None:
                raise SimulationError(f"links: no way leads from router {router!r} to host {name!r}")
            if self._edges[router][ports[0] - 1].neighbour == name:
                attached.append((IPv4Network(address), ports))
            else:
                behind.setdefault(ports, []).append(IPv4Network(address))
        through = [(prefix, ports) for ports in sorted(behind) for prefix in collapse_addresses(behind[ports])]
        hops = {ports: tuple(self._hop(router, port) for port in ports) for _, ports in attached + through}
        routes = [self._route(prefix, hops[ports]) for prefix, ports in attached + through]
        if self._has_ipv6:
            routes += [self._route(ipv6_network(prefix), hops[ports]) for prefix, ports in attached + through]
        return routes

    def _route(self, prefix: IPv4Network | IPv6Network, hops: tuple[NextHopConfig, ...]) -> RouteConfig:
        if len(hops) > 1:
            return RouteConfig(prefix=prefix, next_hops=hops)
        return RouteConfig(prefix=prefix, **hops[0].model_dump())

    def _hop(self, router: str, port: int) -> NextHopConfig:
        edge = self._edges[router][port - 1]
        return NextHopConfig(port=port, source_mac=edge.mac, destination_mac=edge.neighbour_mac)

    def _first_ports(self, router: str) -> dict[str, tuple[int, ...]]:
        """The ports by which the shortest ways to each node begin, where there is one; only routers pass packets on."""
        first: dict[str, set[int]] = {router: set()}
        hops = {router: 0}
        todo = deque([router])
        while todo:
            node = todo.popleft()
            if node in self._hosts:
                continue
            for port, edge in enumerate(self._edges[node], 1):
                if edge.neighbour not in hops:
                    hops[edge.neighbour] = hops[node] + 1
                    first[edge.neighbour] = set()
                    todo.append(edge.neighbour)
                # A node is left after all that are nearer, so its own ports are complete by then.
                if hops[edge.neighbour] == hops[node] + 1:
                    first[edge.neighbour] |= {port} if node == router else first[node]
        del first[router]
        return {node: tuple(sorted(ports) if self._takes_all else [min(ports)]) for node, ports in first.items()}


def ipv6_network(prefix: IPv4Network) -> IPv6Network:
    """The IPv6 addresses of the hosts of an IPv4 prefix."""
    first = int(_HOST_ADDRESSES.network_address) | int(prefix.network_address)
    return IPv6Network((first, _HOST_ADDRESSES.prefixlen + prefix.prefixlen))


def host_mac(address: IPv4Address) -> str:
    """The MAC address of a host."""
    return _mac(_HOST_MACS | int(address))


def _mac(number: int) -> str:
    return ":".join(f"{octet:02x}" for octet in number.to_bytes(6, "big"))


_ROUTER_ADDRESSES = int(IPv4Address("10.255.255.0"))


def install(scenario: Scenario, router: Router, routes: Sequence[RouteConfig], chip: Chip, control: Control) -> None:
    """Write all of a router's tables; its data plane has the program, and nothing else yet. Raises SimulationError."""
    if scenario.program is not None:
        wanted = _own(scenario, router, routes, scenario.program, chip.program.schema)
    else:
        pipeline = chip.pipeline
        profiles = _profiles(scenario, router, chip)
        ipv6_address = router_ipv6_address(scenario, router)
        wanted = [
            *_routes(router, routes),
            *entries.classes(router.classes),
            *pipeline.sessions(),
            *(row for rows in pipeline.constants().values() for row in rows),
            *_rows(pipeline, profiles),
            *_pointers(pipeline, profiles),
            entries.isq_router(router_address(scenario, router), ipv6_address),
            *entries.isq_domain(router.isq, ipv6_address),
            *entries.isq_outside(router.isq),
            *_meters(scenario, router, chip.slowdown(router)),
            *_defaults(pipeline, profiles),
            *_filters(pipeline, profiles),
        ]
    _write(
        router, chip, control, ((p4r.Update.MODIFY if is_value(each) else p4r.Update.INSERT, each) for each in wanted)
    )
    if scenario.program is not None:
        _generate(router, scenario.program, control)


def _routes(router: Router, routes: Sequence[RouteConfig]) -> Iterator[fy.P4TableEntry]:
    """The entries of routes, behind those of groups of next hops."""
    groups = {hops: number for number, hops in enumerate(entries.groups_of(routes), start=1)}
    if groups:
        yield entries.flow_seed(router.name)
        for hops, number in groups.items():
            yield entries.group(number, hops)
    for route in routes:
        yield entries.route(route, groups)


def _generate(router: Router, program: SwitchProgram, control: Control) -> None:
    """Set the packet generator. Raises SimulationError for what the clock of the chip has no time for."""
    for number, application in map(parse_generator, program.description.packet_generator):
        try:
            control.set_generator(number, application)
        except DataPlaneError as error:
            raise SimulationError(f"router {router.name!r}: {error.message}") from error


def check(scenario: Scenario, router: Router, chip: Chip) -> None:
    """Raises SimulationError for what a router's queues cannot have at the rates of its links."""
    if scenario.program is None:
        _profiles(scenario, router, chip)
    else:
        _own_queues(scenario, router, scenario.program, chip.program.schema)


def follow(before: Scenario, after: Scenario, name: str, chip: Chip, control: Control) -> None:
    """Put what a router's queues have in ``after``, by its profiles and rates, into the place of what ``before`` says.

    Both have the same queues. Equal rows are not written again: setting a filter forgets its average, and setting a
    meter fills its buckets. Raises SimulationError; then nothing was written, unless the program refused a row.
    """
    schema = chip.program.schema
    one, other = before.router(name), after.router(name)
    if after.program is not None:
        had, has = _own_queues(before, one, after.program, schema), _own_queues(after, other, after.program, schema)
        _write(other, chip, control, _changes(had, has, schema))
        return
    pipeline = chip.pipeline
    old, new = _profiles(before, one, chip), _profiles(after, other, chip)
    had, has = ([*_defaults(pipeline, each), *_rows(pipeline, each)] for each in (old, new))
    filters = [each.encode(schema) for each in _filters(pipeline, old)]
    changed = [each for each in _filters(pipeline, new) if each.encode(schema) not in filters]
    _write(other, chip, control, (*_changes(had, has, schema), *((p4r.Update.MODIFY, each) for each in changed)))


_Update = tuple["p4r.Update.Type.ValueType", Any]
"""The type of an update, and its entity."""


def _changes(before: Iterable[Any], after: Iterable[Any], schema: fy.P4Schema) -> Iterator[_Update]:
    """The updates that make ``after`` of ``before``, both in an order in which a switch takes them.

    Entries that are no more go first, for the new ones need their room; what other entities name goes last.
    """
    old, new = (
        {identity(entity): (each, entity) for each in some for entity in [each.encode(schema)]}
        for some in (before, after)
    )
    gone = [each for key, (each, _) in reversed(old.items()) if key not in new and not is_value(each)]
    yield from ((p4r.Update.DELETE, each) for each in gone if isinstance(each, fy.P4TableEntry))
    rewritten: set[bytes] = set()
    for key, (each, entity) in new.items():
        of_entry = isinstance(each, fy.P4DirectMeterEntry) and entry_of(each, schema) in rewritten
        if key in old and old[key][1] == entity and not of_entry:
            continue
        rewritten.add(key)
        yield (p4r.Update.MODIFY if key in old or is_value(each) else p4r.Update.INSERT), each
    yield from ((p4r.Update.DELETE, each) for each in gone if not isinstance(each, fy.P4TableEntry))


def _write(router: Router, chip: Chip, control: Control, updates: Iterable[_Update]) -> None:
    program = chip.program
    writer = Entities(program.pipeline, control)
    for kind, entry in updates:
        try:
            entity = entry.encode(program.schema)
        except ValueError as error:
            raise SimulationError(f"router {router.name!r}: {program.path}: {error}") from error
        refusal = writer.write(p4r.Update(type=kind, entity=entity))
        if refusal is not None:
            raise SimulationError(f"router {router.name!r}: {refusal.message}")


def _own(
    scenario: Scenario, router: Router, routes: Sequence[RouteConfig], program: SwitchProgram, schema: fy.P4Schema
) -> list[Any]:
    """The entities that a program's description asks for."""
    ports = sorted(scenario.ports(router.name).values())
    of_ipv6 = [route for route in routes if route.prefix.version == 6]
    try:
        in_order(program.routes(of_ipv6, ports), schema)
    except ValueError as error:
        raise SimulationError(
            f"router {router.name!r}: a source's stack sends IPv6, and the program takes no such route ({error}): "
            "give the stack 'ip: 4'"
        ) from error
    try:
        found = [*program.once(router.name), *program.routes(routes, ports)]
        for port in ports:
            found += program.port(port)
        return in_order([*found, *_own_queues(scenario, router, program, schema)], schema)
    except ValueError as error:
        raise SimulationError(f"router {router.name!r}: {error}") from error


def _own_queues(scenario: Scenario, router: Router, program: SwitchProgram, schema: fy.P4Schema) -> list[Any]:
    """The entities that it asks for about queues, in the order in which a switch takes them."""
    found: list[Any] = []
    for name, port, queue in _queues(scenario, router, router.queue_settings):
        try:
            where = scenario.direction(split_queue(name)[0])
            found += own_queue(program, schema, port, queue, where, router.queue_settings[name])
        except ValueError as error:
            raise SimulationError(f"router {router.name!r}: queue_settings of {name}: {error}") from error
    try:
        return in_order(found, schema)
    except ValueError as error:
        raise SimulationError(f"router {router.name!r}: queue_settings: {error}") from error


def router_address(scenario: Scenario, router: Router) -> IPv4Address:
    """The source address of a router's source quenches."""
    number = next(index for index, each in enumerate(scenario.routers, 1) if each.name == router.name)
    return router.address or IPv4Address(_ROUTER_ADDRESSES + number)


def router_ipv6_address(scenario: Scenario, router: Router) -> IPv6Address:
    """As ``router_address``, of those about IPv6."""
    return _HOST_ADDRESSES[int(router_address(scenario, router))]


def _queues(scenario: Scenario, router: Router, names: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """The name, port and queue of each ``LINK.ab`` or ``LINK.ab.QUEUE``."""
    ports = scenario.ports(router.name)
    for name in names:
        direction, queue = split_queue(name)
        yield name, ports[direction], queue


def _rate_bps(scenario: Scenario, name: str) -> int:
    rate_bps = scenario.direction(split_queue(name)[0]).rate_bps
    assert rate_bps is not None
    return round(rate_bps)


_Profile = tuple[int, int, Any]
"""Port, queue, and the rows of its profile."""


def _profiles(scenario: Scenario, router: Router, chip: Chip) -> list[_Profile]:
    in_dataplane = router.isq.mode == "dataplane"
    slowdown = chip.slowdown(router)
    found = []
    for name, port, queue in _queues(scenario, router, router.profiles):
        rate_bps = _rate_bps(scenario, name)
        try:
            settings = chip.settings(scenario.profile(router, name), rate_bps, slowdown)
            rows = chip.pipeline.compile(settings, rate_bps * slowdown, isq_in_dataplane=in_dataplane)
        except ValueError as error:
            raise SimulationError(f"router {router.name!r}: profile of {name}: {error}") from error
        found.append((port, queue, rows))
    return found


def _rows(pipeline: Pipeline[Any], profiles: Sequence[_Profile]) -> Iterator[fy.P4TableEntry]:
    for profile_id, (_, _, rows) in enumerate(profiles, 1):
        yield from pipeline.profile(profile_id, rows)


def _pointers(pipeline: Pipeline[Any], profiles: Sequence[_Profile]) -> Iterator[fy.P4TableEntry]:
    for profile_id, (port, queue, _) in enumerate(profiles, 1):
        yield pipeline.pointer(port, queue, profile_id)


def _defaults(pipeline: Pipeline[Any], profiles: Sequence[_Profile]) -> Iterator[fy.P4TableEntry]:
    """The default entries that all queues share."""
    return (default.entry for default in pipeline.shared(rows for _, _, rows in profiles))


def _filters(pipeline: Pipeline[Any], profiles: Sequence[_Profile]) -> Iterator[fy.P4ExternEntry]:
    for profile in profiles:
        wanted = pipeline.filter(*profile)
        if wanted is not None:
            yield wanted.entry()


def _meters(scenario: Scenario, router: Router, slowdown: int) -> Iterator[fy.P4MeterEntry]:
    """The limit on the source quenches that the router itself sends."""
    limit = at_slowdown(router.isq.per_queue, slowdown)
    for _, port, queue in _queues(scenario, router, router.profiles):
        yield entries.isq_meter(port, queue, limit)
