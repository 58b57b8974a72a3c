# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of ``quench net`` before they start a network."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from quench.profiles.settings import NAMED_SCHEMES, scheme_of
from quench_simulator import host_algorithms
from quench_topologies.net import session
from quench_topologies.net.cli import app
from quench_topologies.net.options import Common
from quench_topologies.papers.catalogue import TOPOLOGIES
from typer.testing import CliRunner


def error_of(*arguments: str) -> str:
    """The line on stderr of a command that must fail."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_each_topology_is_a_command_with_the_scheme_of_its_paper() -> None:
    for name, topology in TOPOLOGIES.items():
        result = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        assert f"[default: {topology.scheme}]" in result.output


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("scheme", NAMED_SCHEMES)
def test_each_topology_has_thresholds_for_each_scheme(name: str, scheme: str) -> None:
    assert TOPOLOGIES[name].row.thresholds.profile(scheme)["scheme"] == scheme


def test_the_hosts_of_each_scheme_have_its_algorithm() -> None:
    algorithms = host_algorithms()
    for scheme in NAMED_SCHEMES:
        declared = scheme_of(scheme)
        assert declared.host_algorithm in algorithms, scheme
        assert algorithms[declared.host_algorithm] == declared.sends_isqs, scheme


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("n1 --rate 10", "--rate: '10' has no unit: write it as 10Mbps"),
        ("n1 --rate 10MB/s", "--rate: '10MB/s': B stands for bytes"),
        ("n1 --delay 40", "--delay: '40' has no unit: write it as 40ms"),
        ("n1 --buffer 90000", "--buffer: '90000' has no unit: write it as 15KB"),
        ("n1 --buffer 64pkts", "--buffer: '64pkts': give at least 2000 bytes, such as 90KB"),
        ("n1 --buffer 100B", "--buffer: '100B': give at least 2000 bytes"),
        ("n1 --becnthresh 20", "becnthresh: '20' has no unit"),
        ("n1 --udp 1", "--udp: '1' has no unit: write it as 10Mbps, 10Mbit/s or 500kb/s, or as paper"),
        ("n1 --udp 1Gbps", "--udp 1Gbps: 50Mbps are the most"),
        ("mp --udp paper", "--udp paper: this network's paper sends no datagrams: give a rate"),
        ("n2 --scheme blue", "--scheme blue: choose one of taildrop"),
        ("n1 --host-algo reno", "--host-algo reno: choose one of plain"),
        ("n1 --isq-mode both", "--isq-mode both: choose one of cpu"),
        ("vw --scheduler wfq", "--scheduler wfq: choose one of strict"),
        ("g3 --pairs 90", "--pairs 90: choose from 1 to 26 here"),
        ("n1 --target tofino", "--target tofino: choose embedded, bmv2 or tna"),
        ("n1 --program /nowhere", "/nowhere/quench.json: the P4 program is not compiled"),
        ("n1 --script /nowhere", "--script /nowhere: is no file that can be read"),
        ("n1 --script /tmp", "--script /tmp: is no file that can be read"),
        ("n1 --pcap /proc/nowhere", "--pcap /proc/nowhere: no files can be made here"),
        ("n1 --metrics 9464", "--metrics: '9464' is not HOST:PORT"),
        ("n1 --metrics 192.0.2.1:9464", "--metrics 192.0.2.1:9464: cannot listen here"),
        ("file /nowhere.json", "/nowhere.json: cannot be read: No such file or directory"),
    ],
)
def test_what_is_wrong_is_one_line_before_anything_starts(arguments: str, words: str) -> None:
    line = error_of(*arguments.split())
    assert line.startswith("quench net: ")
    assert words in line


def test_a_port_for_metrics_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert error_of("n1", "--metrics", address).endswith(
            f"--metrics {address}: cannot listen here: Address already in use"
        )


def test_bmv2_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "simple_switch_grpc is not on PATH" in error_of("n1", "--target", "bmv2")


def test_hosts_have_the_algorithm_of_the_scheme_unless_told_otherwise() -> None:
    assert Common("ecn-becn").algorithm == "ecn-becn"
    assert Common("red").algorithm == "plain"
    assert Common("mecn", host_algo="ecn").algorithm == "ecn"
    assert Common("mecn", paper=False).algorithm is None
    assert Common("mecn", paper=False, traffic=3).algorithm == "mecn"


def test_live_shows_the_network_from_its_beginning_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is bound before the network, which leaves the machine's namespace, and ends after it."""
    events: list[str] = []

    @contextmanager
    def noted(name: str, value: object) -> Iterator[object]:
        events.append(f"{name} begins")
        yield value
        events.append(f"{name} ends")

    def show(socket: Path) -> str:
        events.append(f"shows {socket}")
        return "http://127.0.0.1:1/#token=x"

    network = SimpleNamespace(hosts={}, socket=Path("/s"), net=None)
    monkeypatch.setattr(session, "live_page", lambda _: noted("page", SimpleNamespace(show=show)))
    monkeypatch.setattr(session, "running_network", lambda *_, **__: noted("network", network))
    monkeypatch.setattr(session, "Prompt", lambda *_: events.append("prompt"))
    (tmp_path / "script").write_text("")
    result = CliRunner().invoke(app, ["n1", "--live", "--script", str(tmp_path / "script")])
    assert result.exit_code == 0, result.output
    assert result.stdout == "Live: http://127.0.0.1:1/#token=x\n"
    assert events == ["page begins", "network begins", "shows /s", "prompt", "network ends", "page ends"]
