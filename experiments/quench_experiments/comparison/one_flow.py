# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The window of one flow through a short drop-tail queue, moment by moment, in both simulators.

Nothing there is random, so two implementations of one TCP have the same window all the time.
"""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Literal

from quench.places import NS2
from quench.profiles.settings import parse_settings

from quench_experiments.comparison.ns2 import printed
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Direction, Host, Link, Measure, Router, Scenario
from quench_experiments.simulation.source import Source
from quench_experiments.simulation.stack import Stack

GRID_S = 0.01
"""The interval at which the two windows are compared."""
MAX_WINDOW_PKTS = 100.0
"""ns-2's variable grows beyond it; the packets that it sends do not, and a loss halves the smaller value."""
SAME_PKTS = 0.5
"""Windows that are nearer than this let the same number of packets out, but for one at a boundary."""


@dataclass(frozen=True, slots=True)
class OneFlow:
    """A flow and its path.

    The access rate is no multiple of the bottleneck's, and the buffer holds half of what is on the way: else a packet
    arrives at the very moment at which another leaves, and whether there is room is a question of rounding.
    """

    recovery: Literal["reno", "newreno"] = "newreno"
    rate_bps: float = 1e6
    delay_s: float = 0.04
    access_rate_bps: float = 9.7e6
    access_delay_s: float = 0.002
    buffer_pkts: int = 10
    duration_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Nearness:
    """The nearness of two windows."""

    same_share: float
    """The share of moments at which they differ by less than SAME_PKTS."""
    largest_pkts: float
    mean_pkts: float
    """The mean amount of the differences."""
    first_s: float | None
    """The first moment at which they differ by more than SAME_PKTS."""


FLOWS = (
    OneFlow(),
    OneFlow(buffer_pkts=30),
    OneFlow(buffer_pkts=3),
    OneFlow(rate_bps=10e6, access_rate_bps=97e6, buffer_pkts=40),
    OneFlow(delay_s=0.25, buffer_pkts=20),
    OneFlow(recovery="reno"),
    OneFlow(recovery="reno", rate_bps=10e6, access_rate_bps=97e6, buffer_pkts=40),
)

Trace = list[tuple[float, float]]
"""Times in s, and the window in packets from then on."""


def of_ns2(ns: Path, flow: OneFlow) -> Trace:
    """The window in ns-2. Raises ComparisonError."""
    words = [
        str(ns),
        str(NS2 / "one_flow.tcl"),
        f"kind={flow.recovery.capitalize()}",
        f"rate={flow.rate_bps}",
        f"delay={flow.delay_s}",
        f"access_rate={flow.access_rate_bps}",
        f"access_delay={flow.access_delay_s}",
        f"buffer={flow.buffer_pkts}",
        f"duration={flow.duration_s}",
    ]
    lines = [line.split() for line in printed(words, "one flow").splitlines()]
    changes = [(float(line[0]), float(line[-1])) for line in lines if len(line) > 1 and line[-2] == "cwnd_"]
    return [(time_s, min(window, MAX_WINDOW_PKTS)) for time_s, window in changes]


def scenario(flow: OneFlow) -> Scenario:
    """The same path in our simulator."""
    access = Direction(rate_bps=flow.access_rate_bps)
    return Scenario(
        seed=1,
        duration_s=flow.duration_s,
        hosts=(Host(name="s", address=IPv4Address("10.1.0.1")), Host(name="c", address=IPv4Address("10.2.0.1"))),
        routers=(
            Router(name="r1", profiles={"bottleneck.ab": parse_settings({"scheme": "taildrop"})}),
            Router(name="r2"),
        ),
        links=(
            Link(name="in", a="s", b="r1", delay_s=flow.access_delay_s, ab=access, ba=access),
            Link(
                name="bottleneck",
                a="r1",
                b="r2",
                delay_s=flow.delay_s,
                ab=Direction(rate_bps=flow.rate_bps, buffer_pkts=flow.buffer_pkts),
                ba=Direction(rate_bps=flow.rate_bps),
            ),
            Link(name="out", a="r2", b="c", delay_s=flow.access_delay_s, ab=access, ba=access),
        ),
        stacks={"plain": Stack.model_validate({"preset": "ns2-2001", "recovery": flow.recovery})},
        sources=(Source.model_validate({"kind": "ftp", "name": "f", "from": "s", "to": "c", "stack": "plain"}),),
        measure=Measure(series_interval_s=GRID_S, cwnd=True, max_points=100_000),
    )


def of_ours(flow: OneFlow) -> Trace:
    """The window in our simulator. Raises SimulationError."""
    series = simulate(scenario(flow)).series["source.f.cwnd_pkts"]
    return list(zip(series.time_s.tolist(), series.value.tolist(), strict=True))


def compare(ns: Path, flow: OneFlow) -> Nearness:
    """Run both. Raises ComparisonError or SimulationError."""
    return nearness(of_ns2(ns, flow), of_ours(flow), flow.duration_s)


def nearness(theirs: Trace, ours: Trace, duration_s: float) -> Nearness:
    """Both windows on the grid, between whose points neither is looked at."""
    moments = [index * GRID_S for index in range(1, int(duration_s / GRID_S))]
    differences = [abs(one - other) for one, other in zip(_at(theirs, moments), _at(ours, moments), strict=True)]
    apart = [moment for moment, difference in zip(moments, differences, strict=True) if difference >= SAME_PKTS]
    return Nearness(
        same_share=1 - len(apart) / len(moments),
        largest_pkts=max(differences),
        mean_pkts=sum(differences) / len(differences),
        first_s=apart[0] if apart else None,
    )


def _at(trace: Trace, moments: Sequence[float]) -> list[float]:
    times = [time for time, _ in trace]
    return [trace[max(0, bisect.bisect_right(times, moment) - 1)][1] for moment in moments]
