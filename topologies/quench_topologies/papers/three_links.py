# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""G3, P4's three congested links in a row."""

from quench_topologies.datagrams import ConstantRate
from quench_topologies.loaded_plan import Datagrams, LoadedPlan, LoadSettings, Place, pair_letters, shared_out
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import Access, SwitchRow
from quench_topologies.plan import PortPlan, TcpPlan
from quench_topologies.thresholds import Thresholds

GATEWAYS = ("gw0", "gw1", "gw2", "gw3")
NODES = {"ftp0": "gw0", "ftp3": "gw1", "ftp4": "gw2", "ftp5": "gw3", "ftp6": "gw3"}
"""The gateway in front of each of the paper's nodes."""
SESSIONS = (("ftp0", "ftp3"), ("ftp0", "ftp4"), ("ftp3", "ftp5"), ("ftp4", "ftp6"))
"""The sessions from server to client: two kinds on every link."""
CBR = ("ftp3", "ftp4")
CBR_SHARE = 0.25
"""The share of the link that the constant rate takes."""
ACCESS = Access(10_000_000, 1_000_000)
PACKET_BYTES = 1492
QUEUE_PKTS = 200
ETHERNET_HEADER_BYTES = 14

G3_THRESHOLDS = Thresholds(
    "10pkts",
    "35pkts",
    "60pkts",
    becnthresh=("18pkts", "52pkts"),
    wq=0.02,
    byte_mode=False,
    mean_packet_bytes=PACKET_BYTES,
)
"""The values of P4's grid with which the average settles soonest; becnthresh as in P0, see MP."""


def g3_plan(settings: LoadSettings) -> LoadedPlan:
    """Hosts ftp0, ftp3.. (a second pair of each: ftp0b..). Raises TopologyError.

    Both directions have the profile, as in the paper. Its sessions fetch one file after the other; here they never end.
    """
    capacity_bytes = QUEUE_PKTS * (settings.tcp.packet_bytes + ETHERNET_HEADER_BYTES)
    queue = PortPlan(settings.rate_bps, capacity_bytes, settings.delay_ns, profile=settings.profile)
    links = [queue] * (len(GATEWAYS) - 1)
    row = SwitchRow(GATEWAYS, forward=links, back=links)
    letters = pair_letters(settings.pairs)
    for node, gateway in NODES.items():
        for letter in letters:
            row.add_host(f"{node}{letter}", gateway, ACCESS)
    places = tuple(
        Place(tuple((f"{server}{letter}", f"{client}{letter}") for letter in letters), flows)
        for (server, client), flows in zip(SESSIONS, shared_out(settings.flows, len(SESSIONS)), strict=True)
    )
    load = ConstantRate(round(CBR_SHARE * settings.rate_bps))
    return LoadedPlan(
        row.plan(settings.tcp, settings.isq_mode),
        row.bottlenecks(),
        places,
        Datagrams(*CBR, load),
    )


G3 = PaperNetwork(
    name="g3",
    title="P4's three congested links",
    build=g3_plan,
    thresholds=G3_THRESHOLDS,
    scheme="ecn",
    rate_bps=512_000,
    delay_ns=10_000_000,
    pairs=1,
    flows=24,
    tcp=TcpPlan(packet_bytes=PACKET_BYTES),
)
