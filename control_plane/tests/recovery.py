# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure how long sources go untold when a controller or a switch dies: ``python control_plane/tests/recovery.py``.

A packet goes to the switch every 5 ms; each is marked and its source should be told. Needs root.
"""

import argparse
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from lab import CONFIG, Lab, lab, wait_until
from quench.errors import ControllerError
from quench.service.protocol import ControlClient
from test_isq import ICMP, ipv4

MACS = bytes.fromhex("000000000101 000000000102")
PACE_S = 0.005
HANG_S = 60
UNLIMITED = CONFIG.replace("per_source: {{rate: 0.001, burst: 5}}", "per_source: null").replace("60s", "200ms")


def until_told_s(network: Lab, start_s: float) -> float:
    """Seconds from ``start_s`` until a source quench about a packet that was sent from then on."""
    number = 0
    while time.monotonic() - start_s < HANG_S:
        number += 1
        network.send(ipv4(payload=number.to_bytes(8, "big") + bytes(972), source="10.0.1.1", tos=0b10, macs=MACS))
        frame = network.receive(1, PACE_S)
        if frame is not None and frame[23] == ICMP:
            return time.monotonic() - start_s
    raise AssertionError("no source quench came")


def controller_starts(network: Lab) -> float:
    """From exec to the first source quench, the switch running."""
    network.end(network.processes[-1], signal.SIGKILL)
    network.drain()
    start_s = time.monotonic()
    network.start_controller()
    return until_told_s(network, start_s)


def switch_restarts(network: Lab) -> float:
    """From the exec of a killed switch to the first source quench."""
    network.end(network.processes[0], signal.SIGKILL)
    time.sleep(1)
    network.drain()
    start_s = time.monotonic()
    network.processes[0] = network.start_switch()
    network.processes.pop()
    return until_told_s(network, start_s)


def standby_takes_over(network: Lab) -> float:
    """From the primary's kill -9 to the first source quench."""
    path = network.folder / "standby.sock"
    standby = network.start_controller("--election-id", "5", "--socket", str(path), "--metrics", "127.0.0.1:9465")

    def is_there() -> bool:
        try:
            return "s1" in ControlClient(path).call("ping")
        except ControllerError:
            return False

    wait_until(is_there, HANG_S)
    wait_until(lambda: "standing by" in network.log(), HANG_S)
    time.sleep(0.5)
    network.drain()
    start_s = time.monotonic()
    network.processes[1].kill()
    took_s = until_told_s(network, start_s)
    network.processes[1].wait()
    network.end(standby)
    network.processes[1:] = []
    network.start_controller()
    wait_until(network.connected, HANG_S)
    return took_s


def main() -> None:
    """Print median and worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=11)
    times = parser.parse_args().times
    cases: list[tuple[str, Callable[[Lab], float]]] = [
        ("controller: exec to first ISQ", controller_starts),
        ("standby: kill -9 of the primary to first ISQ", standby_takes_over),
        ("switch: exec to first ISQ", switch_restarts),
    ]
    for name, case in cases:
        with tempfile.TemporaryDirectory() as folder, lab(Path(folder), UNLIMITED) as network:
            network.start_switch()
            network.start_controller()
            wait_until(network.connected, HANG_S)
            until_told_s(network, time.monotonic())
            measured = [case(network) for _ in range(times)]
        print(f"{name:45}  median {statistics.median(measured):.2f} s, worst {max(measured):.2f} s")  # noqa: T201


if __name__ == "__main__":
    main()
