# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hosts in network namespaces for UDP: one host and a wire, or two hosts behind the embedded switch."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from lab import ETH_P_ALL, GRPC, PORTS, QUENCH, ROOT, Lab, inside

SENDER, RECEIVER = "10.0.1.1", "10.0.2.2"
HOST_MACS = {1: "00:00:00:00:01:02", 2: "00:00:00:00:02:02"}
SWITCH_MACS = {1: "00:00:00:00:01:01", 2: "00:00:00:00:02:01"}
BOTTLENECK_BPS = 2_000_000

CONFIG = """\
switches:
  - name: s1
    address: {grpc}
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports:
      2: {{rate: {rate}bps, profile: becn}}
    routes:
      - {{prefix: 10.0.1.0/24, port: 1, source_mac: "00:00:00:00:01:01", destination_mac: "00:00:00:00:01:02"}}
      - {{prefix: 10.0.2.0/24, port: 2, source_mac: "00:00:00:00:02:01", destination_mac: "00:00:00:00:02:02"}}
profiles:
  becn: {{scheme: becn, minth: 15KB, maxth: 45KB, maxp: 0.1, wq: 0.02}}
socket: {socket}
"""


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def add_namespace(name: str) -> None:
    ip("netns", "add", name)
    ip("-n", name, "link", "set", "lo", "up")
    sysctl = ["sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"]
    subprocess.run(["ip", "netns", "exec", name, *sysctl], check=True)


def set_up_host(namespace: str, interface: str, port: int) -> None:
    """Give an interface the address of a host behind a port, and the switch as its only neighbour."""
    gateway = f"10.0.{port}.254"
    ip("-n", namespace, "link", "set", interface, "address", HOST_MACS[port], "up")
    ip("-n", namespace, "address", "add", f"{SENDER if port == 1 else RECEIVER}/24", "dev", interface)
    ip("-n", namespace, "neighbour", "add", gateway, "lladdr", SWITCH_MACS[port], "dev", interface)
    ip("-n", namespace, "route", "add", "default", "via", gateway)


class Wire:
    """A host's interface, and a raw socket at its other end in the place of a router."""

    def __init__(self) -> None:
        self.name = f"qudp-{os.getpid()}"

    def __enter__(self) -> "Wire":
        with ExitStack() as stack:
            add_namespace(self.name)
            stack.callback(ip, "netns", "delete", self.name)
            ip("-n", self.name, "link", "add", "h1", "type", "veth", "peer", "name", "r1")
            ip("-n", self.name, "link", "set", "r1", "up")
            set_up_host(self.name, "h1", 1)
            with inside(self.name):
                self.raw = stack.enter_context(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
                self.raw.bind(("r1", ETH_P_ALL))
            self.raw.settimeout(20)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def next_packet(self) -> bytes:
        """The next frame of UDP that the host sends."""
        while True:
            frame, address = self.raw.recvfrom(65_535)
            if address[2] != socket.PACKET_OUTGOING and frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_UDP:
                return frame

    def answer(self, frame: bytes, packet: bytes) -> None:
        """Send the host a packet, from where a frame of its came."""
        self.raw.send(frame[6:12] + frame[:6] + frame[12:14] + packet)


class UdpLab(Lab):
    """Two hosts, a switch with a bottleneck towards the second, and the controller."""

    def set_up(self) -> None:
        add_namespace(self.name)
        for port in PORTS:
            host = self.host(port)
            add_namespace(host)
            ip("-n", self.name, "link", "add", f"s{port}", "type", "veth", "peer", "name", "eth0", "netns", host)
            ip("-n", self.name, "link", "set", f"s{port}", "up")
            set_up_host(host, "eth0", port)

    def host(self, port: int) -> str:
        """The namespace of the host behind a port."""
        return f"{self.name}-h{port}"

    def start_switch(self) -> "subprocess.Popen[bytes]":
        interfaces = [item for port in PORTS for item in ("-i", f"{port}@s{port}")]
        options = ["--no-p4", "--cpu-port", "510", "--grpc-server-addr", GRPC]
        return self.start(
            QUENCH, "switch", *options, *interfaces, "--port", f"2:rate={BOTTLENECK_BPS}bps,capacity=90KB"
        )

    def start_controller(self) -> "subprocess.Popen[bytes]":
        config = self.folder / "net.yaml"
        config.write_text(
            CONFIG.format(grpc=GRPC, build=ROOT / "build", rate=BOTTLENECK_BPS, socket=self.folder / "ctl.sock")
        )
        return self.start(QUENCH, "controller", "run", str(config))

    def tear_down(self) -> None:
        super().tear_down()
        for port in PORTS:
            subprocess.run(["ip", "netns", "delete", self.host(port)], check=False, capture_output=True)


@contextmanager
def udp_lab(folder: Path) -> Iterator[UdpLab]:
    """A laboratory that cleans up after itself."""
    made = UdpLab(folder)
    try:
        made.set_up()
        yield made
    finally:
        made.tear_down()
