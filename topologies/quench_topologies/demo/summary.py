# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a recording to numbers. Packets are Ethernet frames that hold one IP packet; sizes are the frames'."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from math import hypot
from typing import Any

from quench.profiles import parse_settings

from quench_topologies.datagram_traffic import SentDatagram
from quench_topologies.demo.figures import jain_index, mean, quantile, standard_error
from quench_topologies.demo.links import summarise_links, together
from quench_topologies.demo.recording import Recording
from quench_topologies.demo.scenarios import Scenario

LATE_SHARE = 0.99
"""The delay that this share of the datagrams does not exceed stands for the worst."""

_DATAGRAM_NAMES = (
    "sent_pkts",
    "received_pkts",
    "loss_percent",
    "goodput_bps",
    "delay_mean_s",
    "delay_median_s",
    "delay_late_s",
    "jitter_s",
)


def summarise(
    scenario: Scenario, recording: Recording, names: Sequence[str], rates_bps: Sequence[int]
) -> dict[str, Any]:
    """One scheme's object of summary.json; names and rates are the bottlenecks'.

    None where the target or the hosts do not count something.
    """
    goodput_bps = _goodputs_bps(recording)
    links = summarise_links(recording, names, rates_bps)
    return {
        "name": scenario.name,
        "scheme": scenario.scheme,
        "becnthresh_bytes": scenario.becnthresh_bytes,
        "host_algorithm": scenario.host_algorithm,
        "host_params": dict(recording.host_params),
        "beside_algorithm": scenario.beside,
        "profile": dict(scenario.profile)
        if scenario.program is not None
        else parse_settings(dict(scenario.profile)).model_dump(mode="json"),
        "measured_s": recording.after.counters.time_s - recording.before.counters.time_s,
        "goodput_total_bps": sum(goodput_bps),
        "goodput_mean_bps": mean(goodput_bps),
        "fairness_index": jain_index(goodput_bps),
        **_groups(scenario, recording, goodput_bps),
        "retransmitted_pkts": sum(_retransmitted(recording)),
        **together(links),
        **_isqs(recording),
        **_hosts(recording),
        **_datagrams(recording),
        "links": links,
        "longest_pause_s": _longest_pause_s(recording),
    }


def _goodputs_bps(recording: Recording) -> list[float]:
    """Payload acknowledged in the measured time, of each flow."""
    pairs = zip(recording.before.windows, recording.after.windows, strict=True)
    return [8 * (after.acked_bytes - before.acked_bytes) / (after.time_s - before.time_s) for before, after in pairs]


def _retransmitted(recording: Recording) -> list[int]:
    pairs = zip(recording.before.windows, recording.after.windows, strict=True)
    return [after.retransmitted_pkts - before.retransmitted_pkts for before, after in pairs]


def _groups(scenario: Scenario, recording: Recording, goodput_bps: list[float]) -> dict[str, Any]:
    """The flows by algorithm, and the gain of the scheme's flows over those beside them (P1, section 4)."""
    groups: list[dict[str, Any]] = []
    for algorithm, beside in ((scenario.host_algorithm, False), (scenario.beside, True)):
        mine = [index for index, flow in enumerate(recording.flows) if flow.beside is beside]
        if mine:
            rates = [goodput_bps[index] for index in mine]
            retransmitted = _retransmitted(recording)
            groups.append(
                {
                    "algorithm": algorithm,
                    "flows": len(mine),
                    "goodput_mean_bps": mean(rates),
                    "goodput_error_bps": standard_error(rates),
                    "fairness_index": jain_index(rates),
                    "retransmitted_pkts": sum(retransmitted[index] for index in mine),
                }
            )
    gain = error = None
    if len(groups) == 2 and groups[1]["goodput_mean_bps"]:
        ours, others = groups
        ratio = ours["goodput_mean_bps"] / others["goodput_mean_bps"]
        gain = 100 * (ratio - 1)
        errors = [
            group["goodput_error_bps"] / group["goodput_mean_bps"]
            for group in groups
            if group["goodput_error_bps"] is not None and group["goodput_mean_bps"]
        ]
        if len(errors) == 2:
            error = 100 * ratio * hypot(*errors)
    return {"groups": groups, "gain_percent": gain, "gain_error_percent": error}


