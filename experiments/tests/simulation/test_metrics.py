# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics made of what the simulator counted, on counts small enough to check by hand."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench_experiments.simulation.controller import Tally
from quench_experiments.simulation.names import FLOWS, PERCENTILES
from quench_experiments.simulation.records import Records, fairness, percentiles
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
        "cnps_sent",
    ),
    0,
)
KINDS = ("data", "ack", "udp", "icmp", "other")
CROSSING = {f"{kind}_{unit}": 0 for kind in KINDS for unit in ("pkts", "bits")} | {
    "isq_pkts": 0,
    "signal_pkts": 0,
    "signal_bits": 0,
    "ect1_pkts": 0,
    "ce_pkts": 0,
}


def direction(name: str, **counts: Any) -> dict[str, Any]:
    zeros = (
        "sent_bits",
        "dropped_pkts",
        "offered_pkts",
        "offered_bytes",
        "tx_pkts",
        "tx_bytes",
        "lost_pkts",
        "marked_pkts",
    )
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
    columns["messages"] = ("source", "from", "to", "bytes", "started_ns", "acked_ns")
    counts = {"source", "session", "page", "bytes", "number", "blocked", "sent_pkts", "received_pkts"}
    counts |= {*columns["messages"]}
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
        "routers": [{"name": router.name, "switch": []} for router in scenario.routers],
        "hosts": [],
        "records": records(),
        "series": [],
    } | raw
    return Result(scenario, whole, tallies or [Tally(), Tally()])


def test_what_a_program_does_not_count_is_no_metric() -> None:
    counts = {"dropped_early_pkts": None, "dropped_forced_pkts": None, "dropped_pkts": 300, "marked_pkts": None}
    link = result(directions={"bottleneck.ab": counts}).link("bottleneck.ab")
    assert link["dropped_pkts"] == 300.0
    assert not {"dropped_early_pkts", "dropped_forced_pkts", "marked_pkts"} & link.keys()


def test_throughput_and_variation() -> None:
    counts = {"sent_bits": 8000, "queue_mean_bytes": 200.0, "queue_sd_bytes": 50.0}
    link = result(directions={"bottleneck.ab": counts}).link("bottleneck.ab")
    assert (link["throughput_bps"], link["queue_cv"]) == (2000.0, 0.25)


def test_the_average_in_bytes_is_by_the_profiles_mean_packet() -> None:
    link = result(directions={"bottleneck.ab": {"average_mean_pkts": 40.5}}).link("bottleneck.ab")
    assert link["average_mean_bytes"] == 40500.0
    assert "average_mean_bytes" not in result().link("bottleneck.ab")


def test_source_quenches_are_counted_where_they_were_due_and_against_what_went_back() -> None:
    tally = Tally()
    tally.isqs_by_port[1] = 30
    tally.isqs_limited["source"] = 4
    counts = {
        "bottleneck.ab": {
            "program": [
                {"name": "port_isq_sent", "packets": 20, "bytes": 0},
                {"name": "port_isq_limited", "packets": 3, "bytes": 0},
            ]
        },
        "bottleneck.ba": {"tx_pkts": 150},
    }
    found = result(directions=counts, tallies=[tally, Tally()])
    assert found.link("bottleneck.ab")["isqs_sent"] == 50
    assert found.link("bottleneck.ab")["isq_reverse_share"] == 0.25
    assert found.metrics()["router.r1.isqs_dataplane"] == 20
    assert found.metrics()["router.r2.isqs_dataplane"] == 0
    assert found.metrics()["router.r1.isqs_limited"] == 7


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


@given(st.lists(st.integers(0, 3), max_size=20))
def test_each_part_has_the_files_of_its_sources(sources: list[int]) -> None:
    started_s = [1.0 + number for number in range(len(sources))]
    times_s = [0.5 + number % 7 for number in range(len(sources))]
    acked_s = [start + time for start, time in zip(started_s, times_s, strict=True)]
    files = {"source": sources, "bytes": [1000] * len(sources), "started_s": started_s, "acked_s": acked_s}
    made = Records(records(files=files), 0.0)
    for group in ([0], [1, 3], [2, 0, 1, 3], []):
        own = [time for source, time in zip(sources, times_s, strict=True) if source in group]
        metrics = made.of_group(group)
        assert metrics.get("files", 0) == len(own)
        if own:
            assert metrics["file_time_mean_s"] == pytest.approx(np.mean(own))


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


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([7.0], 99.9, 7.0),
        ([4.0, 2.0], 50, 3.0),
        ([1.0, 2.0, 3.0, 4.0], 50, 2.5),
        ([1.0, 2.0, 3.0, 4.0, 5.0], 90, 4.6),
        ([10.0, 20.0, 40.0], 0, 10.0),
        ([10.0, 20.0, 40.0], 75, 30.0),
        ([10.0, 20.0, 40.0], 100, 40.0),
        (list(range(1001)), 99.9, 999.0),
        (list(range(2001)), 99.9, 1998.0),
    ],
)
def test_a_percentile_lies_between_the_two_nearest_values(values: list[float], percent: float, expected: float) -> None:
    assert list(percentiles(values, [percent])) == pytest.approx([expected], rel=1e-12)


