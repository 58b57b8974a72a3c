# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Simulations in processes: failures stay with the run that failed."""

import dataclasses
import multiprocessing
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_simulation import DIES, ENDS, FAILS, HANGS, KILLED, PROGRAM_BYTES, SEEN, WAITS, simulate, task, write_program
from quench_experiments.runner.environment import Engine
from quench_experiments.runner.processes import DEATH, in_processes, run_in_processes
from quench_experiments.runner.work import REBUILT, Outcome, Task, perform
from quench_experiments.simulation.scenario import Scenario


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return write_program(tmp_path)


def tasks(seeds: Sequence[int]) -> list[Task]:
    return [task(seed) for seed in seeds]


def performed(*arguments: Any) -> list[Outcome]:
    with run_in_processes(*arguments) as outcomes:
        return list(outcomes)


def test_every_run_comes_back(program: Path) -> None:
    outcomes = {outcome.key: outcome for outcome in performed(tasks(range(1, 8)), program, simulate, 2)}
    assert {key: outcome.metrics["all.goodput_bps"] for key, outcome in outcomes.items()} == {
        f"key{seed}": 2.0 * seed for seed in range(1, 8)
    }
    assert all(outcome.metrics["program_bytes"] == PROGRAM_BYTES for outcome in outcomes.values())
    assert not multiprocessing.active_children()


def test_an_error_is_the_runs_own(program: Path) -> None:
    outcomes = {outcome.key: outcome for outcome in performed(tasks([1, FAILS, 2]), program, simulate, 1)}
    failed = outcomes.pop(f"key{FAILS}")
    assert failed.error == f"ValueError: seed {FAILS} is refused"
    assert "fake_simulation.py" in failed.traceback
    assert [outcome.error for outcome in outcomes.values()] == [None, None]


def test_a_process_that_dies_costs_its_own_run_only(program: Path) -> None:
    dying = [DIES, KILLED, ENDS]
    seeds = [1, DIES, 2, KILLED, 3, ENDS, 4]
    outcomes = performed(tasks(seeds), program, simulate, 2)
    assert sorted(outcome.key for outcome in outcomes) == sorted(f"key{seed}" for seed in seeds)
    assert {outcome.key for outcome in outcomes if outcome.error == DEATH} == {f"key{seed}" for seed in dying}
    assert sum(outcome.error is None for outcome in outcomes) == 4


def test_left_early_it_ends_what_runs(program: Path) -> None:
    with run_in_processes(tasks([1, HANGS, HANGS + 1]), program, simulate, 2) as outcomes:
        assert next(outcomes).key == "key1"
        assert multiprocessing.active_children()
    assert not multiprocessing.active_children()


def test_the_shares_of_runs_under_way_are_seen(program: Path) -> None:
    seen = []

    def look(shares: Mapping[str, float]) -> None:
        if shares:
            seen.append(dict(shares))
            (program.parent / SEEN).touch()

    outcomes = performed(tasks([1, WAITS]), program, simulate, 2, look)
    assert {outcome.error for outcome in outcomes} == {None}
    assert seen
    assert all(shares == {f"key{WAITS}": 0.25} for shares in seen)


def test_a_signal_at_any_line_of_the_pool_ends_all_processes() -> None:
    script = Path(__file__).with_name("interrupted_at.py")
    first = random.randint(1, 4)
    done = subprocess.run(
        [sys.executable, str(script), str(first)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


def test_a_result_that_cannot_be_sent_is_said() -> None:
    with in_processes(_unsendable, [()], 1) as results, pytest.raises(TypeError, match="it cannot be sent: "):
        next(results)


def _unsendable() -> object:
    return lambda: 0


class _PanicException(BaseException):  # what the native module's panics are
    pass


def test_a_panic_is_an_error_like_others(program: Path) -> None:
    def panic(scenario: Scenario, program: Path, progress: object) -> object:
        raise _PanicException("index out of bounds")

    outcome = perform(tasks([1])[0], program, panic)  # type: ignore[arg-type]
    assert outcome.error == "_PanicException: index out of bounds"


def test_tables_are_kept_where_the_scenario_asks_for_them(program: Path) -> None:
    def outcome(**measure: object) -> Outcome:
        return perform(task(5, measure=measure), program, simulate)

    assert outcome().files.keys() == {"distributions.parquet"}
    assert outcome(series=["out.ab"]).files["series.parquet"] == b"of seed 5"
    assert outcome(cwnd=True).files["series.parquet"] == b"of seed 5"


def test_other_code_than_the_key_stands_for_is_not_run(program: Path) -> None:
    other = dataclasses.replace(task(1), engine=Engine("0", "another", "build"))
    assert perform(other, program, simulate) == Outcome("key1", 0.0, error=REBUILT)
    (outcome,) = performed([other], program, simulate, 1)
    assert outcome.error == REBUILT
