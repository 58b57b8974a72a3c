# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment``: its commands, and what they say when something is wrong."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from distributed import LocalCluster
from experiment_file import write_experiment
from fake_simulation import FAILS, simulate, write_program
from quench.cli.app import app as quench
from quench.cli.app import main
from quench_experiments.cli import catalogue, run_cmd
from quench_experiments.cli.app import app
from quench_experiments.definition import keys
from typer.testing import CliRunner, Result


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cmd, "SIMULATE", simulate)


def experiment(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments], prog_name="quench experiment")


def run(tmp_path: Path, *arguments: object) -> Result:
    return experiment("run", *arguments, "--jobs", 1, "--out", tmp_path / "out", "--program", write_program(tmp_path))


@pytest.mark.usefixtures("_loaded_once")
def test_list_has_every_experiment() -> None:
    rows = json.loads(experiment("list", "--json").stdout)
    assert [row["key"] for row in rows] == keys()
    assert all(row["runs"] >= row["quick_runs"] for row in rows)
    text = experiment("list").stdout
    assert all(key in text for key in keys())


def test_show_describes_an_experiment(tmp_path: Path) -> None:
    text = experiment("show", write_experiment(tmp_path, [1, 2, 3])).stdout
    assert "small: An experiment of a test (Quench, nowhere)" in text
    assert "schemes plain, ecn; n 1, 2; 3 seeds" in text
    assert "12 runs, 2 with --quick" in text
    assert "two flows get 3 kb/s each" in text
    assert "3.1 kb/s" in text
    assert "Nothing is read into anything here." in text


