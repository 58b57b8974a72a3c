# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' networks, each declared once: those of Mininet, of the simulator and of ns-2 are made of it.

Each is a row of routers with hosts at them, but for the leaf-spine and the fat tree, which no paper has. The links
between the routers are alike, and so are those to the hosts of a side. Names of nodes belong to those who make a
network of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from quench_switch.outside.units import Depth

from quench_topologies.thresholds import Thresholds

_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Access:
    """A host's link."""

    rate_bps: int
    delay_ns: int
    """One way."""

    @property
    def delay_s(self) -> float:
        """The same in seconds."""
        return self.delay_ns / 1e9


@dataclass(frozen=True, slots=True)
class Row:
    """Routers in a row, the links between them, and the links of hosts."""

    rate_bps: int
    """The rate of the congested links."""
    delay_ns: int
    """Their delay, one way."""
    buffer: Depth
    """The limit of their queues, in packets of the paper where that is its unit."""
    source: Access
    sink: Access
    thresholds: Thresholds
    routers: int = 2
    both_ways: bool = False
    """Whether the way back is congested, too; otherwise only ACKs and source quenches take it."""
    hosts: Mapping[str, int] = field(default_factory=dict)
    """The routers of hosts that the paper names, the first of which is 0."""

    @property
    def delay_s(self) -> float:
        """The delay of the congested links in seconds, one way."""
        return self.delay_ns / 1e9

    def buffer_bytes(self, packet_bytes: int) -> int:
        """The limit of the congested queues, whose packets have this size."""
        return int(self.buffer.value if self.buffer.unit == "bytes" else self.buffer.value * packet_bytes)


@dataclass(frozen=True, slots=True)
class LeafSpine(Row):
    """Each leaf has a link to each spine. The congested links are those, and hosts are at the leaves."""

    leaves: int = 2
    spines: int = 2
    hosts_of_leaf: int = 4


@dataclass(frozen=True, slots=True)
class FatTree(Row):
    """A tree of three tiers, of switches with the same number of ports (Al-Fares et al., SIGCOMM 2008).

    Half of the ports of an edge or aggregation switch lead up. Each pod has as many of either as lead up from one, each
    of its edge switches has a link to each of its aggregation switches, and a core switch has a link to each pod. The
    congested links are those between switches; hosts are at the edge switches.
    """

    ports: int = 8

    @property
    def up(self) -> int:
        """The number of a switch's ports that lead up, and of the hosts at an edge switch."""
        return self.ports // 2


_FAST = Access(100_000_000, 2 * _MS)
_SLOW = Access(10_000_000, 2 * _MS)
_P4_ACCESS = Access(10_000_000, 1 * _MS)
"""The paper gives its rate only."""

N1 = Row(
    rate_bps=10_000_000,
    delay_ns=40 * _MS,
    buffer=Depth(90_000, "bytes"),
    source=_FAST,
    sink=_FAST,
    thresholds=Thresholds("15KB", "30KB", "45KB", becnthresh=("20KB", "40KB")),
)
"""P0's and P1's dumbbell."""

N2 = Row(
    rate_bps=500_000,
    delay_ns=10 * _MS,
    buffer=Depth(30_000, "bytes"),
    source=_SLOW,
    sink=_SLOW,
    thresholds=Thresholds("5KB", "10KB", "15KB", becnthresh=("6KB",)),
)
"""P0's single flow, some of whose ACKs and source quenches are lost between the first router and the sender."""

VW = Row(
    rate_bps=10_000_000,
    delay_ns=5 * _MS,
    buffer=Depth(120, "pkts"),
    source=_FAST,
    sink=_FAST,
    thresholds=Thresholds("20pkts", "50pkts", "80pkts", becnthresh=("30pkts", "70pkts"), maxp=0.2, byte_mode=False),
)
"""P2's telephone calls and best effort. becnthresh lies as in P0, see MF."""
VW_ROUND_TRIPS_NS = (20 * _MS, 200 * _MS)
"""The round trips of best effort without queues: evenly from the first to the second."""
VOICE_QUEUE, VOICE_DSCP = 1, 46
"""Expedited forwarding (RFC 3246)."""
VOICE_WEIGHT = 0.8
"""The share of the link that the voice queue has while both are busy."""
VOICE_DRAIN_NS = 20 * _MS
"""The voice queue holds what its share of the link serves in this time."""

MF = Row(
    rate_bps=1_500_000,
    delay_ns=40 * _MS,
    buffer=Depth(180_000, "bytes"),
    source=_SLOW,
    sink=Access(10_000_000, 4 * _MS),
    thresholds=Thresholds("30pkts", "60pkts", "90pkts", becnthresh=("40pkts", "80pkts"), byte_mode=False),
)
"""P3's FTP flows. The paper gives no buffer: this is twice maxth. becnthresh lies as in P0, at one and at five sixths
of the way from minth to maxth."""

MP = replace(MF, routers=4)
"""P3's parking lot: the text has the number of routers and of flows; links and thresholds are those of MF."""

G3 = Row(
    rate_bps=512_000,
    delay_ns=10 * _MS,
    buffer=Depth(200, "pkts"),
    source=_P4_ACCESS,
    sink=_P4_ACCESS,
    thresholds=Thresholds(
        "10pkts",
        "35pkts",
        "60pkts",
        becnthresh=("18pkts", "52pkts"),
        wq=0.02,
        byte_mode=False,
        mean_packet_bytes=1492,
    ),
    routers=4,
    both_ways=True,
    hosts={"ftp0": 0, "ftp3": 1, "ftp4": 2, "ftp5": 3, "ftp6": 3},
)
"""P4's three congested links. The thresholds are the values of P4's grid with which the average settles soonest;
becnthresh lies as in P0, see MF."""

G1 = replace(G3, routers=2, hosts={"ftp0": 0, "ftp3": 1, "ftp4": 1})
"""P4's one congested link."""

LEAF_SPINE = LeafSpine(
    rate_bps=10_000_000,
    delay_ns=1 * _MS,
    buffer=Depth(90_000, "bytes"),
    source=Access(100_000_000, _MS // 10),
    sink=Access(100_000_000, _MS // 10),
    thresholds=N1.thresholds,
    both_ways=True,
)
"""No paper's: a data centre's network with several paths, at the rate and with the queues of N1."""

FAT_TREE = FatTree(
    rate_bps=10_000_000_000,
    delay_ns=1_000,
    buffer=Depth(150_000, "bytes"),
    source=Access(10_000_000_000, 1_000),
    sink=Access(10_000_000_000, 1_000),
    thresholds=Thresholds("30KB", "60KB", "90KB", becnthresh=("45KB",), byte_mode=False, mean_packet_bytes=1500),
    both_ways=True,
)
"""No paper's: a data centre's network of 128 hosts, with a buffer of 100 full packets at each port."""
