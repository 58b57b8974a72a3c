# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts about numbers that are as in the papers, that are not, and that leave it open."""

from typing import Any

import pytest
from quench_topologies.demo.expectations import expectations
from quench_topologies.demo.scenarios import SchemeOptions, parse_scenarios
from quench_topologies.demo.verdicts import Expectation, above, falling
from quench_topologies.papers import declared

N1 = {"topology": "n1", "target": "embedded", "isq_mode": "cpu", "reverse_loss": 0.0, "scheduler": None}


def result(name: str, isqs: int = 0, dropped: int = 0, **more: Any) -> dict[str, Any]:
    scenario = parse_scenarios([name], SchemeOptions(declared.N1.thresholds))[0]
    values: dict[str, Any] = {
        "name": scenario.name,
        "scheme": scenario.scheme,
        "becnthresh_bytes": scenario.becnthresh_bytes,
        "beside_algorithm": scenario.beside,
        "isqs_sent_pkts": isqs,
        "isqs_accepted_by_hosts_pkts": isqs,
        "host_reactions_to_isq": isqs // 2,
        "dropped_pkts": dropped,
        "crossed_ect1_pkts": 80 if scenario.scheme == "mecn" else 0,
        "crossed_ce_pkts": 40,
        "gain_percent": None,
        "gain_error_percent": None,
        "goodput_total_bps": 9e6,
        "queue_sd_pkts": 5.0,
        "udp_loss_percent": None,
    }
    return values | more


def good() -> list[dict[str, Any]]:
    return [
        result("red", 0, 100),
        result("ecn", 0, 30),
        result("becn", 900, 20),
        result("ecn-becn:20KB", 700, 20),
        result("ecn-becn:40KB", 50, 25),
        result("mecn", 0, 10),
        result("ecn-mod", 0, 10),
    ]


def verdicts(results: list[dict[str, Any]], **settings: Any) -> list[str]:
    return [each.verdict for each in expectations(results, N1 | settings)]


def only(results: list[dict[str, Any]], words: str, **settings: Any) -> Expectation:
    (found,) = [each for each in expectations(results, N1 | settings) if words in each.claim]
    return found


def test_expectations_hold_for_the_papers_order() -> None:
    assert verdicts(good()) == ["holds"] * 7


@pytest.mark.parametrize(
    ("index", "key", "value", "broken"),
    [
        (1, "isqs_sent_pkts", 1, "send no source quenches"),
        (5, "isqs_sent_pkts", 1, "send no source quenches"),
        (2, "isqs_sent_pkts", 0, "becn sends source quenches"),
        (4, "isqs_sent_pkts", 850, "the higher becnthresh"),
        (3, "host_reactions_to_isq", 0, "hosts accept"),
        (1, "dropped_pkts", 100, "ecn, becn and ecn-becn lose fewer packets than red"),
        (6, "dropped_pkts", 100, "mecn and ecn-mod, marking where red drops, lose fewer"),
        (5, "crossed_ect1_pkts", 0, "mecn marks at two levels"),
        (5, "crossed_ce_pkts", 0, "mecn marks at two levels"),
        (6, "crossed_ect1_pkts", 1, "mecn marks at two levels"),
    ],
)
def test_expectations_notice_what_differs(index: int, key: str, value: int, broken: str) -> None:
    results = good()
    results[index][key] = value
    failed = [each.claim for each in expectations(results, N1) if each.verdict == "fails"]
    assert any(broken in claim for claim in failed)


def test_claims_name_the_schemes_that_ran_and_no_others() -> None:
    claims = [each.claim for each in expectations([result("ecn")], N1)]
    assert claims == ["ecn sends no source quenches"]
    pair = [each.claim for each in expectations([result("red", 0, 100), result("ecn", 0, 30)], N1)]
    assert pair[0] == "red and ecn send no source quenches"
    assert pair[1].startswith("ecn loses fewer packets than red")
    assert [each.claim for each in expectations([result("mecn")], N1)][1] == (
        "mecn marks at two levels, ECT(1) and CE (P3)"
    )


@pytest.mark.parametrize("scheme", ["curve", "PIE"])
def test_the_papers_claim_nothing_about_a_scheme_of_a_users_own(scheme: str) -> None:
    own = result("ecn", crossed_ect1_pkts=5) | {"name": "own", "scheme": scheme}
    assert expectations([own], N1) == []
    beside = [each.claim + each.measured for each in expectations([own, *good()], N1)]
    assert not any("own" in text or scheme in text for text in beside)


def test_counts_that_chance_explains_are_not_told_apart() -> None:
    close = [result("becn", 900), result("ecn-becn:20KB", 880), result("ecn-becn:40KB", 50)]
    assert only(close, "the higher becnthresh").verdict == "too_close_to_tell"
    close[1]["isqs_sent_pkts"] = 940
    assert only(close, "the higher becnthresh").verdict == "too_close_to_tell"


