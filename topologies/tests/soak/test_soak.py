# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The fault campaign finds losses and remains; then a short campaign."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from quench_topologies.isolation import private_network
from quench_topologies.network import RunningNetwork
from quench_topologies.plan import Endpoint
from quench_topologies.soak import accounting
from quench_topologies.soak.accounting import Account, Crossed, Reading, account
from quench_topologies.soak.aftermath import Belongings, Machine, faults_in_logs, left_behind
from quench_topologies.soak.campaign import Record, Recovery, draw_profile, soak_plan
from quench_topologies.soak.hostile import PROTOCOLS
from quench_topologies.soak.report import summarise
from quench_topologies.soak.watch import DATAGRAMS, Watch

TARGET = os.environ.get("QUENCH_TARGET", "embedded")
QUENCH = str(Path(sys.executable).with_name("quench"))
PLAN = soak_plan().plan
NETWORK = cast("RunningNetwork", SimpleNamespace(plan=PLAN, hosts={host.name: None for host in PLAN.hosts}))
ENDS = [end for link in PLAN.links for end in (link.a, link.b)]
COUNTS = dict.fromkeys(accounting.ALL_COUNTS, 0)
BEFORE = Reading({end: Crossed(7, 7) for end in ENDS}, {"s1": COUNTS, "s2": COUNTS})
DROPPED_PKTS = 3


def crossing(pkts: int) -> Reading:
    """A reading in which so many packets go from server1 to client1; s1 drops some of them."""
    rest = pkts - DROPPED_PKTS
    ends = dict(BEFORE.ends)
    ends[Endpoint("server1")] = Crossed(7, 7 + pkts)
    ends[Endpoint("s1", 2)] = Crossed(7 + pkts, 7)
    ends[Endpoint("s1", 1)] = Crossed(7, 7 + rest)
    ends[Endpoint("s2", 1)] = Crossed(7 + rest, 7)
    ends[Endpoint("s2", 2)] = Crossed(7, 7 + rest)
    ends[Endpoint("client1")] = Crossed(7 + rest, 7)
    s1 = {**COUNTS, "port_rx_pkts": pkts, "received_pkts": pkts, "dropped_ingress": DROPPED_PKTS, "sent_pkts": rest}
    s2 = {**COUNTS, "port_rx_pkts": rest, "received_pkts": rest, "sent_pkts": rest}
    return Reading(ends, {"s1": s1, "s2": s2})


def test_packets_that_were_sent_dropped_and_received_add_up() -> None:
    assert account(NETWORK, BEFORE, crossing(100), ()) == Account(100, 97, {"dropped_ingress": 3}, (), ())


def changed(reading: Reading, switch: str, counts: Mapping[str, int]) -> Reading:
    return replace(reading, switches={**reading.switches, switch: {**reading.switches[switch], **counts}})


@pytest.mark.parametrize("name", ["port_rx_pkts", "received_pkts", "sent_pkts", "dropped_ingress", "clones_egress"])
def test_one_packet_too_few_or_too_many_is_found(name: str) -> None:
    reading = crossing(100)
    for difference in (-1, 1):
        wrong = changed(reading, "s1", {name: reading.switches["s1"][name] + difference})
        assert any("s1: " in fault for fault in account(NETWORK, BEFORE, wrong, ()).faults)


def test_a_packet_lost_between_two_interfaces_is_found() -> None:
    ends = {**crossing(100).ends, Endpoint("client1"): Crossed(7 + 96, 7)}
    faults = account(NETWORK, BEFORE, replace(crossing(100), ends=ends), ()).faults
    assert faults == ("s2 port 2 sent 97 packets, client1 port 0 received 96",)


def test_a_packet_that_a_driver_refuses_is_counted_by_the_kernel_and_by_the_switch() -> None:
    left = crossing(100).ends[Endpoint("s1", 1)]
    received = crossing(100).ends[Endpoint("s2", 1)]
    for no_buffer, found in ((0, False), (1, False), (2, True)):
        ends = {
            **crossing(100).ends,
            Endpoint("s1", 1): Crossed(left.received_pkts, left.sent_pkts - 1, refused_pkts=1),
            Endpoint("s2", 1): replace(received, received_pkts=received.received_pkts - 1),
        }
        counts = crossing(100).switches
        counts = {**counts, "s1": {**counts["s1"], "tx_no_buffer_pkts": counts["s1"]["tx_no_buffer_pkts"] + no_buffer}}
        faults = account(NETWORK, BEFORE, Reading(ends, counts), ()).faults
        assert any("s1: " in fault for fault in faults) == found


def test_a_count_that_the_switch_does_not_have_is_named() -> None:
    reading = crossing(100)
    counts = {name: count for name, count in reading.switches["s1"].items() if name != "dropped_egress"}
    without = replace(reading, switches={**reading.switches, "s1": counts})
    assert account(NETWORK, BEFORE, without, ()).faults == ("s1 does not count dropped_egress",)


