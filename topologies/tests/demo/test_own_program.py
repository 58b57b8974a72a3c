# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Networks whose switches run another program than Quench's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from quench_switch import compile_p4
from quench_topologies.demo.scenarios import SchemeOptions, parse_scenarios
from quench_topologies.errors import TopologyError
from quench_topologies.net.cli import app
from quench_topologies.papers.dumbbell import N1
from quench_topologies.plan import NetworkPlan, PortPlan, SwitchPlan
from quench_topologies.program import OwnProgram, find_program, quench_program
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[3]
PIE = ROOT / "examples" / "pie" / "pie.yaml"
QUENCH = str(Path(sys.executable).with_name("quench"))


def test_a_scheme_of_the_demo_takes_the_settings_that_its_program_knows() -> None:
    options = SchemeOptions(N1.row.thresholds, {"target": "20ms", "maxp": 0.2})
    red, pie = parse_scenarios([f"red,program:{PIE}"], options)
    assert (red.program, red.profile["maxp"]) == (None, 0.2)
    assert (pie.name, pie.scheme, pie.host_algorithm) == ("PIE", "PIE", "ecn")
    assert pie.program is not None
    assert pie.program.settings == {"target": "20ms"}
    assert (pie.profile["target"], pie.profile["burst"]) == ("20ms", "150ms")


def test_a_setting_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(TopologyError, match=r"pie\.yaml: target: 20 has no unit"):
        parse_scenarios([f"program:{PIE}"], SchemeOptions(N1.row.thresholds, {"target": 20}))


def test_another_program_is_found_by_its_description() -> None:
    found = find_program(PIE, "embedded")
    assert isinstance(found, OwnProgram)
    assert found.pipeline() == {"program": str(PIE)}


def test_ports_with_a_managed_queue_have_the_programs_scheduler() -> None:
    for path, managed in ((ROOT / "p4src" / "dualpi2.yaml", ("scfq", {0: 1, 1: 9})), (PIE, ("strict", {}))):
        found = find_program(path, "embedded")
        assert isinstance(found, OwnProgram)
        ports = {"free": PortPlan(), "managed": PortPlan(profile={}), "own": PortPlan(profile={}, scheduler="drr")}
        plan = NetworkPlan((), (SwitchPlan("s1", dict(enumerate(ports.values(), 1))),), ())
        (switch,) = found.scheduled(plan).switches
        assert [(each.scheduler, each.weights) for each in switch.ports.values()] == [
            ("strict", {}),
            managed,
            ("drr", {}),
        ]


def test_a_tna_program_runs_in_the_simulator_alone() -> None:
    with pytest.raises(TopologyError, match="its program is for TNA: by a description only the simulator runs it"):
        find_program(ROOT / "control_plane" / "tests" / "programs" / "ticks.yaml", "embedded")


def test_it_does_not_run_as_a_tna_switch() -> None:
    with pytest.raises(TopologyError, match=r"pie\.yaml: it describes a program for v1model, which --target tna"):
        find_program(PIE, "tna")


@pytest.mark.parametrize(
    ("kept", "lacking"),
    [
        ("register: FeedbackEgress.depth", "the value of register FeedbackEgress.depth"),
        ("value_set", "value set FeedbackParser.protocols"),
        ("meter: FeedbackIngress.rate", "rates of all cells of meter FeedbackIngress.rate"),
    ],
)
def test_what_bmv2_does_not_take_is_said_before_anything_starts(tmp_path: Path, kept: str, lacking: str) -> None:
    programs = ROOT / "control_plane" / "tests" / "programs"
    lines = (programs / "feedback.yaml").read_text().replace("p4: ", f"p4: {programs}/").splitlines()
    unknown = ("register:", "value_set:", "meter:")
    text = "\n".join(line for line in lines if kept in line or not any(each in line for each in unknown))
    path = tmp_path / "feedback.yaml"
    path.write_text(text.replace("index: $port, rates:", "rates:").replace("queue:\nonce", "once"))
    assert find_program(path, "embedded")
    with pytest.raises(TopologyError, match=f"it describes {lacking}, which BMv2 does not take over P4Runtime: leave"):
        find_program(path, "bmv2")


def test_bmv2_does_not_run_what_needs_the_extension() -> None:
    bolt = ROOT / "p4src" / "bolt.yaml"
    assert find_program(bolt, "embedded")
    with pytest.raises(
        TopologyError, match="needs the embedded switch's extension of v1model, which --target bmv2 does"
    ):
        find_program(bolt, "bmv2")


def test_files_of_another_program_are_refused_at_once(tmp_path: Path) -> None:
    output = compile_p4(str(PIE.with_suffix(".p4")), [], [])
    (tmp_path / "quench.json").write_text(output.json)
    (tmp_path / "quench.p4info.txtpb").write_text(output.p4info_text)
    with pytest.raises(TopologyError, match=r"quench\.p4info\.txtpb: it is not Quench's program: .*: give the YAML"):
        find_program(tmp_path, "embedded")
    with pytest.raises(TopologyError, match=r"it is not Quench's program; the demo takes it by --scheme program:"):
        quench_program(PIE, "embedded")


@pytest.mark.parametrize("option", [("--scheme", "red"), ("--becnthresh", "20KB")])
def test_a_network_takes_either_a_scheme_or_another_program(option: tuple[str, str]) -> None:
    done = CliRunner().invoke(app, ["n1", "--program", str(PIE), *option])
    assert done.exit_code == 1
    assert f"{option[0]}: {PIE} has settings of its own" in done.stderr


@pytest.mark.netns
def test_the_demo_compares_it_with_a_scheme_of_quench(tmp_path: Path) -> None:
    command = [QUENCH, "demo", "--scheme", f"ecn,program:{PIE}", "--flows", "20", "--pairs", "2"]
    command += ["--seconds", "4", "--warmup", "2s", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ecn, pie = json.loads((tmp_path / "summary.json").read_text())["schemes"]
    assert (ecn["name"], pie["name"], pie["scheme"]) == ("ecn", "PIE", "PIE")
    assert pie["marked_pkts"] > 0
    # Marks that egress or ingress wrote reach the receivers, and the kernel's senders react.
    assert pie["crossed_ce_pkts"] > 0
    assert pie["host_reactions_to_ece"] > 0
    assert pie["dropped_forced_pkts"] is None
    assert pie["offered_pkts"] > pie["marked_pkts"]
    assert "PIE" in (tmp_path / "report.html").read_text()
