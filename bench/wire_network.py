# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two hosts and the ports of a device between them, in namespaces that end with the bench.

The device's namespace is that of the calling thread. Each pair of ports has an interface in the left host and one in
the right host. Frames of the bench go to a MAC address that no host has, so that the hosts' kernels drop them at once;
the kernel's own TCP and UDP go to the hosts' addresses.
"""

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quench_topologies.isolation import private_network
from quench_topologies.process import Child

OFFLOADS = ("rx", "tx", "sg", "tso", "gso")
"""The offloads that a new veth has, and with which kernel TCP makes large frames."""
PATIENCE_S = 10.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ports of the device and what is behind them; the numbers of ports begin with 1."""

    number: int

    @property
    def ports(self) -> tuple[int, int]:
        """The ports to the left and to the right host."""
        return 2 * self.number + 1, 2 * self.number + 2

    @property
    def interfaces(self) -> tuple[str, str]:
        """Their interfaces."""
        return f"in{self.number}", f"out{self.number}"

    @property
    def ends(self) -> tuple[str, str]:
        """The hosts' interfaces."""
        return f"left{self.number}", f"right{self.number}"

    def address(self, side: int) -> str:
        """The address of the left (0) or right (1) host."""
        return f"10.{self.number}.{side + 1}.2"

    def mac(self, side: int) -> str:
        """Its MAC address."""
        return f"02:00:00:{self.number:02x}:{side + 1:02x}:02"

    @property
    def sink(self) -> str:
        """The address of the bench's frames, behind the right port."""
        return f"10.{self.number}.3.2"

    @property
    def sink_mac(self) -> str:
        """Their MAC address, which nobody has."""
        return f"02:00:00:{self.number:02x}:03:02"


class Network:
    """The hosts and the interfaces."""

    def __init__(self, hosts: tuple[Child, Child], pairs: Sequence[Pair]) -> None:
        self.pairs = tuple(pairs)
        self._hosts = hosts

    def inside(self, side: int) -> list[str]:
        """The words before a command that runs in the left (0) or right (1) host."""
        return ["nsenter", f"--net=/proc/{self._hosts[side].pid}/ns/net"]

    def set_offloads(self, *, on: bool) -> None:
        """Set those of all interfaces, the hosts' and the device's."""
        words = [word for each in OFFLOADS for word in (each, "on" if on else "off")]
        for pair in self.pairs:
            for side in (0, 1):
                run("ethtool", "-K", pair.interfaces[side], *words)
                run(*self.inside(side), "ethtool", "-K", pair.ends[side], *words)

    def dropped_pkts(self) -> int:
        """Packets that the kernel dropped when the device sent them."""
        return sum(
            int(Path("/proc/thread-self/net/dev").read_text().partition(f"{name}:")[2].split()[11])
            for pair in self.pairs
            for name in pair.interfaces
        )


@contextmanager
def network(pairs: int, folder: Path) -> Iterator[Network]:
    """Two hosts with so many pairs of ports between them. Raises TopologyError and RuntimeError."""
    with private_network():
        home = Path("/proc/thread-self/ns/net").readlink()
        hosts = tuple(
            Child(f"host {name}", ["unshare", "--net", "sleep", "infinity"], folder / f"{name}.log")
            for name in ("left", "right")
        )
        try:
            for host in hosts:
                _wait_for_namespace(host, home)
            found = Network((hosts[0], hosts[1]), [Pair(number) for number in range(pairs)])
            for pair in found.pairs:
                for side in (0, 1):
                    _connect(found, pair, side, hosts[side])
            found.set_offloads(on=False)
            yield found
        finally:
            for host in hosts:
                host.kill()


def _wait_for_namespace(host: Child, home: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        host.check()
        # Before unshare replaces setpriv, the process is still here.
        if Path(f"/proc/{host.pid}/ns/net").readlink() != home:
            return
        time.sleep(0.01)
    raise RuntimeError(f"{host.name} has no network namespace after {PATIENCE_S:g} s")


def _connect(made: Network, pair: Pair, side: int, host: Child) -> None:
    """One interface of the device and its end in a host, which sends everything to the other host's MAC address."""
    here, there = pair.interfaces[side], pair.ends[side]
    run("ip", "link", "add", here, "type", "veth", "peer", "name", there, "address", pair.mac(side))
    run("ip", "link", "set", there, "netns", str(host.pid))
    run("sysctl", "-qw", f"net.ipv6.conf.{here}.disable_ipv6=1")
    run("ip", "link", "set", here, "up")
    inside = made.inside(side)
    gateway = f"10.{pair.number}.{side + 1}.1"
    run(*inside, "sysctl", "-qw", f"net.ipv6.conf.{there}.disable_ipv6=1", "net.ipv4.tcp_ecn=1")
    run(*inside, "ip", "link", "set", "lo", "up")
    run(*inside, "ip", "address", "add", f"{pair.address(side)}/24", "dev", there)
    run(*inside, "ip", "link", "set", there, "up")
    entry = ("lladdr", pair.mac(1 - side), "dev", there, "nud", "permanent")
    run(*inside, "ip", "neigh", "replace", gateway, *entry)
    run(*inside, "ip", "route", "add", f"10.{pair.number}.{2 - side}.0/24", "via", gateway)


def run(*words: str) -> None:
    """Run a command that has to succeed. Raises RuntimeError."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"'{' '.join(words)}' failed: {done.stderr.strip() or done.stdout.strip()}")
