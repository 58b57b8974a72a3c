# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""enable, disable, status and purge: their effects on the namespaces and on the machine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hostlab.hosts import QUENCH_HOST, NewNamespace, Pair, algorithms, counters, quench_host, status
from hostlab.netns import Namespace, run
from hostlab.packets import Quench

ALGOS = algorithms()
PAPER = {
    "tcp_sack": "0",
    "tcp_dsack": "0",
    "tcp_recovery": "0",
    "tcp_early_retrans": "0",
    "tcp_frto": "0",
    "tcp_timestamps": "0",
    "tcp_no_metrics_save": "1",
    "tcp_reordering": "3",
    "tcp_max_reordering": "3",
    "tcp_thin_linear_timeouts": "0",
    "tcp_fastopen": "0",
    "tcp_mtu_probing": "0",
    "tcp_retrans_collapse": "0",
    "tcp_ecn_fallback": "0",
    "tcp_rmem": "4096\t1048576\t6291456",
}


@pytest.fixture
def host(new_namespace: NewNamespace) -> Namespace:
    """A namespace with two devices."""
    ns = new_namespace()
    for device in ("d0", "d1"):
        ns.run("ip", "link", "add", device, "type", "veth", "peer", "name", f"{device}p")
        ns.run("ip", "link", "set", device, "up")
    return ns


def settings(ns: Namespace) -> dict[str, str]:
    return {name: ns.sysctl(name) for name in ("tcp_congestion_control", "tcp_ecn", *PAPER)}


def filters(ns: Namespace, device: str, direction: str = "ingress") -> str:
    return ns.run("tc", "filter", "show", "dev", device, direction).stdout


def qdiscs(ns: Namespace, device: str) -> str:
    return ns.run("tc", "qdisc", "show", "dev", device).stdout


def registered() -> set[str]:
    """The congestion controls that the machine offers."""
    return set(run("sysctl", "-n", "net.ipv4.tcp_available_congestion_control").stdout.split())


@pytest.fixture
def machine_to_itself() -> None:
    """For tests that concern the whole machine: skips if other hosts are enabled, which a purge would end."""
    others = list(Path("/run/quench/hosts").glob("*"))
    if others:
        pytest.skip(f"hosts are enabled outside the tests: {[path.name for path in others]}")


def error_of(ns: Namespace, *arguments: str) -> str:
    result = quench_host(ns, *arguments, check=False)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    return result.stderr


def congestion_control(algo: str) -> str:
    """An algorithm's name in the kernel."""
    return "reno" if algo == "plain" else f"q_{algo.replace('-', '')}"


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("algo", ALGOS)
def test_enable_sets_and_disable_restores(host: Namespace, algo: str, paper: bool) -> None:
    offered = registered()
    host.run("sysctl", "-qw", "net.ipv4.tcp_ecn=2", "net.ipv4.tcp_timestamps=2", "net.ipv4.tcp_recovery=3")
    before = settings(host)
    quench_host(host, "enable", "--algo", algo, "--dev", "d0", *(["--paper"] if paper else []))
    now = settings(host)
    assert now["tcp_congestion_control"] == congestion_control(algo)
    assert now["tcp_ecn"] == ("0" if algo == "plain" else "1")
    assert {name: now[name] for name in PAPER} == (PAPER if paper else {name: before[name] for name in PAPER})
    assert ("q_isq" in filters(host, "d0")) == (algo != "plain")
    assert ("q_mecn_in" in filters(host, "d0")) == (algo == "mecn")
    assert ("q_mecn_out" in filters(host, "d0", "egress")) == (algo == "mecn")
    quench_host(host, "disable", "--dev", "d0")
    assert settings(host) == before
    assert "clsact" not in qdiscs(host, "d0")
    assert registered() == offered


def test_enable_and_disable_may_be_repeated(host: Namespace) -> None:
    before = settings(host)
    for _ in range(3):
        quench_host(host, "enable", "--algo", "becn", "--dev", "d0")
    assert filters(host, "d0").count("handle 0x1 q_isq") == 1
    for _ in range(3):
        quench_host(host, "disable", "--dev", "d0")
    assert settings(host) == before
    assert status(host)["enabled"] is False


