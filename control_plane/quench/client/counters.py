# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The counters of a program that have a cell for each port."""

from collections.abc import Iterable

import finsy as fy

from quench.client.entries import PORT_COUNTERS, REFUSED_COUNTERS
from quench.client.session import Session, SessionError
from quench.config.fields import MAX_PORT

Counts = dict[str, dict[str, int]]
"""``packets`` and ``bytes`` of each counter."""


def port_counters(schema: fy.P4Schema) -> dict[str, str]:
    """The alias of each counter by port, and its name here: Quench's own, and those that a user added.

    Where both pipelines have a counter of Quench's, because they share none, these have one name: their sum counts.
    """
    found = {}
    for counter in schema.counters:
        last = counter.name.rpartition(".")[2]
        if counter.size > MAX_PORT:
            found[counter.alias] = last if last in PORT_COUNTERS else counter.alias
    return found


async def read_counters(
    session: Session, names: dict[str, str], ports: Iterable[int], arrivals: Iterable[int] = ()
) -> dict[int, Counts]:
    """The counters of these ports, by their names. Raises fy.P4ClientError, SessionError.

    Ports in ``arrivals`` are read only for refused packets, and a port without such packets is left out.
    """
    counters: dict[int, Counts] = {port: {} for port in ports}
    patterns = [fy.P4CounterEntry(alias, index=port) for port in counters for alias in names]
    more = sorted(set(arrivals) - set(counters))
    refused = [alias for alias, name in names.items() if name in REFUSED_COUNTERS]
    patterns += [fy.P4CounterEntry(alias, index=port) for port in more for alias in refused]
    counters |= {port: {} for port in more}
    if not patterns:
        return counters
    async for entry in session.read(patterns):
        if entry.index not in counters or entry.counter_id not in names:
            raise SessionError(f"the switch has an entry of {entry.counter_id} that was not asked for")
        counts = counters[entry.index].setdefault(names[entry.counter_id], {"packets": 0, "bytes": 0})
        counts["packets"] += entry.packet_count
        counts["bytes"] += entry.byte_count
    for port in more:
        if not any(counts["packets"] for counts in counters[port].values()):
            del counters[port]
    return dict(sorted(counters.items()))
