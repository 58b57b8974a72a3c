# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics by name, from the simulator's counts. docs/reference/simulator.md describes each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.messages import Messages
from quench_experiments.simulation.names import KINDS, MEANS, OF_ALL_LINKS, PERCENTILES, SUMS, TAKEN_OVER
from quench_experiments.simulation.records import Records, fairness
from quench_experiments.simulation.scenario import Scenario

Metrics: TypeAlias = dict[str, float]


def all_metrics(
    scenario: Scenario, raw: Mapping[str, Any], tallies: Sequence[Tally], records: Records, messages: Messages
) -> dict[str, Metrics]:
    """The metrics of each part of the network."""
    measured_s = raw["measured_s"]
    parts = {f"link.{each['name']}": _direction(each, measured_s) for each in raw["directions"]}
    _add_bytes_of_average(scenario, parts)
    for each in raw["directions"]:
        for number, queue in enumerate(each["queues"]):
            parts[f"link.{each['name']}.queue.{number}"] = {
                name: float(value) for name, value in queue.items() if value is not None and name != "depths"
            } | depth_percentiles([queue])
    by_name = {each["name"]: each for each in raw["directions"]}
    for router, tally in zip(scenario.routers, tallies, strict=True):
        of_the_switch = limited = 0
        for name, port in scenario.ports(router.name).items():
            sent = _program(by_name[name], "port_isq_sent")
            of_the_switch += sent
            limited += _program(by_name[name], "port_isq_limited")
            _add_isqs(parts, name, tally.isqs_by_port[port] + sent)
        parts[f"router.{router.name}"] = _router(tally, of_the_switch, limited)
    for router in raw["routers"]:
        parts[f"router.{router['name']}"]["clones"] = _clones(router)
    parts["network"] = _network(scenario, raw, parts)
    sources = [_source(each, measured_s) for each in raw["sources"]]
    for number, source in enumerate(scenario.sources):
        parts[f"source.{source.name}"] = sources[number] | records.of_source(number) | messages.of([number])
        parts |= {f"source.{source.name}.{name}": values for name, values in messages.by_size([number]).items()}
    for name, numbers in members(scenario).items():
        own = _group([sources[number] for number in numbers])
        parts[name] = own | records.of_group(numbers) | messages.of(numbers)
        parts |= {f"{name}.{bin_name}": values for bin_name, values in messages.by_size(numbers).items()}
    return parts


def members(scenario: Scenario) -> dict[str, list[int]]:
    """The numbers of the sources of ``all`` and of each ``group.GROUP``."""
    found: dict[str, list[int]] = {"all": list(range(len(scenario.sources)))}
    for number, source in enumerate(scenario.sources):
        if source.group is not None:
            found.setdefault(f"group.{source.group}", []).append(number)
    return found


def _direction(each: Mapping[str, Any], measured_s: float) -> Metrics:
    metrics = {name: float(each[name]) for name in TAKEN_OVER if each[name] is not None}
    metrics["throughput_bps"] = each["sent_bits"] / measured_s
    if metrics["queue_mean_bytes"]:
        metrics["queue_cv"] = metrics["queue_sd_bytes"] / metrics["queue_mean_bytes"]
    metrics |= {name: float(value) for name, value in each["crossing"].items()}
    arrived = sum(each["crossing"][f"{kind}_pkts"] for kind in KINDS)
    if arrived:
        metrics["isq_share"] = metrics["isq_pkts"] / arrived
    return metrics | depth_percentiles([each])


def _network(scenario: Scenario, raw: Mapping[str, Any], parts: Mapping[str, Metrics]) -> Metrics:
    """Sums over all directions, the routers' longest queue (no network card's), percentiles of all measured queues."""
    links = [parts[f"link.{each['name']}"] for each in raw["directions"]]
    metrics = {name: sum(link.get(name, 0.0) for link in links) for name in OF_ALL_LINKS}
    if metrics["offered_pkts"]:
        metrics["loss"] = metrics["dropped_pkts"] / metrics["offered_pkts"]
    nics = {host.nic for host in scenario.hosts}
    routers = [router.name for router in scenario.routers if router.name not in nics]
    of_routers = (parts[f"link.{name}"] for router in routers for name in scenario.ports(router))
    metrics["queue_max_bytes"] = max((link["queue_max_bytes"] for link in of_routers), default=0.0)
    metrics["clones"] = float(sum(_clones(router) for router in raw["routers"]))
    return metrics | depth_percentiles(raw["directions"])


def _clones(router: Mapping[str, Any]) -> float:
    """The packets that a router's program made of others, such as source notifications."""
    return float(sum(count for name, count in router["switch"] if name in ("clones_ingress", "clones_egress")))


def depth_percentiles(queues: Iterable[Mapping[str, Any]]) -> Metrics:
    """Percentiles of the depths of those queues that keep them, all together: over time, and by change.

    The p-th percentile is the least depth such that the queue was no deeper for p % of the time, or after p % of its
    changes.
    """
    kept = [queue["depths"] for queue in queues if "depths" in queue]
    if not kept:
        return {}
    depths = np.concatenate([each["bytes"] for each in kept])
    order = np.argsort(depths, kind="stable")
    metrics: Metrics = {}
    for by, column in (("", "lasted_ns"), ("change_", "changes")):
        weights = np.concatenate([each[column] for each in kept])[order]
        until = np.cumsum(weights)
        for name, percent in PERCENTILES.items():
            if len(until) and until[-1]:
                place = np.searchsorted(until, until[-1] * (percent / 100), side="left")
                metrics[f"queue_{by}{name}_bytes"] = float(depths[order][min(place, len(until) - 1)])
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


def _router(tally: Tally, isqs_of_the_switch: int, limited_by_the_switch: int) -> Metrics:
    return {
        "isqs_marked": float(tally.isqs_sent["marked"]),
        "isqs_dropped": float(tally.isqs_sent["dropped"]),
        "isqs_dataplane": float(isqs_of_the_switch),
        "isqs_lost": float(tally.isqs_lost.total()),
        "isqs_limited": float(tally.isqs_limited.total() + limited_by_the_switch),
        "isqs_refused": float(tally.isqs_refused.total()),
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
        "cnps_sent": tcp["cnps_sent"],
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
    metrics = _with_loss({name: sum(source[name] for source in sources) for name in SUMS})
    for name in MEANS:
        values = [source[name] for source in sources if name in source]
        if values:
            metrics[name] = sum(values) / len(values)
    metrics["flows"] = float(len(sources))
    metrics["goodput_total_bps"] = sum(source["goodput_bps"] for source in sources)
    index = fairness(source["goodput_pkts"] for source in sources)
    if index is not None:
        metrics["fairness"] = index
    return metrics