@given(
    st.lists(st.integers(0, 10**6).map(float), min_size=1, max_size=60),
    st.fractions(0, 100, max_denominator=1000),
)
def test_a_percentile_is_as_it_is_defined(values: list[float], percent: Fraction) -> None:
    ordered = sorted(values)
    place = (len(values) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    expected = float(Fraction(ordered[below]) + (place - below) * Fraction(ordered[above] - ordered[below]))
    assert list(percentiles(values, [float(percent)])) == pytest.approx([expected], rel=1e-9, abs=1e-6)


def of_files() -> Result:
    """Source f0 has files of 1, 2, 3 and 4 s, f1 of 10 s and one without an end. The first is of the warm-up."""
    files = {
        "source": [0, 0, 0, 0, 0, 1, 1],
        "bytes": [1000] * 7,
        "started_s": [0.5, 1.0, 1.0, 1.0, 1.0, 2.0, 3.0],
        "acked_s": [100.5, 3.0, 2.0, 5.0, 4.0, 12.0, np.nan],
    }
    return result(records=records(files=files))


def test_completion_times_have_percentiles_by_file_and_by_flow() -> None:
    found = of_files()
    group = found.groups["ftp"]
    of_files_s = [group[f"file_time_{name}_s"] for name in PERCENTILES]
    assert of_files_s == pytest.approx([3.0, 7.6, 8.8, 9.76, 9.976])
    of_flows_s = [group[f"flow_time_{name}_s"] for name in PERCENTILES]
    assert of_flows_s == pytest.approx([6.25, 9.25, 9.625, 9.925, 9.9925])
    one = found.sources["f0"]
    assert [one[f"file_time_{name}_s"] for name in PERCENTILES] == pytest.approx([2.5, 3.7, 3.85, 3.97, 3.997])
    assert not FLOWS & one.keys()
    assert found.metrics()["all.file_time_p99_9_s"] == pytest.approx(9.976)


def test_completion_times_have_distributions(tmp_path: Path) -> None:
    found = of_files()
    assert {name: (list(shares), list(times_s)) for name, (shares, times_s) in found.distributions.items()} == {
        **dict.fromkeys(
            ("all.file_time", "group.ftp.file_time"), ([0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 2.0, 3.0, 4.0, 10.0])
        ),
        **dict.fromkeys(("all.flow_time", "group.ftp.flow_time"), ([0.0, 1.0], [2.5, 10.0])),
        "source.f0.file_time": ([0.0, 1 / 3, 2 / 3, 1.0], pytest.approx([1.0, 2.0, 3.0, 4.0])),
        "source.f1.file_time": ([0.0, 1.0], [10.0, 10.0]),
    }
    (path,) = found.to_parquet(tmp_path, only=["distributions"])
    table = read_parquet(path)
    rows = list(zip(table["distribution"], table["share"], table["time_s"], strict=True))
    assert ("group.ftp.flow_time", 1.0, 10.0) in rows
    assert len(rows) == 5 + 5 + 2 + 2 + 4 + 2


def test_a_distribution_of_many_times_is_in_steps_of_a_thousandth() -> None:
    count = 4001
    objects = dict.fromkeys(("source", "session", "page", "bytes"), [0] * count) | {
        "requested_s": [1.0] * count,
        "acked_s": [1.0 + index for index in range(count)],
    }
    shares, times_s = result(records=records(objects=objects)).distributions["source.f0.object_delay"]
    assert (len(shares), len(times_s)) == (1001, 1001)
    assert [shares[1], times_s[1], times_s[999], times_s[-1]] == pytest.approx([0.001, 4.0, 3996.0, 4000.0])


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
