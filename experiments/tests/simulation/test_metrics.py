# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics made of what the simulator counted, on counts small enough to check by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.metrics import fairness
from quench_experiments.simulation.result import Result, read_parquet
from quench_experiments.simulation.scenario import Scenario
from simulated import n1

TCP = dict.fromkeys(
    (
        "acked_bytes",
        "data_pkts_sent",
        "data_pkts_received",
        "retransmitted_pkts",
        "timeouts",
        "reactions_isq_marked",
        "reactions_isq_dropped",
        "reactions_ece",
        "reactions_loss",
        "reactions_incipient",
        "reactions_moderate",
    ),
    0,
)
KINDS = ("data", "ack", "udp", "icmp", "other")
CROSSING = {f"{kind}_{unit}": 0 for kind in KINDS for unit in ("pkts", "bits")} | {
    "isq_pkts": 0,
    "ect1_pkts": 0,
    "ce_pkts": 0,
}


def direction(name: str, **counts: Any) -> dict[str, Any]:
    zeros = ("offered_pkts", "offered_bytes", "tx_pkts", "tx_bytes", "lost_pkts", "marked_pkts")
    queue = {f"queue_{moment}_{unit}": 0.0 for moment in ("mean", "sd", "max") for unit in ("pkts", "bytes")}
    drops = {f"dropped_{kind}_pkts": 0 for kind in ("early", "forced", "full")}
    absent = dict.fromkeys(("loss", "utilisation", "capacity_bits", "average_mean_pkts", "average_sd_pkts"))
    return (
        dict.fromkeys(zeros, 0)
        | queue
        | drops
        | absent
        | {"name": name, "crossing": CROSSING, "queues": [], "program": []}
        | counts
    )


def source(name: str, tcp: dict[str, int] | None = None, **counts: Any) -> dict[str, Any]:
    return {
        "name": name,
        "connections": 1,
        "tcp": TCP | (tcp or {}),
        "acked_pkts": 0.0,
        "datagrams_sent": 0,
        "datagrams_received": 0,
        "datagram_bytes_received": 0,
        "delay_mean_s": None,
        "jitter_s": None,
    } | counts


def records(**tables: dict[str, list[float]]) -> dict[str, Any]:
    columns = {
        "objects": ("source", "session", "page", "bytes", "requested_s", "acked_s"),
        "files": ("source", "bytes", "started_s", "acked_s"),
        "calls": (
            *("source", "number", "blocked", "started_s", "ended_s", "sent_pkts", "received_pkts"),
            *("mean_delay_s", "max_delay_s", "jitter_s"),
        ),
    }
    counts = {"source", "session", "page", "bytes", "number", "blocked", "sent_pkts", "received_pkts"}
    return {
        kind: {
            name: np.array(tables.get(kind, {}).get(name, []), dtype=np.uint64 if name in counts else np.float64)
            for name in names
        }
        for kind, names in columns.items()
    }


def result(
    flows: int = 2,
    directions: dict[str, dict[str, Any]] | None = None,
    tallies: list[Tally] | None = None,
    **raw: Any,
) -> Result:
    scenario = Scenario.parse(n1("becn", flows=flows))
    found = directions or {}
    whole = {
        "measured_s": 4.0,
        "events": 7,
        "directions": [
            direction(f"{link.name}.{way}", **found.get(f"{link.name}.{way}", {}))
            for link in scenario.links
            for way in ("ab", "ba")
        ],
        "sources": [source(each.name) for each in scenario.sources],
        "routers": [{"name": router.name} for router in scenario.routers],
        "hosts": [],
        "records": records(),
        "series": [],
    } | raw
    return Result(scenario, whole, tallies or [Tally(), Tally()])


def test_drops_of_all_kinds_are_added_up() -> None:
    counts = {"dropped_early_pkts": 1, "dropped_forced_pkts": 20, "dropped_full_pkts": 300, "loss": 0.25}
    link = result(directions={"bottleneck.ab": counts}).link("bottleneck.ab")
    assert (link["dropped_pkts"], link["loss"]) == (321.0, 0.25)


def test_what_a_program_does_not_count_is_no_metric() -> None:
    counts = {"dropped_early_pkts": None, "dropped_forced_pkts": None, "dropped_full_pkts": 300, "marked_pkts": None}
    link = result(directions={"bottleneck.ab": counts}).link("bottleneck.ab")
    assert link["dropped_pkts"] == 300.0
    assert not {"dropped_early_pkts", "dropped_forced_pkts", "marked_pkts"} & link.keys()


def test_throughput_and_variation() -> None:
    counts = {"tx_bytes": 1000, "queue_mean_bytes": 200.0, "queue_sd_bytes": 50.0}
    link = result(directions={"bottleneck.ab": counts}).link("bottleneck.ab")
    assert (link["throughput_bps"], link["queue_cv"]) == (2000.0, 0.25)


def test_the_average_in_bytes_is_by_the_profiles_mean_packet() -> None:
    link = result(directions={"bottleneck.ab": {"average_mean_pkts": 40.5}}).link("bottleneck.ab")
    assert link["average_mean_bytes"] == 40500.0
    assert "average_mean_bytes" not in result().link("bottleneck.ab")


def test_source_quenches_are_counted_where_they_were_due_and_against_what_went_back() -> None:
    tally = Tally()
    tally.isqs_by_port[1] = 30
    counts = {
        "bottleneck.ab": {"program": [{"name": "port_isq_sent", "packets": 20, "bytes": 0}]},
        "bottleneck.ba": {"tx_pkts": 150},
    }
    found = result(directions=counts, tallies=[tally, Tally()])
    assert found.link("bottleneck.ab")["isqs_sent"] == 50
    assert found.link("bottleneck.ab")["isq_reverse_share"] == 0.25
    assert found.metrics()["router.r1.isqs_dataplane"] == 20
    assert found.metrics()["router.r2.isqs_dataplane"] == 0


