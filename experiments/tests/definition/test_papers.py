# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Every experiment of the papers is complete."""

from collections import Counter

import pytest
from defined import any_results
from quench_experiments.definition import evaluate, figure_data, keys
from shipped import shipped

PAPERS = {
    *(f"P0.{letter}" for letter in "ABCD"),
    *(f"P1.{letter}" for letter in "ABCDE"),
    *(f"P2.{number}" for number in range(1, 5)),
    *(f"P3.{number}" for number in range(1, 7)),
    *(f"P4.{number}" for number in range(1, 3)),
}
DATACENTRE = {
    f"datacentre.{name}"
    for name in (
        "becn-incast",
        "becn-tree",
        "becn-troubles",
        "bolt-arrival",
        "bolt-departure",
        "bolt-fairness",
        "bolt-hadoop",
        "bolt-incast",
        "bolt-star",
        "bolt-tree",
        "dctcp-queue",
        "dctcp-shares",
        "hpcc-increase",
        "hpcc-slowdown",
        "slowdown",
    )
}
SIGNALS = {f"signals.{name}" for name in ("csig-bits", "dualpi2", "rocev2-incast", "rocev2-long")}
OURS = {"head-marking", "ecn-becn-rules", "n1-schemes"} | DATACENTRE | SIGNALS
QUICK_PASSES = {"": 720e6, "datacentre.": 600e6, "signals.": 600e6}
"""12 minutes on 2 cores for the papers, and 10 each for the other sets, at 2 us per router pass."""


def test_every_key_of_the_papers_has_a_file():
    assert set(keys()) == PAPERS | OURS


@pytest.mark.parametrize("key", sorted(PAPERS | OURS))
def test_it_is_whole(key):
    experiment = shipped(key)
    model = experiment.definition
    assert experiment.key == key
    assert model.paper == (key.partition(".")[0] if key in PAPERS else model.paper)
    assert len(model.readings) >= 3
    assert all(reading.endswith(".") for reading in model.readings)
    assert model.quotes
    assert model.figures
    for quick in (False, True):
        labels = experiment.labels(quick)
        points = Counter(tuple(sorted(each.items())) for each in labels.values())
        assert labels
        assert set(points.values()) == {1}, "two runs have the same labels"


@pytest.mark.parametrize("key", sorted(PAPERS | OURS))
@pytest.mark.parametrize("quick", [False, True])
def test_every_quote_and_figure_has_its_runs(key, quick):
    """In quick mode too: thinning a sweep must not take away what is quoted."""
    experiment = shipped(key)
    results = any_results(experiment, quick)
    skipped = {part.name for part in experiment.parts if quick and part.model.quick.skip}
    missing = {
        v.quote.name: v.reason
        for v in evaluate(experiment, results)
        if v.judgement == "not run" and v.quote.at.get("part") not in skipped
    }
    assert all("beyond the curve" in reason for reason in missing.values()), missing
    for figure in figure_data(experiment, results):
        assert figure.curves, figure.model.name
        assert figure.y_label, figure.model.name
        for curve in figure.curves:
            assert len(curve.x) == len(curve.y) == len(curve.half_width)
            assert curve.run_id is None or curve.run_id in results


@pytest.mark.parametrize("key", sorted(PAPERS | OURS))
def test_time_series_are_measured(key):
    """A figure over time shows what its run keeps."""
    experiment = shipped(key)
    runs = {run.id: run for run in experiment.runs(quick=True, seeds=1)}
    results = {run_id: {} for run_id in runs}
    for figure in figure_data(experiment, results):
        for curve in figure.curves:
            if curve.run_id is None:
                continue
            measure = runs[curve.run_id].scenario.measure
            if curve.series.startswith("source."):
                assert measure.cwnd
            else:
                assert curve.series.rpartition(".")[0] in measure.series


@pytest.mark.parametrize("prefix", QUICK_PASSES)
def test_quick_mode_fits_into_its_time(prefix):
    others = tuple(filter(None, QUICK_PASSES))
    chosen = [key for key in keys() if (key.startswith(prefix) if prefix else not key.startswith(others))]
    assert chosen
    assert sum(shipped(key).cost_estimate(quick=True) for key in chosen) <= QUICK_PASSES[prefix]


