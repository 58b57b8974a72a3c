# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Networks that run: N1 with one pair, and that nothing is left when it ends, in whichever way."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from quench.errors import ControllerError
from quench_topologies import leftovers
from quench_topologies.errors import TopologyError
from quench_topologies.network import PRIORITY, RunningNetwork, raised_priority
from quench_topologies.process import Child
from quench_topologies.program import find_host_loader

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
COMMAND = [str(Path(sys.executable).with_name("quench")), "net"]
needs_autogroups = pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="the kernel does not divide processors among sessions"
)
PROGRAM = ["--program", os.environ["QUENCH_PROGRAM"]] if "QUENCH_PROGRAM" in os.environ else []
OPTIONS = ["--pairs", "1", "--target", TARGET, *PROGRAM]

TRANSFER = """
import socket, sys
role, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
if role == "receive":
    with socket.create_server((address, 5001)) as server:
        print("listening", flush=True)
        with server.accept()[0] as peer:
            total = 0
            while data := peer.recv(65536):
                total += len(data)
            print("received", total, flush=True)
else:
    with socket.create_connection((address, 5001)) as peer:
        print("mss", peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG))
        peer.sendall(bytes(count))
"""


def run_script(tmp_path: Path, *lines: str, arguments: list[str] | None = None) -> str:
    script = tmp_path / "script"
    script.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [*COMMAND, *(arguments or ["n1", *OPTIONS]), "--script", str(script)],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_ping_and_a_transfer_cross_the_dumbbell(tmp_path: Path) -> None:
    program = tmp_path / "transfer.py"
    program.write_text(TRANSFER)
    output = run_script(
        tmp_path,
        "server1 ping -c 3 -i 0.3 -W 2 client1",
        f"client1 {sys.executable} {program} receive 10.1.1.1 0 > {tmp_path}/received &",
        f"server1 while ! grep -q listening {tmp_path}/received; do sleep 0.1; done",
        f"server1 {sys.executable} {program} send 10.1.1.1 300000",
        f"server1 while ! grep -q 'received 300000' {tmp_path}/received; do sleep 0.1; done",
    )
    assert "3 received" in output
    times_ms = [float(line.partition("time=")[2].split()[0]) for line in output.splitlines() if "time=" in line]
    if TARGET == "embedded":
        # 2 + 40 + 2 ms each way. The machine may add to it, but nothing may be faster than the links.
        assert 88 <= min(times_ms) < 140
    assert "received 300000" in (tmp_path / "received").read_text()
    # A full segment is an IP packet of 1000 bytes, 40 of them headers: the papers' TCP has no timestamps.
    assert "mss 960" in output


def test_hosts_react_as_asked(tmp_path: Path) -> None:
    loader = find_host_loader()
    output = run_script(
        tmp_path, f"server1 {loader} status --json", arguments=["n1", *OPTIONS, "--host-algo", "ecn-becn"]
    )
    status = json.loads(output[output.index("{") : output.rindex("}") + 1])
    assert (status["algo"], status["paper"], status["congestion_control"]) == ("ecn-becn", True, "q_ecnbecn")
    assert [device["offloads_on"] for device in status["devices"]] == [[]]


def test_n2_loses_on_the_way_back_only(tmp_path: Path) -> None:
    if TARGET != "embedded":
        pytest.skip("BMv2 cannot lose packets on a link")
    output = run_script(
        tmp_path,
        "server1 ping -q -i 0.01 -c 300 -s 10 client1",
        arguments=["n2", "--loss", "0.3", "--target", TARGET, *PROGRAM],
    )
    (summary,) = [line for line in output.splitlines() if "packet loss" in line]
    received = int(summary.split(", ")[1].split()[0])
    # 300 draws with probability 0.7: mean 210, sd 7.9; five sd either way.
    assert 170 <= received <= 250, summary


