# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How much work a simulation is, before it is done: for the order of runs and the time left."""

from quench_experiments.simulation.scenario import Scenario

FULL_PACKET_BITS = 8000
PACKETS_PER_RUN = 2000.0
"""What starting a simulation costs, in packets."""
PACKETS_PER_CONNECTION = 20.0


def estimated_packets(scenario: Scenario) -> float:
    """Packets that cross links between routers when these are full, one way; work is about proportional to it."""
    routers = {router.name for router in scenario.routers}
    between = [link for link in scenario.links if {link.a, link.b} <= routers] or scenario.links
    # Data fills one way, ACKs come back: the faster direction is what data can take.
    rates_bps = [max(link.ab.rate_bps or 0.0, link.ba.rate_bps or 0.0) for link in between]
    crossing = scenario.duration_s * sum(rates_bps) / FULL_PACKET_BITS
    return PACKETS_PER_RUN + PACKETS_PER_CONNECTION * len(scenario.sources) + crossing
