# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The P4Runtime entries that all of Quench's programs have. Only this file and those of ``pipelines`` name tables."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address

import finsy as fy

from quench.client.session import SessionError
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import ClassConfig, NextHopConfig, RouteConfig
from quench.isq import IsqFormat

IPV4_ROUTE = "QuenchIngress.routing.ipv4_route"
IPV6_ROUTE = "QuenchIngress.routing.ipv6_route"
ROUTES = (IPV4_ROUTE, IPV6_ROUTE)
NEXT_HOP = "QuenchIngress.next_hop.next_hop"
FLOW_SEED = "QuenchIngress.next_hop.flow_seed"
DSCP_QUEUE = "QuenchIngress.classification.dscp_queue"
IPV4_DOMAIN = "QuenchIngress.isq_format.isq_domain.ipv4_domain"
IPV6_DOMAIN = "QuenchIngress.isq_format.isq_domain.ipv6_domain"
DOMAINS = (IPV4_DOMAIN, IPV6_DOMAIN)
ISQ_ROUTER = "QuenchEgress.source_quench.router"
ISQ_METER = "isq_meter"

FORWARD = "QuenchIngress.routing.forward"
USE_GROUP = "QuenchIngress.routing.use_group"
USE_NEXT_HOP = "QuenchIngress.next_hop.use_next_hop"
USE_SEED = "QuenchIngress.next_hop.use_seed"
USE_QUEUE = "QuenchIngress.classification.use_queue"
INSIDE = "QuenchIngress.isq_format.isq_domain.inside"
OUTSIDE = "QuenchIngress.isq_format.isq_domain.outside"
USE_ADDRESS = "QuenchEgress.source_quench.use_address"

REFUSED_COUNTERS = ("port_dropped_invalid", "port_dropped_vlan", "port_dropped_isq")
"""The counters by the port that a packet came by; the others are by the port that it left by, or would have."""
PORT_COUNTERS = (
    "port_seen",
    "port_marked",
    "port_dropped_early",
    "port_dropped_forced",
    "port_cloned",
    "port_isq_sent",
    "port_isq_limited",
    "port_isq_ipv6",
    "port_isq_once_per_path",
    "port_isq_refused",
    *REFUSED_COUNTERS,
)
QUEUES_PER_PORT = 8


CPU_CLONE_SESSION = 100
_FORMATS: dict[IsqFormat, int] = {"icmp": 1, "cnp": 2, "fast-cnp": 3}
_NO_FORMAT = 0
"""The numbers of the forms of source quenches in p4src/common/types.p4."""
MAX_PROFILE_ID = 0xFFFF
MAX_GROUP = 0xFFFF
"""The largest number of a group of next hops; 0 stands for none."""
Hops = tuple[NextHopConfig, ...]


def route(config: RouteConfig, groups: Mapping[Hops, int] | None = None) -> fy.P4TableEntry:
    """The entry for one route. One with several next hops needs the number of their group."""
    table = IPV4_ROUTE if isinstance(config.prefix, IPv4Network) else IPV6_ROUTE
    # P4Runtime: a prefix of length 0 is a field that is left out.
    match = fy.P4TableMatch({"destination": config.prefix} if config.prefix.prefixlen else {})
    hops = config.hops
    if len(hops) > 1:
        assert groups is not None
        return fy.P4TableEntry(table, match=match, action=fy.P4TableAction(USE_GROUP, group=groups[hops]))
    return fy.P4TableEntry(table, match=match, action=_to(FORWARD, hops[0]))


def _to(action: str, hop: NextHopConfig) -> fy.P4TableAction:
    return fy.P4TableAction(action, port=hop.port, source_mac=hop.source_mac, destination_mac=hop.destination_mac)


def groups_of(routes: Sequence[RouteConfig]) -> list[Hops]:
    """The sets of several next hops that routes have, each once."""
    return list(dict.fromkeys(route.hops for route in routes if len(route.hops) > 1))


def group(number: int, hops: Hops) -> fy.P4TableEntry:
    """The entry for a group of next hops of equal cost."""
    members = [(1, _to(USE_NEXT_HOP, hop)) for hop in hops]
    return fy.P4TableEntry(NEXT_HOP, match=fy.P4TableMatch(group=number), action=fy.P4IndirectAction(members))


def group_of(entry: fy.P4TableEntry) -> int:
    """The number of a group of next hops. Raises SessionError."""
    return key_of(entry, "group")


