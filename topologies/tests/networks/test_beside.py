# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of ``quench net``, each by itself: the prompt, captures, the way to a port inside, and the load."""

import errno
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path

import pytest
from quench_topologies import capture
from quench_topologies.capture import LinkCapture, capture_names, describe_captures
from quench_topologies.datagram_traffic import DatagramRecord, SentDatagram
from quench_topologies.datagrams import ConstantRate, VoiceCalls
from quench_topologies.forward import MAX_CONNECTIONS, forwarded, listen
from quench_topologies.isolation import private_network
from quench_topologies.loaded_plan import LoadedPlan, LoadSettings
from quench_topologies.net.load import datagrams_of, describe_datagrams, describe_flows
from quench_topologies.papers.catalogue import find_topology
from quench_topologies.plan import Endpoint, LinkPlan
from quench_topologies.plan_file import read_plan
from quench_topologies.traffic import WindowSample

PATIENCE_S = 30


# The part of Mininet's network that its command line needs.
PROMPT = """
import sys
from pathlib import Path
from quench_topologies.errors import TopologyError
from quench_topologies.net.prompt import Prompt

class Net:
    def values(self):
        return []

    def pingAll(self, _timeout):
        raise Exception("no answer")

answers = iter([["6 flows"], TopologyError("a flow failed")])

def describe():
    answer = next(answers)
    if isinstance(answer, Exception):
        raise answer
    return answer

try:
    Prompt(Net(), describe, *map(Path, sys.argv[1:]))
except TopologyError as error:
    print(error)
"""


def prompted(*arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    """A prompt in a process, for Mininet's reads the process's own input."""
    command = [sys.executable, "-c", PROMPT, *arguments]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=PATIENCE_S, check=True)


def loaded_plan_of(name: str) -> LoadedPlan:
    topology = find_topology(name)
    tcp = topology.tcp_plan(paper=True)
    profile = topology.thresholds_for(tcp).profile("ecn")
    return topology.build(
        LoadSettings(profile, topology.row.rate_bps, topology.row.delay_ns, topology.pairs, topology.flows, tcp)
    )