def test_mecn_is_spoken_on_every_device_again_after_a_repeated_enable(host: Namespace) -> None:
    """One of the programs was detached by hand."""
    for device in ("d0", "d1"):
        quench_host(host, "enable", "--algo", "mecn", "--dev", device)
    host.run("tc", "filter", "del", "dev", "d0", "egress", "prio", "20822")
    assert [d["speaks_mecn"] for d in status(host)["devices"]] == [False, True]
    assert "does not speak Multilevel ECN" in quench_host(host, "status").stdout
    for _ in range(2):
        quench_host(host, "enable", "--algo", "mecn", "--dev", "d0")
    assert [d["speaks_mecn"] for d in status(host)["devices"]] == [True, True]
    for direction, program in (("ingress", "q_mecn_in"), ("egress", "q_mecn_out")):
        assert filters(host, "d0", direction).count(f"handle 0x1 {program}") == 1
    quench_host(host, "disable", "--dev", "d0")
    assert filters(host, "d0", "egress") == ""
    assert "q_mecn_out" in filters(host, "d1", "egress")


def test_last_device_decides(host: Namespace) -> None:
    for device in ("d0", "d1"):
        quench_host(host, "enable", "--algo", "ecn-becn", "--dev", device)
    quench_host(host, "disable", "--dev", "d0")
    assert "q_isq" not in filters(host, "d0")
    assert "q_isq" in filters(host, "d1")
    assert host.sysctl("tcp_congestion_control") == "q_ecnbecn"
    assert [d["dev"] for d in status(host)["devices"]] == ["d1"]


def test_a_qdisc_of_the_users_stays(host: Namespace) -> None:
    host.run("tc", "qdisc", "add", "dev", "d0", "clsact")
    quench_host(host, "enable", "--algo", "becn", "--dev", "d0")
    quench_host(host, "disable", "--dev", "d0")
    assert "clsact" in qdiscs(host, "d0")
    assert filters(host, "d0") == ""


def test_status_tells_what_runs(host: Namespace) -> None:
    changed = ["--set", "hold_rule=old-window", "--set", "min_cwnd_pkts=2"]
    quench_host(host, "enable", "--algo", "becn", "--dev", "d0", *changed)
    host.run("ethtool", "-K", "d0", "gro", "on")
    report = status(host)
    assert (report["enabled"], report["algo"], report["registered"], report["paper"]) == (True, "becn", True, False)
    assert (report["congestion_control"], report["tcp_ecn"]) == ("q_becn", 1)
    assert report["params"]["hold_rule"] == "old-window"
    assert report["params"]["min_cwnd_pkts"] == 2
    assert report["params"]["cwr_rule"] == "isq-marked"
    (device,) = report["devices"]
    assert (device["dev"], device["present"], device["receives_isq"]) == ("d0", True, True)
    assert "gro" in device["offloads_on"]
    text = quench_host(host, "status").stdout
    assert "becn" in text
    assert "hold_rule=old-window" in text
    assert "d0" in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--algo", "vegas", "--dev", "d0"], ["vegas", "plain, ecn, becn, ecn-becn"]),
        (["--algo", "becn", "--dev", "d9"], ["d9", "no such device"]),
        (["--algo", "becn", "--dev", "d0", "--set", "speed=1"], ["speed", "no such parameter", "hold_rule"]),
        (["--algo", "becn", "--dev", "d0", "--set", "min_cwnd_pkts=0"], ["min_cwnd_pkts", "from 1 to"]),
        (["--algo", "becn", "--dev", "d0", "--set", "min_cwnd_pkts=4294967297"], ["min_cwnd_pkts", "from 1 to"]),
        (["--algo", "ecn-mod", "--dev", "d0", "--set", "c1=4.5"], ["c1", "from 0.00002 to 4"]),
        (["--algo", "ecn-mod", "--dev", "d0", "--set", "alpha=1"], ["alpha must be less than beta"]),
        (["--algo", "dctcp", "--dev", "d0", "--set", "g=0"], ["g takes a number from 0.00002 to 1"]),
        (["--algo", "becn", "--dev", "d0", "--set", "isq_cut_min=0.6"], ["isq_cut_min", "isq_cut_max"]),
        (["--algo", "becn", "--dev", "d0", "--set", "hold_rule=long"], ["none, srtt, first-new, old-window"]),
        (["--algo", "becn", "--dev", "d0", "--set", "hold_rule"], ["param=value"]),
        (["--algo", "plain", "--dev", "d0", "--set", "hold_rule=none"], ["plain has no parameters"]),
        (["--algo", "mecn", "--dev", "d0", "--set", "beta1_percent=100"], ["beta1_percent", "from 1 to 99"]),
        (["--algo", "mecn", "--dev", "d0", "--set", "beta1_percent=45"], ["not be more than beta2_percent"]),
    ],
)
def test_bad_requests_change_nothing(host: Namespace, arguments: list[str], expected: list[str]) -> None:
    before = settings(host)
    message = error_of(host, "enable", *arguments)
    assert all(part in message for part in expected)
    assert settings(host) == before
    assert status(host)["enabled"] is False
    assert "clsact" not in qdiscs(host, "d0")


