# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The demo's flows and times, where the user gives none: they follow from the thresholds and the path.

The windows of N flows fill the path and the queue: N W = pipe + queue. A window W grows by a packet in a round trip,
and a mark halves it, so it stays as it is where W^2 p = 2 (P3, equations 5 to 9; docs/tuning.md). The number of
flows for which the average settles at a given depth follows.
"""

from math import ceil, sqrt

from quench_switch.outside.units import parse_depth

from quench_topologies.demo.runner import START_SPREAD_S
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.plan import ETHERNET_HEADER_BYTES
from quench_topologies.thresholds import Thresholds

WARMUP_CONSTANTS = 15
"""Time constants of the average after the last start. It forgets slow start in 5; the loop takes a few times that."""
MEASURED_CONSTANTS = 50
"""With so many the mean of the average is known to a fifth of its standard deviation: sqrt(2 / 50)."""
MOST_WARMUP_S, MOST_MEASURED_S = 20, 60
"""On slow links the user's patience is the limit."""


def capacity_pps(rate_bps: int, thresholds: Thresholds) -> float:
    """Packets of mean size that a link carries in a second."""
    return rate_bps / 8 / (thresholds.mean_packet_bytes + ETHERNET_HEADER_BYTES)


def flows_for(topology: PaperNetwork, thresholds: Thresholds, rate_bps: int, delay_ns: int) -> int:
    """TCP flows in all: the paper's, or those that settle the average at the lower becnthresh.

    There marks with and without source quenches are about as many. The number is rounded up, so that the average of
    mecn, whose senders give up less for a mark, comes to midth, where its second level begins.
    """
    if topology.demo_path is None:
        return topology.flows
    minth, depth, maxth = (
        parse_depth(each).in_pkts(thresholds.mean_packet_bytes)
        for each in (thresholds.minth, thresholds.becnthresh[0], thresholds.maxth)
    )
    round_trip_s = 2 * (delay_ns + topology.demo_path.access_ns) / 1e9
    pipe_pkts = capacity_pps(rate_bps, thresholds) * round_trip_s
    probability = thresholds.maxp * (depth - minth) / (maxth - minth)
    return max(1, ceil((pipe_pkts + depth) * sqrt(probability / 2)))


def times_for(thresholds: Thresholds, rate_bps: int) -> tuple[float, float]:
    """Warm-up and measured time in seconds, from the time that the average takes to follow the queue: 1/wq packets."""
    constant_s = 1 / (thresholds.wq * capacity_pps(rate_bps, thresholds))
    warmup_s = min(MOST_WARMUP_S, round(START_SPREAD_S + WARMUP_CONSTANTS * constant_s))
    return warmup_s, min(MOST_MEASURED_S, max(1, round(MEASURED_CONSTANTS * constant_s)))
