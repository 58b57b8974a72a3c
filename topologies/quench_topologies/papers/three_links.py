# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""G3, P4's three congested links in a row."""

from quench_topologies.datagrams import ConstantRate
from quench_topologies.loaded_plan import Datagrams, LoadedPlan, LoadSettings, Place, pair_letters, shared_out
from quench_topologies.papers import declared
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.switch_row import SwitchRow
from quench_topologies.plan import ETHERNET_HEADER_BYTES, PortPlan, TcpPlan

GATEWAYS = tuple(f"gw{number}" for number in range(declared.G3.routers))
SESSIONS = (("ftp0", "ftp3"), ("ftp0", "ftp4"), ("ftp3", "ftp5"), ("ftp4", "ftp6"))
"""The sessions from server to client: two kinds on every link."""
CBR = ("ftp3", "ftp4")
CBR_SHARE = 0.25
"""The share of the link that the constant rate takes."""


def g3_plan(settings: LoadSettings) -> LoadedPlan:
    """Hosts ftp0, ftp3.. (a second pair of each: ftp0b..). Raises TopologyError.

    Both directions have the profile, as in the paper. Its sessions fetch one file after the other; here they never end.
    """
    capacity_bytes = declared.G3.buffer_bytes(settings.tcp.packet_bytes + ETHERNET_HEADER_BYTES)
    queue = PortPlan(settings.rate_bps, capacity_bytes, settings.delay_ns, profile=settings.profile)
    links = [queue] * (len(GATEWAYS) - 1)
    row = SwitchRow(GATEWAYS, forward=links, back=links)
    letters = pair_letters(settings.pairs)
    for node, gateway in declared.G3.hosts.items():
        for letter in letters:
            row.add_host(f"{node}{letter}", GATEWAYS[gateway], declared.G3.source)
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
    row=declared.G3,
    scheme="ecn",
    pairs=1,
    flows=24,
    tcp=TcpPlan(packet_bytes=declared.G3.thresholds.mean_packet_bytes),
)
