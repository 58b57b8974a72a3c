# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Our simulator against what ns-2 is recorded to have measured: a run of each kind."""

import pytest
from quench_experiments.comparison import ours
from quench_experiments.comparison.cases import all_cases
from quench_experiments.comparison.ns2 import REFERENCE, read_reference
from quench_experiments.comparison.side_by_side import compare

CASES = {case.key: case for case in all_cases()}


@pytest.mark.parametrize(
    "key",
    [
        "n1-40ms-10-ecn",
        "n1-40ms-45-red",
        "n1-40ms-45-ecn",
        "n1-40ms-45-becn",
        "n1-40ms-45-ecn-becn-20KB",
        "n1-250ms-45-ecn",
        "n2-loss-10-ecn",
        "mf-30-90-10-red",
    ],
)
def test_a_run_agrees_with_ns2(key: str) -> None:
    theirs = {name: spread.mean for name, spread in read_reference(REFERENCE).of(key).items()}
    agreements = compare(theirs, ours.run(CASES[key], seed=1).metrics())
    assert {agreement.metric for agreement in agreements} >= {"utilisation", "loss", "mean_queue_bytes"}
    assert [agreement for agreement in agreements if not agreement.within] == []
