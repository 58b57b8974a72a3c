# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies by name, with what their papers say of load and thresholds, and how long a look takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from quench_topologies.dumbbell import N1_THRESHOLDS, N2_THRESHOLDS, n1_layout, n2_layout
from quench_topologies.errors import TopologyError
from quench_topologies.layout import Layout, LayoutSettings
from quench_topologies.parking_lot import MP_THRESHOLDS, mp_layout
from quench_topologies.plan import MODERN_TCP, PAPER_TCP, TcpPlan
from quench_topologies.three_links import G3_THRESHOLDS, PACKET_BYTES, g3_layout
from quench_topologies.thresholds import Thresholds
from quench_topologies.voice_net import VW_THRESHOLDS, vw_layout


@dataclass(frozen=True, slots=True)
class Topology:
    """One of the papers' networks and the defaults for a demo on it."""

    name: str
    what: str
    """For people."""
    build: Callable[[LayoutSettings], Layout]
    thresholds: Thresholds
    rate_bps: int
    delay_ns: int
    pairs: int
    flows: int
    warmup_s: float
    """Slow start ends, and the average queue settles: its time constant is 1/wq packets."""
    measured_s: float
    tcp: TcpPlan = PAPER_TCP

    def tcp_plan(self, *, paper: bool) -> TcpPlan:
        """The paper's TCP, or Linux's."""
        return self.tcp if paper else MODERN_TCP

    def thresholds_for(self, tcp: TcpPlan) -> Thresholds:
        """The thresholds; depths in bytes are counted in this TCP's packets."""
        return replace(self.thresholds, mean_packet_bytes=tcp.packet_bytes)


TOPOLOGIES = {
    topology.name: topology
    for topology in (
        Topology(
            name="n1",
            what="P0's and P1's dumbbell",
            build=n1_layout,
            thresholds=N1_THRESHOLDS,
            rate_bps=10_000_000,
            delay_ns=40_000_000,
            pairs=4,
            flows=30,
            warmup_s=8,
            measured_s=20,
        ),
        Topology(
            name="n2",
            what="P0's single flow with a lossy way back",
            build=n2_layout,
            thresholds=N2_THRESHOLDS,
            rate_bps=500_000,
            delay_ns=10_000_000,
            pairs=1,
            flows=1,
            warmup_s=20,
            measured_s=60,
        ),
        Topology(
            name="mp",
            what="P3's parking lot",
            build=mp_layout,
            thresholds=MP_THRESHOLDS,
            rate_bps=1_500_000,
            delay_ns=40_000_000,
            pairs=1,
            flows=15,
            warmup_s=15,
            measured_s=45,
        ),
        Topology(
            name="g3",
            what="P4's three congested links",
            build=g3_layout,
            thresholds=G3_THRESHOLDS,
            rate_bps=512_000,
            delay_ns=10_000_000,
            pairs=1,
            flows=24,
            warmup_s=20,
            measured_s=60,
            tcp=TcpPlan(packet_bytes=PACKET_BYTES),
        ),
        Topology(
            name="vw",
            what="P2's telephone calls beside best effort",
            build=vw_layout,
            thresholds=VW_THRESHOLDS,
            rate_bps=10_000_000,
            delay_ns=5_000_000,
            pairs=1,
            flows=20,
            warmup_s=8,
            measured_s=20,
        ),
    )
}


def find_topology(name: str) -> Topology:
    """The topology of a name. Raises TopologyError."""
    try:
        return TOPOLOGIES[name]
    except KeyError:
        raise TopologyError(f"--topology {name}: choose one of {', '.join(TOPOLOGIES)}") from None
