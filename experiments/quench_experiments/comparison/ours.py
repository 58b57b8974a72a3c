# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A case in our simulator: the same network, TCP and times as the scripts of ``bench/ns2``."""

import random
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from quench.config.isq import IsqConfig
from quench.profiles.settings import ProfileSettings, parse_settings

from quench_experiments.comparison.cases import PACKET_BYTES, Case
from quench_experiments.comparison.outcome import PLAIN, GroupOutcome, Outcome
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Direction, Host, Link, Measure, Router, Scenario
from quench_experiments.simulation.source import Source
from quench_experiments.simulation.stack import Stack

BOTTLENECK = "bottleneck"
LEFT, RIGHT = "r1", "r2"
SENDERS, RECEIVERS = IPv4Address("10.1.0.1"), IPv4Address("10.2.0.1")
MAX_PAIRS = 250
"""The most pairs of hosts: a router has ports for twice as many. More flows than that share access links."""
SAMPLE_INTERVAL_S = 0.01
"""The interval at which RED's average is read, as in the scripts."""


@dataclass(frozen=True, slots=True)
class Switches:
    """The routers of the comparison."""

    program: Path | None = None
    """The JSON of Quench's program; None: that of ``make p4``."""
    slowdown: int | None = None
    """The slowdown of their chips' clocks; None: as the program wants it."""
    mark_at: str = "tail"
    """ns-2 decides when packets arrive, so this is ``tail`` unless that is what is asked."""


OF_QUENCH = Switches()


def scenario(case: Case, seed: int, switches: Switches = OF_QUENCH) -> Scenario:
    """The case with a seed."""
    network = case.network
    flows = case.flows + case.plain_flows
    pairs = min(flows, MAX_PAIRS)
    access = Direction(rate_bps=network.access_rate_bps)
    back = Direction(rate_bps=network.access_rate_bps, loss=network.reverse_loss or 0.0)
    links = [
        Link(
            name=BOTTLENECK,
            a=LEFT,
            b=RIGHT,
            delay_s=network.delay_s,
            ab=Direction(rate_bps=network.rate_bps, buffer_pkts=network.buffer_pkts),
            ba=Direction(rate_bps=network.rate_bps),
        )
    ]
    for index in range(pairs):
        links.append(Link(name=f"in{index}", a=f"s{index}", b=LEFT, delay_s=network.access_delay_s, ab=access, ba=back))
        links.append(
            Link(name=f"out{index}", a=RIGHT, b=f"c{index}", delay_s=network.sink_delay_s, ab=access, ba=access)
        )
    starts = random.Random(seed)
    return Scenario(
        seed=seed,
        duration_s=case.duration_s,
        warmup_s=case.warmup_s,
        hosts=tuple(
            Host(name=f"{prefix}{index}", address=first + index)
            for prefix, first in (("s", SENDERS), ("c", RECEIVERS))
            for index in range(pairs)
        ),
        routers=(
            Router(
                name=LEFT,
                profiles={f"{BOTTLENECK}.ab": profile(case, switches.mark_at)},
                isq=IsqConfig(mode="cpu", per_queue=None, per_source=None, total=None),
                slowdown=switches.slowdown,
            ),
            Router(name=RIGHT, slowdown=switches.slowdown),
        ),
        links=tuple(links),
        stacks=_stacks(case),
        sources=tuple(
            Source.model_validate(
                {
                    "kind": "ftp",
                    "name": f"f{index}",
                    "from": f"s{index % pairs}",
                    "to": f"c{index % pairs}",
                    "group": case.group if index < case.flows else PLAIN,
                    "stack": case.group if index < case.flows else PLAIN,
                    "start_s": starts.uniform(0, case.start_spread_s),
                }
            )
            for index in range(flows)
        ),
        measure=Measure(series_interval_s=SAMPLE_INTERVAL_S),
    )


def profile(case: Case, mark_at: str) -> ProfileSettings:
    """The bottleneck's congestion profile: gentle, with ns-2's least gap, and drops above maxth."""
    network = case.network
    settings: dict[str, Any] = {
        "scheme": case.scheme,
        "minth": f"{network.minth_pkts}pkts",
        "maxth": f"{network.maxth_pkts}pkts",
        "maxp": network.maxp,
        "byte_mode": network.byte_mode,
        "mark_at": mark_at,
        "spare_empty": True,
    }
    if case.becnthresh_pkts is not None:
        settings["becnthresh"] = f"{case.becnthresh_pkts}pkts"
    return parse_settings(settings)


def _stacks(case: Case) -> dict[str, Stack]:
    algorithms = {"plain", case.group}
    recovery = case.network.recovery
    return {
        name: Stack.model_validate({"preset": "ns2-2001", "algorithm": name, "recovery": recovery})
        for name in algorithms
    }


def run(case: Case, seed: int, switches: Switches = OF_QUENCH) -> Outcome:
    """One run of ours. Raises SimulationError."""
    result = simulate(scenario(case, seed, switches), program=switches.program)
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
        goodput_bps=group["goodput_pkts"] * 8 * PACKET_BYTES / result.measured_s,
        # Only the bottleneck drops data. A window is on its way at the beginning, and one at the end.
        loss=1 - group["received_pkts"] / group["sent_pkts"],
    )


def _isq_share(result: Result, case: Case) -> float:
    """The share of source quenches in the packets back to the senders; the others are ACKs."""
    back = [result.link(f"in{index}.ba") for index in range(min(case.flows + case.plain_flows, MAX_PAIRS))]
    return sum(link["isq_pkts"] for link in back) / sum(link["tx_pkts"] for link in back)
