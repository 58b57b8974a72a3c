# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A network namespace for all processes of a network, and the end of those processes.

Switches, their interfaces and the controller live in a namespace without a name that ends with its last process:
nothing can collide with the machine's own interfaces and ports, and nothing can be left behind in them.
"""

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from quench_topologies.errors import TopologyError

LOGGER = logging.getLogger(__name__)
OWN_NAMESPACE = "/proc/thread-self/ns/net"
END_S = 1.0
"""The time in which a process must end after SIGTERM."""
GIVE_UP_S = 10.0
"""Only a process in an uninterruptible wait of the kernel outlives SIGKILL by so long."""
_CLONE_NEWNET = 0x40000000
_CLONE_NEWNS = 0x00020000
_CLONE_NEWTIME = 0x00000080
_MS_REC, _MS_PRIVATE, _MNT_DETACH = 1 << 14, 1 << 18, 2
_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def interrupts_for_mininet() -> Iterator[None]:
    """Ctrl-C in a terminal interrupts the command on a node, as in Mininet, and not the network."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def inside_namespace(path: str) -> Iterator[None]:
    """Sockets that the calling thread makes in here belong to the namespace, and stay in it."""
    home = os.open(OWN_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _setns(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


def may_return_to_own_namespace() -> bool:
    """Whether this process, once it has left its network namespace, could enter it again."""
    with Path(OWN_NAMESPACE).open("rb") as home:
        return bool(_libc.setns(home.fileno(), _CLONE_NEWNET) == 0)


@contextmanager
def private_network() -> Iterator[None]:
    """Give the calling thread, and all that it starts, a network namespace of its own. Raises TopologyError."""
    home = os.open(OWN_NAMESPACE, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.unshare(_CLONE_NEWNET):
            reason = os.strerror(ctypes.get_errno())
            raise TopologyError(f"cannot make a network namespace: {reason}; run as root")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
            yield
        finally:
            _setns(home)
    finally:
        os.close(home)


@contextmanager
def private_mount(place: Path, size_bytes: int) -> Iterator[None]:
    """A file system in memory at a folder, for this thread and for what it starts. Raises TopologyError.

    It is gone with the last of them, and other processes never see it.
    """
    if _libc.unshare(_CLONE_NEWNS):
        raise TopologyError(f"cannot make a mount namespace: {os.strerror(ctypes.get_errno())}; run as root")
    _mount(b"none", b"/", b"", _MS_REC | _MS_PRIVATE, b"")
    _mount(b"tmpfs", os.fsencode(place), b"tmpfs", 0, f"size={size_bytes},mode=0700".encode())
    try:
        yield
    finally:
        if _libc.umount2(os.fsencode(place), _MNT_DETACH):
            LOGGER.error("%s stays mounted for this process: %s", place, os.strerror(ctypes.get_errno()))


@contextmanager
def clocks_apart(seconds: int) -> Iterator[None]:
    """Processes that the main thread starts meanwhile have monotonic clocks so much ahead, or behind if negative.

    Its own clocks stay. Linux has no such namespace for CLOCK_REALTIME. Raises TopologyError.
    """
    _move_clocks(seconds)
    try:
        yield
    finally:
        # A process of several threads cannot return to the namespace that it has left.
        _move_clocks(0)


def _move_clocks(seconds: int) -> None:
    if _libc.unshare(_CLONE_NEWTIME):
        raise TopologyError(f"cannot make a time namespace: {os.strerror(ctypes.get_errno())}; run as root")
    try:
        Path("/proc/self/timens_offsets").write_text(f"monotonic {seconds} 0\nboottime {seconds} 0\n")
    except OSError as error:
        raise TopologyError(f"cannot set clocks apart by {seconds} s: {error.strerror}") from error


def _mount(source: bytes, place: bytes, kind: bytes, flags: int, data: bytes) -> None:
    if _libc.mount(source, place, kind, ctypes.c_ulong(flags), data):
        reason = os.strerror(ctypes.get_errno())
        raise TopologyError(f"cannot mount at {os.fsdecode(place)}: {reason}; run as root")


def end_processes(namespaces: Iterable[str]) -> None:
    """End every process in these network namespaces (paths) but this one, with a moment to do so in order."""
    ends = {_identity(path) for path in namespaces} - {None}
    began_s = time.monotonic()
    number = signal.SIGTERM
    while pids := _processes_in(ends):
        if time.monotonic() > began_s + END_S:
            number = signal.SIGKILL
        if time.monotonic() > began_s + GIVE_UP_S:
            LOGGER.error("processes %s do not end: the kernel holds them", ", ".join(map(str, pids)))
            return
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(0.02)


def _processes_in(namespaces: set[tuple[int, int] | None]) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and _identity(f"/proc/{pid}/ns/net") in namespaces]


def _identity(path: str) -> tuple[int, int] | None:
    """The identity of a namespace; None where the process has ended."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _setns(fd: int) -> None:
    if _libc.setns(fd, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "cannot enter a network namespace")
