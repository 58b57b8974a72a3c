# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Values of --scheme and the other options, and the flows that they make."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from quench.profiles import parse_settings
from quench.profiles.settings import PAPER_SCHEMES
from quench_topologies.demo.flows import Flow, algorithms_of, flows_of
from quench_topologies.demo.options import plan_demo
from quench_topologies.demo.scenarios import Scenario, SchemeOptions, parse_scenarios
from quench_topologies.errors import TopologyError
from quench_topologies.papers import declared
from recordings import WORDS

OPTIONS = SchemeOptions(declared.N1.thresholds)
QUENCH = str(Path(sys.executable).with_name("quench"))


def one(text: str, options: SchemeOptions = OPTIONS) -> Scenario:
    (scenario,) = parse_scenarios([text], options)
    return scenario


def test_the_default_is_every_scheme_that_marks_and_red() -> None:
    scenarios = parse_scenarios([], OPTIONS)
    assert tuple(dict.fromkeys(scenario.scheme for scenario in scenarios)) == PAPER_SCHEMES
    assert [each.name for each in scenarios if each.scheme == "ecn-becn"] == ["ecn-becn 20KB", "ecn-becn 40KB"]


def test_schemes_by_name() -> None:
    names = [scenario.name for scenario in parse_scenarios(["taildrop, ecn-becn:30KB", "ecn-becn:30KB,ecn"], OPTIONS)]
    assert names == ["taildrop", "ecn-becn 30KB", "ecn"]


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        ("taildrop", "plain"),
        ("red", "plain"),
        ("ecn", "ecn"),
        ("becn", "becn"),
        ("mecn", "mecn"),
        ("ecn-mod", "ecn-mod"),
    ],
)
def test_each_scheme_has_its_hosts(text: str, algorithm: str) -> None:
    assert one(text).host_algorithm == algorithm
    assert one(text).beside is None


def test_thresholds_are_n1s() -> None:
    profile = one("mecn").profile
    assert (profile["minth"], profile["midth"], profile["maxth"], profile["maxp"]) == ("15KB", "30KB", "45KB", 0.1)
    assert "maxp" not in one("taildrop").profile
    assert one("ecn-becn:20KB").becnthresh_bytes == 20_000


def test_ecn_mods_hosts_have_the_switchs_constants() -> None:
    scenario = one("ecn-mod:0.125")
    assert (scenario.name, scenario.profile["c1"]) == ("ecn-mod 0.125", 0.125)
    assert scenario.host_settings == ("c1=0.125",)
    changed = one("ecn-mod", SchemeOptions(declared.N1.thresholds, {"c2": 0.5}))
    assert changed.host_settings == ("c2=0.5",)


def test_other_hosts_beside_the_schemes() -> None:
    scenario = one("becn+plain")
    assert (scenario.name, scenario.host_algorithm, scenario.beside) == ("becn + plain", "becn", "plain")
    assert one("ecn-mod:0.25+ecn").beside == "ecn"


def test_a_profile_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "steep.yaml"
    file.write_text("scheme: curve\npoints:\n  - {depth: 5KB, p1: 0}\n  - {depth: 40KB, p1: 0.3, isq: true}\n")
    scenario = one(f"curve:{file}")
    assert (scenario.name, scenario.scheme, scenario.host_algorithm) == ("steep", "curve", "ecn-becn")
    file.write_text("scheme: curve\nlevel1_codepoint: ect1\npoints: [{depth: 5KB, p1: 0.1}]\n")
    assert one(f"curve:{file}").host_algorithm == "mecn"
    file.write_text("scheme: curve\npoints: [{depth: 5KB, p1: 0.1}]\n")
    assert one(f"curve:{file}").host_algorithm == "ecn"
    file.write_text("scheme: red\nminth: 5KB\nmaxth: 10KB\n")
    assert one(f"curve:{file}").host_algorithm == "plain"


def test_two_files_of_one_name_are_not_taken_for_one(tmp_path: Path) -> None:
    files = [tmp_path / folder / "p.yaml" for folder in ("a", "b")]
    for number, file in enumerate(files, start=1):
        file.parent.mkdir()
        file.write_text(f"scheme: red\nminth: {number}KB\nmaxth: 10KB\n")
    with pytest.raises(TopologyError, match="another scheme is called 'p': rename the file"):
        parse_scenarios([f"curve:{file}" for file in files], OPTIONS)
    assert len(parse_scenarios([f"curve:{files[0]},curve:{files[0]}"], OPTIONS)) == 1


