# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switch's thread, its waits and its lock, and packets on a real interface."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from quench_switch import DataPlaneError, RealtimeSwitch

CPU_PORT = 64
ETH_P_ALL = 3


@pytest.fixture
def running(program_json: str) -> Iterator[RealtimeSwitch]:
    """Sends everything from the CPU port back to it."""
    switch = RealtimeSwitch(cpu_port=CPU_PORT)
    switch.load(program_json)
    switch.table_set_default("MyIngress.routes", ("action", "MyIngress.route", [bytes([CPU_PORT])]))
    switch.start()
    yield switch
    switch.stop()


def test_a_packet_makes_the_round_through_the_cpu_port(running: RealtimeSwitch) -> None:
    before = time.monotonic_ns()
    running.packet_out(bytes(range(64)))
    [(packet, time_ns)] = running.wait_cpu(2_000_000_000)
    assert packet == bytes(range(64))
    assert before <= time_ns <= time.monotonic_ns()


def test_digests_can_be_waited_for(running: RealtimeSwitch) -> None:
    running.packet_out(bytes(64))
    [(_, messages, _)] = running.wait_digests(2_000_000_000)
    assert [int.from_bytes(field, "big") for field in messages[0]] == [0, CPU_PORT]


def test_a_wait_lets_other_threads_run_and_ends_with_what_they_send(running: RealtimeSwitch) -> None:
    threading.Timer(0.05, running.packet_out, [bytes(64)]).start()
    started = time.monotonic()
    assert len(running.wait_cpu(30_000_000_000)) == 1
    assert time.monotonic() - started < 10


def test_a_wait_ends_at_its_timeout_and_at_stop(running: RealtimeSwitch) -> None:
    started = time.monotonic()
    assert running.wait_cpu(150_000_000) == []
    assert 0.15 <= time.monotonic() - started < 10
    threading.Timer(0.05, running.stop).start()
    assert running.wait_digests(2**63) == []
    running.stop()


def test_a_signal_interrupts_a_wait(running: RealtimeSwitch) -> None:
    threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        running.wait_cpu(30_000_000_000)


def test_control_calls_from_many_threads(running: RealtimeSwitch) -> None:
    def count(index: int) -> None:
        for i in range(200):
            running.register_write("MyIngress.last_port", index, i.to_bytes(2, "big"))
            running.packet_out(bytes(64))

    threads = [threading.Thread(target=count, args=[index]) for index in range(1, 5)]
    for thread in threads:
        thread.start()
    received = 0
    while received < 800 and (packets := running.wait_cpu(2_000_000_000)):
        received += len(packets)
    for thread in threads:
        thread.join()
    assert received == 800
    values = running.register_read_all("MyIngress.last_port")
    assert [int.from_bytes(value, "big") for value in values[1:5]] == [199] * 4


def test_what_cannot_be_is_refused(running: RealtimeSwitch) -> None:
    with pytest.raises(DataPlaneError) as caught:
        running.start()
    assert caught.value.code == "failed_precondition"
    with pytest.raises(DataPlaneError) as caught:
        running.remove_port(1)
    assert caught.value.code == "not_found"
    with pytest.raises(DataPlaneError) as caught:
        running.add_port(CPU_PORT, "lo")
    assert caught.value.code == "invalid_argument"
    with pytest.raises(OSError, match="no such interface") as missing:
        running.add_port(1, "qswd-absent")
    assert missing.value.errno == errno.ENODEV
    with pytest.raises(DataPlaneError, match="no CPU port"):
        RealtimeSwitch().packet_out(bytes(64))


def test_a_forgotten_switch_stops() -> None:
    def threads() -> list[str]:
        return [task.name for task in Path("/proc/self/task").iterdir() if is_switch(task)]

    def is_switch(task: Path) -> bool:
        try:
            return "quench-switch" in (task / "comm").read_text()
        except OSError:  # it ended meanwhile
            return False

    def eventually(count: int) -> None:
        """A thread names itself after it started, and leaves /proc after it ended."""
        deadline = time.monotonic() + 30
        while len(threads()) != count:
            assert time.monotonic() < deadline, f"{threads()} run instead of {count}"
            time.sleep(0.001)

    eventually(0)
    switch = RealtimeSwitch()
    switch.start()
    eventually(1)
    del switch
    gc.collect()
    eventually(0)