def test_another_algorithm_needs_a_disable_first(host: Namespace) -> None:
    quench_host(host, "enable", "--algo", "becn", "--dev", "d0")
    assert "disable --dev d0" in error_of(host, "enable", "--algo", "ecn", "--dev", "d0")
    assert host.sysctl("tcp_congestion_control") == "q_becn"


@pytest.mark.usefixtures("machine_to_itself")
def test_a_failing_enable_takes_everything_back(host: Namespace) -> None:
    """A foreign filter with our priority makes the last change but one fail."""
    before = settings(host)
    host.run("tc", "qdisc", "add", "dev", "d0", "clsact")
    place = ["dev", "d0", "ingress", "prio", "20821", "handle", "1", "protocol", "all"]
    host.run("tc", "filter", "add", *place, "bpf", "bytecode", "1,6 0 0 0")
    assert "another filter" in error_of(host, "enable", "--algo", "ecn", "--dev", "d0")
    assert settings(host) == before
    assert status(host)["enabled"] is False
    assert "q_ecn" not in registered()
    assert "bytecode" in filters(host, "d0")


@pytest.mark.parametrize(
    "arguments", [[], ["frob"], ["enable"], ["disable"], ["status", "--paper"], ["purge", "--json"]]
)
def test_usage_errors(host: Namespace, arguments: list[str]) -> None:
    result = quench_host(host, *arguments, check=False)
    assert result.returncode == 2
    assert "quench-host" in result.stderr


@pytest.mark.usefixtures("machine_to_itself")
def test_a_full_disk_behind_stdout_is_a_fault(host: Namespace) -> None:
    for arguments in ("status", "status --json", "--help"):
        result = host.run("sh", "-c", f"{QUENCH_HOST} {arguments} >/dev/full", check=False)
        assert (result.returncode, result.stderr) == (1, "quench-host: stdout: No space left on device\n")


def test_namespaces_are_independent(new_namespace: NewNamespace) -> None:
    """A host for each algorithm, one machine; each restores its own."""
    hosts = {algo: new_namespace() for algo in ALGOS}
    for algo, ns in hosts.items():
        ns.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
        quench_host(ns, "enable", "--algo", algo, "--dev", "d0")
    assert {algo: ns.sysctl("tcp_congestion_control") for algo, ns in hosts.items()} == {
        algo: congestion_control(algo) for algo in ALGOS
    }
    quench_host(hosts["becn"], "disable", "--dev", "d0")
    assert "q_becn" not in registered()
    assert {"q_ecn", "q_ecnbecn"} <= registered()
    assert status(hosts["ecn"])["registered"] is True


def test_counters_belong_to_the_namespace(new_namespace: NewNamespace) -> None:
    pairs = [Pair(new_namespace), Pair(new_namespace)]
    try:
        for pair in pairs:
            pair.enable("becn")
            pair.transfer()
        for _ in range(3):
            pairs[0].wire.to_left(Quench(marked=True, code=1).about(pairs[0].wire.newest_data().frame))
        pairs[1].wire.to_left(Quench(marked=True).about(pairs[1].wire.newest_data().frame))
        time.sleep(0.05)
        first, second = (counters(pair.sender) for pair in pairs)
    finally:
        for pair in pairs:
            pair.close()
    assert (first["isq_received"], first["isq_refused_bad_code"], first["connections"]) == (3, 3, 1)
    assert (second["isq_received"], second["isq_accepted_marked"], second["reactions_isq_marked"]) == (1, 1, 1)
    assert "reactions_isq_marked" not in first


@pytest.mark.usefixtures("machine_to_itself")
def test_a_namespace_that_ended_is_forgotten(host: Namespace, new_namespace: NewNamespace) -> None:
    dead = new_namespace()
    dead.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
    quench_host(dead, "enable", "--algo", "becn", "--dev", "d0")
    cookie = status(dead)["netns_cookie"]
    run("ip", "netns", "del", dead.name)
    run("ip", "netns", "add", dead.name)
    # The kernel ends a namespace in its own time.
    deadline = time.monotonic() + 10
    while Path(f"/run/quench/hosts/{cookie}").exists():
        assert time.monotonic() < deadline
        quench_host(host, "enable", "--algo", "plain", "--dev", "d0")
        time.sleep(0.05)
    assert "q_becn" not in registered()


