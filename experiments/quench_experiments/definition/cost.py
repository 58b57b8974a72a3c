# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of a run, in packets that pass through a router: they take nearly all of a simulation's time."""

import math
from collections import Counter

from quench_experiments.definition.network import Hosts, Network
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.traffic import SCHEME_STACK, Traffic, one_of
from quench_experiments.simulation.source import OF_MANY, WITH_CONNECTIONS, Source, mean, message_packets
from quench_experiments.simulation.ways import mean_routers

DEFAULT_PACKET_BYTES = 1000
VOICE_PACKETS_PER_S = 50
VOICE_PACKET_BYTES = 200
VOICE_ACTIVITY = 0.4
"""Share of time in which a speaker talks (ITU-T P.59, about)."""


def router_passes(setup: Setup) -> float:
    """An upper estimate: TCP fills the rest of each link between routers, and every packet has an ACK.

    Messages are those of their load.
    """
    network = setup.network
    nics = 1 if any(place.nics for place in network.places.values()) else 0
    payload = setup.stacks[SCHEME_STACK].segment_bytes
    packet_bytes = DEFAULT_PACKET_BYTES if payload is None else payload + 40
    every = [(traffic.count, one_of(traffic, Hosts(network))) for traffic in setup.traffic if traffic.count]
    flows = [(count, source) for count, source in every if source.kind not in OF_MANY]
    rate_bps = max(place.rate_bps for place in network.places.values())
    messages = math.fsum(
        count * message_packets(source, rate_bps, setup.duration, packet_bytes)
        for count, source in every
        if source.kind in OF_MANY
    )
    hosts: Counter[str] = Counter()
    for place in network.places.values():
        hosts[place.router] += place.hosts or 1
    passes = 2 * messages * (mean_routers(network.links, hosts) + nics)
    if not flows:
        return passes
    loads = [_udp(count, source) for count, source in flows]
    udp_packets = sum(packets for packets, _ in loads)
    udp_bps = sum(bps for _, bps in loads)
    has_tcp = any(source.kind in WITH_CONNECTIONS for _, source in flows)
    per_link = []
    for link in network.links:
        tcp_packets = max(0.0, (link.ab.rate_bps or 0.0) - udp_bps) / 8 / packet_bytes if has_tcp else 0.0
        per_link.append(2 * tcp_packets + udp_packets)
    # A packet that crosses a link passes the router before it and, at the end of its way, the last router; and at first
    # its host's network card.
    of_flows = [traffic for traffic in setup.traffic if traffic.count and traffic.source["kind"] not in OF_MANY]
    alone = 2 * _access_packets(network, sum(_links(network, each) for each in of_flows), packet_bytes)
    filled = setup.duration * (sum(per_link) + (1 + nics) * max(per_link, default=alone))
    return filled + passes


def _links(network: Network, traffic: Traffic) -> int:
    """The links that the flows of a group can fill: no more than it has flows, senders and receivers."""
    ends = [network.fixed_hosts(place) for place in (traffic.from_, traffic.to)]
    return min([traffic.count, *(len(hosts) for hosts in ends if hosts is not None)])


def _access_packets(network: Network, links: int, packet_bytes: float) -> float:
    """Packets per second that fill so many of the hosts' links, of hosts at one router."""
    rates = [place.rate_bps for place in network.places.values() for _ in range(place.hosts or 1)]
    return math.fsum(sorted(rates)[-links:]) / 8 / packet_bytes


def _udp(count: int, source: Source) -> tuple[float, float]:
    """Packets and bits per second of a group of UDP sources."""
    settings = source.settings
    if source.kind == "voip":
        most = math.inf if settings.get("max_calls") is None else settings["max_calls"]
        calls = min(settings["calls_per_s"] * settings["holding_s"], most)
        packets = count * calls * VOICE_ACTIVITY * VOICE_PACKETS_PER_S
        return packets, packets * 8 * VOICE_PACKET_BYTES
    if source.kind in WITH_CONNECTIONS:
        return 0.0, 0.0
    on, off = mean(settings.get("on_s")), mean(settings.get("off_s"))
    bps = count * settings["rate_bps"] * (on / (on + off) if off else 1.0)
    return bps / 8 / settings["packet_bytes"], bps