def test_a_command_that_fails_ends_a_script_in_a_line(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("traffic\npingall\ntraffic\n")
    done = prompted(str(script))
    assert done.stdout == f"6 flows\n{script}: pingall: no answer\n"
    assert done.stderr == ""


def test_a_load_that_failed_ends_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("traffic\ntraffic\n")
    assert prompted(str(script)).stdout == "6 flows\na flow failed\n"


def test_a_command_that_fails_at_the_prompt_is_a_line_and_the_next_one_runs() -> None:
    done = prompted(typed="pingall\ntraffic\ntraffic\npingall\nexit\n")
    (*_, first, second, third) = [line for line in done.stderr.splitlines() if line.startswith("quench net: ")]
    assert (first, third) == 2 * ("quench net: pingall: no answer",)
    assert second == "quench net: a flow failed"
    assert "Traceback" not in done.stderr
    assert "6 flows\n" in done.stdout


def test_each_link_has_a_name_of_its_own() -> None:
    plan = loaded_plan_of("n1").plan
    assert len(set(capture_names(plan).values())) == len(plan.links)
    again = LinkPlan(Endpoint("s1", 90), Endpoint("s2", 90))
    twice = type(plan)(plan.hosts, plan.switches, (*plan.links, again))
    assert capture_names(twice)[again] == "s1-s2-2.pcap"


def test_what_is_said_of_captures_names_the_links() -> None:
    marks, quenches = describe_captures(loaded_plan_of("n1"))
    assert "from s1-s2.pcap on" in marks
    assert quenches.endswith("server1-s1.pcap, server2-s1.pcap, server3-s1.pcap and 1 more")
    assert "gw0-gw1.pcap, gw1-gw2.pcap, gw2-gw3.pcap" in describe_captures(loaded_plan_of("g3"))[0]


@pytest.mark.netns
def test_a_capture_ends_with_a_word_when_it_is_long_enough_or_the_disk_is_full(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture, "MAX_FILE_BYTES", 200)
    with ExitStack() as stack:
        stack.enter_context(private_network())
        sender = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        long, full = LinkCapture("lo", tmp_path / "long.pcap"), LinkCapture("lo", tmp_path / "full.pcap")
        full._file.close()
        full._file = stack.enter_context(Path("/dev/full").open("wb", buffering=0))
        for _ in range(4):
            sender.sendto(bytes(1000), ("127.0.0.1", 9))
        for each in (long, full):
            while each.write():
                pass
            each.write()
            each.close()
    assert [record.levelno for record in caplog.records] == 2 * [logging.ERROR]
    assert caplog.messages[0] == f"{long.path}: the capture ends here: it has 0 MiB"
    assert caplog.messages[1] == f"{full.path}: the capture ends here: {os.strerror(errno.ENOSPC)}"
    kept = long.path.read_bytes()
    # Each datagram crosses lo twice, out and in: a record header of 16 bytes, and 256 of 1042.
    assert (len(kept) - 24) % (16 + 256) == 0
    assert len(kept) > 24


@pytest.mark.netns
def test_a_capture_goes_on_when_its_interface_was_down(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with private_network(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        link = LinkCapture("lo", tmp_path / "link.pcap")
        for state in ("down", "up"):
            subprocess.run(["ip", "link", "set", "lo", state], check=True)
            assert not link.write()
        sender.sendto(b"x", ("127.0.0.1", 9))
        link.close()
    assert caplog.messages == []
    assert (tmp_path / "link.pcap").stat().st_size > 24


def test_a_port_leads_to_a_server_inside_and_back() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(PATIENCE_S)

    def answer() -> None:
        with server.accept()[0] as peer:
            asked = b""
            while data := peer.recv(1000):
                asked += data
            peer.sendall(2 * asked)

    thread = threading.Thread(target=answer)
    thread.start()
    with listen("--metrics", "127.0.0.1:0") as listener:
        address = listener.getsockname()
        with server, forwarded(listener, server.getsockname()):
            with socket.create_connection(address, timeout=PATIENCE_S) as client:
                client.sendall(100_000 * b"x")
                client.shutdown(socket.SHUT_WR)
                got = b""
                while data := client.recv(65536):
                    got += data
            thread.join(PATIENCE_S)
    assert got == 200_000 * b"x"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=PATIENCE_S)


def test_idle_connections_keep_nobody_out_and_take_no_threads() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        listen("--metrics", "127.0.0.1:0") as listener,
        forwarded(listener, server.getsockname()),
        ExitStack() as idle,
    ):
        address = listener.getsockname()
        before = threading.active_count()
        for _ in range(2 * MAX_CONNECTIONS):
            idle.enter_context(socket.create_connection(address, timeout=PATIENCE_S))
            idle.enter_context(server.accept()[0])
        end_s = time.monotonic() + PATIENCE_S
        while threading.active_count() > before + MAX_CONNECTIONS:
            assert time.monotonic() < end_s
            time.sleep(0.02)
        with socket.create_connection(address, timeout=PATIENCE_S) as client:
            client.sendall(b"x")
            peer, _ = server.accept()
            with peer:
                assert peer.recv(1) == b"x"
                peer.sendall(b"y")
                assert client.recv(1) == b"y"


def test_a_connection_to_nothing_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        nowhere = gone.getsockname()
    with (
        listen("--metrics", "127.0.0.1:0") as listener,
        forwarded(listener, nowhere),
        socket.create_connection(listener.getsockname(), timeout=PATIENCE_S) as client,
    ):
        assert client.recv(1) == b""


def test_datagrams_by_rate_and_by_paper() -> None:
    assert isinstance(datagrams_of("paper", loaded_plan_of("vw")).load, VoiceCalls)
    assert datagrams_of("paper", loaded_plan_of("g3")) == loaded_plan_of("g3").datagrams
    made = datagrams_of("2Mbps", loaded_plan_of("n1"))
    assert (made.sender, made.receiver) == ("server1", "client1")
    assert made.load == ConstantRate(2_000_000, 1000, on_s=1.0, off_s=0.0)


@pytest.mark.parametrize("rate", ["100bps", "7Mbps", "50Mbps"])
def test_datagrams_of_any_rate_keep_it(rate: str) -> None:
    load = datagrams_of(rate, loaded_plan_of("n1")).load
    assert isinstance(load, ConstantRate)
    departures = load.schedule(1)
    times_s = [next(departures).time_s for _ in range(1000)]
    assert load.most_pps == pytest.approx(999 / (times_s[-1] - times_s[0]), rel=0.01)


def test_a_record_forgets_the_oldest_packets_only() -> None:
    kept: deque[SentDatagram] = deque(maxlen=3)
    record = DatagramRecord(100, kept)
    for number in range(5):
        record.note(SentDatagram(0, number))
    assert [packet.sent_ns for packet in kept] == [2, 3, 4]
    assert record.packet(1) is None
    assert record.packet(4) is kept[2]
    with pytest.raises(IndexError):
        record.packet(5)


def test_figures_of_flows() -> None:
    def sample(time_s: float, acked_bytes: int, cwnd_pkts: int, again: int) -> WindowSample:
        return WindowSample(time_s, cwnd_pkts, 10, 90_000, acked_bytes, again)

    assert describe_flows([[], [sample(0, 0, 1, 0)]]) == "2 TCP flows: none is connected as yet"
    flows = [[sample(1, 0, 1, 0), sample(11, 5_000_000, 9, 3)], [sample(6, 0, 1, 0), sample(11, 1_250_000, 4, 1)]]
    assert describe_flows(flows) == (
        "2 TCP flows, the last 10 s: 6.00 Mb/s of data, 4 retransmissions; "
        "now cwnd 4 to 9 packets, median 6.5, and a median round trip of 90 ms"
    )


def test_figures_of_datagrams() -> None:
    def sent(number: int) -> SentDatagram:
        at_ns = number * 10_000_000
        return SentDatagram(0, at_ns, None if number % 4 == 0 else at_ns + 50_000_000)

    packets = [sent(number) for number in range(1, 1201)]
    words = describe_datagrams(packets, 1000, now_ns=12_000_000_000)
    assert words == "the last 10 s 0.80 Mb/s sent, 25.0 % lost, median delay 50 ms"
    assert describe_datagrams(packets, 1000, now_ns=0) == "none as yet"


def test_a_file_has_flows_from_one_half_of_its_hosts_to_the_other(tmp_path: Path) -> None:
    hosts = ", ".join(f'"h{n}": {{"ip": "10.0.{n}.{n}/24"}}' for n in range(1, 6))
    links = ", ".join(f'["h{n}", "s{1 if n < 3 else 2}-p{n}"]' for n in range(1, 6))
    path = tmp_path / "topology.json"
    trunk = '["s1-p9", "s2-p9", 5, 10]'
    path.write_text(f'{{"hosts": {{{hosts}}}, "switches": {{"s1": {{}}, "s2": {{}}}}, "links": [{links}, {trunk}]}}')
    topology = find_topology("n1")
    tcp = topology.tcp_plan(paper=True)
    loaded = read_plan(path, topology.thresholds_for(tcp).profile("ecn"), tcp, 3)
    assert loaded.tcp_ends == [("h1", "h4"), ("h2", "h5"), ("h1", "h4")]
    assert [each.name for each in loaded.bottlenecks] == ["s1 to s2", "s2 to s1"]
    assert loaded.plan.tcp == tcp