def test_show_lists_runs(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    assert "small/plain/n=1/seed=1" in experiment("show", file, "--runs").stdout
    assert "small/plain/n=1/seed=1" not in experiment("show", file, "--runs", "--quick").stdout
    assert "small/ecn/n=2/seed=2" in experiment("show", file, "--runs", "--quick").stdout


def test_run_simulates_once(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    first = run(tmp_path, file)
    assert first.exit_code == 0, first.output
    assert "8 simulated" in first.stdout
    assert "0 simulated (in 0 s of one core), 8 were there already, 0 failed" in run(tmp_path, file).stdout


def test_a_run_of_more_than_an_hour_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_experiment(tmp_path, [1, 2])
    assert "hour" not in run(tmp_path, file, "--seeds", "1").stdout
    monkeypatch.setattr("quench_experiments.cli.run_cmd.LONG_S", 1e-3)
    said = run(tmp_path, file, "--seeds", "2").stdout
    assert "of more than an hour on one core, the longest about" in said
    assert "hour" not in run(tmp_path, file, "--seeds", "2").stdout, "all runs are there"


def test_quick_and_seeds_choose_the_runs(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    assert "1 experiment (quick, 2 runs)" in run(tmp_path, file, "--quick").stdout
    assert "(12 runs)" in run(tmp_path, file, "--seeds", 3).stdout
    assert "(quick, 3 runs)" in run(tmp_path, file, "--quick", "--seeds", 3).stdout
    assert run(tmp_path, file, "--seeds", 10**9).exit_code == 2, "a plan of so many has no end"


def test_text_of_a_file_is_shown_as_it_is_and_at_once(tmp_path: Path) -> None:
    """A search for numbers and names to highlight took the square of a long word's length."""
    file = write_experiment(tmp_path, [1])
    word = "x" * 100_000
    file.write_text(file.read_text().replace("An experiment of a test", word))
    shown = experiment("show", file)
    assert shown.exit_code == 0
    assert word in shown.stdout.replace("\n", "")


def test_a_failed_run_is_reported_with_its_scenario_and_others_go_on(tmp_path: Path) -> None:
    result = run(tmp_path, write_experiment(tmp_path, [1, FAILS]))
    assert result.exit_code == 1
    assert "4 simulated" in result.stdout
    assert "4 failed" in result.stdout
    lines = [line for line in result.stderr.splitlines() if f"small/ecn/n=2/seed={FAILS} failed" in line]
    assert len(lines) == 1
    assert f"ValueError: seed {FAILS} is refused" in lines[0]
    scenario = Path(lines[0].rpartition("its scenario: ")[2].rstrip(")"))
    assert json.loads(scenario.read_text())["scenario"]["seed"] == FAILS


def one_line(result: Result) -> str:
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    return line


def test_unknown_keys_are_reported_with_the_known_ones(tmp_path: Path) -> None:
    line = one_line(run(tmp_path, "P9.Z"))
    assert line.startswith("quench experiment run: there is no experiment P9.Z: choose ")
    assert all(key in line for key in keys())
    assert one_line(experiment("show", "P9.Z")).startswith("quench experiment show: there is no experiment P9.Z")


def test_a_file_with_a_fault_is_one_line_with_its_place(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    file.write_text(file.read_text().replace("delay: 40ms", "delay: fast"))
    line = one_line(run(tmp_path, file))
    assert line.startswith(f"quench experiment run: {file}:7:")


def test_a_program_that_is_not_compiled_is_one_line(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    result = experiment("run", file, "--out", tmp_path, "--program", tmp_path / "none.json")
    assert "none.json: No such file or directory: run 'make p4'" in one_line(result)


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("not a folder")
    assert "runs.json" in one_line(run(tmp_path, write_experiment(tmp_path, [1])))


def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quench_experiments.runner.cluster.CONNECT_S", 0.5)
    result = run(tmp_path, write_experiment(tmp_path, [1]), "--dask", "tcp://127.0.0.1:9")
    assert one_line(result).startswith("quench experiment run: --dask tcp://127.0.0.1:9: no scheduler answers")


def test_runs_go_to_a_dask_cluster_and_are_kept_here(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
    ) as cluster:
        result = run(tmp_path, file, "--dask", cluster.scheduler_address)
    assert result.exit_code == 0, result.output
    assert "8 simulated" in result.stdout
    assert "8 were there already" in run(tmp_path, file).stdout


def test_a_file_may_not_have_the_name_of_one_of_ours(tmp_path: Path) -> None:
    line = one_line(run(tmp_path, write_experiment(tmp_path, [1], keys()[0])))
    assert f"{keys()[0]} is one of Quench's own: name the file otherwise" in line


@pytest.mark.usefixtures("_loaded_once")
def test_a_papers_name_stands_for_all_of_its_experiments() -> None:
    found = [each.key for each in catalogue.chosen(["p1", "P1.A"])]
    assert found == [key for key in keys() if key.startswith("P1.")]
    assert [each.key for each in catalogue.chosen(["all"])] == keys()


def test_the_shell_completes_keys() -> None:
    assert catalogue.complete("p1.a") == ["P1.A"]
    assert catalogue.complete("a") == ["all"]


def test_help_is_that_of_the_package() -> None:
    text = CliRunner().invoke(quench, ["experiment", "--help"]).stdout
    for command in ("list", "show", "run", "report", "export", "capture", "compare"):
        assert command in text


@pytest.mark.parametrize("command", ["experiment", "tune"])
def test_without_the_package_it_is_one_line(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find_spec = importlib.util.find_spec
    hidden = lambda name: None if name == "quench_experiments" else find_spec(name)  # noqa: E731
    monkeypatch.setattr("quench_switch.cli.lazy.find_spec", hidden)
    monkeypatch.setattr(sys, "argv", ["quench", command, "--help"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == ("quench: the experiments are not installed: run 'make setup'\n")


@pytest.mark.parametrize("threads", ["0", "257", "many", "1.5", "-1", ""])
def test_run_refuses_other_numbers_of_threads(tmp_path: Path, threads: str) -> None:
    result = run(tmp_path, write_experiment(tmp_path, [1]), f"--threads={threads}")
    assert result.exit_code == 1
    assert result.stderr == (f"quench experiment run: --threads {threads!r}: give a number from 1 to 256, or auto\n")


@pytest.mark.parametrize(
    ("jobs", "threads", "shares"),
    [(None, "1", (8, 1)), (None, "3", (2, 3)), (None, "20", (1, 20)), (None, "auto", (1, 8)), (3, "auto", (3, 2))],
)
def test_threads_and_processes_share_the_cores(
    monkeypatch: pytest.MonkeyPatch, jobs: int | None, threads: str, shares: tuple[int, int]
) -> None:
    monkeypatch.setattr(run_cmd, "_cores", lambda: 8)
    assert run_cmd._shares(jobs, threads) == shares
