# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of each bottleneck, and of all of them together."""

from collections.abc import Sequence
from typing import Any

from quench_topologies.demo.figures import mean, time_weighted
from quench_topologies.demo.recording import QueueReport, Recording

_COUNTS = (
    "offered_pkts",
    "marked_pkts",
    "crossed_ect1_pkts",
    "crossed_ce_pkts",
    "dropped_early_pkts",
    "dropped_forced_pkts",
    "dropped_overflow_pkts",
    "dropped_pkts",
)
_MEANS = (
    "utilisation_percent",
    "queue_mean_bytes",
    "queue_sd_bytes",
    "queue_mean_pkts",
    "queue_sd_pkts",
    "average_queue_mean_pkts",
    "average_queue_sd_pkts",
)


def summarise_links(recording: Recording, names: Sequence[str], rates_bps: Sequence[int]) -> list[dict[str, Any]]:
    """One object for each bottleneck. None where the target does not count something."""
    return [
        {
            "name": name,
            "utilisation_percent": _utilisation_percent(recording, index, rate_bps),
            **_port(recording, index),
            **_queue(recording, index),
        }
        for index, (name, rate_bps) in enumerate(zip(names, rates_bps, strict=True))
    ]


def together(links: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts are added up; utilisation and queues are means over the bottlenecks."""
    result: dict[str, Any] = {}
    for name in _COUNTS:
        known = [link[name] for link in links if link[name] is not None]
        result[name] = sum(known) if len(known) == len(links) else None
    offered = result["offered_pkts"]
    result["loss_percent"] = 100 * result["dropped_pkts"] / offered if offered else None
    for name in _MEANS:
        known = [link[name] for link in links if link[name] is not None]
        result[name] = mean(known) if len(known) == len(links) else None
    result["queue_statistics_from"] = links[0]["queue_statistics_from"]
    return result


def _utilisation_percent(recording: Recording, index: int, rate_bps: int) -> float:
    before, after = recording.before.crossed[index], recording.after.crossed[index]
    return 100 * 8 * (after.bytes - before.bytes) / (after.time_s - before.time_s) / rate_bps


def _port(recording: Recording, index: int) -> dict[str, Any]:
    before, after = recording.before.counters.ports[index], recording.after.counters.ports[index]
    marked, early, forced = (
        after[name] - before[name] if name in after else None
        for name in ("port_marked", "port_dropped_early", "port_dropped_forced")
    )
    crossed_before, crossed_after = recording.before.crossed[index], recording.after.crossed[index]
    overflow = recording.overflow_pkts[index]
    lost = (early or 0) + (forced or 0) + (overflow or 0)
    if "port_seen" in after:
        offered = after["port_seen"] - before["port_seen"]
    else:
        # A program that does not count what arrives: as much as has left or was dropped.
        offered = crossed_after.pkts - crossed_before.pkts + lost
    return {
        "offered_pkts": offered,
        "marked_pkts": marked,
        "crossed_ect1_pkts": crossed_after.ect1_pkts - crossed_before.ect1_pkts,
        "crossed_ce_pkts": crossed_after.ce_pkts - crossed_before.ce_pkts,
        "dropped_early_pkts": early,
        "dropped_forced_pkts": forced,
        "dropped_overflow_pkts": overflow,
        "dropped_pkts": lost,
        "loss_percent": 100 * lost / offered if offered else None,
    }


def _queue(recording: Recording, index: int) -> dict[str, Any]:
    reports = recording.measured_reports(index)
    average = _of_reports(recording, reports, "average_pkts")
    queue = recording.queues[index]
    if queue is not None:
        names = ("mean_bytes", "sd_bytes", "mean_pkts", "sd_pkts")
        values: dict[str, Any] = {f"queue_{name}": float(queue[name]) for name in names}
        source = "time_weighted_by_switch"
    else:
        depth = _of_reports(recording, reports, "depth_pkts")
        values = {
            "queue_mean_bytes": None,
            "queue_sd_bytes": None,
            "queue_mean_pkts": depth[0] if depth else None,
            "queue_sd_pkts": depth[1] if depth else None,
        }
        source = "queue_reports"
    return {
        **values,
        "queue_statistics_from": source,
        "average_queue_mean_pkts": average[0] if average else None,
        "average_queue_sd_pkts": average[1] if average else None,
    }


def _of_reports(recording: Recording, reports: list[QueueReport], field: str) -> tuple[float, float] | None:
    points = [(report.time_s, float(getattr(report, field))) for report in reports]
    return time_weighted(points, recording.after.counters.time_s)
