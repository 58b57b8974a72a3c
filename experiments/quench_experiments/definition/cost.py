# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""What a run will cost, in packets passing through a router: nearly all of a simulation's time goes there."""

import math

from quench_experiments.definition.setup import Setup
from quench_experiments.definition.traffic import KINDS, Traffic
from quench_experiments.simulation.source import Cbr, Files, Ftp, OnOff, Voip, Web

DEFAULT_PACKET_BYTES = 1000
VOICE_PACKETS_PER_S = 50
VOICE_PACKET_BYTES = 200
VOICE_ACTIVITY = 0.4
"""Share of time in which a speaker talks (ITU-T P.59, about)."""


def router_passes(setup: Setup) -> float:
    """An upper estimate: TCP fills what UDP leaves of each link between routers, and every packet has its ACK."""
    network = setup.topology.network()
    payload = setup.stack.get("segment_bytes")
    packet_bytes = payload + 40 if isinstance(payload, int) else DEFAULT_PACKET_BYTES
    loads = [_udp(traffic) for traffic in setup.traffic]
    udp_packets = sum(packets for packets, _ in loads)
    udp_bps = sum(bps for _, bps in loads)
    has_tcp = any(KINDS[traffic.source["kind"]] in (Ftp, Files, Web) and traffic.count for traffic in setup.traffic)
    per_link = []
    for link in network.links:
        tcp_packets = max(0.0, (link.ab.rate_bps or 0.0) - udp_bps) / 8 / packet_bytes if has_tcp else 0.0
        per_link.append(2 * tcp_packets + udp_packets)
    # A packet that crosses a link passes the router before it and, at the end of its way, the one behind it.
    return setup.duration * (sum(per_link) + max(per_link))


def _udp(traffic: Traffic) -> tuple[float, float]:
    """Packets and bits per second of a group of UDP sources."""
    source = traffic.source
    kind = KINDS[source["kind"]]
    if kind is Voip:
        calls = min(source["calls_per_s"] * source["holding_s"], source.get("max_calls", math.inf))
        packets = traffic.count * calls * VOICE_ACTIVITY * VOICE_PACKETS_PER_S
        return packets, packets * 8 * VOICE_PACKET_BYTES
    if kind not in (Cbr, OnOff):
        return 0.0, 0.0
    on, off = _mean(source.get("on_s", 1.0)), _mean(source.get("off_s", 0.0))
    bps = traffic.count * source["rate_bps"] * on / (on + off)
    return bps / 8 / source["packet_bytes"], bps


def _mean(value: object) -> float:
    """Of a distribution as a scenario gives it, or of a plain number."""
    if isinstance(value, dict):
        if "mean" in value:
            return float(value["mean"])
        return float(value["value"]) if "value" in value else (value["low"] + value["high"]) / 2
    return float(value) if isinstance(value, int | float) else 1.0
