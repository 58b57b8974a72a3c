# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Running plans: finished runs are not repeated, failures are written down, progress is shown."""

import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_simulation import FAILS, RED, scenario, simulate, write_program
from quench_experiments.errors import ExperimentError
from quench_experiments.runner.environment import Environment, engine_loaded
from quench_experiments.runner.folder import Choice, Folder
from quench_experiments.runner.plan import Plan, estimated_packets, make_plan
from quench_experiments.runner.progress import Tally, readable
from quench_experiments.runner.session import Look, Summary, run_plan
from quench_experiments.runner.work import Outcome, Task, perform
from quench_experiments.simulation.scenario import Scenario
from rich.console import Console

ENVIRONMENT = Environment(engine_loaded(), "program")


@dataclass(frozen=True)
class Run:
    id: str
    scenario: Scenario


def plan_of(**experiments: Sequence[int]) -> Plan:
    return make_plan(
        [(key, [Run(f"{key}/seed={seed}", scenario(seed)) for seed in seeds]) for key, seeds in experiments.items()],
        ENVIRONMENT,
    )


class Executor:
    """Simulates at once, and remembers what."""

    def __init__(self, tmp_path: Path, stop_after: int | None = None) -> None:
        self.program = write_program(tmp_path)
        self.seeds: list[int] = []
        self.stop_after = stop_after
        self.closed = False

    @contextmanager
    def __call__(self, tasks: Sequence[Task], look: Look) -> Iterator[Iterator[Outcome]]:
        self.look = look
        try:
            yield map(self._perform, tasks)
        finally:
            self.closed = True

    def _perform(self, task: Task) -> Outcome:
        if len(self.seeds) == self.stop_after:
            raise KeyboardInterrupt
        self.seeds.append(task.scenario.seed)
        return perform(task, self.program, simulate)


def run(plan: Plan, folder: Folder, execute: Executor) -> tuple[Summary, str]:
    text = io.StringIO()
    summary = run_plan(plan, folder, execute, Console(file=text, width=80))
    return summary, text.getvalue()


def test_runs_of_the_same_content_are_done_once(tmp_path: Path) -> None:
    plan = plan_of(a=[1, 2], b=[2, 3])
    assert len(plan.jobs) == 3
    assert {job.scenario.seed: job.names for job in plan.jobs}[2] == ("a/seed=2", "b/seed=2")
    assert dict(plan.keys["a"])["a/seed=2"] == dict(plan.keys["b"])["b/seed=2"]
    executor = Executor(tmp_path)
    run(plan, Folder(tmp_path / "out"), executor)
    assert sorted(executor.seeds) == [1, 2, 3]


def test_large_runs_go_first() -> None:
    runs = [Run(str(seconds), scenario(duration_s=seconds)) for seconds in (5, 50, 20)]
    assert [job.scenario.duration_s for job in make_plan([("a", runs)], ENVIRONMENT).jobs] == [50, 20, 5]


def test_runs_with_source_quenches_go_before_others() -> None:
    becn = {"scheme": "becn", "minth": "15KB", "maxth": "45KB"}
    routers = [[{"name": "r", "profiles": {"out.ab": profile}}] for profile in (RED, becn, RED)]
    runs = [Run(str(number), scenario(number, routers=each)) for number, each in enumerate(routers)]
    assert [job.scenario.seed for job in make_plan([("a", runs)], ENVIRONMENT).jobs] == [1, 0, 2]


