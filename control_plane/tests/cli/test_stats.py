# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench stats`` and ``quench thresholds show`` on terminals of any width: no number and no heading is cut."""

import json
from pathlib import Path
from typing import Any

import pytest
from canned import answering, cells, on_terminal
from quench.cli.app import app
from quench.cli.stats_cmd import LABELS
from quench.client.entries import PORT_COUNTERS
from quench.errors import ControllerError
from quench.profiles import parse_settings
from quench.service.requests import Stats, ThresholdsShow
from typer.testing import CliRunner

LARGEST = 2**64 - 1
N1 = {"minth": "15KB", "maxth": "45KB"}


def row(ports: dict[str, int], **more: Any) -> dict[str, Any]:
    """A switch whose counters all have the value of their port."""
    counts = {
        port: {name: {"packets": value, "bytes": 1000 * value} for name in PORT_COUNTERS}
        for port, value in ports.items()
    }
    return {
        "switch": "s1",
        "connected": True,
        "ports": counts,
        "queues": [],
        "packet_ins": {},
        "isqs_sent": {},
        "isqs_limited": {},
        "isqs_refused": {},
        **more,
    }


def serve(tmp_path: Path, *moments: list[dict[str, Any]]) -> Any:
    """A controller whose counters are those of the moments, the last one for ever."""
    left = list(moments)

    async def stats(_: Stats) -> list[dict[str, Any]]:
        return left.pop(0) if len(left) > 1 else left[0]

    return answering(tmp_path, {Stats: stats})


def test_every_counter_of_the_program_has_a_label() -> None:
    assert set(LABELS) == set(PORT_COUNTERS)


@pytest.mark.parametrize("columns", [20, 80, 81, 132])
def test_no_number_and_no_heading_is_cut(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: int) -> None:
    values = {str(port): LARGEST - port for port in range(1, 8)}
    report = {"number": 1, "time_us": 5, "port": 510, "queue": 7, "depth_pkts": 524287, "average_pkts": 8388607.25}
    with serve(tmp_path, [row(values, queues=[report], packet_ins={"queue_report": LARGEST})]) as socket:
        lines = on_terminal(monkeypatch, columns, "stats", "--socket", str(socket))
    if columns >= 80:
        assert max(map(len, lines)) <= columns
    found = [cell for table in cells(lines) for cell in table]
    for port, value in values.items():
        assert found.count(f"port {port}") == 1
        assert found.count(str(value)) == len(PORT_COUNTERS)
    assert {*LABELS.values(), str(LARGEST), "packet-ins: queue report", "port 510.7", "524287", "8388607.25"} <= {
        *found
    }
    assert not any("…" in line for line in lines)


def test_a_counter_of_a_users_own_program_has_its_own_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answer = row({"1": 5})
    answer["ports"]["1"]["port_sojourn_drops"] = {"packets": 77, "bytes": 0}
    with serve(tmp_path, [answer]) as socket:
        lines = on_terminal(monkeypatch, 80, "stats", "--socket", str(socket))
    assert ["port_sojourn_drops", "77"] in cells(lines)


def test_a_switch_without_counters_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serve(tmp_path, [row({}, connected=False), {**row({"1": 5}), "switch": "s2"}]) as socket:
        lines = on_terminal(monkeypatch, 80, "stats", "--socket", str(socket), "--port", "2")
    assert lines == [
        "s1: no counters: the switch is not connected",
        "s2: no counters: no port has a profile, or --port names another one",
    ]


def test_rates_are_per_second_of_the_time_that_passed(tmp_path: Path) -> None:
    # The counters of port 2 begin anew, port 3 is new, and s2 has been restarted.
    first = [row({"1": 1000, "2": 5000}, isqs_sent={"marked": 10}), {**row({}), "switch": "s2"}]
    second = [row({"1": 3000, "2": 600, "3": 7}, isqs_sent={"marked": 60}), {**row({"1": 9}), "switch": "s2"}]
    with serve(tmp_path, first, second) as socket:
        arguments = ["stats", "--socket", str(socket), "--interval", "100ms", "--count", "2", "--json"]
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    moment, later = (json.loads(line) for line in done.stdout.splitlines())
    elapsed_s = moment[0]["elapsed_s"]
    assert elapsed_s >= 0.1
    counted = {port: counters["port_marked"]["packets"] for port, counters in moment[0]["ports"].items()}
    assert counted == pytest.approx({"1": 2000 / elapsed_s, "2": 600 / elapsed_s})
    assert moment[0]["isqs_sent"]["marked"] == pytest.approx(50 / elapsed_s)
    assert moment[1]["ports"] == {}
    assert later[0]["ports"]["3"]["port_seen"] == {"packets": 0, "bytes": 0}


def test_rates_on_a_terminal_say_that_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serve(tmp_path, [row({"1": 0})], [row({"1": 0}, isqs_sent={"marked": 0})]) as socket:
        lines = on_terminal(monkeypatch, 80, "stats", "--socket", str(socket), "--interval", "100ms", "--count", "1")
    assert lines[0].startswith("s1: packets/s, ")
    assert ["seen", "0.0"] in cells(lines)
    assert ["", "messages/s"] in cells(lines)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--interval", "10"], "--interval: "),
        (["--interval", "99ms"], "--interval: 99ms is too short: 100ms is the least"),
        (["--count", "3"], "--count needs --interval"),
    ],
)
def test_a_wrong_interval_is_refused(arguments: list[str], sentence: str) -> None:
    with pytest.raises(ControllerError, match=sentence):
        CliRunner().invoke(app, ["stats", *arguments], catch_exceptions=False)


def profile(port: int, **settings: Any) -> dict[str, Any]:
    values = parse_settings(settings).model_dump(mode="json")
    return {"switch": "s1", "port": port, "queue": 0, "rate_bps": 10**7, "connected": True, "settings": values}


def test_thresholds_are_columns_and_the_points_of_a_curve_are_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    points = [{"depth": "5KB", "p1": 0}, {"depth": "60KB", "p1": 1.0, "isq": True, "drop": True}]
    found = [profile(1, scheme="ecn", **N1), profile(2, scheme="curve", points=points)]

    async def show(_: ThresholdsShow) -> list[dict[str, Any]]:
        return found

    with answering(tmp_path, {ThresholdsShow: show}) as socket:
        lines = on_terminal(monkeypatch, 80, "thresholds", "show", "--socket", str(socket))
    assert max(map(len, lines)) <= 80
    table = cells(lines)
    assert ["", "port 1.0", "port 2.0"] in table
    assert ["scheme", "ecn", "curve"] in table
    assert ["minth", "15KB", ""] in table
    assert table[-3:] == [
        ["depth", "p1", "p2", "isq", "isq_level", "advice", "drop"],
        ["5KB", "0.0", "0.0", "no", "0.0", "none", "no"],
        ["60KB", "1.0", "0.0", "yes", "0.0", "none", "yes"],
    ]
    assert not {"[", "{", "]", "}"} & {*"".join(lines)}