def test_every_packet_counts_once_in_the_share_of_source_quenches() -> None:
    crossing = CROSSING | {"ack_pkts": 30, "icmp_pkts": 10, "isq_pkts": 10, "ce_pkts": 7}
    link = result(directions={"bottleneck.ba": {"crossing": crossing}}).link("bottleneck.ba")
    assert (link["isq_share"], link["ce_pkts"]) == (0.25, 7.0)


def test_a_source_that_received_nothing_has_no_delay() -> None:
    found = result(sources=[source("f0", delay_mean_s=0.05), source("f1")])
    assert found.sources["f0"]["delay_mean_s"] == 0.05
    assert "delay_mean_s" not in found.sources["f1"]
    assert found.groups["ftp"]["delay_mean_s"] == 0.05


def test_goodput_is_what_was_acknowledged_or_received_as_datagrams() -> None:
    tcp = source("f0", {"acked_bytes": 96_000}, acked_pkts=100.0)
    udp = source("f1", datagrams_sent=80, datagrams_received=60, datagram_bytes_received=6_000)
    found = result(sources=[tcp, udp])
    assert found.sources["f0"]["goodput_bps"] == 192_000.0
    assert (found.sources["f1"]["goodput_pkts"], found.sources["f1"]["goodput_bps"]) == (60.0, 12_000.0)
    assert found.sources["f1"]["loss"] == 0.25
    assert found.groups["ftp"]["goodput_pkts"] == 80.0
    assert found.groups["ftp"]["goodput_total_bps"] == 204_000.0
    assert found.metrics()["all.flows"] == 2.0


def test_fairness_is_jains_index() -> None:
    assert fairness([5, 5, 5, 5]) == 1
    assert fairness([1, 0, 0, 0]) == 0.25
    assert fairness([0, 0]) is None


def test_records_count_from_the_warmup_and_unfinished_ones_have_no_time() -> None:
    objects = {
        "source": [0, 0, 0, 1],
        "session": [1, 1, 1, 1],
        "page": [1, 1, 1, 1],
        "bytes": [1000] * 4,
        "requested_s": [0.5, 1.0, 2.0, 3.0],
        "acked_s": [5.0, 1.5, np.nan, 4.0],
    }
    found = result(records=records(objects=objects))
    assert found.sources["f0"]["objects"] == 2
    assert found.sources["f0"]["objects_unfinished"] == 1
    assert found.sources["f0"]["object_delay_mean_s"] == 0.5
    assert found.groups["ftp"]["object_delay_mean_s"] == 0.75
    assert found.groups["ftp"]["object_delay_fairness"] == pytest.approx(1.5**2 / (2 * 1.25))
    assert len(found.records["objects"]["bytes"]) == 4


def test_calls_are_blocked_or_lose_packets() -> None:
    calls = {
        "source": [0, 0],
        "number": [0, 1],
        "blocked": [0, 1],
        "started_s": [1.0, 2.0],
        "ended_s": [3.0, 2.0],
        "sent_pkts": [100, 0],
        "received_pkts": [90, 0],
        "mean_delay_s": [0.06, np.nan],
        "max_delay_s": [0.08, np.nan],
        "jitter_s": [0.001, np.nan],
    }
    found = result(records=records(calls=calls)).sources["f0"]
    assert (found["calls"], found["calls_blocked"], found["call_blocking"]) == (2, 1, 0.5)
    assert found["call_loss"] == pytest.approx(0.1)
    assert (found["call_delay_mean_s"], found["call_delay_max_s"], found["call_jitter_s"]) == (0.06, 0.08, 0.001)


def test_files_have_a_rate() -> None:
    files = {"source": [0, 0], "bytes": [1000, 500], "started_s": [1.0, 2.0], "acked_s": [2.0, np.nan]}
    found = result(records=records(files=files)).sources["f0"]
    assert (found["files"], found["files_unfinished"], found["file_rate_mean_bps"]) == (2, 1, 8000.0)


def test_all_comes_back_from_parquet(tmp_path: Path) -> None:
    series = [
        {
            "name": "bottleneck.ab",
            "columns": ["queue_pkts", "average_pkts"],
            "time_s": np.array([0.0, 0.1]),
            "values": np.array([[1.0, 2.0], [3.0, 4.0]]),
        },
        {"name": "f0", "columns": ["cwnd_pkts"], "time_s": np.array([0.2]), "values": np.array([[5.5]])},
    ]
    files = {"source": [1], "bytes": [1000], "started_s": [1.0], "acked_s": [np.nan]}
    found = result(series=series, records=records(files=files))
    written = {path.stem: read_parquet(path) for path in found.to_parquet(tmp_path)}
    assert set(written) == {"metrics", "series", "files"}
    assert dict(zip(*(written["metrics"][name] for name in ("name", "value")), strict=True)) == found.metrics()
    rows = list(zip(*(written["series"][name] for name in ("series", "time_s", "value")), strict=True))
    assert rows == [
        ("bottleneck.ab.queue_pkts", 0.0, 1.0),
        ("bottleneck.ab.queue_pkts", 0.1, 3.0),
        ("bottleneck.ab.average_pkts", 0.0, 2.0),
        ("bottleneck.ab.average_pkts", 0.1, 4.0),
        ("source.f0.cwnd_pkts", 0.2, 5.5),
    ]
    assert list(written["files"]["source"]) == ["f1"]
    assert np.isnan(written["files"]["acked_s"][0])
