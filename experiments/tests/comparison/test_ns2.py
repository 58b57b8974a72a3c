# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The scripts of bench/ns2, where ns is installed, and the errors when ns fails, hangs or dies."""

from dataclasses import replace
from pathlib import Path

import pytest
from quench_experiments.comparison import ns2, one_flow
from quench_experiments.comparison.cases import all_cases
from quench_experiments.comparison.ns2 import find_ns, run
from quench_experiments.comparison.side_by_side import run_all
from quench_experiments.errors import ComparisonError

CASES = {case.key: replace(case, warmup_s=10.0, duration_s=40.0) for case in all_cases()}
NS = find_ns()
with_ns = pytest.mark.skipif(NS is None, reason="ns is not installed (Debian's package is ns2)")


def program(folder: Path, text: str) -> Path:
    path = folder / "ns"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@with_ns
@pytest.mark.parametrize("key", ["n1-40ms-25-ecn", "n2-loss-10-ecn", "mf-30-90-10-red", "n1-mix-40-ecn"])
def test_each_script_measures_its_bottleneck(key: str) -> None:
    assert NS is not None
    outcome = run(NS, CASES[key], seed=1)
    assert 0.9 < outcome.utilisation <= 1.001
    assert outcome.mean_average_bytes == pytest.approx(outcome.mean_queue_bytes, rel=0.2)
    assert (outcome.marked_pkts > 0) == (CASES[key].scheme == "ecn")
    carried = sum(group.flows * group.goodput_bps for group in outcome.groups.values())
    assert carried / CASES[key].network.rate_bps == pytest.approx(outcome.utilisation, abs=0.02)


@with_ns
def test_ns2_repeats_a_run_by_its_seed() -> None:
    assert NS is not None
    case = CASES["n1-40ms-25-ecn"]
    assert run(NS, case, seed=1) == run(NS, case, seed=1) != run(NS, case, seed=2)


def test_a_failing_ns_is_quoted(tmp_path: Path) -> None:
    ns = program(tmp_path, "echo 'no such option' >&2; exit 2")
    with pytest.raises(ComparisonError, match="status 2 and said: no such option"):
        run(ns, CASES["n1-40ms-25-ecn"], seed=1)


def test_what_is_no_result_is_said(tmp_path: Path) -> None:
    with pytest.raises(ComparisonError, match="is not a result: loss: Field required"):
        run(program(tmp_path, "echo '{\"utilisation\": 1}'"), CASES["n1-40ms-25-ecn"], seed=1)


def test_a_hanging_ns_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ns2, "TIME_LIMIT_S", 0.2)
    ns = program(tmp_path, "exec sleep 60")
    with pytest.raises(ComparisonError, match=r"did not end within 0\.2 s"):
        ns2.run(ns, CASES["n1-40ms-25-ecn"], seed=1)
    with pytest.raises(ComparisonError, match=r"did not end within 0\.2 s"):
        one_flow.of_ns2(ns, one_flow.OneFlow())


def test_a_process_that_dies_ends_the_comparison_with_one_line(tmp_path: Path) -> None:
    ns = program(tmp_path, "kill -9 $PPID")
    with pytest.raises(ComparisonError, match="n1-40ms-25-ecn: the process that ran ns2 ended by itself"):
        run_all([CASES["n1-40ms-25-ecn"]], [1], {"ns2": ns}, 1, lambda _: None)