def test_thresholds_that_a_file_leaves_out_fit_the_rate(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("scheme: ecn-becn\nmaxth: 600KB\n")
    options = SchemeOptions(declared.N1.thresholds, rate_bps=100_000_000)
    found = one(f"curve:{tmp_path}/p.yaml", options)
    assert (found.profile["minth"], found.profile["maxth"], found.becnthresh_bytes) == ("150KB", "600KB", 225_000)
    with pytest.raises(TopologyError, match=r"minth .900KB. must be less than maxth .600KB."):
        one(f"curve:{tmp_path}/p.yaml", replace(options, rate_bps=600_000_000))


def test_settings_reach_the_schemes_that_know_them() -> None:
    options = SchemeOptions(declared.N1.thresholds, {"maxp": 0.2, "mark_at": "tail"})
    red, taildrop = parse_scenarios(["red", "taildrop"], options)
    assert (red.profile["maxp"], red.profile["mark_at"]) == (0.2, "tail")
    assert "maxp" not in taildrop.profile
    assert parse_scenarios(["ecn-becn"], SchemeOptions(declared.N1.thresholds, {"becnthresh": "25KB"}))


def test_levels_are_of_schemes_with_source_quenches(tmp_path: Path) -> None:
    options = SchemeOptions(declared.N1.thresholds, isq_levels=True)
    becn, ecn = parse_scenarios(["becn", "ecn"], options)
    assert (becn.profile["isq_levels"], becn.host_settings) == (True, ("isq_levels=on",))
    assert one("becn").host_settings == ()
    (tmp_path / "c.yaml").write_text("scheme: curve\npoints: [{depth: 9KB, p1: 0.1, isq: true, isq_level: 64}]\n")
    curve = parse_scenarios([f"curve:{tmp_path}/c.yaml"], options)[0]
    assert (curve.host_algorithm, curve.host_settings) == ("ecn-becn", ("isq_levels=on",))
    assert ("isq_levels" in ecn.profile, ecn.host_settings) == (False, ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "--scheme blue: choose one of taildrop, red"),
        ("red:20KB", "--scheme red:20KB: choose one of"),
        ("ecn-becn:far", "--scheme ecn-becn:far: becnthresh: 'far' is not a quantity"),
        ("ecn-becn:60KB", r"--scheme ecn-becn:60KB: becnthresh \(60KB\) must lie between"),
        ("ecn-becn:", "--scheme ecn-becn:: choose one of"),
        ("ecn-mod:much", "--scheme ecn-mod:much: 'much' is not a number"),
        ("ecn-mod:0", "--scheme ecn-mod:0: c1: Input should be greater than 0"),
        ("ecn+bbr", r"--scheme ecn\+bbr: behind \+ stands one of plain, ecn"),
        ("ecn+ecn", r"--scheme ecn\+ecn: the other flows would be ecn's, too"),
        ("curve", "--scheme curve: choose one of .*, curve:FILE or program:FILE"),
        ("curve:/nowhere.yaml", "--scheme curve:/nowhere.yaml: /nowhere.yaml: cannot be read: No such file"),
        ("program", "--scheme program: choose one of .*, curve:FILE or program:FILE"),
        ("program:/nowhere.yaml", "/nowhere.yaml: cannot be read: No such file"),
        ("", "--scheme : choose one of"),
    ],
)
def test_unknown_schemes_are_refused(text: str, message: str) -> None:
    with pytest.raises(TopologyError, match=message) as raised:
        parse_scenarios([text], OPTIONS)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("scheme: curve\npoints: [", r"p\.yaml:2:1\d: "),
        ("- 1\n", r"p\.yaml: a profile is a mapping with the key 'scheme'"),
        ("scheme: curve\n", r"p\.yaml: points: Field required"),
        ("scheme: ecn\nminth: 9KB\nmaxth: 1KB\n", r"p\.yaml: minth \(9KB\) must be less"),
    ],
)
def test_files_that_are_no_profile_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "p.yaml").write_text(content)
    with pytest.raises(TopologyError, match=message) as raised:
        one(f"curve:{tmp_path}/p.yaml")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"topology": "n7"}, "--topology n7: choose one of n1, n2, mp, g3, vw"),
        ({"isq_mode": "fpga"}, "--isq-mode fpga: choose one of cpu, dataplane, off"),
        ({"settings": ["maxp"]}, "--set maxp: write it as KEY=VALUE"),
        ({"settings": ["maxq=1"]}, "--set maxq: none of the schemes has this setting"),
        ({"settings": ["maxp=2"]}, "--scheme red: maxp: 2 is above 1: write a probability as 0.02 or 2%"),
        ({"settings": ["minth=20%"]}, "--scheme red: 20% is of a buffer, which the demo has no option for: write 15KB"),
        ({"settings": ["maxp=["]}, r"--set maxp=\[: '\[' is not a value of YAML"),
        ({"rate": "10Mb"}, "--rate: '10Mb' has no known unit: write it as 10Mbps"),
        ({"delay": "soon"}, "--delay: 'soon' is not a"),
        ({"reverse_loss": "0.1"}, "--reverse-loss: n1 has no lossy link: choose --topology n2"),
        (
            {"topology": "n2", "reverse_loss": "101%"},
            "--reverse-loss: '101%' is above 1: write a probability as 0.02 or 2%",
        ),
        ({"scheduler": "drr"}, "--scheduler: n1 has one queue a port: choose --topology vw"),
        ({"topology": "vw", "scheduler": "wfq"}, "--scheduler wfq: choose one of strict, drr, scfq, fifo"),
        ({"schemes": ["ecn+plain"], "pairs": 1}, r"--scheme ecn \+ plain: both kinds of flows need .*: --pairs 2"),
        ({"schemes": ["ecn+plain"], "mix": 0.0}, "--mix 0: 8 flows are 8 of one kind and 0 of the other"),
        ({"mix": 0.3}, r"--mix: all flows are of one kind: write SCHEME\+ALGO"),
        ({"schemes": ["ecn"], "isq_levels": True}, "--isq-levels: none of the schemes sends source quenches"),
        ({"topology": "mp", "pairs": 40}, "--pairs 40: choose from 1 to 26 here"),
    ],
)
def test_options_that_make_no_sense_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(TopologyError, match=message) as raised:
        plan_demo(replace(WORDS, **more))
    assert "\n" not in str(raised.value)