@pytest.mark.parametrize("algo", ["plain", "becn"])
def test_a_namespace_out_of_sight_is_not_taken_for_dead(
    host: Namespace, new_namespace: NewNamespace, algo: str
) -> None:
    """As from a Mininet host, whose mount namespace does not see names that were given later."""
    other = new_namespace()
    other.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
    quench_host(host, "enable", "--algo", algo, "--dev", "d0")
    hide_names = 'mount -t tmpfs none /run/netns && exec "$0" "$@"'
    enable = [QUENCH_HOST, "enable", "--algo", "ecn", "--dev", "d0"]
    other.run("unshare", "--mount", "--propagation", "private", "sh", "-c", hide_names, *enable)
    assert status(other)["enabled"] is True
    assert status(host)["enabled"] is True


@pytest.mark.usefixtures("machine_to_itself")
@pytest.mark.parametrize(("algo", "first"), [("ecn-mod", "q_ecnmod"), ("dctcp", "q_dctcp")])
def test_an_exact_echo_brings_its_second_congestion_control(host: Namespace, algo: str, first: str) -> None:
    quench_host(host, "enable", "--algo", algo, "--dev", "d0")
    assert {first, f"{first}_echo"} <= registered()
    quench_host(host, "disable", "--dev", "d0")
    assert not {first, f"{first}_echo"} & registered()


def mecn_maps() -> set[str]:
    """The ids of the kernel's maps that belong to Multilevel ECN."""
    return {line.split(":")[0] for line in run("bpftool", "map", "show").stdout.splitlines() if "q_mecn" in line}


@pytest.mark.usefixtures("machine_to_itself")
def test_purge_ends_mecn_also_after_a_crash(host: Namespace) -> None:
    """Without the state it is unknown whether `enable` made the qdisc. So the qdisc stays, and nothing else does."""
    # A connection of an earlier test may still be closing, and keeps its congestion control until then.
    before = mecn_maps()
    quench_host(host, "enable", "--algo", "mecn", "--dev", "d0")
    Path(f"/run/quench/hosts/{status(host)['netns_cookie']}").unlink()
    run(QUENCH_HOST, "purge")
    assert filters(host, "d0") == filters(host, "d0", "egress") == ""
    assert "q_mecn" not in registered()
    # The kernel frees programs and maps in its own time.
    deadline_s = time.monotonic() + 20
    while mecn_maps() - before:
        assert time.monotonic() < deadline_s
        time.sleep(0.05)
    quench_host(host, "enable", "--algo", "mecn", "--dev", "d0")
    assert [d["speaks_mecn"] for d in status(host)["devices"]] == [True]


@pytest.mark.usefixtures("machine_to_itself")
def test_a_failing_enable_of_mecn_takes_everything_back(host: Namespace) -> None:
    """The program that fails is the last of three on the device."""
    host.run("tc", "qdisc", "add", "dev", "d0", "clsact")
    place = ["dev", "d0", "egress", "prio", "20822", "handle", "1", "protocol", "all"]
    host.run("tc", "filter", "add", *place, "bpf", "bytecode", "1,6 0 0 0")
    assert "cannot attach q_mecn_out to d0: another filter" in error_of(host, "enable", "--algo", "mecn", "--dev", "d0")
    assert filters(host, "d0") == ""
    assert "bytecode" in filters(host, "d0", "egress")
    assert status(host)["enabled"] is False
    assert "q_mecn" not in registered()


@pytest.mark.usefixtures("machine_to_itself")
def test_purge_ends_everything(host: Namespace, new_namespace: NewNamespace) -> None:
    """Run from outside any of the namespaces; one of them has lost its state, as after a crash."""
    other = new_namespace()
    other.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
    before = settings(host)
    quench_host(host, "enable", "--algo", "ecn-becn", "--dev", "d0", "--paper")
    quench_host(other, "enable", "--algo", "becn", "--dev", "d0")
    Path(f"/run/quench/hosts/{status(other)['netns_cookie']}").unlink()
    for _ in range(2):
        run(QUENCH_HOST, "purge")
    assert settings(host) == before
    assert other.sysctl("tcp_congestion_control") == "reno"
    assert filters(host, "d0") == filters(other, "d0") == ""
    assert not {"q_ecn", "q_becn", "q_ecnbecn"} & registered()
    assert not list(Path("/run/quench/hosts").iterdir())
    assert status(host)["enabled"] is False