def test_a_killed_switch_is_left_out_and_named() -> None:
    restarted = changed(crossing(100), "s1", COUNTS)
    result = account(NETWORK, BEFORE, restarted, {"s1"})
    assert (result.faults, result.dropped_pkts, result.hidden_by_kill) == ((), {}, ("s1",))
    assert account(NETWORK, BEFORE, restarted, ()).faults


def test_errors_that_nobody_foresaw_are_found_in_logs(tmp_path: Path) -> None:
    for name, text in (
        ("good.log", "s1: programmed\nERROR port 1: interface s1-eth1 is down\n"),
        (
            "python.log",
            "all is well\nTraceback (most recent call last):\n  File x\nTraceback (most recent call last):\n",
        ),
        ("rust.log", "thread 'switch' panicked at src/lib.rs:1:1:\n"),
    ):
        (tmp_path / name).write_text(text)
    assert faults_in_logs(tmp_path.glob("*.log")) == [
        "python.log, line 2: Traceback (most recent call last): (and 1 more)",
        "rust.log, line 1: thread 'switch' panicked at src/lib.rs:1:1:",
    ]


@pytest.mark.netns
def test_what_is_left_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quench_topologies.soak.aftermath.SETTLE_S", 0.0)
    home = str(Path("/proc/self/ns/net").readlink())
    belongings = Belongings()
    before = replace(Machine.now(), interfaces=frozenset())
    with private_network():
        process = subprocess.Popen(["sleep", "100"])
        belongings.note()
    try:
        (tmp_path / "forgotten").touch()
        left = left_behind(before, belongings, home, tmp_path)
    finally:
        process.kill()
        process.wait()
    for what in (
        f"a process is left: {process.pid}",
        "a network namespace is left",
        "forgotten",
        "interface is left: lo",
    ):
        assert any(what in line for line in left), (what, left)
    (tmp_path / "forgotten").unlink()
    assert belongings.left(home) == []


@pytest.mark.netns
def test_a_small_disk_is_private_and_full_when_it_is_full(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from quench_topologies.isolation import private_mount\n"
        "place = pathlib.Path(sys.argv[1])\n"
        "with private_mount(place, 65536):\n"
        "    try:\n"
        "        (place / 'x').write_bytes(bytes(100000))\n"
        "    except OSError as error:\n"
        "        print(error.strerror)\n"
        "    input()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "No space left on device\n"
        assert list(tmp_path.iterdir()) == []
        process.communicate("\n")


@pytest.mark.netns
def test_a_watch_sees_what_it_is_for() -> None:
    with private_network():
        here = f"/proc/{os.getpid()}/task/{threading.get_native_id()}/ns/net"
        with Watch([(here, "lo")], DATAGRAMS) as watch, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"other", ("127.0.0.1", 4002))
            assert watch.first_after(0.0, 0.2) is None
            began_s = time.monotonic()
            sender.sendto(b"mine", ("127.0.0.1", 4001))
            seen_s = watch.first_after(began_s, 5.0)
            assert seen_s is not None
            assert watch.first_after(seen_s, 0.0) is None
            assert watch.count() == 1


def test_a_recovery_that_never_came_is_no_number() -> None:
    record = Record([Recovery("switch killed", 1.0, 2.5), Recovery("switch killed", 9.0, None)])
    (row,) = [each for each in summarise(record)["faults"] if each["name"] == "switch killed"]
    assert (row["times"], row["recovered"], row["median_s"], row["worst_s"]) == (2, 1, 2.5, 2.5)


def test_drawn_profiles_are_valid_and_by_the_seed() -> None:
    def drawn(seed: int) -> list[dict[str, Any]]:
        draw = random.Random(seed)
        return [draw_profile(draw) for _ in range(50)]

    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.netns
@pytest.mark.skipif(TARGET != "embedded", reason="BMv2 does not count all that it drops")
def test_a_short_campaign_loses_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"--seed {seed}")  # noqa: T201
    program = ["--program", os.environ["QUENCH_PROGRAM"]] if "QUENCH_PROGRAM" in os.environ else []
    done = subprocess.run(
        [QUENCH, "soak", "--seconds", "60", "--seed", str(seed), *program, "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["broken"] == []
    assert all(fault["times"] == fault["recovered"] for fault in summary["faults"])
    # On a busy machine the time does not suffice for each of them.
    times = {fault["name"]: fault["times"] for fault in summary["faults"]}
    assert sum(count > 0 for count in times.values()) >= 10
    packets = summary["packets"]
    # Datagrams keep coming while the port is held, so that there is always a packet in its queue.
    assert (packets["dropped_pkts"].get("dropped_reload", 0) > 0) == (times["program replaced"] > 0)
    assert {each["protocol"] for each in summary["readers"]} == {each.protocol for each in PROTOCOLS}
    assert all(each["visits"] >= each["answered"] > 0 for each in summary["readers"])
    assert packets["sent_by_hosts_pkts"] > 10_000
    assert packets["intervals"] > packets["intervals_hidden_by_kill"] > 0
    assert packets["source_quenches_pkts"] > 0
