# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on quotes, from results made by hand."""

import pytest
from defined import small
from quench_experiments.definition import evaluate

QUOTE = "{name: gain, text: it gains, value: 10, tolerance: {absolute: 1}, above: 0, metric: gain,"


def judged(folder, quote=QUOTE, *, gains=(10.0, 10.0, 10.0), others=5.0, paper="Quench"):
    """The verdict if BECN's flows gain so much over plain TCP, seed by seed, and ECN's ``others``."""
    experiment = small(folder, (QUOTE, quote), ("paper: Quench", f"paper: {paper}"))
    results = {}
    for run_id, labels in experiment.labels().items():
        gain = gains[labels["seed"] - 1] if labels["scheme"] == "becn" else others
        results[run_id] = {"group.plain.goodput_bps": 1000.0, "group.test.goodput_bps": 10 * (100 + gain)}
    (verdict,) = evaluate(experiment, results)
    return verdict


def test_within_tolerance(tmp_path):
    verdict = judged(tmp_path, gains=(10.0, 11.0, 11.4))
    assert verdict.judgement == "within tolerance"
    assert verdict.ours == pytest.approx(10.8)
    assert verdict.half_width == pytest.approx(4.30265 * (0.52 / 3) ** 0.5, abs=1e-4)
    assert verdict.seeds == 3
    assert verdict.reason == "0.8 from the expected value, 1 allowed"


def test_same_direction(tmp_path):
    verdict = judged(tmp_path, gains=(20.0, 21.0, 22.0))
    assert verdict.judgement == "same direction"
    assert verdict.reason == "above 0, as expected; 11 from the expected value, 1 allowed"


def test_of_a_paper_the_words_are_its(tmp_path):
    verdict = judged(tmp_path, gains=(20.0, 21.0, 22.0), paper="P1")
    assert verdict.reason == "above 0, as the paper says; 11 from the quoted value, 1 allowed"


def test_different(tmp_path):
    verdict = judged(tmp_path, gains=(-5.0, -6.0, -7.0))
    assert verdict.judgement == "different"
    assert verdict.reason == "not above 0; 16 from the expected value, 1 allowed"


def test_a_difference_that_is_not_significant_is_said(tmp_path):
    verdict = judged(tmp_path, gains=(-10.0, 2.0, 14.0))
    assert verdict.judgement == "same direction"
    assert "not significant over these seeds" in verdict.reason
    assert "the confidence interval reaches into the tolerance" in verdict.reason


@pytest.mark.parametrize(("others", "judgement"), [(5.0, "same direction"), (25.0, "different")])
def test_a_direction_may_be_another_run(tmp_path, others, judgement):
    quote = "{name: gain, text: it gains more than ecn, metric: gain, above: {metric: gain, at: {scheme: ecn}},"
    verdict = judged(tmp_path, quote, others=others)
    assert (verdict.judgement, verdict.quote.value) == (judgement, None)


def test_a_value_without_direction_is_met_or_not(tmp_path):
    quote = "{name: gain, text: it gains, value: 10, tolerance: {percent: 5}, metric: gain,"
    assert judged(tmp_path, quote, gains=(10.3, 10.4, 10.5)).judgement == "within tolerance"
    assert judged(tmp_path, quote, gains=(10.5, 10.6, 10.7)).judgement == "different"


def test_the_larger_tolerance_counts(tmp_path):
    quote = "{name: gain, text: it gains, value: 10, tolerance: {percent: 5, absolute: 2}, metric: gain,"
    assert judged(tmp_path, quote, gains=(11.9, 12.0, 12.0)).judgement == "within tolerance"


def test_what_was_not_run_is_said(tmp_path):
    (verdict,) = evaluate(small(tmp_path), {})
    assert (verdict.judgement, verdict.ours, verdict.seeds) == ("not run", None, 0)
    assert verdict.reason == "no runs with scheme becn, delay 40ms, n 8"


def test_a_division_by_nothing_is_said(tmp_path):
    experiment = small(tmp_path)
    nothing = {"group.plain.goodput_bps": 0.0, "group.test.goodput_bps": 0.0}
    results = dict.fromkeys(experiment.labels(), nothing)
    (verdict,) = evaluate(experiment, results)
    assert verdict.judgement == "not run"
    assert "not a number" in verdict.reason
