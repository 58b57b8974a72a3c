# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench profile``, and profiles from files."""

import json
from pathlib import Path

import pytest
from matplotlib.image import imread
from quench.cli.app import app, main
from quench.config.file import load_profiles
from quench.errors import ConfigError
from quench.profiles import parse_settings
from quench.profiles.curve import curve_of
from quench.profiles.plot import draw
from typer.testing import CliRunner

N1 = ["--minth", "15KB", "--maxth", "45KB"]
OWN = """\
scheme: curve
points:
  - {depth: 5KB,  p1: 0.0}
  - {depth: 20KB, p1: 0.05, isq: true, isq_level: 10}
  - {depth: 60KB, p1: 1.0,  isq: true, drop: true}
"""
CONFIG = """\
profiles:
  first: {scheme: ecn, minth: 15KB, maxth: 45KB}
  second: {scheme: mecn, minth: 15KB, midth: 20KB, maxth: 45KB}
"""


def quench(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["profile", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The stderr of a command that ends with status 1."""
    monkeypatch.setattr("sys.argv", ["quench", "profile", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    return capsys.readouterr().err


def test_show_prints_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    given = ("--becnthresh", "20KB", "--isq-levels", "--advice", "30%", "--advice-at-maxth", "2ms")
    lines = quench("show", "--scheme", "ecn-becn", *given, *N1).splitlines()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    assert cells == [
        ["15 - 20", "15000 - 20000", "0 -> 0.01667", "0", "no", "", "", "mark"],
        ["20 - 45", "20000 - 45000", "0.01667 -> 0.1", "0", "yes", "0 -> 127", "30%", "mark"],
        ["45 - 90", "45000 - 90000", "0.1 -> 1", "0", "yes", "127", "2ms", "drop"],
        ["90 and more", "90000 and more", "1", "0", "yes", "127", "2ms", "drop"],
    ]
    assert "mark 1 writes ECT(1), mark 2 CE" in quench("show", "--scheme", "mecn", "--midth", "20KB", *N1)
    assert "no packet is selected" in quench("show", "--scheme", "taildrop")


def test_show_prints_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")  # no digit is cut off all the same
    text = quench("show", "--scheme", "ecn", "--rows", "--rate", "8Mbps", *N1)
    parameters = dict(line.replace("│", " ").split() for line in text.splitlines() if line.count("│") == 3)
    assert parameters["mean_transmission_q8_us"] == str(1000 << 8)
    assert parameters["weight"] == str(round(0.002 * (1 << 32)))
    (ramp,) = (line for line in text.splitlines() if line.startswith("│ 240 "))
    assert [cell.strip() for cell in ramp.split("│")[1:4]] == ["240", "719", str(15 << 28)]


def test_show_prints_the_rows_of_the_tna_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = quench("show", "--scheme", "ecn", "--rows", "--arch", "tna", "--rate", "10Gbps", *N1)
    values = dict(line.replace("│", " ").split() for line in text.splitlines() if line.count("│") == 3)
    # 0.8 us a packet, 500 packets.
    assert float(values["time_constant_ns"]) == pytest.approx(400e3, rel=0.01)
    assert "level1_most" in text


def test_json_has_segments_and_rows(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    (profile,) = json.loads(quench("show", str(tmp_path / "own.yaml"), "--json"))
    assert (profile["name"], profile["settings"]["scheme"]) == ("own", "curve")
    assert [segment["start_pkts"] for segment in profile["segments"]] == [5, 20, 60]
    assert [segment["end_pkts"] for segment in profile["segments"]] == [20, 60, None]
    assert [row["low"] for row in profile["rows"]["curve"]] == [80, 320, 960]
    assert profile["rows"]["curve"][1]["isq_level_base"] == 10 << 8


def test_profiles_of_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG)
    assert [profile["name"] for profile in json.loads(quench("show", str(path), "--json"))] == ["first", "second"]
    (only,) = json.loads(quench("show", str(path), "second", "--json"))
    assert only["settings"]["scheme"] == "mecn"
    (changed,) = json.loads(quench("show", str(path), "first", "--maxp", "0.5", "--json"))
    assert changed["settings"]["maxp"] == 0.5


def test_probabilities_in_percent(tmp_path: Path) -> None:
    (shown,) = json.loads(quench("show", "--scheme", "ecn", "--maxp", "2%", "--json", *N1[:4]))
    assert shown["settings"]["maxp"] == 0.02
    path = tmp_path / "own.yaml"
    path.write_text(OWN.replace("p1: 1.0", "p1: 100%"))
    (percent,) = json.loads(quench("show", str(path), "--json"))
    path.write_text(OWN)
    assert json.loads(quench("show", str(path), "--json")) == [percent]


def test_thresholds_in_percent_of_a_buffer_and_in_time() -> None:
    arguments = ("show", "--scheme", "ecn", "--minth", "20%", "--maxth", "60ms", "--json")
    (shown,) = json.loads(quench(*arguments, "--buffer", "90KB", "--rate", "10Mbps"))
    assert (shown["settings"]["minth"], shown["settings"]["maxth"]) == ("18KB", "75KB")


def test_options_go_to_the_schemes_that_know_them() -> None:
    shown = json.loads(quench("show", "--scheme", "ecn,mecn", "--midth", "20KB", "--json", *N1))
    assert [each["settings"].get("midth") for each in shown] == [None, "20KB"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show"], "quench: give either a file or --scheme\n"),
        (
            ["show", "--scheme", "ecn", "--minth", "60KB"],
            "quench: ecn: minth (60KB) must be less than maxth (45KB); "
            "the scheme 'curve' takes any shape; maxth has its default for 10Mbps: give",
        ),
        (["show", "--scheme", "ecn", "--c1", "1", *N1], "quench: --c1 does not belong to this scheme\n"),
        (["show", "--scheme", "ecn,red", "--c1", "1", *N1], "quench: --c1 does not belong to any of these schemes\n"),
        (
            ["show", "--scheme", "ecn", "--rate", "fast", *N1],
            "quench: --rate: 'fast' is not a quantity: write it as 10Mbps, 10Mbit/s or 500kb/s\n",
        ),
        (["show", "absent.yaml"], "quench: absent.yaml: cannot be read: No such file or directory\n"),
        (["plot", "--scheme", "taildrop", "-o", "x.pdf"], "quench: x.pdf: a picture ends in .svg or .png\n"),
        (["plot", "--scheme", "taildrop", "-o", "absent/x.png"], "quench: absent/x.png: cannot be written: No such"),
        (
            ["show", "--scheme", "red", "--json", "--minth", "1pkts", "--maxth", "9pkts", "--maxp", "1e-12"],
            "quench: red: the curve is too flat between 1 and 9 packets",
        ),
        (["show", "--scheme", "curve"], "quench: a curve's points go into a file"),
    ],
)
def test_a_fault_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(monkeypatch, capsys, *arguments).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "depth: 60KB",
            "depth: 10KB",
            "own.yaml:5:13: curve.points.2.depth: the points' depths must not fall: 20KB comes",
        ),
        ("p1: 1.0", "p1: 1.5", "own.yaml:5:23: curve.points.2.p1: 1.5 is above 1"),
        ("isq_level: 10", "isq_level: 200", "own.yaml:4:51: curve.points.1.isq_level: Input should be less than or"),
        ("drop: true", "drops: true", "own.yaml:5:47: curve.points.2.drops: Extra inputs are not permitted"),
        ("{depth: 5KB,  p1: 0.0}", "{depth: 5KB}", "own.yaml:3:5: curve.points.0.p1: Field required"),
        ("scheme: curve", "scheme: bend", "own.yaml:1:1: Input tag 'bend' found"),
        ("points:", "pts:", "own.yaml:1:1: curve.points: Field required"),
        ("scheme: curve\n", "", "own.yaml:1:1: a profile is a mapping with the key 'scheme'"),
        ("isq: true, drop", "isq: true, isq: false, drop", "own.yaml:5:40: 'isq' is given twice"),
    ],
)
def test_a_fault_in_a_curve_is_named_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in OWN
    path = tmp_path / "own.yaml"
    path.write_text(OWN.replace(old, new))
    with pytest.raises(ConfigError) as error:
        load_profiles(path, {})
    assert message in str(error.value).splitlines()[0]


def test_a_fault_in_a_configurations_profile_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG.replace("midth: 20KB", "midth: 50KB"))
    with pytest.raises(ConfigError, match=r"net.yaml:3:11: profiles.second.mecn: midth \(50KB\) must lie between"):
        load_profiles(path, {})
    with pytest.raises(ConfigError, match=r"there is no profile 'third': the file has first, second"):
        load_profiles(path, {}, ["third"])


def test_a_fault_in_an_option_is_not_blamed_on_the_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "net.yaml"
    path.write_text(CONFIG)
    assert refusal(monkeypatch, capsys, "show", str(path), "--maxp", "3").startswith("quench: maxp: '3' is above 1")


def test_a_curve_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """30 000 points took 16 s to show, and no switch has room for them."""
    path = tmp_path / "curve.yaml"
    points = "".join(f"- {{depth: {number}pkts, p1: 0.5}}\n" for number in range(1025))
    path.write_text(f"scheme: curve\npoints:\n{points}")
    assert refusal(monkeypatch, capsys, "show", str(path)).startswith(
        f"quench: {path}:3:1: curve.points: List should have at most 1024 items"
    )


# ---- Pictures


def test_a_picture_for_each_kind_of_file(tmp_path: Path) -> None:
    options = ["--scheme", "red,ecn-becn,mecn,ecn-mod,taildrop", "--midth", "30KB", "--becnthresh", "20KB", *N1]
    quench("plot", *options, "-o", str(tmp_path / "all.svg"))
    drawn = (tmp_path / "all.svg").read_text()
    for text in ("red", "ecn-becn", "mecn", "ecn-mod", "taildrop", "minth", "midth", "becnthresh", "2 maxth", "45KB"):
        assert f">{text}</text>" in drawn or f">{text}</tspan>" in drawn, text
    for label in ("ECT: mark, level 1", "ECT: mark, level 2", "ECT: drop", "not ECT: drop", "the source gets an ISQ"):
        assert label in drawn
    quench("plot", *options, "-o", str(tmp_path / "all.png"))
    assert imread(tmp_path / "all.png").std() > 0.05, "there is something in it"


def test_a_legend_names_only_what_is_drawn(tmp_path: Path) -> None:
    draw(tmp_path / "red.svg", {"red": parse_settings({"scheme": "red", "minth": "15pkts", "maxth": "45pkts"})})
    drawn = (tmp_path / "red.svg").read_text()
    assert "ECT: drop" in drawn
    assert "level 1" not in drawn
    assert "ISQ" not in drawn


def test_the_same_profile_gives_the_same_bytes(tmp_path: Path) -> None:
    settings = parse_settings({"scheme": "becn", "minth": "15pkts", "maxth": "45pkts"})
    for name in ("a.svg", "b.svg"):
        draw(tmp_path / name, {"becn": settings})
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_curve_that_begins_at_an_empty_queue_is_drawn(tmp_path: Path) -> None:
    settings = parse_settings({"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True}]})
    assert len(curve_of(settings).segments) == 1
    draw(tmp_path / "always.svg", {"always": settings})
    assert "always (curve)" in (tmp_path / "always.svg").read_text()
