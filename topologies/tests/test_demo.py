# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A short demo: the shape of its results, and what must come out however noisy the machine is."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
PROGRAM = ["--program", os.environ["QUENCH_PROGRAM"]] if "QUENCH_PROGRAM" in os.environ else []
QUENCH = str(Path(sys.executable).with_name("quench"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [
            *(QUENCH, "demo", "--target", TARGET, *PROGRAM, "--seconds", "8", "--warmup", "3", "--pairs", "2"),
            *("--flows", "30", "--scheme", "red", "--scheme", "becn", "--seed", "7", "--out", str(out)),
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def schemes(results: Path) -> dict[str, dict[str, Any]]:
    summary = json.loads((results / "summary.json").read_text())
    return {scheme["name"]: scheme for scheme in summary["schemes"]}


def test_keys_are_snake_case(results: Path) -> None:
    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*(keys(each) for each in value.values()))
        return set().union(*(keys(each) for each in value)) if isinstance(value, list) else set()

    summary = json.loads((results / "summary.json").read_text())
    assert all(key.isidentifier() and key == key.lower() for key in keys(summary))
    assert [scheme["name"] for scheme in summary["schemes"]] == ["red", "becn"]
    assert (summary["settings"]["seed"], summary["settings"]["flows"]) == (7, 30)
    assert set(summary["schemes"][0]) == set(summary["schemes"][1])


def test_red_drops_and_becn_marks(schemes: dict[str, dict[str, Any]]) -> None:
    red, becn = schemes["red"], schemes["becn"]
    assert red["marked_pkts"] == 0
    assert red["dropped_early_pkts"] > 0
    assert becn["marked_pkts"] > 0


def test_only_becn_quenches_and_its_hosts_react(schemes: dict[str, dict[str, Any]]) -> None:
    red, becn = schemes["red"], schemes["becn"]
    for key in ("isqs_sent_pkts", "isqs_accepted_by_hosts_pkts", "host_reactions_to_isq"):
        assert red[key] == 0
        assert becn[key] > 0
    # Each ISQ answers a mark or a drop; the snapshots of the two counts are not of the same instant.
    signals = becn["marked_pkts"] + becn["dropped_early_pkts"] + becn["dropped_forced_pkts"]
    assert becn["isqs_sent_pkts"] <= signals + 30
    assert becn["isqs_accepted_by_hosts_pkts"] <= becn["isqs_sent_pkts"] + 30


def test_becn_loses_less_than_red(schemes: dict[str, dict[str, Any]]) -> None:
    if TARGET != "embedded":
        pytest.skip("without delay 30 flows are too many: their windows are at their least, and all schemes drop")
    assert schemes["becn"]["dropped_pkts"] < schemes["red"]["dropped_pkts"]


def test_the_bottleneck_carries_no_more_than_it_can(schemes: dict[str, dict[str, Any]]) -> None:
    for scheme in schemes.values():
        # Up to one queue may be counted in the first and not in the second snapshot.
        assert 20 < scheme["utilisation_percent"] < 101
        assert scheme["goodput_total_bps"] < 1.01 * 10_000_000
        assert 1 / 30 <= scheme["fairness_index"] <= 1


def test_the_report_stands_alone(results: Path) -> None:
    report = (results / "report.html").read_text()
    images = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)'", report)
    assert len(images) == 2
    for image in images:
        picture = ElementTree.fromstring(base64.b64decode(image))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        assert "minth 15KB" in "".join(picture.itertext())
    assert "src='http" not in report
