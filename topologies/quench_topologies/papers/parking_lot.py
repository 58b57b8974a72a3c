# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""MP, P3's parking lot: flows enter at every router but the last and all leave at the last."""

from dataclasses import replace

from quench_topologies.loaded_plan import LoadedPlan, LoadSettings, Place, pair_letters, shared_out
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import Access, SwitchRow
from quench_topologies.plan import PortPlan
from quench_topologies.thresholds import Thresholds

ROUTERS = ("r0", "r1", "r2", "r3")
SOURCE_ACCESS = Access(10_000_000, 2_000_000)
SINK_ACCESS = Access(10_000_000, 4_000_000)
BUFFER_BYTES = 180_000
"""Twice maxth. The paper gives none."""

MP_THRESHOLDS = Thresholds("30pkts", "60pkts", "90pkts", becnthresh=("40pkts", "80pkts"), byte_mode=False)
"""The thresholds of P3's other network, MF; becnthresh lies as in P0, at one and at five sixths of the way from minth
to maxth."""


def mp_plan(settings: LoadSettings) -> LoadedPlan:
    """Hosts source0.. (a second pair: source0b..) at r0 to r2, and their sinks at r3. Raises TopologyError.

    P3's text has the number of routers and of flows and speaks of several congested gateways. The links are those of
    its network MF, each as many times as fast as there are places whose flows it carries.
    """
    links = [
        PortPlan(carried * settings.rate_bps, BUFFER_BYTES, settings.delay_ns, profile=settings.profile)
        for carried in range(1, len(ROUTERS))
    ]
    row = SwitchRow(ROUTERS, forward=links, back=[replace(link, profile=None) for link in links])
    places = []
    entries = ROUTERS[:-1]
    for number, (router, flows) in enumerate(zip(entries, shared_out(settings.flows, len(entries)), strict=True)):
        pairs = []
        for letter in pair_letters(settings.pairs):
            source, sink = f"source{number}{letter}", f"sink{number}{letter}"
            row.add_host(source, router, SOURCE_ACCESS)
            row.add_host(sink, ROUTERS[-1], SINK_ACCESS)
            pairs.append((source, sink))
        places.append(Place(tuple(pairs), flows))
    return LoadedPlan(row.plan(settings.tcp, settings.isq_mode), row.bottlenecks(), tuple(places))


MP = PaperNetwork(
    name="mp",
    title="P3's parking lot",
    build=mp_plan,
    thresholds=MP_THRESHOLDS,
    scheme="mecn",
    rate_bps=1_500_000,
    delay_ns=40_000_000,
    pairs=1,
    flows=15,
)
