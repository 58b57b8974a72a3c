# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A namespace with a switch and a controller in it, and raw sockets where its hosts would be."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quench.errors import ControllerError
from quench.service.protocol import ControlClient

ROOT = Path(__file__).resolve().parents[2]
QUENCH = str(Path(sys.executable).with_name("quench"))
PORTS = (1, 2)
GRPC = "127.0.0.1:9559"
METRICS = "127.0.0.1:9464"
CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3

ALWAYS = "{{scheme: curve, points: [{{depth: 0, p1: 1.0, isq: true}}, {{depth: 999pkts, p1: 0.5, isq: true}}]}}"
"""The profile of port 2, which chooses nearly every packet. No other scheme's settings make this curve."""
CONFIG = (
    """\
switches:
  - name: s1
    address: {grpc}
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports:
      2: {{rate: 10Mbps, profile: always}}
    routes:
      - {{prefix: 10.0.1.0/24, port: 1, source_mac: "00:00:00:00:01:01", destination_mac: "00:00:00:00:01:02"}}
      - {{prefix: 10.0.2.0/24, port: 2, source_mac: "00:00:00:00:02:01", destination_mac: "00:00:00:00:02:02"}}
profiles:
  always: """
    + ALWAYS
    + """
isq:
  max_age: 60s        # a busy machine fails no test
  per_source: {{rate: 0.001, burst: 5}}
socket: {socket}
metrics: {metrics}
"""
)


def wait_until(condition: Callable[[], Any], timeout_s: float = 20.0) -> Any:
    """The first true value of a condition."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Sockets that are opened here belong to the namespace, and stay there."""
    libc = ctypes.CDLL(None, use_errno=True)
    home, there = os.open("/proc/thread-self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        assert libc.setns(there, CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        yield
    finally:
        assert libc.setns(home, CLONE_NEWNET) == 0
        os.close(home)
        os.close(there)


class Lab:
    """One switch with two ports, its controller, and their processes."""

    def __init__(self, folder: Path, config: str = CONFIG) -> None:
        self.name = f"qctl-{os.getpid()}"
        self.folder = folder
        self.config = config
        self.client = ControlClient(folder / "ctl.sock")
        self.processes: list[subprocess.Popen[bytes]] = []
        self.sockets: dict[int, socket.socket] = {}

    def ip(self, *arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, capture_output=True)

    def set_up(self) -> None:
        self.ip("netns", "add", self.name)
        self.ip("-n", self.name, "link", "set", "lo", "up")
        sysctl = ["sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"]
        subprocess.run(["ip", "netns", "exec", self.name, *sysctl], check=True)
        for port in PORTS:
            self.ip("-n", self.name, "link", "add", f"s{port}", "type", "veth", "peer", "name", f"h{port}")
            for end in (f"s{port}", f"h{port}"):
                self.ip("-n", self.name, "link", "set", end, "up")
            self.sockets[port] = self._socket(f"h{port}")

    def _socket(self, interface: str) -> socket.socket:
        with inside(self.name):
            raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            raw.bind((interface, ETH_P_ALL))
        return raw

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *command], stdout=log, stderr=subprocess.STDOUT
            )
        self.processes.append(process)
        return process

    def start_switch(self, *more: str) -> "subprocess.Popen[bytes]":
        interfaces = [item for port in PORTS for item in ("-i", f"{port}@s{port}")]
        options = ["--no-p4", "--cpu-port", "510", "--grpc-server-addr", GRPC]
        return self.start(QUENCH, "switch", *options, *more, *interfaces)

    def start_controller(self, *more: str) -> "subprocess.Popen[bytes]":
        config = self.folder / "net.yaml"
        build = ROOT / "build"
        config.write_text(self.config.format(grpc=GRPC, build=build, socket=self.folder / "ctl.sock", metrics=METRICS))
        return self.start(QUENCH, "controller", "run", str(config), *more)

    def metrics(self) -> str:
        """The text of the controller's metrics endpoint."""
        fetch = f"import urllib.request as u; print(u.urlopen('http://{METRICS}/metrics').read().decode())"
        command = ["ip", "netns", "exec", self.name, sys.executable, "-c", fetch]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def log(self) -> str:
        """All that the processes wrote."""
        return (self.folder / "log").read_text()

    def connected(self) -> bool:
        try:
            return bool(self.client.call("ping")["s1"])
        except ControllerError:
            return False

    def send(self, frame: bytes) -> None:
        self.sockets[1].send(frame)

    @contextmanager
    def sending(self, frame: bytes, burst: int, pause_s: float) -> Iterator[None]:
        """Send bursts of a frame until the block is left."""
        ended = threading.Event()

        def send() -> None:
            while not ended.wait(pause_s):
                for _ in range(burst):
                    self.send(frame)

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def receive(self, port: int, timeout_s: float = 20.0) -> bytes | None:
        """The next packet that the switch sends out of a port."""
        deadline = time.monotonic() + timeout_s
        raw = self.sockets[port]
        while (left := deadline - time.monotonic()) > 0:
            raw.settimeout(left)
            try:
                frame, address = raw.recvfrom(65535)
            except TimeoutError:
                return None
            if address[2] != socket.PACKET_OUTGOING:
                return frame
        return None

    def drain(self) -> None:
        """Forget what has come out of the switch until now."""
        for port in PORTS:
            while self.receive(port, 0.3) is not None:
                pass

    def end(self, process: "subprocess.Popen[bytes]", number: int = signal.SIGTERM) -> int:
        process.send_signal(number)
        return process.wait(20)

    def tear_down(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        for raw in self.sockets.values():
            raw.close()
        subprocess.run(["ip", "netns", "delete", self.name], check=False, capture_output=True)


@contextmanager
def lab(folder: Path, config: str = CONFIG) -> Iterator[Lab]:
    """A laboratory that cleans up after itself."""
    made = Lab(folder, config)
    try:
        made.set_up()
        yield made
    finally:
        made.tear_down()