def test_topology_json_of_the_tutorials_form(tmp_path: Path) -> None:
    hosts: dict[str, Any] = {
        f"h{i}": {
            "ip": f"10.0.{i}.{i}/24",
            "mac": f"08:00:00:00:0{i}:{i}{i}",
            "commands": [
                f"route add default gw 10.0.{i}.10 dev eth0",
                f"arp -i eth0 -s 10.0.{i}.10 08:00:00:00:0{i}:00",
            ],
        }
        for i in (1, 2)
    }
    # Two more hosts of the subnet of h1, one behind the same switch and one behind the other.
    hosts["h3"] = {"ip": "10.0.1.3/24"}
    hosts["h4_far"] = {"ip": "10.0.1.4/24"}
    links = [["h1", "s1-p1"], ["h2", "s2-p1"], ["s1-p2", "s2-p2", "5ms"], ["h3", "s1-p3"], ["h4_far", "s2-p10"]]
    (tmp_path / "topology.json").write_text(
        json.dumps({"hosts": hosts, "switches": {"s1": {}, "s2": {}}, "links": links})
    )
    output = run_script(
        tmp_path,
        "h1 ping -c 2 -W 2 10.0.2.2",
        "h1 ping -c 3 -W 2 h3",
        "h3 ping -c 4 -W 2 h4_far",
        "h4_far ping -c 5 -W 2 h1",
        "h3 ip route show",
        "h3 ethtool -k h3-eth0",
        arguments=["file", str(tmp_path / "topology.json"), "--target", TARGET, *PROGRAM],
    )
    assert [f"{count} received" in output for count in (2, 3, 4, 5)] == [True] * 4
    # The papers' TCP is in the one route, which neighbours take too.
    assert "10.0.1.0/24 dev" not in output
    assert "default via 10.0.1.254 dev h3-eth0 window 96000 advmss 960" in output
    # Its packets are packets on the wire.
    assert "tcp-segmentation-offload: off" in output


@pytest.mark.skipif(TARGET == "bmv2", reason="BMv2 does not cut up frames")
@pytest.mark.parametrize("offloads", ["on", "off"])
def test_a_network_without_rates_leaves_offloads_on_unless_asked(tmp_path: Path, offloads: str) -> None:
    (tmp_path / "transfer.py").write_text(TRANSFER)
    (tmp_path / "topology.json").write_text(
        json.dumps(
            {
                "hosts": {"h1": {"ip": "10.0.1.1/24"}, "h2": {"ip": "10.0.2.1/24"}},
                "switches": {"s1": {}},
                "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
            }
        )
    )
    asked = ["--no-offload"] if offloads == "off" else []
    output = run_script(
        tmp_path,
        "h1 ethtool -k h1-eth0",
        "s1 ethtool -k s1-eth2",
        f"h2 {sys.executable} {tmp_path}/transfer.py receive 10.0.2.1 0 > {tmp_path}/received &",
        f"h1 while ! grep -q listening {tmp_path}/received; do sleep 0.1; done",
        f"h1 {sys.executable} {tmp_path}/transfer.py send 10.0.2.1 20000000",
        f"h1 while ! grep -q 'received 20000000' {tmp_path}/received; do sleep 0.1; done",
        arguments=["file", str(tmp_path / "topology.json"), "--modern", *asked, "--target", TARGET, *PROGRAM],
    )
    for feature in ("tcp-segmentation-offload", "tx-checksumming"):
        assert output.count(f"{feature}: {offloads}") == 2
    assert "received 20000000" in (tmp_path / "received").read_text()


def test_hosts_of_a_leaf_spine_reach_each_other(tmp_path: Path) -> None:
    output = run_script(
        tmp_path,
        "pingall",
        "h1 ping -c 3 -W 2 h2",
        "h2 ping -c 4 -W 2 h4",
        arguments=["leaf-spine", "--hosts", "2", "--delay", "2ms", "--target", TARGET, *PROGRAM],
    )
    assert "0% dropped (12/12 received)" in output
    assert "3 received" in output
    assert "4 received" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["while it starts", "while packets flow"])
