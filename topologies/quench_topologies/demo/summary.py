# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a recording to numbers. Packets are Ethernet frames that hold one IP packet; sizes are the frames'."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from quench.profiles import parse_settings

from quench_topologies.demo.recording import QueueReport, Recording
from quench_topologies.demo.scenarios import Scenario


def jain_index(values: Sequence[float]) -> float | None:
    """(sum x)^2 / (n sum x^2) (Jain, Chiu and Hawe 1984): 1 when all are equal. None when there is nothing to share."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def time_weighted(points: Sequence[tuple[float, float]], end_s: float) -> tuple[float, float] | None:
    """Mean and standard deviation of a step function given by (time, value), from the first point to end_s."""
    ends = [time_s for time_s, _ in points[1:]] + [end_s]
    spans = [(end - begin, value) for (begin, value), end in zip(points, ends, strict=True)] if points else []
    total_s = sum(span for span, _ in spans)
    if total_s <= 0:
        return None
    mean = sum(span * value for span, value in spans) / total_s
    variance = sum(span * (value - mean) ** 2 for span, value in spans) / total_s
    return mean, math.sqrt(variance)


def summarise(scenario: Scenario, recording: Recording, rate_bps: int) -> dict[str, Any]:
    """One scheme's object of summary.json. None where the target or the hosts do not count something."""
    goodput_bps = _goodputs_bps(recording)
    return {
        "name": scenario.name,
        "scheme": scenario.scheme,
        "becnthresh_bytes": scenario.becnthresh_bytes,
        "host_algorithm": scenario.host_algorithm,
        "profile": parse_settings(scenario.profile()).model_dump(mode="json"),
        "measured_s": recording.after.counters.time_s - recording.before.counters.time_s,
        "utilisation_percent": _utilisation_percent(recording, rate_bps),
        "goodput_total_bps": sum(goodput_bps),
        "goodput_mean_bps": sum(goodput_bps) / len(goodput_bps),
        "fairness_index": jain_index(goodput_bps),
        **_port(recording),
        **_isqs(recording),
        **_hosts(recording),
        **_queue(recording),
        "longest_pause_s": _longest_pause_s(recording),
    }


def _goodputs_bps(recording: Recording) -> list[float]:
    """Payload acknowledged in the measured time, of each flow."""
    pairs = zip(recording.before.windows, recording.after.windows, strict=True)
    return [8 * (after.acked_bytes - before.acked_bytes) / (after.time_s - before.time_s) for before, after in pairs]


def _longest_pause_s(recording: Recording) -> float:
    """Between two looks at a window, which are due every 0.1 s: how long the machine kept the demo waiting at most."""
    begin_s, end_s = recording.before.counters.time_s, recording.after.counters.time_s
    pauses = [
        later.time_s - earlier.time_s
        for samples in recording.windows
        for earlier, later in pairwise(samples)
        if begin_s <= later.time_s <= end_s
    ]
    return max(pauses, default=0.0)


def _utilisation_percent(recording: Recording, rate_bps: int) -> float:
    before, after = recording.before.crossed, recording.after.crossed
    return 100 * 8 * (after.bytes - before.bytes) / (after.time_s - before.time_s) / rate_bps


def _port(recording: Recording) -> dict[str, Any]:
    before, after = recording.before.counters.port, recording.after.counters.port
    offered, marked, early, forced = (
        after[name] - before[name] for name in ("port_seen", "port_marked", "port_dropped_early", "port_dropped_forced")
    )
    lost = early + forced + (recording.overflow_pkts or 0)
    retransmitted = sum(window.retransmitted_pkts for window in recording.after.windows) - sum(
        window.retransmitted_pkts for window in recording.before.windows
    )
    return {
        "offered_pkts": offered,
        "marked_pkts": marked,
        "dropped_early_pkts": early,
        "dropped_forced_pkts": forced,
        "dropped_overflow_pkts": recording.overflow_pkts,
        "dropped_pkts": lost,
        "loss_percent": 100 * lost / offered if offered else None,
        "retransmitted_pkts": retransmitted,
    }


def _isqs(recording: Recording) -> dict[str, Any]:
    before, after = recording.before.counters, recording.after.counters
    sent = {kind: after.isqs_sent.get(kind, 0) - before.isqs_sent.get(kind, 0) for kind in ("marked", "dropped")}
    marked = after.port["port_marked"] - before.port["port_marked"]
    return {
        "isqs_sent_pkts": sum(sent.values()),
        "isqs_sent_marked_pkts": sent["marked"],
        "isqs_sent_dropped_pkts": sent["dropped"],
        "isqs_per_100_marks": 100 * sent["marked"] / marked if marked else None,
        "isqs_suppressed_pkts": after.isqs_suppressed - before.isqs_suppressed,
        "isqs_ineligible_pkts": after.isqs_ineligible - before.isqs_ineligible,
    }


def _hosts(recording: Recording) -> dict[str, Any]:
    before, after = recording.before.hosts, recording.after.hosts

    def counted(*prefixes: str) -> int:
        return sum(value - before.get(name, 0) for name, value in after.items() if name.startswith(prefixes))

    has_counters = bool(after)
    return {
        "isqs_accepted_by_hosts_pkts": counted("isq_accepted_"),
        "isqs_refused_by_hosts_pkts": counted("isq_refused_"),
        "host_reactions_to_isq": counted("reactions_isq_"),
        # The kernel's own Reno counts no reactions.
        "host_reactions_to_ece": counted("reactions_ece") if has_counters else None,
        "host_reactions_to_loss": counted("reactions_loss") if has_counters else None,
        "host_reactions_to_timeout": counted("reactions_rto") if has_counters else None,
        "isqs_without_reaction": counted("suppressed_isq"),
    }


def _queue(recording: Recording) -> dict[str, Any]:
    reports = recording.measured_reports()
    average = _of_reports(recording, reports, "average_pkts")
    if recording.queue is not None:
        names = ("queue_mean_bytes", "queue_sd_bytes", "queue_mean_pkts", "queue_sd_pkts")
        values: dict[str, Any] = {name: float(recording.queue[name]) for name in names}
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
