# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a P4Info belongs to one of Quench's programs, before an entry is written to a switch that runs it."""

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network
from itertools import islice
from typing import Any

import finsy as fy

from quench.client import entries
from quench.client.counters import port_counters
from quench.client.pipelines import Pipeline, pipeline_of
from quench.config.fields import MAX_PORT
from quench.config.isq import IsqConfig, MeterConfig
from quench.config.model import ClassConfig, RouteConfig
from quench.profiles import parse_settings


class ForeignProgramError(ValueError):
    """A P4Info that lacks a table, an action or a counter of Quench's program, or has it with another size."""


def check_program(schema: fy.P4Schema) -> Pipeline[Any]:
    """The program, after an entry of each kind was encoded with the largest ids. Raises ForeignProgramError.

    Afterwards an entry that cannot be encoded is a fault of the controller.
    """
    pipeline = pipeline_of(schema)
    try:
        for entry in _samples(pipeline):
            entry.encode(schema)
    except (ValueError, LookupError, AssertionError, AttributeError, TypeError) as error:
        # finsy raises any of these where a P4Info lacks a name, or contradicts itself.
        raise ForeignProgramError(f"it is not Quench's program: {error}") from error
    missing = set(entries.PORT_COUNTERS) - set(port_counters(schema).values())
    if missing:
        raise ForeignProgramError(f"it is not Quench's program: it has no counter {min(missing)} of each port")
    return pipeline


def _samples(pipeline: Pipeline[Any]) -> Iterator[Any]:
    """An entry of each kind that the controller writes or reads. Filters are not of them: some P4Info has none."""
    mac = "00:00:00:00:00:01"
    for prefix in (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")):
        route = RouteConfig(prefix=prefix, port=MAX_PORT, source_mac=mac, destination_mac=mac)
        yield entries.route(route)
        if pipeline.takes_groups:
            hops = route.hops * 2
            several = RouteConfig.model_construct(prefix=prefix, next_hops=hops)
            yield entries.route(several, {hops: entries.MAX_GROUP})
            yield entries.group(entries.MAX_GROUP, hops)
            yield entries.flow_seed("s1")
    queue = entries.QUEUES_PER_PORT - 1
    yield from entries.classes([ClassConfig(dscp=63, queue=queue)])
    ipv6_address = IPv6Address((1 << 128) - 1)
    yield entries.isq_router(IPv4Address("255.255.255.255"), ipv6_address)
    domain = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))
    for isq in (IsqConfig(), IsqConfig(format="fast-cnp", domain=domain, sender_support="known")):
        yield from entries.isq_domain(isq, ipv6_address)
        yield from entries.isq_outside(isq)
    yield entries.isq_meter(MAX_PORT, queue, MeterConfig(rate=1, burst=1))
    yield from pipeline.sessions(MAX_PORT)
    for rows in pipeline.constants().values():
        yield from islice(rows, 1)
    yield pipeline.pointer(MAX_PORT, queue, entries.MAX_PROFILE_ID)
    curve = parse_settings({"scheme": "curve", "points": [{"depth": 0, "p1": 0}, {"depth": "10pkts", "p1": 1}]})
    compiled = pipeline.compile(curve, rate_bps=10_000_000)
    yield from pipeline.profile(entries.MAX_PROFILE_ID, compiled)
    for default in pipeline.shared([compiled]):
        yield default.entry
