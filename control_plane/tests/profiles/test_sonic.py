# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles from and to SONiC's WRED profiles: all that both can say comes back, the rest is a line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from quench.cli.app import app, main
from quench.config.file import load_profiles
from quench.profiles import compile_profile, parse_settings
from quench.profiles.curve import curve_of
from quench.profiles.sonic import COLOURS, LIKE_SONIC, SonicError, profiles_from, queue_entries, wred_profile
from typer.testing import CliRunner

LARGEST = 524_287_000
"""Bytes of the deepest queue that is reported, in packets of the default size."""
GREEN = {"wred_green_enable": "true", "green_min_threshold": "1000", "green_max_threshold": "5000"}


def entry(ecn: str, least: int, greatest: int, percent: int) -> dict[str, str]:
    values = {"ecn": ecn}
    for colour in COLOURS:
        values |= {
            f"wred_{colour}_enable": "true",
            f"{colour}_min_threshold": str(least),
            f"{colour}_max_threshold": str(greatest),
            f"{colour}_drop_probability": str(percent),
        }
    return values


@st.composite
def entries(draw: st.DrawFn) -> dict[str, str]:
    """WRED profiles that are alike for all colours, a step in its one form."""
    ecn = draw(st.sampled_from(["ecn_none", "ecn_all"]))
    least, greatest = sorted(draw(st.tuples(*[st.integers(0, LARGEST)] * 2)))
    return entry(ecn, least, greatest, 100 if least == greatest else draw(st.integers(1, 100)))


@st.composite
def profiles(draw: st.DrawFn) -> dict[str, Any]:
    """Profiles of Quench that SONiC can say: RED without gentle, steps, and curves that mark on to the end."""
    least, greatest = sorted(
        draw(
            st.tuples(
                *[st.integers(0, LARGEST)] * 2,
            ).filter(lambda pair: pair[0] != pair[1])
        )
    )
    percent = draw(st.integers(1, 100))
    kind = draw(st.sampled_from(["red", "step", "curve", "taildrop"]))
    if kind == "taildrop":
        return {"scheme": "taildrop"}
    if kind == "step":
        scheme = draw(st.sampled_from(["ecn", "red"]))
        return {"scheme": scheme, "minth": f"{least}B", "maxth": f"{least}B", "maxp": 1, "gentle": False, **LIKE_SONIC}
    if kind == "red":
        thresholds = {"minth": f"{least}B", "maxth": f"{greatest}B"}
        return {"scheme": "red", **thresholds, "maxp": percent / 100, "gentle": False, **LIKE_SONIC}
    points = [{"depth": f"{least}B", "p1": 0}, {"depth": f"{greatest}B", "p1": percent / 100}]
    last = [{"depth": f"{greatest}B", "p1": 1}] if percent < 100 else []
    return {"scheme": "curve", "points": points + last, **LIKE_SONIC}


def imported(values: Any, name: str = "P") -> Any:
    return profiles_from({"WRED_PROFILE": {name: values}})[name]


@given(entries())
def test_a_wred_profile_comes_back(values: dict[str, str]) -> None:
    found = imported(values)
    assert found.notes == ()
    settings = parse_settings(found.values)
    assert wred_profile("P", settings) == (values, [])
    compile_profile(settings, 10_000_000)


@given(profiles())
def test_a_profile_comes_back(values: dict[str, Any]) -> None:
    settings = parse_settings(values)
    written, notes = wred_profile("P", settings)
    assert notes == []
    found = imported(written)
    assert found.notes == ()
    assert parse_settings(found.values) == settings


def test_ect_packets_are_marked_beyond_the_greatest_depth() -> None:
    settings = parse_settings(imported(entry("ecn_all", 5000, 20000, 10)).values)
    last = curve_of(settings).at(1000)
    assert last is not None
    assert (last.p1(1000), last.drop) == (1, False)
    dropped = curve_of(parse_settings(imported(entry("ecn_none", 5000, 20000, 10)).values)).at(1000)
    assert dropped is not None
    assert (dropped.p1(1000), dropped.drop) == (1, True)


def test_a_probability_of_0_is_a_step() -> None:
    values = imported(entry("ecn_none", 1000, 5000, 0)).values
    assert (values["minth"], values["maxth"], values["maxp"]) == ("5KB", "5KB", 1)


