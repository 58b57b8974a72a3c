# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4 program's tables as P4Runtime entries: the only place that names them."""

from collections.abc import Iterator
from dataclasses import asdict
from ipaddress import IPv4Network

import finsy as fy

from quench.config.model import RouteConfig
from quench.profiles.compile import ProfileRows
from quench.profiles.formats import AVERAGE_KEY_MAX, IDLE_KEY_MAX

IPV4_ROUTE = "QuenchIngress.routing.ipv4_route"
IPV6_ROUTE = "QuenchIngress.routing.ipv6_route"
QUEUE_PROFILE = "QuenchIngress.profile.queue_profile"
PROFILE_PARAMETERS = "QuenchIngress.profile.profile_parameters"
INGRESS_CURVE = "QuenchIngress.arrival_decision.curve"
EGRESS_CURVE = "QuenchEgress.departure_decision.curve"
IDLE_DECAY = "QuenchEgress.average_queue.idle_decay"

FORWARD = "QuenchIngress.routing.forward"
USE_PROFILE = "QuenchIngress.profile.use_profile"
SET_PARAMETERS = "QuenchIngress.profile.set_parameters"
DECAY_BY = "QuenchEgress.average_queue.decay_by"

PORT_COUNTERS = ("port_seen", "port_marked", "port_dropped_early", "port_dropped_forced", "port_cloned")

CPU_CLONE_SESSION = 100
_PRIORITY = 1
"""Of entries with a range, which P4Runtime wants to have one; the rows of a profile do not overlap."""


def route(config: RouteConfig) -> fy.P4TableEntry:
    """The entry for one route."""
    table = IPV4_ROUTE if isinstance(config.prefix, IPv4Network) else IPV6_ROUTE
    # P4Runtime: a prefix of length 0 is a field that is left out.
    match = fy.P4TableMatch({"destination": config.prefix} if config.prefix.prefixlen else {})
    action = fy.P4TableAction(
        FORWARD, port=config.port, source_mac=config.source_mac, destination_mac=config.destination_mac
    )
    return fy.P4TableEntry(table, match=match, action=action)


def clone_session(cpu_port: int) -> fy.P4CloneSessionEntry:
    """The session by which the program copies packets to the CPU."""
    return fy.P4CloneSessionEntry(CPU_CLONE_SESSION, replicas=[cpu_port])


def profile(profile_id: int, rows: ProfileRows) -> Iterator[fy.P4TableEntry]:
    """All entries of a profile under an id, without the pointer that puts it to use."""
    yield fy.P4TableEntry(
        PROFILE_PARAMETERS,
        match=fy.P4TableMatch(profile=profile_id),
        action=fy.P4TableAction(SET_PARAMETERS, **asdict(rows.parameters)),
    )
    for idle in rows.idle:
        yield fy.P4TableEntry(
            IDLE_DECAY,
            match=_range(profile_id, "idle", idle.low, idle.high, IDLE_KEY_MAX),
            action=fy.P4TableAction(DECAY_BY, start=idle.start, base=idle.base, slope=idle.slope),
            priority=_PRIORITY,
        )
    for table in (INGRESS_CURVE, EGRESS_CURVE):
        for row in rows.curve:
            values = asdict(row)
            low, high = values.pop("low"), values.pop("high")
            yield fy.P4TableEntry(
                table,
                match=_range(profile_id, "average", low, high, AVERAGE_KEY_MAX),
                action=fy.P4TableAction(table.removesuffix("curve") + "set_segment", **values),
                priority=_PRIORITY,
            )


def _range(profile_id: int, field: str, low: int, high: int, maximum: int) -> fy.P4TableMatch:
    # P4Runtime: a range that holds everything is a field that is left out.
    everything = low == 0 and high == maximum
    return fy.P4TableMatch({"profile": profile_id} | ({} if everything else {field: (low, high)}))


def profile_of(entry: fy.P4TableEntry) -> int:
    """The profile to which a row belongs."""
    assert entry.match is not None
    return int(entry.match["profile"])


def queue_of(entry: fy.P4TableEntry) -> tuple[tuple[int, int], int]:
    """Of a pointer: the port and queue, and the profile that they have."""
    assert entry.match is not None
    assert isinstance(entry.action, fy.P4TableAction)
    return (int(entry.match["port"]), int(entry.match["queue"])), int(entry.action.args["profile"])


def pointer(port: int, queue: int, profile_id: int) -> fy.P4TableEntry:
    """The entry that gives a queue its profile."""
    return fy.P4TableEntry(
        QUEUE_PROFILE,
        match=fy.P4TableMatch(port=port, queue=queue),
        action=fy.P4TableAction(USE_PROFILE, profile=profile_id),
    )
