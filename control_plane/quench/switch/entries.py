# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4 program's tables as P4Runtime entries: the only place that names them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from ipaddress import IPv4Address, IPv4Network

import finsy as fy

from quench.config.model import MAX_PORT, ClassConfig, MeterConfig, RouteConfig
from quench.profiles.compile import CurveRow, Parameters, ProfileRows
from quench.profiles.formats import AVERAGE_KEY_MAX, IDLE_KEY_MAX
from quench.switch.session import SessionError

IPV4_ROUTE = "QuenchIngress.routing.ipv4_route"
IPV6_ROUTE = "QuenchIngress.routing.ipv6_route"
ROUTES = (IPV4_ROUTE, IPV6_ROUTE)
QUEUE_PROFILE = "QuenchIngress.profile.queue_profile"
PROFILE_PARAMETERS = "QuenchIngress.profile.profile_parameters"
INGRESS_CURVE = "QuenchIngress.arrival_decision.curve"
EGRESS_CURVE = "QuenchEgress.departure_decision.curve"
INGRESS_DECAY = "QuenchIngress.arrival_decay.idle_decay"
EGRESS_DECAY = "QuenchEgress.average_queue.departure_decay.idle_decay"
DSCP_QUEUE = "QuenchIngress.classification.dscp_queue"
ISQ_ROUTER = "QuenchEgress.source_quench.router"
ISQ_METER = "isq_meter"

FORWARD = "QuenchIngress.routing.forward"
USE_PROFILE = "QuenchIngress.profile.use_profile"
SET_PARAMETERS = "QuenchIngress.profile.set_parameters"
USE_QUEUE = "QuenchIngress.classification.use_queue"
USE_ADDRESS = "QuenchEgress.source_quench.use_address"

PORT_COUNTERS = (
    "port_seen",
    "port_marked",
    "port_dropped_early",
    "port_dropped_forced",
    "port_cloned",
    "port_isq_sent",
    "port_isq_limited",
    "port_isq_ipv6",
    "port_isq_told",
    "port_isq_refused",
)
QUEUE_AVERAGE = "queue_average"
"""Register of the averages, by ``queue_index``; in packets times ``AVERAGE_ONE``."""
AVERAGE_ONE = 1 << 16
QUEUE_DEPTH = "queue_depth"
"""Register of the depths that the last packets saw, by ``queue_index``."""
QUEUES_PER_PORT = 8


def port_counters(schema: fy.P4Schema) -> list[str]:
    """The counters of a program that have a cell for each port: Quench's own, and those that a user added."""
    return [counter.alias for counter in schema.counters if counter.size > MAX_PORT]


CPU_CLONE_SESSION = 100
MAX_PROFILE_ID = 0xFFFF
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


def classes(configs: Sequence[ClassConfig]) -> list[fy.P4TableEntry]:
    """The entries for a list of classes of which the first that fits counts."""
    return [
        fy.P4TableEntry(
            DSCP_QUEUE,
            # P4Runtime: a mask of nothing is a field that is left out.
            match=fy.P4TableMatch({"dscp": (config.dscp, config.mask)} if config.mask else {}),
            action=fy.P4TableAction(USE_QUEUE, queue=config.queue),
            priority=len(configs) - place,
        )
        for place, config in enumerate(configs)
    ]


def egress_of(entry: fy.P4TableEntry) -> int:
    """Of a route: the port. Raises SessionError."""
    return _argument(entry, "port")


def class_queue_of(entry: fy.P4TableEntry) -> int:
    """Of a class: the queue. Raises SessionError."""
    return _argument(entry, "queue")


def isq_router(address: IPv4Address) -> fy.P4TableEntry:
    """The default entry that says where the switch's own ISQs come from."""
    return fy.P4TableEntry(
        ISQ_ROUTER, action=fy.P4TableAction(USE_ADDRESS, address=int(address)), is_default_action=True
    )


def isq_meter(port: int, queue: int, config: MeterConfig | None) -> fy.P4MeterEntry:
    """The limit on the switch's own ISQs about a queue; None: no limit."""
    limit = None
    if config is not None:
        limit = fy.P4MeterConfig(cir=config.rate, cburst=config.burst, pir=config.rate, pburst=config.burst)
    return fy.P4MeterEntry(ISQ_METER, index=queue_index(port, queue), config=limit)


def queue_index(port: int, queue: int) -> int:
    """The place of a queue in the program's registers and meters."""
    return port * QUEUES_PER_PORT + queue


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
    for table in (INGRESS_DECAY, EGRESS_DECAY):
        for idle in rows.idle:
            yield fy.P4TableEntry(
                table,
                match=_range(profile_id, "idle", idle.low, idle.high, IDLE_KEY_MAX),
                action=fy.P4TableAction(
                    table.removesuffix("idle_decay") + "decay_by", start=idle.start, base=idle.base, slope=idle.slope
                ),
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
    """The profile to which a row belongs. Raises SessionError for a row of no profile."""
    return _key(entry, "profile")


def sends_isqs(entry: fy.P4TableEntry) -> bool:
    """Of a profile's parameters: whether the switch itself sends the ISQs. Raises SessionError."""
    return bool(_argument(entry, "isq_in_dataplane"))


def queue_of(entry: fy.P4TableEntry) -> tuple[tuple[int, int], int]:
    """Of a pointer: the port and queue, and the profile that they have. Raises SessionError."""
    return (_key(entry, "port"), _key(entry, "queue")), _argument(entry, "profile")


def curve_row_of(entry: fy.P4TableEntry) -> CurveRow:
    """The row of a curve that an entry holds. Raises SessionError."""
    names = [field.name for field in fields(CurveRow) if field.name not in ("low", "high")]
    average = entry.match.get("average") if entry.match is not None else None
    low, high = (0, AVERAGE_KEY_MAX) if average is None else average
    return CurveRow(
        _number(entry, "low", low), _number(entry, "high", high), *(_argument(entry, each) for each in names)
    )


def _key(entry: fy.P4TableEntry, name: str) -> int:
    value = entry.match.get(name) if entry.match is not None else None
    return _number(entry, name, value)


def _argument(entry: fy.P4TableEntry, name: str) -> int:
    value = entry.action.args.get(name) if isinstance(entry.action, fy.P4TableAction) else None
    return _number(entry, name, value)


def _number(entry: fy.P4TableEntry, name: str, value: object) -> int:
    if not isinstance(value, int):
        raise SessionError(f"the switch has an entry of {entry.table_id} without {name}")
    return value


def pointer(port: int, queue: int, profile_id: int) -> fy.P4TableEntry:
    """The entry that gives a queue its profile."""
    return fy.P4TableEntry(
        QUEUE_PROFILE,
        match=fy.P4TableMatch(port=port, queue=queue),
        action=fy.P4TableAction(USE_PROFILE, profile=profile_id),
    )


def parameters_of(entry: fy.P4TableEntry) -> Parameters:
    """The parameters of a profile that an entry holds. Raises SessionError."""
    return Parameters(*(_argument(entry, field.name) for field in fields(Parameters)))
