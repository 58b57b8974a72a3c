# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""VW, P2's network: telephone calls and best effort share a link, each in a queue of its own or both in one."""

from quench_topologies.datagrams import VoiceCalls
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import Datagrams, LoadedPlan, LoadSettings, Place, pair_letters, shared_out
from quench_topologies.papers import declared
from quench_topologies.papers.declared import VOICE_QUEUE, VOICE_WEIGHT, VW_ROUND_TRIPS_NS, Access
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import SwitchRow
from quench_topologies.plan import ETHERNET_HEADER_BYTES, SCHEDULERS, ClassPlan, PortPlan

FIFO = "fifo"
VW_SCHEDULERS = (*SCHEDULERS, FIFO)
ROUTERS = ("s1", "s2")
SITES = 5
"""Hosts of best effort on each side, with a round trip each."""
ROUND_TRIPS_NS = tuple(
    VW_ROUND_TRIPS_NS[0] + (VW_ROUND_TRIPS_NS[1] - VW_ROUND_TRIPS_NS[0]) * site // (SITES - 1) for site in range(SITES)
)
FAR_ACCESS = Access(declared.VW.sink.rate_bps, 1_000_000)
"""Its delay is shorter than the simulator's, so that there is room for a longer --delay."""


def vw_plan(settings: LoadSettings) -> LoadedPlan:
    """Hosts server1.. and client1.. with a round trip each, a second pair server1b.., and caller and callee.

    Raises TopologyError, also when the link's delay leaves no room for the shortest round trip.
    """
    back = PortPlan(settings.rate_bps, None, settings.delay_ns)
    row = SwitchRow(ROUTERS, forward=[_bottleneck(settings)], back=[back])
    row.add_host("caller", ROUTERS[0], FAR_ACCESS)
    row.add_host("callee", ROUTERS[1], FAR_ACCESS)
    places = []
    for number, (round_trip_ns, flows) in enumerate(
        zip(ROUND_TRIPS_NS, shared_out(settings.flows, len(ROUND_TRIPS_NS)), strict=True), start=1
    ):
        access_ns = round_trip_ns // 2 - settings.delay_ns - FAR_ACCESS.delay_ns
        if access_ns < 0:
            raise TopologyError(
                f"--delay: the shortest round trip is {ROUND_TRIPS_NS[0] / 1e6:g} ms: choose a delay below "
                f"{(ROUND_TRIPS_NS[0] // 2 - FAR_ACCESS.delay_ns) / 1e6:g} ms"
            )
        pairs = []
        for letter in pair_letters(settings.pairs):
            row.add_host(f"server{number}{letter}", ROUTERS[0], Access(declared.VW.source.rate_bps, access_ns))
            row.add_host(f"client{number}{letter}", ROUTERS[1], FAR_ACCESS)
            pairs.append((f"server{number}{letter}", f"client{number}{letter}"))
        places.append(Place(tuple(pairs), flows))
    calls = VoiceCalls()
    classes = () if settings.scheduler == FIFO else (ClassPlan(calls.dscp, VOICE_QUEUE),)
    return LoadedPlan(
        row.plan(settings.tcp, settings.isq_mode, classes),
        row.bottlenecks(),
        tuple(places),
        Datagrams("caller", "callee", calls),
    )


def _bottleneck(settings: LoadSettings) -> PortPlan:
    capacity_bytes = declared.VW.buffer_bytes(settings.tcp.packet_bytes + ETHERNET_HEADER_BYTES)
    if settings.scheduler == FIFO:
        return PortPlan(settings.rate_bps, capacity_bytes, settings.delay_ns, profile=settings.profile)
    weighted = settings.scheduler != "strict"
    return PortPlan(
        settings.rate_bps,
        capacity_bytes,
        settings.delay_ns,
        profile=settings.profile,
        profiles={VOICE_QUEUE: {"scheme": "taildrop"}},
        scheduler=settings.scheduler,
        weights={VOICE_QUEUE: VOICE_WEIGHT, 0: round(1 - VOICE_WEIGHT, 6)} if weighted else {},
        queue_capacity_bytes={
            VOICE_QUEUE: round(VOICE_WEIGHT * settings.rate_bps / 8 * declared.VOICE_DRAIN_NS / 1e9),
        },
    )


VW = PaperNetwork(
    name="vw",
    title="P2's telephone calls beside best effort",
    build=vw_plan,
    row=declared.VW,
    scheme="ecn-mod",
    pairs=1,
    flows=20,
)
