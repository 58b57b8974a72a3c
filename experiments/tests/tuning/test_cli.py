# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench tune``."""

import json
from pathlib import Path

import pytest
import yaml
from quench.config.file import load_profiles
from quench.errors import ControllerError
from quench.profiles import compile_profile
from quench.profiles.decompile import curve_of_rows
from quench_experiments.cli.tune_cmd import app
from quench_experiments.tuning import Load, recommend
from quench_switch.outside.units import parse_rate_bps
from typer.testing import CliRunner

LOAD = ["--flows", "20", "--capacity", "10Mbit", "--rtt", "100ms"]


def run(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*LOAD, *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def error(*arguments: str) -> str:
    with pytest.raises(ControllerError) as caught:
        CliRunner().invoke(app, [*LOAD, *arguments], catch_exceptions=False)
    return str(caught.value)


def test_a_recommendation_for_people() -> None:
    output = run()
    found = recommend("mecn", Load(20, 1250, 0.1))
    assert "settles" in output
    assert f"{found.analysis.gain:.3f}" in output
    profile = yaml.safe_load(output[output.index("scheme: mecn") :])
    assert profile["minth"] == f"{found.marking.minth:g}pkts"
    assert profile["maxp"] == found.marking.maxp


@pytest.mark.parametrize("scheme", ["mecn", "ecn-becn", "ecn"])
def test_a_recommendation_for_programs(scheme: str) -> None:
    values = json.loads(run("--json", "--scheme", scheme))
    assert values["scheme"] == values["profile"]["scheme"] == scheme
    assert values["stable"] is True
    assert values["delay_margin_s"] >= 0.1
    assert values["exact_delay_margin_s"] >= 0.1
    assert values["load"] == {"flows": 20, "capacity_pps": 1250, "rtt_s": 0.1}
    assert ("becnthresh" in values["profile"]) == (scheme == "ecn-becn")


@pytest.mark.parametrize("scheme", ["mecn", "ecn-becn", "ecn"])
@pytest.mark.parametrize("capacity", ["1Gbps", "10Gbps"])
def test_what_is_recommended_for_a_fast_link_marks(scheme: str, capacity: str, tmp_path: Path) -> None:
    """The rows that a switch gets have the probability at which the theory lets the queue settle."""
    path = tmp_path / "tuned.yaml"
    arguments = ["--flows", "10", "--capacity", capacity, "--rtt", "100ms", "--scheme", scheme, "--json"]
    result = CliRunner().invoke(app, [*arguments, "-o", str(path)], catch_exceptions=False)
    point = json.loads(result.output)["operating_point"]
    ((_, settings),) = load_profiles(path, {}).items()
    rows = compile_profile(settings, parse_rate_bps(capacity)).curve
    segment = curve_of_rows(rows).at(point["queue_pkts"])
    assert segment is not None
    assert segment.p1(point["queue_pkts"]) == pytest.approx(point["p1"], rel=0.02)
    assert segment.p2(point["queue_pkts"]) == pytest.approx(point["p2"], rel=0.02)


def test_a_load_for_which_no_switch_holds_a_setting_is_one_line() -> None:
    refusal = error("--capacity", "100Gbps")
    assert "more than a queue reports (524287): give a lower one, or a larger mean_packet_bytes" in refusal
    assert "\n" not in refusal


def test_a_given_setting_is_judged() -> None:
    setting = ("--minth", "5pkts", "--midth", "10KB", "--maxth", "15pkts", "--maxp", "10%")
    assert "oscillates" in run(*setting)
    values = json.loads(run("--json", *setting))
    assert values["stable"] is False
    assert values["stable_range"] is None
    assert values["delay_margin_s"] < 0
    assert "profile" not in values


def test_the_profile_goes_into_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tuned.yaml"
    run("--output", str(file), "--packet", "1500", "--scheme", "ecn-becn")
    (settings,) = load_profiles(file, {}).values()
    assert (settings.scheme, settings.mean_packet_bytes) == ("ecn-becn", 1500)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture(kind: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a.{kind}", tmp_path / f"b.{kind}"
    run("--plot", str(first))
    run("--plot", str(second))
    assert first.read_bytes() == second.read_bytes()
    if kind == "svg":
        text = first.read_text(encoding="utf-8")
        gain = recommend("mecn", Load(20, 1250, 0.1)).analysis.gain
        for expected in (f"this setting: K = {gain:.3g}", "whole loop", "oscillates", "above maxth"):
            assert expected in text


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--scheme", "red"), "--scheme red: there is theory for mecn, ecn-becn, ecn"),
        (("--capacity", "10Mb"), "--capacity: '10Mb' has no known unit: write it as 10Mbps, 10Mbit/s or 500kb/s"),
        (("--rtt", "0ms"), "the round trip must be greater than 0, not 0"),
        (("--minth", "5pkts"), "a setting of mecn to look at is --minth, --midth, --maxth and --maxp"),
        (
            ("--scheme", "ecn", "--minth", "5pkts", "--midth", "8pkts", "--maxth", "15pkts", "--maxp", "0.1"),
            "a setting of ecn to look at is --minth, --maxth and --maxp",
        ),
        (("--plot", "x.pdf"), "x.pdf: a picture ends in .svg or .png"),
        (("--plot", "/no/x.svg"), "/no/x.svg: cannot be written: No such file or directory"),
        (("--output", "/no/x.yaml"), "/no/x.yaml: cannot be written: No such file or directory"),
        (("--wq", "0.5"), "no thresholds leave a delay margin of 0.1 s with wq 0.5; with 0.000976562 some do"),
        (
            ("--scheme", "ecn", "--minth", "5pkts", "--maxth", "15pkts", "--maxp", "0.1", "--margin", "1s"),
            "--margin and --output are for recommendations: leave out the thresholds",
        ),
        (
            ("--flows", "400", "--scheme", "ecn", "--minth", "5pkts", "--maxth", "15pkts", "--maxp", "0.1"),
            "400 flows push the queue beyond maxth (15pkts): windows are 0.35 packets there; raise maxp or maxth",
        ),
    ],
)
def test_one_line_says_what_is_wrong(arguments: tuple[str, ...], what: str) -> None:
    assert error(*arguments) == what