@pytest.mark.parametrize("key", ["P4.1", "P4.2"])
def test_grid_of_p4(key):
    """2^7 cases, each with and without ECN, 5 repetitions of 5 minutes."""
    experiment = shipped(key)
    assert len(experiment.labels()) == 128 * 2 * 5
    (part,) = experiment.parts
    assert [list(values) for values in part.model.sweep.values()] == [
        ["10ms", "25ms"],
        [5, 10],
        [60, 120],
        [0.002, 0.02],
        [6, 12],
        [10_000, 1_000_000],
        [0, 0.25],
    ]
    assert {part.setup(point).duration for point in part.points()} == {300.0}


@pytest.mark.parametrize(
    ("key", "flows"),
    [
        ("P1.A", [8, 12, 16, 18, 20, 26, 30, 36, 40]),
        ("P1.B", [10, 15, 25, 30, 35, 40, 45]),
        ("P1.C", [5, 10, 15, 20, 25, 30, 35]),
        ("P1.E", [10, 15, 25, 30, 35, 40, 45]),
        ("P0.A", [8, 12, 16, 18, 20, 26, 30, 36, 40, 46]),
        ("P0.B", [10, 15, 25, 30, 35, 40, 45]),
        ("P0.D", [5, 10, 15, 20, 25, 30, 35]),
    ],
)
def test_flows_of_p0_and_p1(key, flows):
    (part,) = shipped(key).parts
    assert list(part.model.sweep["n"]) == flows
    assert {(part.setup(point).duration, part.setup(point).warmup) for point in part.points()} == {(500.0, 100.0)}


def test_runs_of_two_experiments_are_the_same_simulation():
    """P1.E looks at P1.B's and P1.D's runs: the cache knows them by their scenario."""
    for quick in (False, True):
        known = {run.scenario.model_dump_json() for key in ("P1.B", "P1.D") for run in shipped(key).runs(quick)}
        assert {run.scenario.model_dump_json() for run in shipped("P1.E").runs(quick)} <= known


def test_p3_6_is_computed():
    """K0 = 0.1, R0 = 0.2 s, K = 0.1: a margin of 1 s at a gain of 13.3, with K_MECN = 13.64."""
    experiment = shipped("P3.6")
    assert experiment.runs() == []
    assert experiment.cost_estimate() == 0
    verdicts = {verdict.quote.name: verdict for verdict in evaluate(experiment, {})}
    assert verdicts["delay margin at K_MECN 13.64"].ours == pytest.approx(1.0087, abs=1e-4)
    assert verdicts["sensitivity gain at K_MECN 13.64"].ours == pytest.approx(14.64 / 1.1)
    assert {verdict.judgement for verdict in verdicts.values()} == {"within tolerance"}


@pytest.mark.parametrize(
    ("key", "figure", "scheme", "by", "x", "y"),
    [
        ("P1.B", "loss", "plain", "P1, quoted", 45, 4.6),
        ("P1.B", "average-queue", "ecn", "ns-2", 45, 40204),
        ("P0.A", "gain", "becn", "P0, quoted", 46, 45.97),
        ("P1.E", "share", "250ms", "P1, quoted", 45, 0.64),
        ("P3.2", "jitter", "mecn", "P3, quoted", 0.2, 15),
    ],
)
def test_quoted_values_are_in_the_figures(key, figure, scheme, by, x, y):
    experiment = shipped(key)
    (found,) = (each for each in figure_data(experiment, any_results(experiment, True)) if each.model.name == figure)
    (curve,) = (each for each in found.curves if each.label == scheme)
    assert (by, x, y) in [(point.by, point.x, point.y) for point in curve.quoted]


def test_a_papers_queue_over_time_has_its_thresholds():
    experiment = shipped("P0.B")
    figures = figure_data(experiment, any_results(experiment, True))
    (found,) = (each for each in figures if each.model.name == "queue-ecn-becn")
    assert found.y_label == "Queue (packets)"
    (curve,) = found.curves
    assert curve.average == "bottleneck.ab.average_pkts"
    assert curve.levels == (
        ("minth 15KB", 15.0),
        ("maxth 45KB", 45.0),
        ("becnthresh 20KB", 20.0),
        ("2 maxth 90KB", 90.0),
    )
