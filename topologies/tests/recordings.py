# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs that never happened, with numbers that can be added up by hand."""

from collections import deque
from typing import Any

from quench_topologies.datagram_traffic import DatagramRecord, SentDatagram
from quench_topologies.demo.flows import Flow
from quench_topologies.demo.options import DemoWords
from quench_topologies.demo.recording import Counters, Crossed, QueueReport, Recording, Snapshot
from quench_topologies.demo.scenarios import Scenario, SchemeOptions, parse_scenarios
from quench_topologies.demo.summary import summarise
from quench_topologies.papers.dumbbell import N1
from quench_topologies.traffic import WindowSample

WORDS = DemoWords(
    topology="n1",
    schemes=[],
    settings=[],
    isq_levels=False,
    isq_mode="cpu",
    paper=True,
    mix=None,
    flows=None,
    pairs=None,
    rate=None,
    delay=None,
    reverse_loss=None,
    scheduler=None,
)
"""The words of a demo without any option."""


def scenario(text: str) -> Scenario:
    (found,) = parse_scenarios([text], SchemeOptions(N1.row.thresholds))
    return found


def snapshot(time_s: float, scale: int, links: int = 1, by_switch: int = 0) -> Snapshot:
    port = {"port_seen": 1000, "port_marked": 50, "port_dropped_early": 20, "port_dropped_forced": 5, "port_cloned": 9}
    port |= {"port_isq_sent": by_switch, "port_isq_limited": 4 if by_switch else 0}
    hosts = {
        "isq_accepted_marked": 6,
        "isq_accepted_dropped": 2,
        "isq_refused_not_in_flight": 1,
        "reactions_isq_marked": 4,
        "reactions_isq_dropped": 1,
        "reactions_ece": 3,
        "reactions_incipient": 5,
        "reactions_moderate": 7,
        "reactions_loss": 2,
        "reactions_rto": 1,
        "suppressed_isq": 3,
    }
    return Snapshot(
        round(time_s * 1e9),
        [Crossed(time_s, 900 * scale, 125_000 * scale, ect1_pkts=11 * scale, ce_pkts=13 * scale)] * links,
        Counters(
            time_s,
            [{name: count * scale for name, count in port.items()}] * links,
            {} if by_switch else {"marked": 7 * scale, "dropped": 2 * scale},
            scale,
            0,
        ),
        {name: value * scale for name, value in hosts.items()},
        [WindowSample(time_s, 4, 4, 90_000, acked * scale, scale) for acked in (25_000, 75_000)],
    )


def recording(
    overflow_pkts: int | None, *, links: int = 1, by_switch: int = 0, beside: bool = False, datagrams: bool = False
) -> Recording:
    queue = {"mean_bytes": 30_000, "sd_bytes": 5000, "mean_pkts": 30, "sd_pkts": 5}
    reports = [QueueReport(9.0, 80, 40.0), QueueReport(10.0, 20, 16.0), QueueReport(10.5, 40, 18.0)]
    # Sent at 9.9, 10.2, 10.5 and 10.8 s; the first is not of the measured time, the third is lost.
    packets = [
        SentDatagram(1, round(sent_s * 1e9), None if sent_s == 10.5 else round(sent_s * 1e9) + delay_ms * 1_000_000)
        for sent_s, delay_ms in ((9.9, 99), (10.2, 20), (10.5, 0), (10.8, 26))
    ]
    return Recording(
        8.0,
        [Flow("server1", "client1"), Flow("server2", "client2", beside=beside)],
        snapshot(10.0, 1, links, by_switch),
        snapshot(11.0, 3, links, by_switch),
        [queue if overflow_pkts is not None else None] * links,
        [overflow_pkts] * links,
        [reports] * links,
        datagrams=DatagramRecord(200, deque(packets)) if datagrams else None,
    )


def summary_of(text: str, made: Recording) -> dict[str, Any]:
    links = len(made.queues)
    return summarise(scenario(text), made, [f"link {number}" for number in range(links)], [10_000_000] * links)
