# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs our simulator on a case."""

from quench_experiments.comparison.cases import Case
from quench_experiments.comparison.outcome import GroupOutcome, Outcome
from quench_experiments.comparison.scenarios import BOTTLENECK, MAX_PAIRS, scenario
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.run import simulate

PACKET_BITS = 8000
"""A full segment with its headers, as ns-2 counts it."""


def run(case: Case, seed: int, mark_at: str = "tail") -> Outcome:
    """One run of ours. Raises SimulationError."""
    result = simulate(scenario(case, seed, mark_at))
    link = result.link(f"{BOTTLENECK}.ab")
    return Outcome(
        utilisation=link["utilisation"],
        loss=link["loss"],
        mean_queue_bytes=link["queue_mean_bytes"],
        sd_queue_bytes=link["queue_sd_bytes"],
        mean_average_bytes=link["average_mean_bytes"],
        marked_pkts=link["marked_pkts"],
        isq_share=None if case.in_ns2 else _isq_share(result, case),
        groups={name: _group(result, name) for name in result.groups},
    )


def _group(result: Result, name: str) -> GroupOutcome:
    group = result.groups[name]
    return GroupOutcome(
        flows=int(group["flows"]),
        goodput_bps=group["goodput_pkts"] * PACKET_BITS / result.measured_s,
        # Nothing but the bottleneck drops data. What is on the way at the begin and at the end is a window each.
        loss=1 - group["received_pkts"] / group["sent_pkts"],
    )


def _isq_share(result: Result, case: Case) -> float:
    """Of what goes back to the senders: ACKs, and source quenches, which the left router sends."""
    back = [result.link(f"in{index}.ba") for index in range(min(case.flows + case.plain_flows, MAX_PAIRS))]
    return sum(link["isq_pkts"] for link in back) / sum(link["tx_pkts"] for link in back)