def test_the_estimate_of_messages_is_that_of_their_load() -> None:
    """At each of three routers: 2 hosts at 0.4 Gb/s of 1000 bytes, with two packets more for each message."""
    access = {"delay_s": 1e-6, "ab": {"rate_bps": 1e9}, "ba": {"rate_bps": 1e9}}
    links = [{"name": f"{a}{b}", "a": a, "b": b, **access} for a, b in ("sr", "rm", "mq", "qc")]
    flow = {"kind": "messages", "name": "f", "senders": ["s", "c"], "stack": "tcp", "message_bytes": 1000, "load": 0.4}
    for stack, packets_of_each in ({}, 3), ({"segment_bytes": 500}, 4):
        found = scenario(
            duration_s=2,
            links=links,
            routers=[{"name": name} for name in "rmq"],
            stacks={"tcp": stack},
            sources=[flow],
        )
        # A quarter of all pairs of hosts is one host twice, which counts as one router.
        passes = 2 * 2 * 0.4e9 / 8000 * packets_of_each * (3 + 1) / 2
        assert estimated_packets(found) == pytest.approx(2000 + 20 + passes)


def test_the_estimate_grows_with_time_and_rate_between_routers() -> None:
    def packets(duration_s: float, rate_bps: float) -> float:
        routers = [{"name": "r"}, {"name": "q"}]
        links = [
            {"name": "in", "a": "s", "b": "r", "delay_s": 0, "ab": {"rate_bps": 1e9}},
            {"name": "mid", "a": "r", "b": "q", "delay_s": 0, "ab": {"rate_bps": rate_bps}},
            {"name": "out", "a": "q", "b": "c", "delay_s": 0, "ab": {"rate_bps": 1e9}},
        ]
        return estimated_packets(scenario(duration_s=duration_s, routers=routers, links=links))

    idle = packets(1e-9, 1)
    assert packets(10, 8e6) - idle == pytest.approx(10_000, rel=1e-3)
    assert packets(20, 8e6) - idle == pytest.approx(20_000, rel=1e-3)
    assert packets(10, 16e6) - idle == pytest.approx(20_000, rel=1e-3)


def test_what_is_there_is_not_simulated_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    run(plan_of(a=[1, 2]), folder, Executor(tmp_path))
    executor = Executor(tmp_path)
    summary, _ = run(plan_of(a=[1, 2, 3]), folder, executor)
    assert executor.seeds == [3]
    assert (summary.cached, summary.done) == (2, 1)


def test_a_damaged_run_is_simulated_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    plan = plan_of(a=[1, 2])
    run(plan, folder, Executor(tmp_path))
    key = dict(plan.keys["a"])["a/seed=2"]
    (path,) = folder.path.rglob(f"{key}.json")
    path.write_text(path.read_text().replace("4.0", "5.0"))
    executor = Executor(tmp_path)
    run(plan, folder, executor)
    assert executor.seeds == [2]
    stored = folder.cache.load(key)
    assert stored is not None
    assert stored.metrics["all.goodput_bps"] == 4.0


def test_an_interrupted_plan_goes_on_where_it_stopped(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    plan = plan_of(a=[1, 2, 3, 4])
    first, second = Executor(tmp_path, stop_after=2), Executor(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run(plan, folder, first)
    assert first.closed
    summary, _ = run(plan, folder, second)
    assert sorted(first.seeds + second.seeds) == [1, 2, 3, 4]
    assert (summary.cached, summary.done) == (2, 2)


def test_a_failure_is_written_down_with_its_scenario_and_forgotten_later(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "out")
    plan = plan_of(a=[1, FAILS, 2])
    summary, text = run(plan, folder, Executor(tmp_path))
    ((job, error, path),) = summary.failed
    assert (job.name, error) == (f"a/seed={FAILS}", f"ValueError: seed {FAILS} is refused")
    assert f"failed: a/seed={FAILS}: ValueError" in text
    kept = json.loads(Path(path).read_text())
    assert Scenario.parse(kept["scenario"]) == scenario(FAILS)
    assert "fake_simulation.py" in kept["traceback"]
    assert summary.done == 2
    assert folder.failure(job.key) == error
    folder.forget_failure(job.key)
    assert folder.failure(job.key) is None


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 100_000, "[1]", "{}", '"', "\0"])
def test_damaged_files_of_the_folder_are_said_or_as_if_not_there(tmp_path: Path, text: str) -> None:
    folder = Folder(tmp_path / "out")
    (job, _, path), *_ = run(plan_of(a=[FAILS]), folder, Executor(tmp_path))[0].failed
    Path(path).write_text(text)
    assert folder.failure(job.key) is None
    (folder.path / "runs.json").write_text(text)
    if text != "{}":
        with pytest.raises(ExperimentError, match=r"runs\.json: it cannot be read .*: remove it"):
            folder.choices()


