# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic behind summary.json."""

import random

import pytest
from quench_topologies.demo.expectations import expectations
from quench_topologies.demo.recording import Counters, Crossed, QueueReport, Recording, Snapshot
from quench_topologies.demo.scenarios import Scenario, parse_scenarios
from quench_topologies.demo.summary import jain_index, summarise, time_weighted
from quench_topologies.errors import TopologyError
from quench_topologies.traffic import WindowSample


def test_jain_index() -> None:
    assert jain_index([3.0, 3.0, 3.0]) == pytest.approx(1)
    assert jain_index([1.0, 0.0, 0.0, 0.0]) == pytest.approx(0.25)
    assert jain_index([1.0, 2.0, 3.0]) == pytest.approx(36 / (3 * 14))
    assert jain_index([0.0, 0.0]) is None


def test_time_weighted_by_hand() -> None:
    # 0 for 1 s, 10 for 3 s: mean 7.5, variance (56.25 + 3 * 6.25) / 4 = 18.75.
    assert time_weighted([(0.0, 0.0), (1.0, 10.0)], 4.0) == pytest.approx((7.5, 18.75**0.5))
    assert time_weighted([], 4.0) is None
    assert time_weighted([(4.0, 1.0)], 4.0) is None


def test_time_weighted_does_not_depend_on_how_often_is_sampled() -> None:
    draw = random.Random(1)
    steps = [(float(second), draw.uniform(0, 90)) for second in range(20)]
    often = [(begin + part / 7, value) for begin, value in steps for part in range(7)]
    assert time_weighted(often, 20.0) == pytest.approx(time_weighted(steps, 20.0))


def snapshot(time_s: float, scale: int) -> Snapshot:
    port = {"port_seen": 1000, "port_marked": 50, "port_dropped_early": 20, "port_dropped_forced": 5, "port_cloned": 9}
    hosts = {
        "isq_accepted_marked": 6,
        "isq_accepted_dropped": 2,
        "isq_refused_not_in_flight": 1,
        "reactions_isq_marked": 4,
        "reactions_isq_dropped": 1,
        "reactions_ece": 3,
        "reactions_loss": 2,
        "reactions_rto": 1,
        "suppressed_isq": 3,
    }
    return Snapshot(
        Crossed(time_s, pkts=900 * scale, bytes=125_000 * scale),
        Counters(
            time_s, {k: v * scale for k, v in port.items()}, {"marked": 7 * scale, "dropped": 2 * scale}, scale, 0
        ),
        {name: value * scale for name, value in hosts.items()},
        [WindowSample(time_s, 4, 4, 90_000, acked * scale, scale) for acked in (25_000, 75_000)],
    )


def recording(overflow_pkts: int | None) -> Recording:
    queue = {"queue_mean_bytes": 30_000, "queue_sd_bytes": 5000, "queue_mean_pkts": 30, "queue_sd_pkts": 5}
    reports = [QueueReport(9.0, 80, 40.0), QueueReport(10.0, 20, 16.0), QueueReport(10.5, 40, 18.0)]
    return Recording(
        8.0, snapshot(10.0, 1), snapshot(11.0, 3), queue if overflow_pkts is not None else None, overflow_pkts, reports
    )


def test_summary_counts_the_measured_time_only() -> None:
    values = summarise(Scenario("ecn-becn", "20KB"), recording(3), rate_bps=10_000_000)
    assert values["measured_s"] == pytest.approx(1)
    assert values["utilisation_percent"] == pytest.approx(20)
    assert values["goodput_total_bps"] == pytest.approx(8 * 200_000)
    assert values["goodput_mean_bps"] == pytest.approx(8 * 100_000)
    assert values["fairness_index"] == pytest.approx(16 / (2 * 10))
    assert (values["offered_pkts"], values["marked_pkts"], values["dropped_early_pkts"]) == (2000, 100, 40)
    assert (values["dropped_forced_pkts"], values["dropped_overflow_pkts"], values["dropped_pkts"]) == (10, 3, 53)
    assert values["loss_percent"] == pytest.approx(2.65)
    assert values["retransmitted_pkts"] == 4
    assert (values["isqs_sent_pkts"], values["isqs_sent_marked_pkts"], values["isqs_suppressed_pkts"]) == (18, 14, 2)
    assert values["isqs_per_100_marks"] == pytest.approx(14)
    assert (values["isqs_accepted_by_hosts_pkts"], values["isqs_refused_by_hosts_pkts"]) == (16, 2)
    assert (values["host_reactions_to_isq"], values["host_reactions_to_ece"]) == (10, 6)
    assert (values["queue_mean_bytes"], values["queue_sd_bytes"]) == (30_000, 5000)
    assert values["average_queue_mean_pkts"] == pytest.approx(17)
    assert values["becnthresh_bytes"] == 20_000


