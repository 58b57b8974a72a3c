# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench experiment export``: the runs that are there, as CSV."""

import csv
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from experiment_file import write_experiment
from fake_simulation import FAILS, simulate, write_program
from quench_experiments.cli import run_cmd
from quench_experiments.cli.app import app
from quench_experiments.definition import load
from quench_experiments.report import export
from quench_experiments.runner.folder import Folder
from quench_experiments.runner.work import Outcome
from typer.testing import CliRunner, Result


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_cmd, "SIMULATE", simulate)


def experiment(tmp_path: Path, *arguments: object) -> Result:
    more = ["--out", tmp_path / "out", "--program", write_program(tmp_path)]
    return CliRunner().invoke(app, [str(each) for each in (*arguments, *more)], prog_name="quench experiment")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_run_is_a_row_with_its_parameters_and_metrics(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    experiment(tmp_path, "run", file, "--jobs", 1)
    result = experiment(tmp_path, "export", file, "--csv")
    assert result.exit_code == 0, result.output
    path = tmp_path / "out/exports/small.csv"
    assert f"{path}: 8 of 8 runs" in result.stdout
    found = rows(path)
    assert list(found[0]) == ["run", "scheme", "n", "seed", "all.goodput_bps", "program_bytes"]
    assert [row["run"] for row in found] == list(load(file).labels())
    assert [(row["scheme"], row["n"], row["seed"], row["all.goodput_bps"]) for row in found[:2]] == [
        ("plain", "1", "1", "2.0"),
        ("plain", "1", "2", "4.0"),
    ]


def test_the_distributions_are_beside_it(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    experiment(tmp_path, "run", file, "--jobs", 1)
    experiment(tmp_path, "export", file, "--csv")
    found = rows(tmp_path / "out/exports/small.distributions.csv")
    assert len(found) == 8 * 2
    assert found[3] == {
        "run": "small/plain/n=1/seed=2",
        "scheme": "plain",
        "n": "1",
        "seed": "2",
        "distribution": "all.file_time",
        "share": "1.0",
        "time_s": "4.0",
    }


def test_the_points_of_the_figures_are_beside_it_with_their_intervals(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    experiment(tmp_path, "run", file, "--jobs", 1)
    experiment(tmp_path, "export", file, "--csv")
    found = rows(tmp_path / "out/exports/small.figures.csv")
    goodputs: dict[tuple[str, str], list[float]] = {}
    for row in rows(tmp_path / "out/exports/small.csv"):
        goodputs.setdefault((row["scheme"], row["n"]), []).append(float(row["all.goodput_bps"]))
    assert {row["figure"] for row in found} == {"goodput"}
    assert len(found) == len(goodputs)
    for row in found:
        first, second = goodputs[row["curve"], row["x"]]
        assert float(row["mean"]) == (first + second) / 2
        # Student's t of one degree of freedom is 12.706, and the deviation of two values is |a - b| / sqrt(2).
        assert float(row["half_width_95"]) == pytest.approx(12.7062 * abs(first - second) / 2, rel=1e-4)


def test_runs_that_are_missing_are_counted(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, FAILS])
    experiment(tmp_path, "run", file, "--jobs", 1)
    assert "small.csv: 4 of 8 runs" in experiment(tmp_path, "export", file, "--csv").stdout
    assert {row["seed"] for row in rows(tmp_path / "out/exports/small.csv")} == {"1"}


def test_the_set_that_was_run_last_or_the_one_asked_for(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1, 2])
    ran = experiment(tmp_path, "run", file, "--quick", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    exported = experiment(tmp_path, "export", file, "--csv")
    assert "2 of 2 runs" in exported.stdout, exported.output
    assert "2 of 8 runs" in experiment(tmp_path, "export", file, "--csv", "--full").stdout


def test_what_is_not_there_is_one_line(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    result = experiment(tmp_path, "export", file, "--csv")
    assert result.exit_code == 1
    assert result.stderr == ("quench experiment export: no run of small is there: 'quench experiment run' makes them\n")
    assert experiment(tmp_path, "export", file).exit_code == 2
    assert "--csv" in experiment(tmp_path, "export", file).stderr
    assert not (tmp_path / "out/exports").exists()


def test_a_forged_table_is_one_line(tmp_path: Path) -> None:
    file = write_experiment(tmp_path, [1])
    experiment(tmp_path, "run", file, "--jobs", 1)
    cache = Folder(tmp_path / "out").cache
    for path in cache.folder.rglob("*.json"):
        run = cache.load(path.stem)
        assert run is not None
        table = io.BytesIO()
        pq.write_table(pa.table({"share": [0.5]}), table)
        forged = {name: table.getvalue() for name in run.tables}
        cache.store(Outcome(run.key, seconds=run.seconds, metrics=run.metrics, files=forged))
    result = experiment(tmp_path, "export", file, "--csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("quench experiment export: ")
    assert "distributions.parquet: it is no table of a simulation" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_export_that_breaks_off_leaves_the_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_experiment(tmp_path, [1])
    experiment(tmp_path, "run", file, "--jobs", 1)
    experiment(tmp_path, "export", file, "--csv")
    path = tmp_path / "out/exports/small.csv"
    before = path.read_bytes()
    real = export._row

    def full(cells: object) -> bytes:
        row = real(cells)  # type: ignore[arg-type]
        if b"seed=1" in row:
            raise OSError(28, "No space left on device")
        return row

    monkeypatch.setattr(export, "_row", full)
    result = experiment(tmp_path, "export", file, "--csv")
    assert result.exit_code == 1
    assert f"{path}: No space left on device" in result.stderr
    assert path.read_bytes() == before
    assert not [each.name for each in path.parent.iterdir() if each.name.startswith(".")]


def test_a_computed_experiment_and_texts_that_need_quotes(tmp_path: Path) -> None:
    result = experiment(tmp_path, "export", "P3.6", "--csv")
    assert "points, computed" in result.stdout, result.output
    found = rows(tmp_path / "out/exports/P3.6.csv")
    assert float(found[0]["delay_margin_s"]) > 0
    assert len(found) == len(load("P3.6").compute())
    file = write_experiment(tmp_path, [1])
    values = yaml.safe_load(file.read_text())
    values["sweep"]["text"] = ['a,"b" c']
    values["quotes"], values["figures"] = [], []
    file.write_text(yaml.safe_dump(values))
    experiment(tmp_path, "run", file, "--jobs", 1)
    experiment(tmp_path, "export", file, "--csv")
    assert rows(tmp_path / "out/exports/small.csv")[0]["text"] == 'a,"b" c'