def test_nothing_is_left_after_a_signal(tmp_path: Path, number: signal.Signals, moment: str) -> None:
    script = tmp_path / "script"
    script.write_text("client1 sleep 1000 &\ns1 sleep 1000 &\nserver1 ping -i 0.2 -c 1000 client1\n")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        # A background job of a shell has SIGINT ignored, and so have its children.
        ["env", "--default-signal=INT", *COMMAND, "n1", *OPTIONS, "--host-algo", "becn", "--script", str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        if moment == "while it starts":
            deadline = time.monotonic() + 30
            while len(leftovers.descendants(process.pid)) < 2:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        else:
            line = process.stdout.readline()
            while "time=" not in line:
                assert line, "it ended before a packet came through"
                line = process.stdout.readline()
        started = leftovers.descendants(process.pid)
        namespaces = leftovers.network_namespaces(started) - leftovers.network_namespaces([os.getpid()])
        cookies = leftovers.cookies(started)
        assert started
        if moment == "while packets flow":
            assert len(leftovers.enabled_hosts() & cookies) == 2
        process.send_signal(number)
        process.stdout.read()
        assert process.wait(30) == 128 + number
    finally:
        process.kill()
        process.wait()
    assert leftovers.wait_until_gone(started) == set()
    everyone = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    assert namespaces & leftovers.network_namespaces(everyone) == set()
    ours = ("s1-", "s2-", "server1-", "client1-")
    assert [name for name in leftovers.interfaces() if name.startswith(ours)] == []
    # The programs that quench-host attached to interfaces ended with the namespaces.
    assert leftovers.enabled_hosts() & cookies == set()
    assert list(temporary.iterdir()) == []


def test_a_switch_that_dies_is_said_and_everything_ends(tmp_path: Path) -> None:
    """The demo notices within a second that the bottleneck's process is gone."""
    process = subprocess.Popen(
        [
            *(str(Path(sys.executable).with_name("quench")), "demo", "--target", TARGET, *PROGRAM),
            *("--seconds", "30", "--flows", "2", "--pairs", "1", "--scheme", "ecn", "--out", str(tmp_path / "out")),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        victim = None
        deadline = time.monotonic() + 60
        while victim is None:
            assert time.monotonic() < deadline
            time.sleep(0.2)
            running = leftovers.descendants(process.pid)
            victim = next((pid for pid in running if "1@s1-eth1" in leftovers.command_line(pid)), None)
        started = leftovers.descendants(process.pid)
        time.sleep(5)
        os.kill(victim, signal.SIGKILL)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 1
    assert errors.splitlines()[-1].startswith("quench demo: switch s1 ended with status -9")
    assert "Traceback" not in errors
    assert leftovers.wait_until_gone(started) == set()
    assert not (tmp_path / "out").exists()


def network_of(child: Child) -> RunningNetwork:
    """A network of one process."""
    nowhere = Path(os.devnull)
    return RunningNetwork(
        plan=None, net=None, hosts={}, switches={}, control=None, socket=nowhere, directory=nowhere, controller=child
    )


@needs_autogroups
def test_children_precede_other_sessions(tmp_path: Path) -> None:
    """Beside busy processes of other sessions the nice value alone does nothing."""
    with raised_priority():
        child = Child("switch s1", ["sleep", "60"], tmp_path / "log")
    try:
        assert os.getpriority(os.PRIO_PROCESS, child.pid) <= PRIORITY
        assert nice_of_session(Path(f"/proc/{child.pid}/autogroup").read_text()) <= PRIORITY
    finally:
        child.stop()


@needs_autogroups
def test_hosts_precede_other_sessions(tmp_path: Path) -> None:
    output = run_script(tmp_path, *(f"{node} cat /proc/self/autogroup" for node in ("server1", "client1", "s1")))
    sessions = [line for line in output.splitlines() if "autogroup-" in line]
    assert len(sessions) == 3
    assert all(nice_of_session(line) <= PRIORITY for line in sessions), sessions


def nice_of_session(autogroup: str) -> int:
    """The nice value in a line such as ``/autogroup-120 nice -15``."""
    return int(autogroup.rpartition(" ")[2])


def test_a_process_that_is_still_dying_is_named_as_the_cause(tmp_path: Path) -> None:
    """Its connections are closed before its end can be seen, so something else fails first."""
    dying = Child("switch s1", ["sh", "-c", "sleep 0.3; kill -KILL $$"], tmp_path / "log")
    with pytest.raises(TopologyError, match="switch s1 ended with status -9"), network_of(dying).causes_named():
        raise ControllerError("no answer")


def test_a_failure_without_an_end_stays_as_it_is(tmp_path: Path) -> None:
    running = Child("switch s1", ["sleep", "60"], tmp_path / "log")
    try:
        with pytest.raises(ControllerError, match="no answer"), network_of(running).causes_named():
            raise ControllerError("no answer")
    finally:
        running.stop()


def test_temporary_folders_are_removed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*COMMAND, "n1", "--pairs", "1", "--target", "nonsense", *PROGRAM],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": folder},
            check=False,
        )
        assert done.returncode == 1
        assert "nonsense" in done.stderr
        assert list(Path(folder).iterdir()) == []