def test_without_source_quenches_there_must_be_none() -> None:
    assert only([result("becn")], "becn sends no source quenches (--isq-mode off)", isq_mode="off").verdict == "holds"
    assert (
        only([result("becn", 1)], "becn sends no source quenches (--isq-mode off)", isq_mode="off").verdict == "fails"
    )


def test_gains_beside_plain_tcp() -> None:
    def mixed(name: str, gain: float, error: float | None = 4.0) -> dict[str, Any]:
        return result(f"{name}+plain", 9 if "becn" in name else 0, gain_percent=gain, gain_error_percent=error)

    results = [mixed("becn", 43.0), mixed("ecn", 20.0)]
    assert only(results, "becn gets more than the plain TCP").verdict == "holds"
    assert only(results, "becn gains most").verdict == "holds"
    assert only([mixed("becn", 43.0), mixed("ecn", 40.0)], "becn gains most").verdict == "too_close_to_tell"
    assert only([mixed("becn", 10.0), mixed("ecn", 40.0)], "becn gains most").verdict == "fails"
    assert only([mixed("ecn", -20.0)], "ecn gets more").verdict == "fails"
    assert only([mixed("ecn", 7.0)], "ecn gets more").verdict == "too_close_to_tell"
    assert only([mixed("ecn", 70.0, None)], "ecn gets more").verdict == "too_close_to_tell"


def test_ecn_beside_ecn_mod() -> None:
    groups = [{"goodput_mean_bps": 5e5}, {"goodput_mean_bps": 4e5}]
    scheme = result("ecn-mod+ecn", gain_percent=25.0, gain_error_percent=5.0, groups=groups)
    assert only([scheme], "ecn gets less than the ecn-mod").verdict == "holds"
    starved = scheme | {"groups": [groups[0], {"goodput_mean_bps": 0.0}]}
    assert only([starved], "ecn gets less than the ecn-mod").verdict == "fails"


def test_lost_source_quenches_make_becns_queue_swing() -> None:
    def deviations(becn: float) -> list[dict[str, Any]]:
        return [
            result("becn", 9, queue_sd_pkts=becn),
            result("ecn", queue_sd_pkts=4.0),
            result("ecn-becn:20KB", 9, queue_sd_pkts=5.0),
        ]

    words, n2 = "becn's queue swings more", {"topology": "n2", "reverse_loss": 0.05}
    assert only(deviations(6.0), words, **n2).verdict == "holds"
    assert only(deviations(5.3), words, **n2).verdict == "too_close_to_tell"
    assert only(deviations(4.0), words, **n2).verdict == "fails"
    assert words not in str(expectations(deviations(6.0), N1 | n2 | {"reverse_loss": 0.0}))


@pytest.mark.parametrize(("mecn", "expected"), [(9.5e6, "holds"), (9.05e6, "too_close_to_tell"), (8.5e6, "fails")])
def test_the_parking_lots_sum(mecn: float, expected: str) -> None:
    results = [result("ecn"), result("mecn", goodput_total_bps=mecn)]
    assert only(results, "mecn carries more than ecn", topology="mp").verdict == expected


@pytest.mark.parametrize(("ecn", "expected"), [(9.8e6, "holds"), (10.0e6, "fails"), (8.0e6, "fails")])
def test_three_links_differ_little(ecn: float, expected: str) -> None:
    results = [result("red", 0, 9), result("ecn", goodput_total_bps=ecn)]
    assert only(results, "within 10 % of red's", topology="g3").verdict == expected


def test_voice_in_a_queue_of_its_own() -> None:
    results = [result("ecn", udp_loss_percent=0.2), result("ecn-mod", udp_loss_percent=0.0, goodput_total_bps=9.3e6)]
    assert only(results, "hardly loses", topology="vw", scheduler="scfq").verdict == "holds"
    assert only(results, "uses what voice leaves", topology="vw", scheduler="scfq").verdict == "holds"
    results[0]["udp_loss_percent"] = 3.0
    assert only(results, "hardly loses", topology="vw", scheduler="scfq").verdict == "fails"
    for more in ({"scheduler": "fifo"}, {"scheduler": "strict", "target": "bmv2"}):
        words = str(expectations(results, N1 | {"topology": "vw"} | more))
        assert "hardly loses" not in words
        assert "uses what voice leaves" not in words


def test_a_difference_needs_two_standard_errors() -> None:
    assert above(1.0, 0.4) == "holds"
    assert above(1.0, 0.6) == "too_close_to_tell"
    assert above(-1.0, 0.4) == "fails"
    assert above(1.0, None) == "too_close_to_tell"
    assert falling([(3.0, 0.1), (2.0, 0.1), (1.9, 0.1)]) == "too_close_to_tell"
    assert falling([(3.0, 0.1), (2.0, 0.1), (2.5, 0.1)]) == "fails"
