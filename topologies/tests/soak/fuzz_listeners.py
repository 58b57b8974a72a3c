# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a program for people
"""Hostile clients of every listener at full speed: ``python topologies/tests/soak/fuzz_listeners.py --time 60``.

A switch, its controller and the live page run on loopback, with the program of build/. The campaign's attacks on
P4Runtime, Thrift, traces, digests, page, metrics and the controller's socket are drawn from a seed, which is printed.
After that each listener has to answer, and no process may have ended, grown by much, or written an unforeseen error.
"""

import argparse
import random
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from quench_topologies.errors import TopologyError
from quench_topologies.live_page import LivePage
from quench_topologies.process import Child
from quench_topologies.program import find_quench
from quench_topologies.soak.aftermath import faults_in_logs
from quench_topologies.soak.hostile import ControlSocket, Digests, Listener, Metrics, P4Runtime, Page, Thrift, Traces

BUILD = Path(__file__).resolve().parents[3] / "build"
PATIENCE_S = 30.0
HOLD_S = 0.05
"""Longest stay of the clients of an attack."""
MOST_GROWN_BYTES = 256 << 20
MOST_LOG_BYTES = 64 << 10
DEVICE_ID = 7
CONFIG = """\
switches:
  - name: s1
    address: {address}
    device_id: {device_id}
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports: {{2: {{rate: 10Mbps, profile: {{scheme: ecn}}}}}}
socket: {folder}/ctl.sock
metrics: {metrics}
"""


@dataclass
class Lab:
    """The processes that run, and the places where they listen."""

    folder: Path
    listeners: list[Listener]
    children: list[Child]
    before_bytes: dict[int, int] = field(default_factory=dict)

    def grown_bytes(self, child: Child) -> int:
        """Its peak of memory, over what it had before the attacks."""
        return memory_bytes(child.pid, "VmHWM") - self.before_bytes[child.pid]

    def faults(self) -> list[str]:
        """The properties that do not hold, one line each."""
        found = [
            f"{each.protocol} at {each.address}: no honest question is answered"
            for each in self.listeners
            if not answered(each)
        ]
        for child in self.children:
            try:
                child.check()
            except TopologyError as error:
                found.append(str(error))
                continue
            grown_bytes = self.grown_bytes(child)
            if grown_bytes > MOST_GROWN_BYTES:
                found.append(f"{child.name} has grown by {grown_bytes >> 20} MiB")
        logs = list(self.folder.glob("*.log"))
        found += [f"{log.name} has {log.stat().st_size} bytes" for log in logs if log.stat().st_size > MOST_LOG_BYTES]
        return found + faults_in_logs(logs)


def answered(listener: Listener) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not listener.answers():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def memory_bytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) << 10
    return 0


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


@contextmanager
def lab(folder: Path) -> Iterator[Lab]:
    """All listeners, once each of them has answered."""
    address, thrift, digests, metrics = (free_address() for _ in range(4))
    config = folder / "net.yaml"
    config.write_text(CONFIG.format(address=address, device_id=DEVICE_ID, build=BUILD, folder=folder, metrics=metrics))
    quench = str(find_quench())
    page = LivePage("127.0.0.1:0")
    running = Lab(folder, [], [])
    try:
        words = ["switch", "--no-p4", "--device-id", str(DEVICE_ID), "--grpc-server-addr", address]
        words += ["--thrift-addr", thrift, "--notifications-addr", f"tcp://{digests}"]
        switch = Child("the switch", [quench, *words], folder / "switch.log")
        running.children.append(switch)
        controller = Child("the controller", [quench, "controller", "run", str(config)], folder / "controller.log")
        running.children.append(controller)
        running.listeners += [P4Runtime(address, DEVICE_ID), Traces(address), Thrift(thrift), Digests(digests)]
        running.listeners.append(Metrics(metrics))
        running.listeners.append(ControlSocket(str(folder / "ctl.sock")))
        assert answered(running.listeners[-1]), controller.last_words()
        running.listeners.append(Page(urlsplit(page.show(folder / "ctl.sock")).netloc))
        for each in running.listeners:
            assert answered(each), each.protocol
        running.before_bytes = {child.pid: memory_bytes(child.pid, "VmRSS") for child in running.children}
        yield running
    finally:
        page.close()
        for child in reversed(running.children):
            child.stop()


def attack(listeners: list[Listener], seconds: float, seed: int) -> Counter[str]:
    """All listeners at once; how many attacks there were on each protocol."""
    ends_s = time.monotonic() + seconds
    counts: Counter[str] = Counter()

    def go_on(listener: Listener, draw: random.Random) -> None:
        while time.monotonic() < ends_s:
            listener.attack(draw, draw.uniform(0, HOLD_S))
            counts[listener.protocol] += 1

    with ThreadPoolExecutor(len(listeners)) as threads:
        going = [
            threads.submit(go_on, each, random.Random(seed + (number << 32))) for number, each in enumerate(listeners)
        ]
        for each in going:
            each.result()
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time", type=float, default=60.0, help="seconds")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    parser.add_argument("--keep", type=Path, default=Path("out/fuzz"), help="folder of the logs of a run that failed")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with lab(folder) as running:
            counts = attack(running.listeners, arguments.time, arguments.seed)
            found = running.faults()
            grown = [f"{each.name} {running.grown_bytes(each) >> 20} MiB" for each in running.children]
        if found:
            shutil.copytree(
                folder, arguments.keep / f"listeners-{arguments.seed}", ignore=shutil.ignore_patterns("*.sock")
            )
    print(", ".join(f"{protocol} {count}" for protocol, count in sorted(counts.items())))
    print(f"grown: {', '.join(grown)}")
    for line in found:
        print(f"fault: {line}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