def flow_seed_of(switch: str) -> int:
    """The number by which a switch divides flows in another way than others.

    Odd and large, for a product with it to depend on all bits of a hash.
    """
    return int.from_bytes(sha256(switch.encode()).digest()[:4], "big") | 0x8000_0001


def flow_seed(switch: str) -> fy.P4TableEntry:
    """The default entry with the seed of this switch."""
    return fy.P4TableEntry(
        FLOW_SEED, action=fy.P4TableAction(USE_SEED, seed=flow_seed_of(switch)), is_default_action=True
    )


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


def ports_of(entry: fy.P4TableEntry) -> Iterator[int]:
    """The ports of a route or of a group of next hops; none of a route to a group. Raises SessionError."""
    if isinstance(entry.action, fy.P4IndirectAction):
        for _, action in entry.action.action_set or ():
            yield number_of(entry, "port", action.args.get("port"))
    elif not (isinstance(entry.action, fy.P4TableAction) and "group" in entry.action.args):
        yield argument_of(entry, "port")


def class_queue_of(entry: fy.P4TableEntry) -> int:
    """The queue of a class. Raises SessionError."""
    return argument_of(entry, "queue")


def isq_router(address: IPv4Address, ipv6_address: IPv6Address | None = None) -> fy.P4TableEntry:
    """The default entry that says where the switch's own ISQs come from."""
    action = fy.P4TableAction(USE_ADDRESS, address=int(address), ipv6_address=int(ipv6_address or 0))
    return fy.P4TableEntry(ISQ_ROUTER, action=action, is_default_action=True)


def isq_domain(isq: IsqConfig, ipv6_address: IPv6Address | None) -> list[fy.P4TableEntry]:
    """The entries for the prefixes of sources that may be quenched. Without an IPv6 address none is, over IPv6."""
    knows = int(isq.sender_support == "known")
    found = []
    for prefix in isq.domain:
        is_ipv4 = isinstance(prefix, IPv4Network)
        form = _FORMATS["cnp" if is_ipv4 and isq.format == "fast-cnp" else isq.format]
        if not is_ipv4 and ipv6_address is None:
            form = _NO_FORMAT
        found.append(
            fy.P4TableEntry(
                IPV4_DOMAIN if is_ipv4 else IPV6_DOMAIN,
                # P4Runtime: a prefix of length 0 is a field that is left out.
                match=fy.P4TableMatch({"source": prefix} if prefix.prefixlen else {}),
                action=fy.P4TableAction(INSIDE, format=form, sender_knows=knows),
            )
        )
    return found


def isq_outside(isq: IsqConfig) -> list[fy.P4TableEntry]:
    """The default entries for sources that no prefix holds. Without a domain all are inside, and IPv4 has ICMP."""
    actions = [fy.P4TableAction(OUTSIDE)] * 2
    if not isq.domain:
        formats = (_FORMATS["icmp"], _NO_FORMAT)
        actions = [fy.P4TableAction(INSIDE, format=each, sender_knows=0) for each in formats]
    entries = zip(DOMAINS, actions, strict=True)
    return [fy.P4TableEntry(table, action=action, is_default_action=True) for table, action in entries]


def isq_meter(port: int, queue: int, config: MeterConfig | None) -> fy.P4MeterEntry:
    """The limit on the switch's own ISQs about a queue; None: no limit."""
    limit = None
    if config is not None:
        limit = fy.P4MeterConfig(cir=config.rate, cburst=config.burst, pir=config.rate, pburst=config.burst)
    return fy.P4MeterEntry(ISQ_METER, index=queue_index(port, queue), config=limit)


def queue_index(port: int, queue: int) -> int:
    """The place of a queue in the program's registers and meters."""
    return port * QUEUES_PER_PORT + queue


def key_of(entry: fy.P4TableEntry, name: str) -> int:
    """A key that has one value. Raises SessionError where the entry lacks it."""
    value = entry.match.get(name) if entry.match is not None else None
    return number_of(entry, name, value)


def argument_of(entry: fy.P4TableEntry, name: str) -> int:
    """An argument of the entry's action. Raises SessionError where the entry lacks it."""
    value = entry.action.args.get(name) if isinstance(entry.action, fy.P4TableAction) else None
    return number_of(entry, name, value)


def number_of(entry: fy.P4TableEntry, name: str, value: object) -> int:
    """The value of this name as a number. Raises SessionError where the entry lacks it."""
    if not isinstance(value, int):
        raise SessionError(f"the switch has an entry of {entry.table_id} without {name}")
    return value