def test_lines_show_the_progress(tmp_path: Path) -> None:
    _, text = run(plan_of(a=[1, 2, FAILS, 3]), Folder(tmp_path / "out"), Executor(tmp_path))
    lines = [line for line in text.splitlines() if not line.startswith("failed")]
    assert [line.split(",")[0] for line in lines] == ["1/4 runs", "2/4 runs", "3/4 runs", "4/4 runs"]
    assert "25%" in lines[0]
    assert "1 failed, 75%" in lines[2]
    assert "100%, done" in lines[3]


def test_lines_are_few_however_many_the_runs(tmp_path: Path) -> None:
    _, text = run(plan_of(a=range(1, 101)), Folder(tmp_path / "out"), Executor(tmp_path))
    assert len(text.splitlines()) == 20


def test_lines_show_the_progress_within_a_run(tmp_path: Path) -> None:
    class Watched(Executor):
        def _perform(self, task: Task) -> Outcome:
            for percent in range(0, 100, 2):
                self.look({task.key: percent / 100})
            return super()._perform(task)

    _, text = run(plan_of(a=[1, 2]), Folder(tmp_path / "out"), Watched(tmp_path))
    lines = text.splitlines()
    assert len(lines) <= 20
    assert [line.split(" left")[0].split(",")[:2] for line in lines[:2]] == [["0/2 runs", " 5%"], ["0/2 runs", " 10%"]]
    assert "1/2 runs, 95%" in text
    assert lines[-1].startswith("2/2 runs, 100%, done: a/seed=")


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=120)
    run_plan(plan_of(a=[1, FAILS]), Folder(tmp_path / "out"), Executor(tmp_path), console)
    assert "failed:" in text.getvalue()
    assert "━" in text.getvalue()


def test_the_time_left_is_by_work_not_by_runs() -> None:
    now = [100.0]
    tally = Tally(total_packets=1000, runs=3, clock=lambda: now[0])
    tally.begin()
    assert tally.left_s() is None
    now[0] = 110.0
    tally.under_way["a"] = 400
    assert tally.left_s() == pytest.approx(15)
    tally.add("a", 800, failed=False)
    assert tally.left_s() == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "?"), (0.4, "0.4 s"), (59.4, "59 s"), (61, "1 min 1 s"), (7300, "2 h 1 min")]
)
def test_times_are_readable(seconds: float | None, text: str) -> None:
    assert readable(seconds) == text


def test_choices_are_remembered_by_experiment(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert folder.choices() == {}
    folder.choose({"P1.A": Choice(quick=True), "P1.B": Choice(quick=False, seeds=3)})
    later = Choice(quick=True, seeds=2, file="own.yaml")
    folder.choose({"P1.B": later})
    assert Folder(tmp_path).choices() == {"P1.A": Choice(quick=True), "P1.B": later}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        *(
            json.dumps({"P1.A": {"quick": True, "seeds": None, "file": None, **wrong}})
            for wrong in (
                *({"seeds": seeds} for seeds in (0, -1, 1.5, math.nan, True, 10**9, "abc")),
                *({"file": file} for file in (5, ["a"])),
                {"quick": 1},
                {"more": 1},
            )
        ),
    ],
)
def test_choices_that_cannot_be_read_are_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "runs.json").write_text(text)
    with pytest.raises(ExperimentError, match=r"runs\.json: it cannot be read") as caught:
        Folder(tmp_path).choices()
    assert "\n" not in str(caught.value)