def test_what_quench_cannot_say_is_a_note() -> None:
    (note,) = imported(GREEN).notes
    assert note == "P: yellow and red packets have settings of their own in SONiC; Quench takes green's for all"
    other = entry("ecn_all", 1000, 5000, 10) | {"red_max_threshold": "4000"}
    assert [each.split(" packets")[0] for each in imported(other).notes] == ["P: red"]


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ({"scheme": "red", "gentle": False}, "a WRED profile has no key for wq 0.002 (SONiC: as 1), byte_mode true"),
        ({"scheme": "red", **LIKE_SONIC}, "from maxth on SONiC drops every packet; red with gentle drops with"),
        ({"scheme": "ecn", **LIKE_SONIC, "gentle": False}, "from maxth on SONiC marks every ECT packet and drops"),
        ({"scheme": "red", **LIKE_SONIC, "gentle": False, "mark_at": "tail"}, "mark_at tail (SONiC: as head)"),
        ({"scheme": "taildrop", "report_interval": "1s"}, "report_interval 1 (SONiC: as 0.1)"),
    ],
)
def test_what_sonic_cannot_say_is_a_note(values: dict[str, Any], note: str) -> None:
    _, (found,) = wred_profile("P", parse_settings(values).at_rate(10_000_000))
    assert note in found


def test_the_depth_of_the_moment_is_sonics_average() -> None:
    settings = parse_settings({"scheme": "ecn", "depth": "now", "gentle": False, **LIKE_SONIC, "wq": 0.002})
    _, notes = wred_profile("P", settings.at_rate(10_000_000))
    assert not any("depth" in note or "wq" in note for note in notes)


def test_dctcps_step_is_a_wred_profile_of_one_threshold() -> None:
    """And a WRED profile with one threshold is the same step."""
    settings = parse_settings({"scheme": "dctcp", "k": "30KB", "byte_mode": False, "wait": False}).at_rate(10_000_000)
    written, notes = wred_profile("P", settings)
    assert notes == []
    assert (written["ecn"], written["green_min_threshold"], written["green_max_threshold"]) == (
        "ecn_all",
        "30000",
        "30000",
    )
    assert written["green_drop_probability"] == "100"
    again = parse_settings(imported(written).values)
    assert compile_profile(again, 10_000_000) == compile_profile(settings, 10_000_000)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"scheme": "becn"}, "sends source quenches"),
        ({"scheme": "ecn-becn"}, "sends source quenches"),
        ({"scheme": "mecn"}, "two levels"),
        ({"scheme": "ecn-mod"}, "bent between minth and maxth"),
        ({"scheme": "red", "maxp": 0.025}, "reaches 2.5%, and SONiC takes whole percents"),
        ({"scheme": "curve", "points": [{"depth": "5KB", "p1": 0.1}]}, "no ramp from 0"),
        (
            {"scheme": "curve", "points": [{"depth": "5KB", "p1": 0}, {"depth": "9KB", "p1": 0.5}]},
            "selects some packets above its ramp",
        ),
        (
            {"scheme": "curve", "points": [{"depth": f"{depth}KB", "p1": depth / 10} for depth in (0, 2, 4, 10)]},
            "several ramps",
        ),
        ({"scheme": "red", "minth": "0.5B"}, "0.5 bytes, and SONiC takes whole ones"),
    ],
)
def test_what_sonic_has_nothing_for_is_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(SonicError, match=fault):
        wred_profile("P", parse_settings(values).at_rate(10_000_000))


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ([], "it is no ConfigDB"),
        ({"QUEUE": {}}, "there is no table WRED_PROFILE"),
        ({"WRED_PROFILE": []}, "WRED_PROFILE: a table is an object"),
        ({"WRED_PROFILE": {"P": []}}, "WRED_PROFILE.P: an entry is an object"),
        ({"WRED_PROFILE": {"-P": {}}}, "'-P' is no name of a WRED profile"),
        ({"WRED_PROFILE": {"x" * 9999: {}}}, r"'x+\.\.\. is no name"),
        ({"WRED_PROFILE": {str(number): {} for number in range(1001)}}, "leave out all but 1000"),
        ({"WRED_PROFILE": {"P": {"gentle": "true"}}}, "P.'gentle': no key of a WRED profile"),
        ({"WRED_PROFILE": {"P": {"ecn": "ecn_blue"}}}, "P.ecn: 'ecn_blue' is none of ecn_none"),
        ({"WRED_PROFILE": {"P": {"ecn": []}}}, r"P.ecn: \[\] is none of"),
        ({"WRED_PROFILE": {"P": {"wred_red_enable": "yes"}}}, "wred_red_enable: 'yes' is neither true nor false"),
        ({"WRED_PROFILE": {"P": {"wred_green_enable": True}}}, "P.green_min_threshold is missing"),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_min_threshold": "6000"}}}, "6000 is above green_max_threshold, 5000"),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_min_threshold": "-1"}}}, "'-1' is no whole number"),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_min_threshold": 1 << 64}}}, "is no whole number"),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_min_threshold": True}}}, "True is no whole number"),
        (
            {"WRED_PROFILE": {"P": {**GREEN, "green_max_threshold": "9" * 20}}},
            "is more than a queue|is more than Quench",
        ),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_max_threshold": "600000000"}}}, "more than a queue reports"),
        ({"WRED_PROFILE": {"P": {**GREEN, "green_drop_probability": "101"}}}, "101 is above 100"),
        ({"WRED_PROFILE": {"P": {"ecn": "ecn_green"}}}, "marks green packets while wred_green_enable is not true"),
        (
            {"WRED_PROFILE": {"P": {**GREEN, "ecn": "ecn_all", "ecn_green_min_threshold": "500"}}},
            "ecn_green_min_threshold: marks have a threshold of their own",
        ),
        ({"WRED_PROFILE": {"P": GREEN}, "QUEUE": {"Ethernet0|3": {"wred_profile": "Q"}}}, "'Q' is not in the table"),
        ({"WRED_PROFILE": {"P": GREEN}, "QUEUE": {"\x1b": {"wred_profile": "P"}}}, "a queue is PORT|NUMBER"),
        ({"WRED_PROFILE": {"P": GREEN}, "QUEUE": {"Ethernet0|3": {"wred_profile": []}}}, r"\[\] is not in the table"),
    ],
)
def test_a_fault_in_configdb_is_named_with_its_place(tables: Any, fault: str) -> None:
    with pytest.raises(SonicError, match=fault) as error:
        profiles_from(tables)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300


