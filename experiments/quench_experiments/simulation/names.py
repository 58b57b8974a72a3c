# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The names of metrics and of time series, by the kind of thing that they are about."""

TAKEN_OVER = (
    "offered_pkts",
    "offered_bytes",
    "tx_pkts",
    "tx_bytes",
    "dropped_pkts",
    "dropped_early_pkts",
    "dropped_forced_pkts",
    "dropped_full_pkts",
    "lost_pkts",
    "loss",
    "utilisation",
    "capacity_bits",
    "queue_mean_pkts",
    "queue_sd_pkts",
    "queue_max_pkts",
    "queue_mean_bytes",
    "queue_sd_bytes",
    "queue_max_bytes",
    "average_mean_pkts",
    "average_sd_pkts",
    "marked_pkts",
)
"""A direction's metrics that are the simulator's as they are."""
KINDS = ("data", "ack", "udp", "icmp", "other")
"""Every packet that crosses is one of these."""
SUMS = (
    "sent_pkts",
    "received_pkts",
    "retransmitted_pkts",
    "timeouts",
    "reactions_isq",
    "reactions_ece",
    "reactions_loss",
    "reactions_incipient",
    "reactions_moderate",
    "cnps_sent",
    "connections",
)
"""A group's metrics that are sums over its sources."""
MEANS = ("goodput_pkts", "goodput_bps", "delay_mean_s", "jitter_s")
"""A group's metrics that are means over those of its sources that have them."""
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0, "p99_9": 99.9}
"""The percentiles by the part of a metric's name."""
OBJECT_DELAY, FILE_TIME, FLOW_TIME = "object_delay", "file_time", "flow_time"
"""Completion times: of web objects, of files, and of flows, each the mean of its files'."""


def _times(name: str, *more: str) -> frozenset[str]:
    return frozenset(f"{name}_{each}_s" for each in (*more, *PERCENTILES))


DIRECTION = (
    frozenset(TAKEN_OVER)
    | {f"{kind}_{unit}" for kind in KINDS for unit in ("pkts", "bits")}
    | {"throughput_bps", "queue_cv", "average_mean_bytes"}
    | {"isqs_sent", "isq_reverse_share", "isq_pkts", "isq_share", "ect1_pkts", "ce_pkts"}
    | {"signal_pkts", "signal_bits"}
)
"""The metrics of ``link.LINK.ab``."""
QUEUE = frozenset(
    name
    for name in TAKEN_OVER
    if name in ("offered_pkts", "tx_pkts", "tx_bytes", "dropped_full_pkts") or name.startswith(("queue_", "average_"))
)
"""The metrics of ``link.LINK.ab.queue.N``."""
DEPTHS = frozenset(f"queue_{by}{each}_bytes" for by in ("", "change_") for each in PERCENTILES)
"""Percentiles of a queue over time and by its changes, of the directions in ``measure.queues``."""
OF_ALL_LINKS = (
    *("offered_pkts", "offered_bytes", "tx_pkts", "tx_bytes", "dropped_pkts", "dropped_full_pkts", "lost_pkts"),
    *("marked_pkts", "data_bits", "ack_bits", "isq_pkts", "signal_pkts", "signal_bits"),
)
NETWORK = frozenset({*OF_ALL_LINKS, "loss", "clones", "queue_max_bytes"})
"""The metrics of ``network``: sums over all directions; the longest queue of a router."""
ROUTER = frozenset(
    {f"isqs_{kind}" for kind in ("marked", "dropped", "dataplane", "lost", "limited", "refused")}
    | {"packet_ins", "clones"}
)
"""The metrics of ``router.NAME``."""
SOURCE = frozenset({*SUMS, *MEANS, "loss"})
"""The metrics of ``source.NAME``, whatever its kind is."""
GROUP = SOURCE | {"flows", "goodput_total_bps", "fairness"}
"""The metrics of ``group.GROUP`` and ``all``, whatever the kinds are."""
OBJECTS = _times(OBJECT_DELAY, "mean", "sd") | {"objects", "objects_unfinished", "object_delay_fairness"}
"""The metrics of sources that send web objects, and of their groups."""
FILES = _times(FILE_TIME, "mean", "sd") | {"files", "files_unfinished", "file_rate_mean_bps"}
"""The metrics of sources that send files, and of their groups."""
FLOWS = _times(FLOW_TIME)
"""The metrics of groups of sources that send files."""
SLOWDOWN = frozenset({"slowdown_mean", *(f"slowdown_{each}" for each in PERCENTILES)})
MESSAGES = (
    _times("message_time", "mean")
    | SLOWDOWN
    | {"messages", "messages_unfinished", "message_bytes", "message_bytes_unfinished"}
)
"""The metrics of sources that send messages, and of their groups."""
SIZE_BIN = SLOWDOWN | {"messages", "messages_unfinished", "size_bytes"}
"""The metrics of ``source.NAME.size.N``, ``group.GROUP.size.N`` and ``all.size.N``, with ``measure.size_bins``."""
CALLS = frozenset(
    {"calls", "calls_blocked", "call_blocking", "call_loss", "call_delay_mean_s", "call_delay_max_s", "call_jitter_s"}
)
"""The metrics of sources that make calls, and of their groups."""
DIRECTION_SERIES = (
    *("queue_pkts", "queue_bytes", "average_pkts"),
    *("marked_pkts", "dropped_pkts", "isq_pkts", "tx_bytes"),
)
"""Time series of a direction."""
WINDOW_SERIES = ("cwnd_pkts", "ssthresh_pkts", "flight_bytes", "srtt_s")
"""Time series of a source with TCP."""
DISTRIBUTIONS = "distributions"
"""The table of the distributions of completion times."""
SERIES_WORDS = {
    "queue_pkts": "Queue (packets)",
    "queue_bytes": "Queue (bytes)",
    "average_pkts": "RED's average (packets)",
    "marked_pkts": "Marks so far",
    "dropped_pkts": "Drops so far",
    "isq_pkts": "Source quenches so far",
    "tx_bytes": "Bytes sent so far",
    "cwnd_pkts": "Window (packets)",
    "ssthresh_pkts": "Slow start threshold (packets)",
    "flight_bytes": "Sent and not acknowledged (bytes)",
    "srtt_s": "Smoothed round trip (s)",
}
"""Words for a time series, by the last part of its name."""
