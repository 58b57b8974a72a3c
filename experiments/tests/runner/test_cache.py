# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The cache: what a key depends on, and what counts as a finished run."""

import dataclasses
import hashlib
import json
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_simulation import RED, scenario, write_program
from quench.places import PROGRAM
from quench_experiments.errors import ExperimentError
from quench_experiments.runner.cache import MAX_ENTRY_BYTES, Cache, key_of
from quench_experiments.runner.environment import (
    Engine,
    Environment,
    engine_here,
    environment_of,
    info_of,
    read_program,
    snapshot_of,
)
from quench_experiments.runner.work import Outcome

ENVIRONMENT = Environment(Engine("1", "native", "python"), "program")
DONE = Outcome("ab" * 32, 1.5, {"goodput": 3.0, "loss": 0.1}, {"series.parquet": b"table"})


def changed_router(**changes: object) -> dict[str, object]:
    router = {"name": "r", "profiles": {"out.ab": RED}, **changes}
    return {"routers": [router]}


def test_the_same_content_has_the_same_key() -> None:
    assert key_of(scenario(), ENVIRONMENT) == key_of(scenario(), ENVIRONMENT)


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"duration_s": 11},
        changed_router(profiles={"out.ab": {**RED, "scheme": "ecn"}}),
        changed_router(profiles={"out.ab": {**RED, "maxp": 0.2}}),
        changed_router(isq={"mode": "dataplane"}),
        changed_router(controller_latency_s=0.001),
        {"measure": {"cwnd": True}},
    ],
    ids=["seed", "duration", "scheme", "setting of a profile", "isq", "latency", "measure"],
)
def test_every_part_of_the_scenario_changes_the_key(changes: dict[str, object]) -> None:
    assert key_of(scenario(**changes), ENVIRONMENT) != key_of(scenario(), ENVIRONMENT)


@pytest.mark.parametrize("part", ["version", "native_sha256", "python_sha256"])
def test_every_part_of_the_code_changes_the_key(part: str) -> None:
    engine = dataclasses.replace(ENVIRONMENT.engine, **{part: "another"})
    other = dataclasses.replace(ENVIRONMENT, engine=engine)
    assert key_of(scenario(), other) != key_of(scenario(), ENVIRONMENT)


@pytest.mark.parametrize("part", [lambda path: path, info_of], ids=["json", "p4info"])
def test_the_program_changes_the_key(part: Callable[[Path], Path], tmp_path: Path) -> None:
    program = write_program(tmp_path)
    before = environment_of(program)
    part(program).write_text("{ }")
    after = environment_of(program)
    assert before.engine == after.engine
    assert key_of(scenario(), before) != key_of(scenario(), after)


def test_the_engine_is_what_lies_on_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    part = tmp_path / "quench_test_part"
    part.mkdir()
    (part / "__init__.py").write_text("")
    (part / "work.py").write_text("FACTOR = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("quench_experiments.runner.environment.PYTHON_PARTS", ("quench_test_part",))
    before = engine_here()
    assert engine_here() == before
    (part / "work.py").write_text("FACTOR = 2\n")
    assert engine_here().python_sha256 != before.python_sha256


def test_a_program_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"quench\.json: No such file or directory: run 'make p4'") as caught:
        environment_of(tmp_path / "quench.json")
    assert "\n" not in str(caught.value)


def test_a_program_without_its_p4info_is_one_line(tmp_path: Path) -> None:
    info_of(write_program(tmp_path)).unlink()
    with pytest.raises(ExperimentError, match=r"quench\.p4info\.txtpb: No such file or directory: run 'make p4'"):
        environment_of(tmp_path / "quench.json")


