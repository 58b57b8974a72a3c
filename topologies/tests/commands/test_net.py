# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench net`` with load, captures and metrics, and Mininet's own commands at its prompt."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from itertools import pairwise
from pathlib import Path
from urllib.error import URLError

import pytest

pytestmark = pytest.mark.netns
TARGET = os.environ.get("QUENCH_TARGET", "embedded")
PROGRAM = ["--program", os.environ["QUENCH_PROGRAM"]] if "QUENCH_PROGRAM" in os.environ else []
COMMAND = [str(Path(sys.executable).with_name("quench")), "net", "n1", "--pairs", "1", "--target", TARGET, *PROGRAM]
PATIENCE_S = 90
"""Against a hang; all of it takes a quarter."""
SCRIPT = """\
dump
net
links
pingpair
pingall
iperf
py net.iperf(l4Type="UDP", udpBw="500K", seconds=1)
traffic
py server1.IP(), client1.intf().prefixLen
py server1.setIP('10.0.1.7/24')
py server1.IP()
server1 ip -4 -o address show dev server1-eth0
sh {quench} net list --json
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def scrape(port: int, process: "subprocess.Popen[str]") -> str:
    """The metrics, as soon as they are served."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                return str(answer.read().decode())
        except (URLError, ConnectionError, TimeoutError):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Path]:
    """The output of a network with everything beside it, its metrics, and the folder of its captures."""
    folder = tmp_path_factory.mktemp("net")
    (folder / "script").write_text(SCRIPT.format(quench=COMMAND[0]))
    port = free_port()
    options = ["--traffic", "6", "--udp", "300kbps", "--pcap", str(folder / "pcap"), "--metrics", f"127.0.0.1:{port}"]
    process = subprocess.Popen(
        [*COMMAND, "--scheme", "ecn-becn", *options, "--script", str(folder / "script")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        metrics = scrape(port, process)
        output, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, output
    return output, metrics, folder / "pcap"


def test_mininet_knows_the_hosts_addresses(session: tuple[str, str, Path]) -> None:
    output, _, _ = session
    assert re.search(r"<PlannedHost server1: server1-eth0:10\.0\.1\.1 pid=\d+>", output)
    assert "client1 client1-eth0:s2-eth2" in output
    assert "server1-eth0<->s1-eth2 (OK OK)" in output
    assert "('10.0.1.1', 24)" in output
    assert "inet 10.0.1.7/24" in output
    assert re.search(r"^10\.0\.1\.7$", output, re.MULTILINE)


def test_the_network_is_listed(session: tuple[str, str, Path]) -> None:
    output, _, _ = session
    assert re.search(r'"name": "n1",\s+"pid": \d+,\s+"since": "20[^"]+",\s+"socket": "/[^"]+"', output), output


def test_mininets_own_measurements_work(session: tuple[str, str, Path]) -> None:
    output, _, _ = session
    # Each of the two hosts reaches the other, twice: pingpair, pingall. A ping may be lost in the full queue.
    assert len(re.findall(r"^\*\*\* Results: \d+% dropped \(\d/2 received\)$", output, re.MULTILINE)) == 2
    assert re.search(r"^(server1 -> client1|client1 -> server1) $", output, re.MULTILINE)
    assert "could not parse" not in output
    rates = re.findall(r"^\*\*\* Results: \[(.*bits/sec.*)\]$", output, re.MULTILINE)
    tcp, udp = (each.split(", ") for each in rates)
    assert (len(tcp), len(udp)) == (2, 3)
    assert udp[0] == "'500K'"


def test_the_built_in_load_says_what_it_does(session: tuple[str, str, Path]) -> None:
    output, _, _ = session
    flows = re.search(r"^6 TCP flows, the last \d+ s: ([\d.]+) Mb/s of data, .*median [\d.]+, ", output, re.MULTILINE)
    assert flows is not None, output
    assert 0 < float(flows[1]) < 10.1
    assert re.search(r"^UDP from server1 to client1: the last \d+ s 0\.[23]\d Mb/s sent, ", output, re.MULTILINE)


def test_metrics_are_served_on_the_machine_itself(session: tuple[str, str, Path]) -> None:
    _, metrics, _ = session
    assert 'quench_connected{switch="s1"} 1.0' in metrics


def packets(capture: Path, display_filter: str) -> list[list[str]]:
    command = ["tshark", "-r", str(capture), "-Y", display_filter, "-T", "fields"]
    fields = ["-e", "frame.time_epoch", "-e", "frame.len", "-e", "ip.src", "-e", "ip.dst"]
    done = subprocess.run([*command, *fields], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_each_link_has_a_capture_that_shows_what_is_said_of_it(session: tuple[str, str, Path]) -> None:
    _, _, folder = session
    assert {path.name for path in folder.iterdir()} == {"s1-s2.pcap", "server1-s1.pcap", "client1-s2.pcap"}
    marks, quenches = "ip.dsfield.ecn == 3 and not icmp", "icmp.type == 4"
    on_the_bottleneck = packets(folder / "s1-s2.pcap", f"{marks} or {quenches}")
    assert on_the_bottleneck
    assert all(packet[3] == "10.1.1.1" for packet in on_the_bottleneck)
    at_the_sender = packets(folder / "server1-s1.pcap", f"({marks}) or {quenches}")
    assert at_the_sender
    assert all(packet[2].split(",")[0] == "198.18.0.1" for packet in at_the_sender)
    whole = packets(folder / "client1-s2.pcap", "tcp")
    assert {packet[2] for packet in whole} == {"10.0.1.1", "10.1.1.1"}
    assert max(int(packet[1]) for packet in whole) == 1014
    times_s = [float(packet[0]) for packet in whole]
    assert abs(times_s[-1] - time.time()) < 3600
    # A packet that comes in is stamped before one that goes out, and may be queued behind it.
    assert all(later - earlier > -0.5 for earlier, later in pairwise(times_s))
