# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a P4Info belongs to Quench's program, before an entry is written to a switch that runs it."""

from collections.abc import Iterator
from ipaddress import IPv4Address, ip_network
from typing import Any

import finsy as fy

from quench.config.model import MAX_PORT, ClassConfig, MeterConfig, RouteConfig
from quench.profiles import compile_profile, parse_settings
from quench.switch import entries


class ForeignProgramError(ValueError):
    """A P4Info that lacks a table, an action or a counter of Quench's program, or has it with another size."""


def check_program(schema: fy.P4Schema) -> None:
    """Encode an entry of each kind with the largest ids. Raises ForeignProgramError.

    Afterwards an entry that cannot be encoded is a fault of the controller.
    """
    try:
        for entry in _samples():
            entry.encode(schema)
    except (ValueError, LookupError, AssertionError, AttributeError, TypeError) as error:
        # finsy raises any of these where a P4Info lacks a name, or contradicts itself.
        raise ForeignProgramError(f"it is not Quench's program: {error}") from error


def _samples() -> Iterator[Any]:
    """An entry of each kind that the controller writes or reads."""
    mac = "00:00:00:00:00:01"
    for prefix in (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32")):
        yield entries.route(RouteConfig(prefix=prefix, port=MAX_PORT, source_mac=mac, destination_mac=mac))
    queue = entries.QUEUES_PER_PORT - 1
    yield from entries.classes([ClassConfig(dscp=63, queue=queue)])
    yield entries.isq_router(IPv4Address("255.255.255.255"))
    yield entries.isq_meter(MAX_PORT, queue, MeterConfig(rate=1, burst=1))
    yield entries.clone_session(MAX_PORT)
    yield entries.pointer(MAX_PORT, queue, entries.MAX_PROFILE_ID)
    curve = parse_settings({"scheme": "curve", "points": [{"depth": 0, "p1": 0}, {"depth": "10pkts", "p1": 1}]})
    yield from entries.profile(entries.MAX_PROFILE_ID, compile_profile(curve, rate_bps=10_000_000))
    for counter in entries.PORT_COUNTERS:
        yield fy.P4CounterEntry(counter, index=MAX_PORT)
