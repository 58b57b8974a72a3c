# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""MP, P3's parking lot: flows enter at every router but the last and all leave at the last."""

from dataclasses import replace

from quench_topologies.loaded_plan import LoadedPlan, LoadSettings, Place, pair_letters, shared_out
from quench_topologies.papers import declared
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import SwitchRow
from quench_topologies.plan import PortPlan

ROUTERS = tuple(f"r{number}" for number in range(declared.MP.routers))


def mp_plan(settings: LoadSettings) -> LoadedPlan:
    """Hosts source0.. (a second pair: source0b..) at r0 to r2, and their sinks at r3. Raises TopologyError.

    P3's text speaks of several congested gateways, so each link is as many times as fast as there are places whose
    flows it carries.
    """
    buffer_bytes = int(declared.MP.buffer.value)
    links = [
        PortPlan(carried * settings.rate_bps, buffer_bytes, settings.delay_ns, profile=settings.profile)
        for carried in range(1, len(ROUTERS))
    ]
    row = SwitchRow(ROUTERS, forward=links, back=[replace(link, profile=None) for link in links])
    places = []
    entries = ROUTERS[:-1]
    for number, (router, flows) in enumerate(zip(entries, shared_out(settings.flows, len(entries)), strict=True)):
        pairs = []
        for letter in pair_letters(settings.pairs):
            source, sink = f"source{number}{letter}", f"sink{number}{letter}"
            row.add_host(source, router, declared.MP.source)
            row.add_host(sink, ROUTERS[-1], declared.MP.sink)
            pairs.append((source, sink))
        places.append(Place(tuple(pairs), flows))
    return LoadedPlan(row.plan(settings.tcp, settings.isq_mode), row.bottlenecks(), tuple(places))


MP = PaperNetwork(
    name="mp",
    title="P3's parking lot",
    build=mp_plan,
    row=declared.MP,
    scheme="mecn",
    pairs=1,
    flows=15,
)
