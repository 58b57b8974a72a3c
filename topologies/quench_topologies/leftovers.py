# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A search of the machine for the remains of a network."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from quench_topologies.isolation import inside_namespace

SO_NETNS_COOKIE = 71


def network_namespaces(pids: Iterable[int]) -> set[str]:
    """The network namespaces of processes."""
    found = set()
    for pid in pids:
        try:
            found.add(str(Path(f"/proc/{pid}/ns/net").readlink()))
        except OSError:
            continue  # it has just ended, or is a zombie
    return found


def descendants(pid: int) -> set[int]:
    """All processes below one, zombies apart."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.add(child)
            waiting.append(child)
    return found


def command_line(pid: int) -> list[str]:
    """The words of a process's command; none when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def alive(pids: Iterable[int]) -> set[int]:
    """The processes that have not ended."""
    living = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            living.add(pid)
    return living


def interfaces() -> set[str]:
    """Interfaces of this namespace."""
    links = json.loads(subprocess.run(["ip", "-j", "link"], check=True, capture_output=True, text=True).stdout)
    return {link["ifname"] for link in links}


def cookies(pids: Iterable[int]) -> set[str]:
    """The names that quench-host's state files have for the network namespaces of processes."""
    found = set()
    for pid in pids:
        try:
            with inside_namespace(f"/proc/{pid}/ns/net"), socket.socket() as here:
                found.add(str(int.from_bytes(here.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8), sys.byteorder)))
        except FileNotFoundError:
            continue  # it has just ended
    return found


def enabled_hosts() -> set[str]:
    """Namespaces of the machine in which quench-host is enabled."""
    folder = Path("/run/quench/hosts")
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def wait_until_gone(pids: set[int], timeout_s: float = 5.0) -> set[int]:
    """The processes that still live after a while."""
    deadline = time.monotonic() + timeout_s
    while (left := alive(pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
