# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics by name, from the simulator's counts. docs/reference/simulator.md describes each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.scenario import Scenario

Metrics: TypeAlias = dict[str, float]
_Floats: TypeAlias = npt.NDArray[np.float64]

_DIRECTION = (
    "offered_pkts",
    "offered_bytes",
    "tx_pkts",
    "tx_bytes",
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
"""Taken over from the simulator as they are."""
_KINDS = ("data", "ack", "udp", "icmp", "other")
"""Every packet that crosses is one of these."""
_SUMS = (
    "sent_pkts",
    "received_pkts",
    "retransmitted_pkts",
    "timeouts",
    "reactions_isq",
    "reactions_ece",
    "reactions_loss",
    "reactions_incipient",
    "reactions_moderate",
    "connections",
)
"""A group's metrics that are sums over its sources."""
_MEANS = ("goodput_pkts", "goodput_bps", "delay_mean_s", "jitter_s")
"""A group's metrics that are means over those of its sources that have them."""


def all_metrics(scenario: Scenario, raw: Mapping[str, Any], tallies: Sequence[Tally]) -> dict[str, Metrics]:
    """The metrics of each part of the network."""
    measured_s = raw["measured_s"]
    parts = {f"link.{each['name']}": _direction(each, measured_s) for each in raw["directions"]}
    _add_bytes_of_average(scenario, parts)
    for each in raw["directions"]:
        for number, queue in enumerate(each["queues"]):
            parts[f"link.{each['name']}.queue.{number}"] = {
                name: float(value) for name, value in queue.items() if value is not None
            }
    by_name = {each["name"]: each for each in raw["directions"]}
    for router, tally in zip(scenario.routers, tallies, strict=True):
        of_the_switch = 0
        for name, port in scenario.ports(router.name).items():
            sent = _program(by_name[name], "port_isq_sent")
            of_the_switch += sent
            _add_isqs(parts, name, tally.isqs_by_port[port] + sent)
        parts[f"router.{router.name}"] = _router(tally, of_the_switch)
    sources = [_source(each, measured_s) for each in raw["sources"]]
    records = _Records(scenario, raw["records"])
    members: dict[str, list[int]] = {"all": list(range(len(sources)))}
    for number, source in enumerate(scenario.sources):
        parts[f"source.{source.name}"] = sources[number] | records.metrics([number])
        if source.group is not None:
            members.setdefault(f"group.{source.group}", []).append(number)
    for name, numbers in members.items():
        parts[name] = _group([sources[number] for number in numbers]) | records.metrics(numbers)
    return parts


def _direction(each: Mapping[str, Any], measured_s: float) -> Metrics:
    metrics = {name: float(each[name]) for name in _DIRECTION if each[name] is not None}
    # A program that counts no drops of its own has none of the first two.
    metrics["dropped_pkts"] = sum(metrics.get(f"dropped_{kind}_pkts", 0.0) for kind in ("early", "forced", "full"))
    metrics["throughput_bps"] = 8 * metrics["tx_bytes"] / measured_s
    if metrics["queue_mean_bytes"]:
        metrics["queue_cv"] = metrics["queue_sd_bytes"] / metrics["queue_mean_bytes"]
    metrics |= {name: float(value) for name, value in each["crossing"].items()}
    arrived = sum(each["crossing"][f"{kind}_pkts"] for kind in _KINDS)
    if arrived:
        metrics["isq_share"] = metrics["isq_pkts"] / arrived
    return metrics


def _add_bytes_of_average(scenario: Scenario, parts: Mapping[str, Metrics]) -> None:
    """RED's average in bytes, as the papers give it, where the profile says what a mean packet is."""
    for router in scenario.routers:
        for name, settings in router.profiles.items():
            metrics = parts.get(f"link.{name}")
            if metrics is not None and "average_mean_pkts" in metrics:
                metrics["average_mean_bytes"] = metrics["average_mean_pkts"] * settings.mean_packet_bytes


def _add_isqs(parts: Mapping[str, Metrics], direction: str, sent: int) -> None:
    """Source quenches about the packets of a direction, and P0's and P1's share of them in what goes the other way."""
    link, _, way = direction.partition(".")
    other = parts[f"link.{link}.{'ba' if way == 'ab' else 'ab'}"]
    parts[f"link.{direction}"]["isqs_sent"] = float(sent)
    if sent + other["tx_pkts"]:
        parts[f"link.{direction}"]["isq_reverse_share"] = sent / (sent + other["tx_pkts"])


def _program(each: Mapping[str, Any], counter: str) -> int:
    return sum(count["packets"] for count in each["program"] if count["name"].rpartition(".")[2] == counter)


def _router(tally: Tally, isqs_of_the_switch: int) -> Metrics:
    return {
        "isqs_marked": float(tally.isqs_sent["marked"]),
        "isqs_dropped": float(tally.isqs_sent["dropped"]),
        "isqs_dataplane": float(isqs_of_the_switch),
        "isqs_suppressed": float(tally.isqs_suppressed.total()),
        "isqs_ineligible": float(tally.isqs_ineligible.total()),
        "packet_ins": float(tally.packet_ins.total()),
    }


def _source(each: Mapping[str, Any], measured_s: float) -> Metrics:
    tcp = each["tcp"]
    # A source speaks TCP or UDP; the counts of the other kind are 0.
    payload_bytes = tcp["acked_bytes"] + each["datagram_bytes_received"]
    metrics = {
        "goodput_pkts": each["acked_pkts"] + each["datagrams_received"],
        "goodput_bps": 8 * payload_bytes / measured_s,
        "sent_pkts": tcp["data_pkts_sent"] + each["datagrams_sent"],
        "received_pkts": tcp["data_pkts_received"] + each["datagrams_received"],
        "retransmitted_pkts": tcp["retransmitted_pkts"],
        "timeouts": tcp["timeouts"],
        "reactions_isq": tcp["reactions_isq_marked"] + tcp["reactions_isq_dropped"],
        "reactions_ece": tcp["reactions_ece"],
        "reactions_loss": tcp["reactions_loss"],
        "reactions_incipient": tcp["reactions_incipient"],
        "reactions_moderate": tcp["reactions_moderate"],
        "connections": each["connections"],
        "delay_mean_s": each["delay_mean_s"],
        "jitter_s": each["jitter_s"],
    }
    return _with_loss({name: float(value) for name, value in metrics.items() if value is not None})


def _with_loss(metrics: Metrics) -> Metrics:
    """Data packets that did not arrive, of those sent; packets under way at either end are a small error."""
    if metrics["sent_pkts"]:
        metrics["loss"] = max(0.0, 1 - metrics["received_pkts"] / metrics["sent_pkts"])
    return metrics


def _group(sources: Sequence[Metrics]) -> Metrics:
    metrics = _with_loss({name: sum(source[name] for source in sources) for name in _SUMS})
    for name in _MEANS:
        values = [source[name] for source in sources if name in source]
        if values:
            metrics[name] = sum(values) / len(values)
    metrics["flows"] = float(len(sources))
    metrics["goodput_total_bps"] = sum(source["goodput_bps"] for source in sources)
    index = fairness(source["goodput_pkts"] for source in sources)
    if index is not None:
        metrics["fairness"] = index
    return metrics


def fairness(goodputs: Iterable[float]) -> float | None:
    """Jain's index (sum T)^2 / (N sum T^2), 1/N to 1; None if all are 0."""
    values = list(goodputs)
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


class _Records:
    """Objects, files and calls that began in the measured time."""

    def __init__(self, scenario: Scenario, raw: Mapping[str, Mapping[str, npt.NDArray[Any]]]) -> None:
        self._tables = {}
        for kind, began in (("objects", "requested_s"), ("files", "started_s"), ("calls", "started_s")):
            table = raw[kind]
            counts = table[began] >= scenario.warmup_s
            self._tables[kind] = {name: column[counts] for name, column in table.items()}

    def metrics(self, sources: Sequence[int]) -> Metrics:
        """The metrics of these sources' records, of each kind that they have."""
        return self._objects(sources) | self._files(sources) | self._calls(sources)

    def _of(self, kind: str, sources: Sequence[int]) -> Mapping[str, npt.NDArray[Any]]:
        table = self._tables[kind]
        if not len(table["source"]):
            return table
        theirs = np.isin(table["source"], sources)
        return {name: column[theirs] for name, column in table.items()}

    def _objects(self, sources: Sequence[int]) -> Metrics:
        table = self._of("objects", sources)
        delays_s = table["acked_s"] - table["requested_s"]
        metrics = _times("object", "delay", delays_s)
        index = fairness(delays_s[~np.isnan(delays_s)])
        return metrics if index is None else metrics | {"object_delay_fairness": float(index)}

    def _files(self, sources: Sequence[int]) -> Metrics:
        table = self._of("files", sources)
        metrics = _times("file", "time", table["acked_s"] - table["started_s"])
        done = ~np.isnan(table["acked_s"])
        if done.any():
            rates = 8 * table["bytes"][done] / (table["acked_s"] - table["started_s"])[done]
            metrics["file_rate_mean_bps"] = float(rates.mean())
        return metrics

    def _calls(self, sources: Sequence[int]) -> Metrics:
        table = self._of("calls", sources)
        if not len(table["source"]):
            return {}
        sent, received = table["sent_pkts"].sum(), table["received_pkts"].sum()
        metrics = {
            "calls": float(len(table["source"])),
            "calls_blocked": float(table["blocked"].sum()),
            "call_blocking": float(table["blocked"].mean()),
        }
        if sent:
            metrics["call_loss"] = float(1 - received / sent)
        for name, column in (
            ("delay_mean_s", "mean_delay_s"),
            ("delay_max_s", "max_delay_s"),
            ("jitter_s", "jitter_s"),
        ):
            values = table[column][~np.isnan(table[column])]
            if len(values):
                metrics[f"call_{name}"] = float(values.max() if name == "delay_max_s" else values.mean())
        return metrics


def _times(what: str, name: str, times_s: _Floats) -> Metrics:
    """The number of records, and the times of those that came to their end."""
    if not len(times_s):
        return {}
    done = times_s[~np.isnan(times_s)]
    metrics = {f"{what}s": float(len(times_s)), f"{what}s_unfinished": float(len(times_s) - len(done))}
    if len(done):
        metrics |= {
            f"{what}_{name}_mean_s": float(done.mean()),
            f"{what}_{name}_sd_s": float(done.std()),
            f"{what}_{name}_p95_s": float(np.percentile(done, 95)),
        }
    return metrics