def test_summary_says_none_where_a_target_does_not_count() -> None:
    values = summarise(Scenario("ecn"), recording(None), rate_bps=10_000_000)
    assert values["dropped_overflow_pkts"] is None
    assert values["queue_mean_bytes"] is None
    assert values["queue_mean_pkts"] == pytest.approx(30)
    assert values["queue_sd_pkts"] == pytest.approx(10)


def result(name: str, isqs: int, dropped: int) -> dict[str, object]:
    scenario = parse_scenarios([name])[0]
    return {
        "name": scenario.name,
        "scheme": scenario.scheme,
        "becnthresh_bytes": scenario.becnthresh_bytes,
        "isqs_sent_pkts": isqs,
        "isqs_accepted_by_hosts_pkts": isqs,
        "host_reactions_to_isq": isqs // 2,
        "dropped_pkts": dropped,
    }


def test_expectations_hold_for_the_papers_order() -> None:
    good = [
        result("red", 0, 100),
        result("ecn", 0, 30),
        result("becn", 900, 20),
        result("ecn-becn:20KB", 700, 20),
        result("ecn-becn:40KB", 50, 25),
    ]
    assert [each.verdict for each in expectations(good)] == ["holds"] * 4


@pytest.mark.parametrize(
    ("index", "key", "value", "broken"),
    [
        (1, "isqs_sent_pkts", 1, "no source quenches but for"),
        (2, "isqs_sent_pkts", 0, "no source quenches but for"),
        (4, "isqs_sent_pkts", 850, "the higher becnthresh"),
        (3, "host_reactions_to_isq", 0, "hosts accept"),
        (1, "dropped_pkts", 100, "lose fewer packets than red"),
    ],
)
def test_expectations_notice_what_differs(index: int, key: str, value: int, broken: str) -> None:
    results = [
        result("red", 0, 100),
        result("ecn", 0, 30),
        result("becn", 900, 20),
        result("ecn-becn:20KB", 700, 20),
        result("ecn-becn:40KB", 50, 25),
    ]
    results[index][key] = value
    failed = [each.claim for each in expectations(results) if each.verdict == "fails"]
    assert any(broken in claim for claim in failed)


def test_counts_that_chance_explains_are_not_told_apart() -> None:
    close = [result("becn", 900, 0), result("ecn-becn:20KB", 880, 0), result("ecn-becn:40KB", 50, 0)]
    assert [each.verdict for each in expectations(close)] == ["holds", "too_close_to_tell", "holds"]
    close[1]["isqs_sent_pkts"] = 940
    assert [each.verdict for each in expectations(close)][1] == "too_close_to_tell"


def test_schemes_by_name() -> None:
    names = [scenario.name for scenario in parse_scenarios([])]
    assert names == ["red", "ecn", "becn", "ecn-becn 20KB", "ecn-becn 40KB"]
    assert [scenario.name for scenario in parse_scenarios(["taildrop", "ecn-becn:30KB"])] == [
        "taildrop",
        "ecn-becn 30KB",
    ]


@pytest.mark.parametrize("text", ["mecn", "red:20KB", "ecn-becn:far"])
def test_unknown_schemes_are_refused(text: str) -> None:
    with pytest.raises(TopologyError, match=f"--scheme {text}"):
        parse_scenarios([text])
