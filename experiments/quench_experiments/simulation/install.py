# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Writing a router's tables before it runs: the control plane's own entries, by P4Runtime's rules, in process."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

import finsy as fy
from finsy.proto import p4r
from quench.config.model import RouteConfig
from quench.profiles.compile import compile_profile
from quench.switch import entries
from quench_switch.p4runtime.entities import Entities

from quench_experiments.simulation.errors import SimulationError
from quench_experiments.simulation.program import CPU_PORT, Program
from quench_experiments.simulation.scenario import Router, Scenario, split_queue

if TYPE_CHECKING:
    from quench_switch._native import _Control

_ROUTER_ADDRESSES = int(IPv4Address("10.255.255.0"))


def install(
    scenario: Scenario, router: Router, routes: Sequence[RouteConfig], program: Program, control: "_Control"
) -> None:
    """Write all of a router's tables; its data plane has the program, and nothing else yet. Raises SimulationError."""
    writer = Entities(program.pipeline, control)
    inserted: Iterable[Any] = (
        *(entries.route(each) for each in routes),
        *entries.classes(router.classes),
        entries.clone_session(CPU_PORT),
        *_profiles(scenario, router),
    )
    modified = (entries.isq_router(router_address(scenario, router)), *_meters(scenario, router))
    for kind, written in ((p4r.Update.INSERT, inserted), (p4r.Update.MODIFY, modified)):
        for entry in written:
            try:
                entity = entry.encode(program.schema)
            except ValueError as error:
                raise SimulationError(
                    f"{program.path}: the controller does not fit this program: {error}: run 'make p4'"
                ) from error
            refusal = writer.write(p4r.Update(type=kind, entity=entity))
            if refusal is not None:
                raise SimulationError(f"router {router.name!r}: {refusal.message}")


def router_address(scenario: Scenario, router: Router) -> IPv4Address:
    """Where a router's source quenches come from."""
    number = next(index for index, each in enumerate(scenario.routers, 1) if each.name == router.name)
    return router.address or IPv4Address(_ROUTER_ADDRESSES + number)


def _queues(scenario: Scenario, router: Router) -> Iterator[tuple[str, int, int]]:
    """The name, port and queue of each profile."""
    ports = scenario.ports(router.name)
    for name in router.profiles:
        direction, queue = split_queue(name)
        yield name, ports[direction], queue


def _profiles(scenario: Scenario, router: Router) -> Iterator[fy.P4TableEntry]:
    for profile_id, (name, port, queue) in enumerate(_queues(scenario, router), 1):
        rate_bps = scenario.direction(split_queue(name)[0]).rate_bps
        assert rate_bps is not None
        try:
            rows = compile_profile(
                router.profiles[name], round(rate_bps), isq_in_dataplane=router.isq.mode == "dataplane"
            )
        except ValueError as error:
            raise SimulationError(f"router {router.name!r}: profile of {name}: {error}") from error
        yield from entries.profile(profile_id, rows)
        yield entries.pointer(port, queue, profile_id)


def _meters(scenario: Scenario, router: Router) -> Iterator[fy.P4MeterEntry]:
    """The limit on the source quenches that the router itself sends."""
    for _, port, queue in _queues(scenario, router):
        yield entries.isq_meter(port, queue, router.isq.per_queue)
