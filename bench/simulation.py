# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator: N1 beside ns-2 where it is installed, time and memory over flows and rate, and large networks.

Every run is a process of its own, one at a time.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import script
import yaml
from figures import Figure, ratios
from quench_experiments.comparison.cases import N1, Case
from quench_experiments.comparison.ns2 import command, find_ns
from rich.console import Console
from rich.table import Table

ONE_RUN = Path(__file__).with_name("one_run.py")
LARGE = Path(__file__).with_name("large.py")
HTSIM = Path(__file__).with_name("htsim.yaml")
"""The recorded times of csg-htsim. They are of another run, so no ratio is made of them."""
N1_45 = Case("bench-n1-45-ecn", N1, "ecn", 45)
"""Against ns-2: the largest of the papers' runs."""
SCALING = (
    ("flows", ((10, 100e6, 100.0), (30, 100e6, 100.0), (100, 100e6, 100.0), (300, 100e6, 100.0), (1000, 100e6, 100.0))),
    ("rate", ((200, 10e6, 1000.0), (200, 100e6, 100.0), (200, 1000e6, 10.0))),
)
"""(flows, rate, simulated time). The rate's runs all send as many packets."""
QUICK_SHARE = 0.1
"""The share of the simulated time of the runs above that --quick simulates."""
REPETITIONS = 3
LARGE_YARDSTICK = "N1, 45 flows"
LARGE_RUNS = {
    LARGE_YARDSTICK: ("n1", "--flows", "45", "--duration", "100"),
    "one link, 1000 flows": ("link", "--flows", "1000"),
    "one link, 10 000 flows": ("link", "--flows", "10000", "--duration", "5"),
    "two tiers, 64 hosts, 10 Gb/s": ("leaf-spine",),
    "fat tree, 128 hosts, 10 Gb/s": ("fat-tree",),
}
"""The words of large.py. The trees have permutation traffic and ECMP."""
PIPE_DELAYS = {10_000: "10ms", 100_000: "100ms"}
"""The delay of a link by the packets in flight on it, of a million a second."""
TREE_SHORT_S = "0.002"
QUICK_LARGE = (LARGE_YARDSTICK, "one link, 1000 flows")


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure all."""
    console = script.console()
    figures = _against_ns2(console, 2 if quick else REPETITIONS)
    scaling, details = _scaling(console, QUICK_SHARE if quick else 1.0, 1 if quick else REPETITIONS)
    large, details["large"] = _large(console, QUICK_LARGE if quick else tuple(LARGE_RUNS), 2)
    in_flight = _in_flight(console, 1 if quick else REPETITIONS)
    threads = _threads(console, 1 if quick else REPETITIONS)
    script.finish([*figures, *scaling, *large, *in_flight, *threads], details, as_json=as_json)


def _against_ns2(console: Console, repetitions: int) -> list[Figure]:
    """N1 with 45 ECN flows for 500 s: ours, every packet by the P4 program in two routers, and bare ns-2, in turns."""
    name = "N1, 45 ECN flows, 500 s"
    ns = find_ns()
    ours, theirs = [], []
    for _ in range(repetitions):
        ours.append(_one_run(N1_45.flows, N1_45.network.rate_bps, N1_45.duration_s)["wall_s"])
        if ns is not None:
            # The queue is not watched, which would take as long again; ours measures everything.
            theirs.append(script.timed([*command(ns, N1_45, seed=1), "measured=0"]).seconds)
    figures = [Figure(name, tuple(ours), "s", "less")]
    if theirs:
        figures.append(Figure(f"{name}, by ns-2", tuple(theirs), "s", "less"))
        figures.append(ratios(f"{name}, times as fast as ns-2", theirs, ours, "more"))
    for figure in figures:
        console.print(f"{figure.name}: {figure.median:.2f} {figure.unit}")
    if ns is None:
        console.print("ns-2 is not installed")
    return figures


def _scaling(console: Console, share: float, repetitions: int) -> tuple[list[Figure], dict[str, Any]]:
    """Time for each packet of the bottleneck, and memory, over the number of flows and over the rate."""
    figures, details = [], {}
    for axis, points in SCALING:
        turns = [
            [_one_run(flows, rate_bps, duration_s * share) for flows, rate_bps, duration_s in points]
            for _ in range(repetitions)
        ]
        table = Table(
            *("flows", "rate", "simulated", "time", "packets", "a packet", "memory"), title=f"N1, over the {axis}"
        )
        for run in turns[-1]:
            grown = run["memory_peak_bytes"] - run["memory_before_bytes"]
            table.add_row(
                str(run["flows"]),
                f"{run['rate_bps'] / 1e6:g} Mb/s",
                f"{run['simulated_s']:g} s",
                f"{run['wall_s']:.2f} s",
                f"{run['bottleneck_pkts']:.0f}",
                f"{_us_per_pkt(run):.2f} us",
                f"{grown / 1e6:.0f} MB",
            )
        console.print(table)
        most = [max(map(_us_per_pkt, turn)) for turn in turns]
        least = [min(map(_us_per_pkt, turn)) for turn in turns]
        figures.append(ratios(f"N1, time for a packet over the {axis}, most over least", most, least, "less"))
        details[axis] = turns
    return figures, details


def _large(console: Console, names: Sequence[str], repetitions: int) -> tuple[list[Figure], list[dict[str, Any]]]:
    """Processor time for a packet-hop, beside that of N1, and memory."""
    turns = [
        {name: _json([sys.executable, str(LARGE), *LARGE_RUNS[name]]) for name in names} for _ in range(repetitions)
    ]
    hops = {name: [turn[name]["us_per_packet_hop"] for turn in turns] for name in names}
    figures = []
    table = Table("network", "packet-hops", "a hop", "times N1's", "events/s", "memory", title="Large networks")
    for name in names:
        grown = [turn[name]["memory_peak_bytes"] - turn[name]["memory_before_bytes"] for turn in turns]
        figures.append(Figure(f"{name}, time of a packet-hop", tuple(hops[name]), "us", "less"))
        figures.append(Figure(f"{name}, memory", tuple(each / 1e6 for each in grown), "MB", "less"))
        ratio = ratios(
            f"{name}, time of a packet-hop, over that of {LARGE_YARDSTICK}", hops[name], hops[names[0]], "less"
        )
        if name != LARGE_YARDSTICK:
            figures.append(ratio)
        last = turns[-1][name]
        table.add_row(
            *(name, f"{last['packet_hops']:,}", f"{last['us_per_packet_hop']:.2f} us", f"{ratio.median:.2f}"),
            *(f"{last['events_per_s'] / 1e6:.2f} M", f"{grown[-1] / 1e6:.0f} MB"),
        )
    htsim = yaml.safe_load(HTSIM.read_text(encoding="utf-8"))
    seconds = htsim["processor_s"]
    hop_us = 1e6 * median(seconds) / htsim["packet_hops"]
    events_per_s = htsim["events"] / median(seconds)
    table.add_row(
        *("csg-htsim, recorded", f"{htsim['packet_hops']:,}", f"{hop_us:.2f} us", ""),
        *(f"{events_per_s / 1e6:.2f} M", ""),
    )
    console.print(table)
    console.print(f"csg-htsim: {htsim['network']}; {htsim['command']}, {htsim['machine']}, {htsim['date']}")
    return figures, list(turns)


def _in_flight(console: Console, repetitions: int) -> list[Figure]:
    """The memory that a packet in flight takes, for a few and for many of them."""
    figures = []
    for pkts, delay in PIPE_DELAYS.items():
        turns = [_json([sys.executable, str(LARGE), "pipe", "--delay", delay]) for _ in range(repetitions)]
        grown = tuple((turn["memory_peak_bytes"] - turn["memory_before_bytes"]) / pkts for turn in turns)
        figures.append(Figure(f"a packet in flight of {pkts}, memory", grown, "B", "less"))
        console.print(f"{figures[-1].name}: {figures[-1].median:.0f} B")
    return figures


def _threads(console: Console, repetitions: int) -> list[Figure]:
    """The fat tree by one thread and by two, in turns: the gain is of the time that passes."""
    words = [sys.executable, str(LARGE), "fat-tree", "--duration", TREE_SHORT_S, "--threads"]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repetitions):
        for threads, measured in seconds.items():
            measured.append(_json([*words, str(threads)])["wall_s"])
    figure = ratios("fat tree, two threads, times as fast as one", seconds[1], seconds[2], "more")
    console.print(f"{figure.name}: {figure.median:.2f}")
    return [figure]


def _us_per_pkt(run: dict[str, Any]) -> float:
    return float(run["wall_s"] / run["bottleneck_pkts"] * 1e6)


def _one_run(flows: int, rate_bps: float, duration_s: float) -> dict[str, Any]:
    return _json([sys.executable, str(ONE_RUN), str(flows), str(rate_bps), str(duration_s)])


def _json(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(script.timed(words).output)
    return found


if __name__ == "__main__":
    script.run(main)
