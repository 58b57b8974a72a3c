# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The arithmetic behind summary.json."""

import random

import pytest
from quench_topologies.demo.figures import jain_index, standard_error, time_weighted
from recordings import recording, summary_of

NAMES = ("mean_bytes", "sd_bytes", "mean_pkts", "sd_pkts")


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


def test_standard_error_by_hand() -> None:
    # Mean 2, variance (1 + 0 + 1) / 2 = 1.
    assert standard_error([1.0, 2.0, 3.0]) == pytest.approx(3**-0.5)
    assert standard_error([1.0]) is None


def test_summary_counts_the_measured_time_only() -> None:
    values = summary_of("ecn-becn:20KB", recording(3))
    assert values["measured_s"] == pytest.approx(1)
    assert values["utilisation_percent"] == pytest.approx(20)
    assert values["goodput_total_bps"] == pytest.approx(8 * 200_000)
    assert values["goodput_mean_bps"] == pytest.approx(8 * 100_000)
    assert values["fairness_index"] == pytest.approx(16 / (2 * 10))
    assert (values["offered_pkts"], values["marked_pkts"], values["dropped_early_pkts"]) == (2000, 100, 40)
    assert (values["dropped_forced_pkts"], values["dropped_overflow_pkts"], values["dropped_pkts"]) == (10, 3, 53)
    assert values["loss_percent"] == pytest.approx(2.65)
    assert values["retransmitted_pkts"] == 4
    assert (values["isqs_sent_pkts"], values["isqs_sent_marked_pkts"], values["isqs_limited_pkts"]) == (18, 14, 2)
    assert values["isqs_per_100_marks"] == pytest.approx(14)
    assert (values["isqs_accepted_by_hosts_pkts"], values["isqs_refused_by_hosts_pkts"]) == (16, 2)
    assert (values["host_reactions_to_isq"], values["host_reactions_to_ece"]) == (10, 6)
    assert (values["host_reactions_to_incipient"], values["host_reactions_to_moderate"]) == (10, 14)
    assert values["host_counters"]["suppressed_isq"] == 6
    assert (values["queue_mean_bytes"], values["queue_sd_bytes"]) == (30_000, 5000)
    assert values["average_queue_mean_pkts"] == pytest.approx(17)
    assert values["becnthresh_bytes"] == 20_000
    assert (values["crossed_ect1_pkts"], values["crossed_ce_pkts"]) == (22, 26)
    assert (values["beside_algorithm"], values["gain_percent"]) == (None, None)
    assert [(group["algorithm"], group["flows"]) for group in values["groups"]] == [("ecn-becn", 2)]
    assert {value for key, value in values.items() if key.startswith("udp_")} == {None}


def test_summary_says_none_where_a_target_does_not_count() -> None:
    values = summary_of("ecn", recording(None))
    assert values["dropped_overflow_pkts"] is None
    assert values["queue_mean_bytes"] is None
    assert values["queue_mean_pkts"] == pytest.approx(30)
    assert values["queue_sd_pkts"] == pytest.approx(10)


def test_counts_of_several_links_add_up_and_their_queues_are_averaged() -> None:
    made = recording(3, links=2)
    made.queues = [{"mean_bytes": 30_000, "sd_bytes": 5000, "mean_pkts": 30, "sd_pkts": 5}, dict.fromkeys(NAMES, 10)]
    values = summary_of("ecn", made)
    assert [link["name"] for link in values["links"]] == ["link 0", "link 1"]
    assert (values["offered_pkts"], values["marked_pkts"], values["dropped_pkts"]) == (4000, 200, 106)
    assert values["loss_percent"] == pytest.approx(2.65)
    assert (values["utilisation_percent"], values["queue_mean_pkts"]) == (pytest.approx(20), 20)
    assert values["links"][0]["queue_mean_pkts"] == 30


def test_a_mixed_run_says_what_its_own_flows_gain() -> None:
    values = summary_of("ecn+plain", recording(3, beside=True))
    own, others = values["groups"]
    assert (own["algorithm"], own["flows"], own["goodput_mean_bps"]) == ("ecn", 1, pytest.approx(400_000))
    assert (others["algorithm"], others["flows"], others["goodput_mean_bps"]) == ("plain", 1, pytest.approx(1_200_000))
    assert values["gain_percent"] == pytest.approx(100 * (400 / 1200 - 1))
    # One flow of each kind does not say how much flows differ.
    assert values["gain_error_percent"] is None


def test_source_quenches_of_the_switch_are_counted_without_their_kind() -> None:
    values = summary_of("becn", recording(3, by_switch=30))
    assert (values["isqs_sent_pkts"], values["isqs_sent_by_switches_pkts"]) == (60, 60)
    assert (values["isqs_sent_marked_pkts"], values["isqs_per_100_marks"]) == (None, None)
    # One by the controller's limits and four by the switch's meter, and so again.
    assert values["isqs_limited_pkts"] == 10


def test_datagrams_of_the_measured_time() -> None:
    values = summary_of("ecn", recording(3, datagrams=True))
    assert (values["udp_sent_pkts"], values["udp_received_pkts"]) == (3, 2)
    assert values["udp_loss_percent"] == pytest.approx(100 / 3)
    assert values["udp_goodput_bps"] == pytest.approx(8 * 2 * 200)
    assert values["udp_delay_mean_s"] == pytest.approx(0.023)
    assert values["udp_delay_median_s"] == pytest.approx(0.020)
    assert values["udp_delay_late_s"] == pytest.approx(0.026)
    assert values["udp_jitter_s"] == pytest.approx(0.006)
