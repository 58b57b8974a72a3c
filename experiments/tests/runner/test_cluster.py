# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulations on a Dask cluster of two worker processes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import LocalCluster
from fake_simulation import DIES, FAILS, PROGRAM_BYTES, simulate, task, write_program
from quench.places import PROGRAM
from quench_experiments.errors import ExperimentError
from quench_experiments.runner import cluster as on_cluster
from quench_experiments.runner.cluster import run_on_cluster
from quench_experiments.runner.environment import Engine
from quench_experiments.runner.processes import run_in_processes
from quench_experiments.runner.work import Outcome, simulate_with_p4


def local_cluster() -> Any:
    """Two worker processes."""
    return LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster() as made:
        yield made


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return write_program(tmp_path)


def performed(*arguments: Any) -> list[Outcome]:
    with run_on_cluster(*arguments) as outcomes:
        return list(outcomes)


def test_runs_go_to_the_workers_and_come_back(cluster: Any, program: Path) -> None:
    tasks = [task(seed, measure={"series": ["out.ab"]}) for seed in (1, 2, 3, FAILS)]
    outcomes = {outcome.key: outcome for outcome in performed(tasks, program, simulate, cluster.scheduler_address)}
    assert outcomes.pop(f"key{FAILS}").error == f"ValueError: seed {FAILS} is refused"
    assert {outcome.metrics["all.goodput_bps"] for outcome in outcomes.values()} == {2.0, 4.0, 6.0}
    assert {outcome.metrics["program_bytes"] for outcome in outcomes.values()} == {PROGRAM_BYTES}
    assert outcomes["key3"].files["series.parquet"] == b"of seed 3"


def test_the_workers_do_not_need_our_files(cluster: Any, program: Path) -> None:
    outcomes = performed([task(1)], program, _forget(program), cluster.scheduler_address)
    (outcome,) = outcomes
    assert outcome.error is None
    assert outcome.metrics["program_bytes"] == PROGRAM_BYTES


def _forget(program: Path) -> Any:
    """A simulation that refuses to read the file that only the client has."""

    def refuse_the_clients(scenario: Any, path: Path, progress: Any, clients: Path = program) -> Any:
        if path == clients:
            raise ValueError("this is the client's file")
        return simulate(scenario, path, progress)

    return refuse_the_clients


def test_a_worker_that_dies_costs_its_own_run_only(program: Path) -> None:
    tasks = [task(seed, f"dying{seed}") for seed in (DIES, 1, 2)]
    # One death is enough for Dask to give up all that the worker had been given; its workers are not used afterwards.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), local_cluster() as cluster:
        found = performed(tasks, program, simulate, cluster.scheduler_address)
    outcomes = {outcome.key: outcome for outcome in found}
    error = outcomes.pop(f"dying{DIES}").error or ""
    assert error.startswith("on the cluster: KilledWorker")
    assert [outcome.error for outcome in outcomes.values()] == [None, None]


def test_the_results_are_the_same_where_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    flow = {"kind": "ftp", "name": "f", "from": "s", "to": "c", "stack": "tcp"}
    changes = {"duration_s": 2, "stacks": {"tcp": {}}, "sources": [flow], "measure": {"series": ["out.ab"]}}
    tasks = [task(seed, f"killed{seed}", **changes) for seed in range(1, 7)]
    with local_cluster() as cluster:
        found = performed(tasks, PROGRAM, _killed_once(tmp_path / "killed"), cluster.scheduler_address)
    assert (tmp_path / "killed").exists()
    with run_in_processes(tasks, PROGRAM, simulate_with_p4, 1) as outcomes:
        expected = {outcome.key: outcome for outcome in outcomes}
    assert len(found) == len(expected)
    for outcome in found:
        assert outcome.error is None
        assert (outcome.metrics, outcome.files) == (expected[outcome.key].metrics, expected[outcome.key].files)


def _killed_once(mark: Path) -> Any:
    """A simulation whose process is killed once it has done the third run, before it can say so."""

    def run(scenario: Any, program: Path, progress: Any) -> Any:
        result = simulate_with_p4(scenario, program, progress)
        if scenario.seed == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return run


def test_workers_with_another_quench_are_refused(cluster: Any, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_cluster, "engine_loaded", _engine_in_this_process(os.getpid()))
    with pytest.raises(ExperimentError, match=r"worker tcp://\S+ has another build of Quench: install the same"):
        performed([task(1)], program, simulate, cluster.scheduler_address)


def _engine_in_this_process(number: int) -> Any:
    def engine(number: int = number) -> Engine:
        return Engine("0", "ours" if os.getpid() == number else "theirs", "")

    return engine


def test_a_cluster_without_workers_is_said(program: Path) -> None:
    with LocalCluster(n_workers=0, processes=True, host="127.0.0.1", dashboard_address=":0") as empty:
        address = empty.scheduler_address
        with pytest.raises(ExperimentError, match=rf"--dask {address}: the cluster has no workers"):
            performed([task(1)], program, simulate, address)


def test_no_scheduler_is_one_line(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_cluster, "CONNECT_S", 0.5)
    with pytest.raises(ExperimentError, match=r"--dask tcp://127\.0\.0\.1:9: no scheduler answers") as caught:
        performed([task(1)], program, simulate, "tcp://127.0.0.1:9")
    assert "\n" not in str(caught.value)