def _longest_pause_s(recording: Recording) -> float:
    """The longest time between two samples of a window, which are due every 0.1 s."""
    begin_s, end_s = recording.before.counters.time_s, recording.after.counters.time_s
    pauses = [
        later.time_s - earlier.time_s
        for samples in recording.windows
        for earlier, later in pairwise(samples)
        if begin_s <= later.time_s <= end_s
    ]
    return max(pauses, default=0.0)


def _isqs(recording: Recording) -> dict[str, Any]:
    before, after = recording.before.counters, recording.after.counters
    from_cpu = {kind: after.isqs_sent.get(kind, 0) - before.isqs_sent.get(kind, 0) for kind in ("marked", "dropped")}
    port = {
        name: after.port_total(f"port_{name}") - before.port_total(f"port_{name}")
        for name in ("marked", "isq_sent", "isq_limited", "isq_once_per_path", "isq_refused")
    }
    # Switches do not count their own source quenches by kind.
    by_kind = from_cpu if not port["isq_sent"] else dict.fromkeys(from_cpu)
    return {
        "isqs_sent_pkts": after.isqs_sent_pkts - before.isqs_sent_pkts,
        "isqs_sent_marked_pkts": by_kind["marked"],
        "isqs_sent_dropped_pkts": by_kind["dropped"],
        "isqs_sent_by_switches_pkts": port["isq_sent"],
        "isqs_per_100_marks": None
        if by_kind["marked"] is None or not port["marked"]
        else 100 * by_kind["marked"] / port["marked"],
        "isqs_limited_pkts": after.isqs_limited - before.isqs_limited + port["isq_limited"],
        "isqs_once_per_path_pkts": port["isq_once_per_path"],
        "isqs_refused_pkts": after.isqs_refused - before.isqs_refused + port["isq_refused"],
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
        "host_reactions_to_incipient": counted("reactions_incipient") if has_counters else None,
        "host_reactions_to_moderate": counted("reactions_moderate") if has_counters else None,
        "host_reactions_to_loss": counted("reactions_loss") if has_counters else None,
        "host_reactions_to_timeout": counted("reactions_rto") if has_counters else None,
        "isqs_without_reaction": counted("suppressed_isq"),
        "host_counters": {name: value - before.get(name, 0) for name, value in sorted(after.items())},
    }


def _datagrams(recording: Recording) -> dict[str, Any]:
    """UDP beside TCP; None where there is none."""
    values: dict[str, Any] = dict.fromkeys(_DATAGRAM_NAMES)
    if recording.datagrams is not None:
        begin_ns, end_ns = recording.before.wall_ns, recording.after.wall_ns
        packets = recording.datagrams.between(begin_ns, end_ns)
        delays_s = [packet.delay_s for packet in packets if packet.delay_s is not None]
        values["sent_pkts"], values["received_pkts"] = len(packets), len(delays_s)
        if packets:
            values["loss_percent"] = 100 * (len(packets) - len(delays_s)) / len(packets)
        values["goodput_bps"] = 8e9 * len(delays_s) * recording.datagrams.packet_bytes / (end_ns - begin_ns)
        if delays_s:
            values["delay_mean_s"] = mean(delays_s)
            values["delay_median_s"] = quantile(delays_s, 0.5)
            values["delay_late_s"] = quantile(delays_s, LATE_SHARE)
            values["jitter_s"] = jitter_s(packets)
    return {f"udp_{name}": value for name, value in values.items()}


def jitter_s(packets: Sequence[SentDatagram]) -> float | None:
    """Mean absolute difference of the delays of successive packets of a stream that arrived (P3, section 4)."""
    streams: dict[int, list[float]] = defaultdict(list)
    for packet in packets:
        if packet.delay_s is not None:
            streams[packet.stream].append(packet.delay_s)
    differences = [abs(later - earlier) for delays in streams.values() for earlier, later in pairwise(delays)]
    return mean(differences) if differences else None
