# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""/run/quench: other users cannot block the loader, and its files are not trusted."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hostlab.hosts import QUENCH_HOST, NewNamespace, quench_host, status
from hostlab.netns import SUITE_LOCK, Namespace, exclusive

RUN = Path("/run/quench")
LOCK = RUN / "lock"
HOSTS = RUN / "hosts"
NOBODY = 65534
ENABLE = ("enable", "--algo", "plain", "--dev", "d0")


@pytest.fixture
def host(new_namespace: NewNamespace) -> Namespace:
    ns = new_namespace()
    ns.run("ip", "link", "add", "d0", "type", "veth", "peer", "name", "d0p")
    # The loader has to make it.
    LOCK.unlink(missing_ok=True)
    quench_host(ns, *ENABLE)
    return ns


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def held_by(user: int) -> Iterator[subprocess.Popen[str]]:
    """Another process of that user takes the lock, or fails to."""
    program = (
        "import fcntl, os, sys\n"
        f"os.setuid({user})\n"
        "try:\n"
        f"    fd = os.open({str(LOCK)!r}, os.O_RDONLY)\n"
        "except PermissionError:\n"
        "    print('refused', flush=True)\n"
        "else:\n"
        "    fcntl.flock(fd, fcntl.LOCK_EX)\n"
        "    print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        try:
            yield holder
        finally:
            assert holder.stdin
            holder.stdin.close()


def test_what_is_on_disk_is_the_superusers_own(host: Namespace) -> None:
    assert (mode(RUN), mode(HOSTS), mode(LOCK)) == (0o755, 0o700, 0o600)
    assert mode(HOSTS / str(status(host)["netns_cookie"])) == 0o600


def test_another_user_cannot_hold_the_lock(host: Namespace) -> None:
    with held_by(NOBODY) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "refused\n"
        quench_host(host, *ENABLE)


def test_a_lock_that_was_open_to_all_is_replaced(host: Namespace) -> None:
    """A file as earlier versions made it, whose lock another user may hold."""
    LOCK.chmod(0o644)
    with held_by(NOBODY) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        start_s = time.monotonic()
        quench_host(host, *ENABLE)
        assert time.monotonic() - start_s < 8
    assert mode(LOCK) == 0o600


def test_waiting_ends_and_says_for_whom(host: Namespace) -> None:
    with LOCK.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        result = quench_host(host, *ENABLE, check=False)
    assert result.returncode == 1
    assert f"held by process {os.getpid()} (" in result.stderr
    assert result.stderr.count("\n") == 1
    quench_host(host, *ENABLE)


def test_loaders_that_run_at_once_wait_for_each_other(host: Namespace) -> None:
    command = ["ip", "netns", "exec", host.name, QUENCH_HOST, *ENABLE]
    loaders = [subprocess.Popen(command) for _ in range(10)]
    assert [loader.wait(timeout=30) for loader in loaders] == [0] * 10


@pytest.mark.parametrize("target", ["lock", "hosts"])
def test_symbolic_links_are_not_followed(host: Namespace, tmp_path: Path, target: str) -> None:
    path, kept = RUN / target, tmp_path / "kept"
    victim = tmp_path / "victim"
    victim.mkdir() if target == "hosts" else victim.write_text("precious")
    path.rename(kept) if target == "hosts" else None
    path.unlink(missing_ok=True)
    path.symlink_to(victim)
    try:
        result = quench_host(host, *ENABLE, check=False)
    finally:
        if target == "hosts":
            path.unlink()
            kept.rename(path)
    if target == "lock":
        assert victim.read_text() == "precious"
        assert (result.returncode, path.is_symlink(), mode(path)) == (0, False, 0o600)
    else:
        assert (result.returncode, list(victim.iterdir())) == (1, [])
        assert "/run/quench/hosts" in result.stderr


def test_the_lock_of_these_tests_is_out_of_reach_of_other_users(tmp_path: Path) -> None:
    for folder in SUITE_LOCK.parents:
        assert (folder.stat().st_uid, mode(folder) & 0o022) == (0, 0), folder
    assert mode(SUITE_LOCK) == 0o600
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_text("precious")
    link.symlink_to(victim)
    with pytest.raises(OSError, match="symbolic"), exclusive(link):
        pass
    with exclusive(victim):
        assert victim.read_text() == "precious"


HOSTILE = {
    "a setting that is none of ours": "sysctl ../../kernel/core_pattern |/bin/sh\n",
    "a setting twice": "sysctl tcp_ecn 1\n",
    "a device with a path": "device ../etc 0 0\n",
    "a device with a long name": f"device {'d' * 16} 0 0\n",
    "a device twice": "device d0 0 0\n",
    "too many devices": "".join(f"device x{i} 0 0\n" for i in range(40)),
    "a program's id beyond 32 bits": "device d1 4294967296 0\n",
    "a negative id": "device d1 -1 0\n",
    "a value that does not fit": f"sysctl tcp_frto {'9' * 64}\n",
    "a line without end": "paper 1",
    "a zero byte": "sysctl tcp_frto \0\n",
    "a long line": f"device {'d' * 9000} 0 0\n",
    "an unknown word": "frobnicate 1\n",
    "an empty line": "\n",
    "another algorithm": "algo ecn\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_state_that_enable_would_not_write_is_refused(host: Namespace, name: str) -> None:
    path = HOSTS / str(status(host)["netns_cookie"])
    good = path.read_text()
    path.write_text(good + HOSTILE[name])
    for command in (("status",), ENABLE, ("disable", "--dev", "d0")):
        result = quench_host(host, *command, check=False)
        assert (result.returncode, result.stdout) == (1, "")
        assert f"{path} is damaged" in result.stderr
    path.write_text(good)
    quench_host(host, "disable", "--dev", "d0")


@pytest.mark.parametrize("kind", ["fifo", "symlink", "directory", "another's"])
def test_a_state_must_be_an_own_file(host: Namespace, tmp_path: Path, kind: str) -> None:
    path = HOSTS / str(status(host)["netns_cookie"])
    good = path.read_text()
    if kind == "another's":
        os.chown(path, NOBODY, NOBODY)
    else:
        path.unlink()
        make = {"fifo": os.mkfifo, "symlink": lambda p: p.symlink_to(tmp_path / "good"), "directory": os.mkdir}
        (tmp_path / "good").write_text(good)
        make[kind](path)
    try:
        result = quench_host(host, "disable", "--dev", "d0", check=False)
    finally:
        path.rmdir() if kind == "directory" else path.unlink()
        path.write_text(good)
    assert result.returncode == 1
    assert f"{path} is damaged" in result.stderr
