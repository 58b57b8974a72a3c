# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two controllers and one switch: real processes."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import QUENCH, Lab, lab, wait_until
from quench.errors import ControllerError
from quench.service.protocol import ControlClient
from test_isq import ICMP, ipv4

MACS = bytes.fromhex("000000000101 000000000102")
HANG_S = 60


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Lab]:
    with lab(tmp_path) as made:
        made.start_switch()
        yield made


def packet(number: int) -> bytes:
    """Each from a source of its own: no limit on sources applies."""
    return ipv4(payload=bytes(980), source=f"10.0.1.{2 + number % 250}", tos=0b10, macs=MACS)


def is_primary(client: ControlClient) -> bool:
    try:
        return bool(client.call("ping")["s1"])
    except ControllerError:
        return False


def start_standby(network: Lab) -> tuple["subprocess.Popen[bytes]", ControlClient]:
    path = network.folder / "standby.sock"
    process = network.start_controller("--election-id", "5", "--socket", str(path), "--metrics", "127.0.0.1:9465")
    client = ControlClient(path)

    def answers() -> bool:
        try:
            return "s1" in client.call("ping")
        except ControllerError:
            return False

    wait_until(answers, HANG_S)
    return process, client


def first_isq_s(network: Lab) -> float:
    """Seconds until a source quench is sent, with a packet every 10 ms."""
    start = time.monotonic()
    number = 0
    while time.monotonic() - start < HANG_S:
        network.send(packet(number))
        number += 1
        isq = network.receive(1, 0.01)
        if isq is not None and isq[23] == ICMP:
            return time.monotonic() - start
    raise AssertionError("no source quench came")


def test_a_standby_is_quiet_takes_over_and_gives_back(network: Lab) -> None:
    primary = network.start_controller()
    wait_until(network.connected, HANG_S)
    _, standby = start_standby(network)
    wait_until(lambda: "standing by: the controller with election id 10 is primary" in network.log(), HANG_S)
    assert not is_primary(standby)
    with pytest.raises(ControllerError, match="is not connected"):
        standby.call("isq.set", mode="off")

    primary.kill()
    primary.wait()
    network.drain()
    assert first_isq_s(network) < HANG_S
    wait_until(lambda: is_primary(standby), HANG_S)

    primary = network.start_controller()
    wait_until(network.connected, HANG_S)
    wait_until(lambda: not is_primary(standby), HANG_S)
    network.drain()
    assert first_isq_s(network) < HANG_S
    # And again: the term of the election ids has risen meanwhile.
    primary.kill()
    primary.wait()
    wait_until(lambda: is_primary(standby), HANG_S)
    log = network.log()
    assert "Traceback" not in log
    assert log.count("standing by") == 2, "one line each time"


def test_an_election_id_that_is_taken_is_one_line(network: Lab) -> None:
    first = network.start_controller()
    wait_until(network.connected, HANG_S)
    path = network.folder / "same.sock"
    second = network.start_controller("--socket", str(path), "--metrics", "127.0.0.1:9465")
    wait_until(lambda: "election_id 10 is used by another live controller" in network.log(), HANG_S)
    time.sleep(2)
    assert network.log().count("is used by another live controller") == 1
    network.end(first, signal.SIGKILL)
    wait_until(lambda: is_primary(ControlClient(path)), HANG_S)
    assert network.end(second) == 0
    assert "Traceback" not in network.log()


def test_a_change_past_the_controllers_is_taken_back_by_the_primary(network: Lab) -> None:
    """A client without a controller outbids both for a moment, each time."""
    network.start_controller()
    wait_until(network.connected, HANG_S)
    _, standby = start_standby(network)
    for _ in range(2):
        change = ["--port", "2", "--scheme", "taildrop", "--rate", "10Mbps", "--address", "127.0.0.1:9559"]
        command = ["ip", "netns", "exec", network.name, QUENCH, "thresholds", "set", "s1", *change]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANG_S)
        assert (done.returncode, done.stderr) == (0, "")
        wait_until(network.connected, HANG_S)
        assert not is_primary(standby)
    network.drain()
    assert first_isq_s(network) < HANG_S


def test_a_switch_that_comes_back_is_programmed_by_the_primary(network: Lab) -> None:
    network.start_controller()
    wait_until(network.connected, HANG_S)
    _, standby = start_standby(network)
    network.end(network.processes[0], signal.SIGKILL)
    wait_until(lambda: not network.connected(), HANG_S)
    network.start_switch()
    wait_until(network.connected, HANG_S)
    wait_until(lambda: not is_primary(standby), HANG_S)
    assert network.log().count("trying again") <= 6
