# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are not Quench's in the simulator, and the comparisons in examples/."""

import pickle
import shutil
from pathlib import Path

import pytest
from quench.errors import ConfigError
from quench_experiments.cli.app import app
from quench_experiments.definition import Experiment, load
from quench_experiments.definition.experiment import Run
from quench_experiments.errors import ScenarioError, SimulationError
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Scenario
from quench_switch import compile_p4
from typer.testing import CliRunner

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/*.stf"))
BOTTLENECK = "link.bottleneck.ab"


def comparison(name: str) -> Experiment:
    return load(EXAMPLES / name / f"compare-{name}.yaml")


def run_of(name: str, flows: int, scheme: str | None = None) -> Run:
    runs = comparison(name).runs(quick=True)
    return next(run for run in runs if run.labels["scheme"] == (scheme or name) and run.labels["n"] == flows)


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_has_30_lines_and_three_schemes(name: str) -> None:
    assert len((EXAMPLES / name / f"compare-{name}.yaml").read_text().splitlines()) <= 30
    assert {run.labels["scheme"] for run in comparison(name).runs()} == {"red", "ecn", name}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_marks_and_the_senders_react(name: str) -> None:
    result = simulate(run_of(name, 20).scenario)
    metrics = result.metrics()
    assert metrics[f"{BOTTLENECK}.marked_pkts"] > 100
    assert metrics["group.ftp.reactions_ece"] > 100
    assert metrics[f"{BOTTLENECK}.ce_pkts"] == pytest.approx(metrics[f"{BOTTLENECK}.marked_pkts"], abs=100)
    assert metrics[f"{BOTTLENECK}.utilisation"] > 0.7


def test_pie_keeps_its_target_whatever_the_number_of_flows() -> None:
    delays_ms = [
        simulate(run_of("pie", flows).scenario).metrics()[f"{BOTTLENECK}.queue_mean_bytes"] * 0.0008
        for flows in (5, 40)
    ]
    assert delays_ms == [pytest.approx(15, abs=5)] * 2


def test_a_scenario_carries_its_program_to_other_processes() -> None:
    scenario = run_of("codel", 5).scenario.model_copy(update={"duration_s": 22.0})
    again = pickle.loads(pickle.dumps(scenario))
    assert Scenario.parse(scenario.model_dump_json()) == scenario
    assert simulate(again).metrics() == simulate(scenario).metrics()


def test_a_setting_is_swept_and_a_wrong_one_has_its_place(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    path = tmp_path / "examples" / "codel" / "compare-codel.yaml"
    text = path.read_text().replace("program: codel.yaml", "program: codel.yaml, profile: {target: $target}")
    text = text[: text.index("quotes:")].replace("sweep: {n:", "sweep: {target: [5ms, 20ms], n:")
    path.write_text(text)
    settings = {
        run.labels["target"]: run.scenario.routers[0].queue_settings["bottleneck.ab"]
        for run in load(path).runs()
        if run.labels["scheme"] == "codel"
    }
    assert settings == {"5ms": {"target": "5ms"}, "20ms": {"target": "20ms"}}
    path.write_text(text.replace("$target", "5"))
    with pytest.raises(ConfigError, match=r":13:\d+: schemes\.codel\.profile: target: 5 has no unit"):
        load(path)
    path.write_text(text.replace("codel.yaml, profile: {target: $target}", "gone.yaml"))
    with pytest.raises(ConfigError, match=r"codel/gone\.yaml: cannot be read"):
        load(path)


def test_profiles_and_settings_belong_to_their_programs() -> None:
    own, quench = (run_of("pie", 5, scheme).scenario.model_dump() for scheme in ("pie", "ecn"))
    own["routers"][0]["profiles"] = quench["routers"][0]["profiles"]
    with pytest.raises(ScenarioError, match=r"^routers\.0\.profiles: PIE has queue_settings in place of profiles"):
        Scenario.parse(own)
    quench["routers"][0]["queue_settings"] = own["routers"][0]["queue_settings"]
    with pytest.raises(ScenarioError, match=r"^routers\.0\.queue_settings: they belong to a program"):
        Scenario.parse(quench)


def test_a_program_that_is_not_quenchs_is_refused_before_a_run(tmp_path: Path) -> None:
    output = compile_p4(str(EXAMPLES / "pie" / "pie.p4"), [], [])
    (tmp_path / "pie.json").write_text(output.json)
    (tmp_path / "pie.p4info.txtpb").write_text(output.p4info_text)
    with pytest.raises(SimulationError, match=r"pie\.json: it is not Quench's program: .*: run 'make p4', or descr"):
        simulate(run_of("pie", 5, "ecn").scenario, program=tmp_path / "pie.json")
    words = ["run", "P1.B", "--quick", "--program", str(tmp_path / "pie.json"), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "it is not Quench's program" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
