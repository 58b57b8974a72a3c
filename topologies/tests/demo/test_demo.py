# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A short demo: the shape of its results, and what must come out however noisy the machine is."""

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from quench_topologies import leftovers

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
PROGRAM = ["--program", os.environ["QUENCH_PROGRAM"]] if "QUENCH_PROGRAM" in os.environ else []
QUENCH = str(Path(sys.executable).with_name("quench"))


def run_demo(out: Path, *options: str) -> Path:
    done = subprocess.run(
        [QUENCH, "demo", "--target", TARGET, *PROGRAM, "--seconds", "4", "--warmup", "2s", *options, "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def only_scheme(results: Path) -> dict[str, Any]:
    (scheme,) = json.loads((results / "summary.json").read_text())["schemes"]
    return dict(scheme)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = ("--pairs", "2", "--flows", "30", "--scheme", "red,becn,mecn", "--seed", "7")
    return run_demo(tmp_path_factory.mktemp("demo"), *options)


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
    assert [scheme["name"] for scheme in summary["schemes"]] == ["red", "becn", "mecn"]
    assert (summary["settings"]["seed"], summary["settings"]["flows"]) == (7, 30)
    assert len({frozenset(scheme) for scheme in summary["schemes"]}) == 1


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


def test_mecn_marks_at_two_levels_and_its_hosts_tell_them_apart(schemes: dict[str, dict[str, Any]]) -> None:
    mecn = schemes["mecn"]
    for key in ("crossed_ect1_pkts", "crossed_ce_pkts", "host_reactions_to_incipient", "host_reactions_to_moderate"):
        assert mecn[key] > 0, key
    assert schemes["becn"]["crossed_ect1_pkts"] == schemes["red"]["crossed_ect1_pkts"] == 0
    assert schemes["becn"]["crossed_ce_pkts"] > 0
    # Each mark comes out of the link once; the snapshots of the two counts are not of the same instant.
    assert abs(mecn["crossed_ect1_pkts"] + mecn["crossed_ce_pkts"] - mecn["marked_pkts"]) <= 30


def test_becn_loses_less_than_red(schemes: dict[str, dict[str, Any]]) -> None:
    if TARGET != "embedded":
        pytest.skip("without delay 30 flows are too many: their windows are at their least, and all schemes drop")
    assert schemes["becn"]["dropped_pkts"] < schemes["red"]["dropped_pkts"]


def test_the_bottleneck_carries_no_more_than_it_can(schemes: dict[str, dict[str, Any]]) -> None:
    for scheme in schemes.values():
        # Up to one queue may be counted in the first and not in the second snapshot.
        assert 20 < scheme["utilisation_percent"] < 101
        # A segment that fills a hole acknowledges what had crossed before: up to what is under way, 190 KB in 4 s.
        assert scheme["goodput_total_bps"] < 1.04 * 10_000_000
        assert 1 / 30 <= scheme["fairness_index"] <= 1


def test_the_report_has_a_picture_of_each_scheme(results: Path) -> None:
    report = (results / "report.html").read_text()
    images = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)\"", report)
    bars, *over_time = ["".join(ElementTree.fromstring(base64.b64decode(image)).itertext()) for image in images]
    assert "Packets lost" in bars
    assert len(over_time) == 3
    assert all("minth 15KB" in words for words in over_time)
    assert len(list((results / "figures").glob("*.png"))) == 4


def test_both_kinds_of_flows_cross_and_the_switch_itself_quenches(tmp_path: Path) -> None:
    """Half of the flows plain TCP, source quenches from the data plane, with levels; and a capture of each link."""
    options = ("--pairs", "2", "--flows", "20", "--scheme", "becn+plain", "--isq-mode", "dataplane", "--isq-levels")
    mixed = only_scheme(run_demo(tmp_path, *options, "--pcap", str(tmp_path / "pcap")))
    (folder,) = (tmp_path / "pcap").iterdir()
    assert folder.name == "1-becn-+-plain"
    captures = {path.name: path.stat().st_size for path in folder.iterdir()}
    ends = ("server1-s1", "server2-s1", "client1-s2", "client2-s2", "s1-s2")
    assert set(captures) == {f"{name}.pcap" for name in ends}
    assert min(captures.values()) > 100_000
    assert [(group["algorithm"], group["flows"]) for group in mixed["groups"]] == [("becn", 10), ("plain", 10)]
    assert all(group["goodput_mean_bps"] > 0 for group in mixed["groups"])
    # Packets of one kind are marked where those of the other are dropped.
    assert mixed["marked_pkts"] > 0
    assert mixed["dropped_early_pkts"] > 0
    assert mixed["isqs_sent_by_switches_pkts"] == mixed["isqs_sent_pkts"] > 0
    assert mixed["isqs_accepted_by_hosts_pkts"] > 0
    assert (mixed["profile"]["isq_levels"], mixed["host_params"]["isq_levels"]) == (True, "on")


@pytest.mark.skipif(TARGET != "embedded", reason="BMv2 has strict priority only, and no delay")
def test_voice_fares_better_in_a_queue_of_its_own(tmp_path: Path) -> None:
    def voice(scheduler: str) -> dict[str, Any]:
        options = ("--topology", "vw", "--scheduler", scheduler, "--scheme", "ecn", "--flows", "60")
        return only_scheme(run_demo(tmp_path / scheduler, *options))

    shared, own = voice("fifo"), voice("scfq")
    for each in (shared, own):
        assert each["udp_sent_pkts"] > 1000
        assert each["marked_pkts"] > 0
    # RED drops voice, which is not ECT, where it marks TCP; in a queue of its own nothing does.
    assert shared["udp_loss_percent"] > own["udp_loss_percent"]
    # The median, because a busy machine's pauses are in the mean.
    assert shared["udp_delay_median_s"] > own["udp_delay_median_s"]


def test_an_interrupted_demo_leaves_nothing(tmp_path: Path) -> None:
    before = leftovers.enabled_hosts()
    command = [QUENCH, "demo", "--target", TARGET, *PROGRAM, "--topology", "g3", "--scheme", "ecn"]
    process = subprocess.Popen(
        ["env", "--default-signal=INT", *command, "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        deadline = time.monotonic() + 60
        # Hosts are enabled one after the other, and then the flows begin.
        while len(leftovers.enabled_hosts() - before) < 5:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        started = leftovers.descendants(process.pid)
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()
        assert process.wait(30) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.wait()
    assert "interrupted; everything has been ended" in output
    assert leftovers.wait_until_gone(started) == set()
    assert not (tmp_path / "out").exists()
