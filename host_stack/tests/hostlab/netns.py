# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""Network namespaces of the tests' own."""

from __future__ import annotations

import ctypes
import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Only root can make files there. In a folder for all, another user could put a link in its place, or hold the lock.
SUITE_LOCK = Path("/run/quench-host-tests")
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def run(*command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command and return its output. With ``check`` a failure of the command fails the test."""
    done = subprocess.run(command, check=False, text=True, capture_output=True, timeout=30)
    assert not check or done.returncode == 0, f"{' '.join(command)} failed: {done.stderr.strip()}"
    return done


@contextmanager
def exclusive(path: Path = SUITE_LOCK) -> Iterator[None]:
    """Hold the lock of a file, which is made if there is none. A symbolic link is not followed. Raises OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _enter(fd: int) -> None:
    if _libc.setns(fd, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


class Namespace:
    """A named network namespace. Its devices and settings end with it; processes and sockets do not."""

    def __init__(self, name: str) -> None:
        self.name = name
        run("ip", "netns", "add", name)
        self.run("ip", "link", "set", "lo", "up")
        self.run("sysctl", "-qw", *(f"net.ipv6.conf.{scope}.disable_ipv6=1" for scope in ("all", "default")))

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run("nsenter", f"--net=/run/netns/{self.name}", *command, check=check)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Sockets that the current thread makes in this context belong to the namespace."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        there = os.open(f"/run/netns/{self.name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
            try:
                yield
            finally:
                _enter(home)
        finally:
            os.close(there)
            os.close(home)

    def sysctl(self, name: str) -> str:
        return self.run("sysctl", "-n", f"net.ipv4.{name}").stdout.strip()

    def delete(self) -> None:
        run("ip", "netns", "del", self.name, check=False)


def connect(a: Namespace, a_dev: str, b: Namespace, b_dev: str, vlan: int | None = None) -> None:
    """Join two namespaces by a veth pair without offloads: packets pass as they would on a cable.

    With ``vlan`` the devices are in that VLAN, above the veth pair, which has the same names with ``-veth`` behind.
    """
    suffix = "" if vlan is None else "-veth"
    ends = ((a, a_dev), (b, b_dev))
    peer = ("peer", "name", b_dev + suffix, "netns", b.name)
    run("ip", "link", "add", a_dev + suffix, "netns", a.name, "type", "veth", *peer)
    for ns, dev in ends:
        _raise(ns, dev + suffix)
    for ns, dev in ends if vlan is not None else ():
        ns.run("ip", "link", "add", "link", dev + suffix, "name", dev, "type", "vlan", "id", str(vlan))
        _raise(ns, dev)


def _raise(ns: Namespace, dev: str) -> None:
    ns.run("ethtool", "-K", dev, "rx", "off", "tx", "off", "sg", "off", "tso", "off", "gso", "off", "gro", "off")
    ns.run("ip", "link", "set", dev, "up")