@pytest.mark.netns
def test_an_interface_and_its_loss(
    running: RealtimeSwitch, veth: tuple[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    far, near = veth
    running.add_port(1, near, str(tmp_path / "s"))
    running.table_set_default("MyIngress.routes", ("action", "MyIngress.route", [b"\x01"]))
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as host:
        host.bind((far, ETH_P_ALL))
        host.settimeout(30)
        packet = b"\x02" * 12 + b"\x08\x00" + bytes(50)
        running.packet_out(packet)
        assert host.recv(2000) == packet
    state = running.port_get(1)
    assert (state["tx_pkts"], state["tx_bytes"]) == (1, 64)
    with caplog.at_level(logging.INFO):
        subprocess.run(["ip", "link", "del", far], check=True)
        deadline = time.monotonic() + 30
        while not any("was removed" in record.message for record in caplog.records):
            assert time.monotonic() < deadline, "the loss was not logged"
            time.sleep(0.01)
    running.packet_out(packet)
    while running.stats()["tx_no_link_pkts"] == 0:
        assert time.monotonic() < deadline, "the packet was not counted"
        time.sleep(0.01)
    running.stop()
    assert (tmp_path / "s_out.pcap").stat().st_size == 24 + 16 + 64
    assert (tmp_path / "s_in.pcap").stat().st_size == 24


@pytest.mark.netns
def test_what_a_link_without_a_carrier_loses_is_counted(
    running: RealtimeSwitch, veth: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """The kernel takes such packets, drops them, and reports success."""
    far, near = veth
    running.add_port(1, near)
    running.table_set_default("MyIngress.routes", ("action", "MyIngress.route", [b"\x01"]))
    with caplog.at_level(logging.INFO):
        subprocess.run(["ip", "link", "set", far, "down"], check=True)
        deadline = time.monotonic() + 30
        while not any(f"{near} is down" in record.message for record in caplog.records):
            assert time.monotonic() < deadline, "the loss of the carrier was not logged"
            time.sleep(0.01)
    running.packet_out(b"\x02" * 12 + b"\x08\x00" + bytes(50))
    while running.port_get(1)["tx_pkts"] == 0:
        assert time.monotonic() < deadline, "the packet did not leave its queue"
        time.sleep(0.01)
    assert running.stats()["tx_no_link_pkts"] == 1


@pytest.mark.parametrize(("options", "fault"), [({"io": "raw"}, "packet, xdp or auto"), ({"poll_us": 10**7}, "busily")])
def test_ways_of_packets_that_do_not_exist_are_refused(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(DataPlaneError, match=fault) as caught:
        RealtimeSwitch(**options)
    assert caught.value.code == "invalid_argument"


@pytest.mark.netns
def test_xdp_takes_an_interface_without_offloads(
    program_json: str, veth: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    far, near = veth
    packet = b"\x02" * 12 + b"\x08\x00" + bytes(50)

    def reaches_the_far_end(io: str) -> bool:
        switch = RealtimeSwitch(cpu_port=CPU_PORT, io=io, poll_us=50)
        switch.load(program_json)
        switch.table_set_default("MyIngress.routes", ("action", "MyIngress.route", [b"\x01"]))
        switch.add_port(1, near)
        switch.start()
        try:
            with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as host:
                host.bind((far, ETH_P_ALL))
                host.settimeout(30)
                switch.packet_out(packet)
                return host.recv(2000) == packet
        finally:
            switch.stop()

    with pytest.raises(DataPlaneError, match=f"{near}: XDP needs offloads off: run `ethtool -K {far} tx off") as caught:
        reaches_the_far_end("xdp")
    assert caught.value.code == "failed_precondition"
    with caplog.at_level(logging.INFO):
        assert reaches_the_far_end("auto")
        subprocess.run(["ethtool", "-K", far, "tx", "off", "tso", "off", "txvlan", "off"], check=True)
        assert reaches_the_far_end("xdp")
    log = "\n".join(record.message for record in caplog.records)
    assert f"interface {near} by packet sockets: XDP needs offloads off" in log
    assert f"interface {near} by XDP in the driver" in log
