# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Data of figures, from results made by hand."""

import pytest
from defined import small
from quench_experiments.definition import figure_data, figures
from quench_experiments.definition.expression import Metric
from quench_experiments.definition.table import Row, Table

FIGURE = "{name: gain, title: Gain, x: n, y: gain, at: {delay: 40ms}}"


SEEDS = "seeds: 3"


def drawn(folder, figure, measure="", **options):
    """The figure, if a flow's goodput is n + seed and its delay 100/n, and BECN's goodput is twice that."""
    experiment = small(folder, (FIGURE, figure), (SEEDS, SEEDS + measure))
    results = {
        run_id: {
            "group.plain.goodput_bps": 1.0,
            "group.test.goodput_bps": (2 if labels["scheme"] == "becn" else 1) * (labels["n"] + labels["seed"]),
            "group.test.delay_mean_s": 100 / labels["n"],
        }
        for run_id, labels in experiment.labels(**options).items()
    }
    (data,) = figure_data(experiment, results)
    return data


def test_lines(tmp_path):
    data = drawn(tmp_path, "{name: x, title: Goodput, x: n, y: group.test.goodput_bps, at: {delay: 40ms}}")
    assert [(curve.label, curve.x, curve.y) for curve in data.curves] == [
        ("ecn", (4, 8), (6, 10)),
        ("becn", (4, 8), (12, 20)),
    ]
    assert data.curves[0].half_width == pytest.approx((4.30265 / 3**0.5, 4.30265 / 3**0.5), abs=1e-4)


def test_labels_come_from_the_metrics(tmp_path):
    data = drawn(tmp_path, FIGURE)
    assert (data.x_label, data.y_label) == ("n", "Gain (%)")


def test_quick_results_have_fewer_points(tmp_path):
    data = drawn(tmp_path, FIGURE, quick=True)
    assert [curve.x for curve in data.curves] == [(8,), (8,)]


def test_path(tmp_path):
    axes = "x: group.test.delay_mean_s, y: group.test.goodput_bps, along: n"
    figure = f"{{name: x, title: X, kind: path, {axes}, at: {{delay: 40ms}}}}"
    assert [(curve.x, curve.y) for curve in drawn(tmp_path, figure).curves] == [
        ((25, 12.5), (6, 10)),
        ((25, 12.5), (12, 20)),
    ]


def test_ranked(tmp_path):
    figure = (
        "{name: x, title: X, kind: ranked, y: group.test.goodput_bps, along: [scheme, n], at: {delay: 40ms},"
        " curves: [{label: all}, {label: negative, y: {scaled: group.test.goodput_bps, by: -1}}]}"
    )
    assert [(curve.label, curve.x, curve.y) for curve in drawn(tmp_path, figure).curves] == [
        ("all", (1, 2, 3, 4), (6, 10, 12, 20)),
        ("negative", (1, 2, 3, 4), (-20, -12, -10, -6)),
    ]


def test_time_series_are_of_the_first_seed(tmp_path):
    series = "\nmeasure: {series: [bottleneck.ab]}"
    figure = "{name: x, title: X, kind: time, y: bottleneck.ab.queue_pkts, at: {delay: 40ms, n: 8}}"
    curves = drawn(tmp_path, figure, series, seeds=[3, 2]).curves
    assert [(curve.label, curve.run_id, curve.series) for curve in curves] == [
        ("ecn", "small/ecn/delay=40ms/n=8/seed=2", "bottleneck.ab.queue_pkts"),
        ("becn", "small/becn/delay=40ms/n=8/seed=2", "bottleneck.ab.queue_pkts"),
    ]


def test_a_bin_without_messages_leaves_the_others_in_their_places():
    results = {f"all.size.{number}.{name}": value for number in (1, 3) for name, value in SIZES[number].items()}
    table = Table((Row({"seed": 1}, results),), {})
    points = list(figures._sizes(table, {}, Metric(metric="all.slowdown_p99")))
    assert [(x, sample.mean) for x, sample in points] == [("500", 2.0), ("9K", 7.0)]


SIZES = {1: {"size_bytes": 500.0, "slowdown_p99": 2.0}, 3: {"size_bytes": 9000.0, "slowdown_p99": 7.0}}