def test_marks_may_repeat_the_thresholds_of_drops() -> None:
    marks = {"ecn_green_min_threshold": "1000", "ecn_green_max_threshold": "5000", "ecn_green_mark_probability": "100"}
    assert imported({**GREEN, "ecn": "ecn_green", **marks}).values["scheme"] == "curve"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), lambda inner: st.dictionaries(
    st.sampled_from(["WRED_PROFILE", "QUEUE", "P", "ecn", *GREEN, "Ethernet0|3", "wred_profile"]), inner, max_size=6
)))  # fmt: skip
def test_any_json_is_read_or_refused(tables: Any) -> None:
    try:
        found = profiles_from(tables)
    except SonicError as error:
        assert str(error).isprintable()
    else:
        assert all(parse_settings(each.values) for each in found.values())


def test_queues_of_sonic_have_names() -> None:
    assert queue_entries(["Ethernet0|3-4"], "P") == {"Ethernet0|3-4": {"wred_profile": "P"}}
    with pytest.raises(SonicError, match="'Ethernet0:3' is no queue of SONiC"):
        queue_entries(["Ethernet0:3"], "P")


def test_the_commands_go_there_and_back(tmp_path: Path) -> None:
    tables = {"WRED_PROFILE": {"P": entry("ecn_all", 1000, 5000, 10)}, "QUEUE": {"Ethernet0|3": {"wred_profile": "P"}}}
    (tmp_path / "sonic.json").write_text(json.dumps(tables))
    run = CliRunner()
    there = run.invoke(app, ["profile", "from-sonic", str(tmp_path / "sonic.json")], catch_exceptions=False)
    assert there.stderr == ""
    assert "# of Ethernet0|3\n" in there.stdout
    (tmp_path / "quench.yaml").write_text(there.stdout)
    assert load_profiles(tmp_path / "quench.yaml", {})["P"] == parse_settings(
        imported(tables["WRED_PROFILE"]["P"]).values
    )
    arguments = ["profile", "to-sonic", str(tmp_path / "quench.yaml"), "--queue", "Ethernet0|3"]
    assert json.loads(run.invoke(app, arguments, catch_exceptions=False).stdout) == tables
    noted = run.invoke(
        app, ["profile", "to-sonic", "--scheme", "red", "-o", str(tmp_path / "x")], catch_exceptions=False
    )
    assert [line.partition(": ")[0] for line in noted.stderr.splitlines()] == ["quench", "quench"]
    assert json.loads((tmp_path / "x").read_text())["WRED_PROFILE"]["red"]["green_max_threshold"] == "45000"
    assert yaml.safe_load(there.stdout)["profiles"]["P"]["scheme"] == "curve"


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        (b"{", [], "is no JSON: Expecting property name"),
        (b"[" * 100_000, [], "is no JSON: it is nested too deeply"),
        (b"\xff\xff", [], "is not UTF-8 text"),
        (b" " * ((8 << 20) + 1), [], "cannot be read: is longer than 8388608 bytes"),
        (b'{"WRED_PROFILE": {"P": {}}}', ["Q"], "there is no profile 'Q': the file has P"),
        (b'{"WRED_PROFILE": {"P": {"x": ""}}}', [], "WRED_PROFILE.P.'x': no key of a WRED profile: leave it out"),
    ],
)
def test_a_fault_in_a_file_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes,
    arguments: list[str],
    sentence: str,
) -> None:
    path = tmp_path / "config_db.json"
    path.write_bytes(content)
    monkeypatch.setattr("sys.argv", ["quench", "profile", "from-sonic", str(path), *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"quench: {path}: {sentence}")
    assert len(printed.err.splitlines()) == 1
