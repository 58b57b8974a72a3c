# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of a run, in packets that pass through a router: they take nearly all of a simulation's time."""

import math

from quench_experiments.definition.network import Hosts
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.traffic import SCHEME_STACK, one_of
from quench_experiments.simulation.source import (
    Cbr,
    Constant,
    Distribution,
    Exponential,
    Files,
    Ftp,
    OnOff,
    Pareto,
    ParetoII,
    Source,
    Uniform,
    Voip,
    Web,
)

DEFAULT_PACKET_BYTES = 1000
VOICE_PACKETS_PER_S = 50
VOICE_PACKET_BYTES = 200
VOICE_ACTIVITY = 0.4
"""Share of time in which a speaker talks (ITU-T P.59, about)."""


def router_passes(setup: Setup) -> float:
    """An upper estimate: TCP fills the rest of each link between routers, and every packet has an ACK."""
    network = setup.topology.network()
    payload = setup.stacks[SCHEME_STACK].segment_bytes
    packet_bytes = DEFAULT_PACKET_BYTES if payload is None else payload + 40
    flows = [(traffic.count, one_of(traffic, Hosts(network))) for traffic in setup.traffic if traffic.count]
    loads = [_udp(count, source) for count, source in flows]
    udp_packets = sum(packets for packets, _ in loads)
    udp_bps = sum(bps for _, bps in loads)
    has_tcp = any(isinstance(source, Ftp | Files | Web) for _, source in flows)
    per_link = []
    for link in network.links:
        tcp_packets = max(0.0, (link.ab.rate_bps or 0.0) - udp_bps) / 8 / packet_bytes if has_tcp else 0.0
        per_link.append(2 * tcp_packets + udp_packets)
    # A packet that crosses a link passes the router before it and, at the end of its way, the last router.
    return setup.duration * (sum(per_link) + max(per_link))


def _udp(count: int, source: Source) -> tuple[float, float]:
    """Packets and bits per second of a group of UDP sources."""
    if isinstance(source, Voip):
        most = math.inf if source.max_calls is None else source.max_calls
        packets = count * min(source.calls_per_s * source.holding_s, most) * VOICE_ACTIVITY * VOICE_PACKETS_PER_S
        return packets, packets * 8 * VOICE_PACKET_BYTES
    if not isinstance(source, Cbr | OnOff):
        return 0.0, 0.0
    on, off = _mean(source.on_s), _mean(source.off_s)
    bps = count * source.rate_bps * (on / (on + off) if off else 1.0)
    return bps / 8 / source.packet_bytes, bps


def _mean(value: Distribution | float | None) -> float:
    """The mean of a distribution; 0 for None."""
    match value:
        case Constant():
            return value.value
        case Uniform():
            return (value.low + value.high) / 2
        case Exponential() | Pareto() | ParetoII():
            return value.mean
    return value or 0.0