def test_a_program_that_is_compiled_anew_does_not_change_a_run(tmp_path: Path) -> None:
    program = write_program(tmp_path)
    with snapshot_of(program) as (path, environment):
        program.write_text("{ }")
        info_of(program).unlink()
        assert read_program(path) == (b"{}", info_of(PROGRAM).read_bytes())
        assert environment_of(path) == environment
    assert not path.exists()


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("quench_nowhere._native", "No module named 'quench_nowhere'"),
        ("quench_switch.nowhere", "is not installed"),
        ("quench_outdated._native", "cannot import name 'Newer'"),
    ],
)
def test_a_part_that_is_not_built_is_said(
    module: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    outdated = tmp_path / "quench_outdated"
    outdated.mkdir()
    (outdated / "__init__.py").write_text("from quench_outdated._native import Newer\n")
    (outdated / "_native.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("quench_experiments.runner.environment.NATIVE_MODULE", module)
    with pytest.raises(ExperimentError, match=f"{re.escape(module)}.*{re.escape(reason)}.*: run 'make setup native'"):
        engine_here()


def test_what_was_stored_is_found(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.load(DONE.key) is None
    cache.store(DONE)
    run = cache.load(DONE.key)
    assert run is not None
    assert (run.metrics, run.seconds) == (DONE.metrics, 1.5)
    assert run.tables["series.parquet"].read_bytes() == b"table"
    assert not list(tmp_path.rglob(".writing-*"))


def test_a_failed_run_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not kept: too bad"):
        Cache(tmp_path).store(Outcome("ab" * 32, 0.0, error="too bad"))
    assert not list(tmp_path.iterdir())


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def truncate(path: Path, size_bytes: int) -> None:
    """A file with holes takes no room."""
    with path.open("r+b") as file:
        file.truncate(size_bytes)


def pipe(path: Path) -> None:
    """Put a pipe that nobody writes to at the path."""
    path.unlink()
    os.mkfifo(path)


def signed(path: Path, **changes: object) -> None:
    """With the hash that belongs to the changes."""
    body = {**json.loads(path.read_text()), **changes}
    del body["sha256"]
    content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    path.write_text(json.dumps({**body, "sha256": hashlib.sha256(content).hexdigest()}))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda run, table: run.write_text(run.read_text()[:-20]), "delimiter|Unterminated|Expecting"),
        (lambda run, table: run.write_text("[1, 2]"), "list indices"),
        (lambda run, table: run.write_text("{}"), "format"),
        (lambda run, table: edit(run, format=0), "format 0, not 1"),
        (lambda run, table: edit(run, metrics={"goodput": 99.0}), "its content and its hash differ"),
        (lambda run, table: table.write_bytes(b"tabla"), r"series\.parquet: its content and its hash differ"),
        (lambda run, table: table.unlink(), "No such file"),
        (lambda run, table: run.write_bytes(b"\xff\xfe\x00"), "decode"),
        (lambda run, table: run.write_text("[" * 100_000), "recursion"),
        (lambda run, table: run.write_text('{"a": ' * 100_000), "recursion"),
        (lambda run, table: truncate(run, MAX_ENTRY_BYTES + 1), "is longer than 16777216 bytes"),
        (lambda run, table: signed(run, tables={"../../x.parquet": ""}), "is no table's name"),
        (lambda run, table: signed(run, metrics={"goodput": "much"}), "could not convert"),
        (lambda run, table: signed(run, metrics=[1]), "has no attribute"),
        (lambda run, table: signed(run, metrics={"goodput": 10**400}), "too large"),
        (lambda run, table: pipe(run), "is no regular file"),
        (lambda run, table: pipe(table), "is no regular file"),
    ],
    ids=[
        *("cut off", "a list", "empty", "other format", "metrics", "table", "no table", "binary"),
        *("deep lists", "deep objects", "huge", "a foreign path", "a word for a number", "a list of metrics"),
        *("a number beyond all floats", "a pipe", "a pipe for a table"),
    ],
)
def test_a_damaged_run_is_as_if_it_were_not_there(
    damage: object, reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path)
    cache.store(DONE)
    (run,), (table,) = tmp_path.rglob("*.json"), tmp_path.rglob("*.parquet")
    damage(run, table)  # type: ignore[operator]
    with caplog.at_level(logging.WARNING):
        assert cache.load(DONE.key) is None
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(str(run))
    assert re.search(reason, caplog.messages[0])
    cache.store(DONE)
    assert cache.has(DONE.key)


def test_another_runs_file_is_not_taken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = Cache(tmp_path)
    cache.store(DONE)
    (run,) = tmp_path.rglob("*.json")
    other = "ab" + "cd" * 31
    run.rename(run.with_name(f"{other}.json"))
    assert cache.load(other) is None
    assert f"it is of {DONE.key}" in caplog.text