def test_probabilities_in_percent() -> None:
    plan = plan_demo(replace(WORDS, topology="n2", schemes=["ecn"], settings=["maxp=20%"], reverse_loss="7%"))
    assert plan.load_settings.reverse_loss == 0.07
    assert parse_settings(plan.scenarios[0].profile) == parse_settings({**plan.scenarios[0].profile, "maxp": 0.2})


def test_thresholds_in_time_are_those_of_the_rate() -> None:
    plan = plan_demo(replace(WORDS, schemes=["ecn-becn:20KB"], rate="10Mbps", settings=["minth=12ms", "maxth=50ms"]))
    (scenario,) = plan.scenarios
    assert (scenario.profile["minth"], scenario.profile["maxth"]) == ("15KB", "62.5KB")


def test_the_command_says_so_in_one_line() -> None:
    done = subprocess.run([QUENCH, "demo", "--scheme", "blue"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("quench demo: --scheme blue: choose one of")
    assert done.stderr.count("\n") == 1


def test_modern_tcp_leaves_the_hosts_routes_alone() -> None:
    tcp = plan_demo(replace(WORDS, paper=False)).loaded.plan.tcp
    assert (tcp.paper, tcp.packet_bytes, tcp.initial_window_pkts) == (False, 1500, None)
    assert plan_demo(WORDS).loaded.plan.tcp.paper is True


def test_a_mixed_run_gives_each_kind_hosts_of_its_own() -> None:
    plan = plan_demo(replace(WORDS, schemes=["becn+plain"], flows=10))
    (scenario,) = plan.scenarios
    flows = flows_of(plan.loaded, scenario, 0.3)
    assert [flow.sender for flow in flows if flow.beside] == ["server3", "server4", "server3"]
    assert {flow.sender for flow in flows if not flow.beside} == {"server1", "server2"}
    algorithms = algorithms_of(flows, scenario)
    assert {name: algorithm for name, (algorithm, _) in algorithms.items() if name.startswith("client")} == {
        "client1": "becn",
        "client2": "becn",
        "client3": "plain",
        "client4": "plain",
    }


def test_the_mix_is_right_over_all_places() -> None:
    plan = plan_demo(replace(WORDS, topology="mp", schemes=["mecn+ecn"]))
    flows = flows_of(plan.loaded, plan.scenarios[0], 0.5)
    assert len(flows) == 15
    assert sum(flow.beside for flow in flows) == 8
    assert {flow.sender for flow in flows if flow.beside} == {"source0b", "source1b", "source2b"}


def test_without_others_all_hosts_share_the_flows() -> None:
    plan = plan_demo(replace(WORDS, schemes=["ecn"], flows=5))
    flows = flows_of(plan.loaded, plan.scenarios[0], 0.5)
    assert flows == [Flow(f"server{number}", f"client{number}") for number in (1, 2, 3, 4, 1)]
