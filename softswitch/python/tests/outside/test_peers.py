# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The user at the other end of a connection, by the kernel, and who may have how many connections."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from quench_switch.outside import peers
from quench_switch.outside.peers import Quota, peer_name, peer_user

NOBODY = 65534
# The process takes its user itself: with `user=` it would be forked, and gRPC in this process breaks what it forks.
CONNECTS = """
import os, socket, sys
os.setuid(int(sys.argv.pop(1)))
host, port, device = sys.argv[1:]
family = socket.AF_INET6 if ":" in host else socket.AF_INET
with socket.socket(family, socket.SOCK_STREAM) as connection:
    if device:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    connection.connect((host, int(port)))
    print("connected", flush=True)
    sys.stdin.read()
print("closed", flush=True)
sys.stdin.close()
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user's process is made by root")


@contextmanager
def client(listener: socket.socket, host: str, user: int, device: str = "") -> Iterator[subprocess.Popen[str]]:
    """A process of ``user`` that is connected, until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", CONNECTS, str(user), host, str(listener.getsockname()[1]), device],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd="/",
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "connected\n"
            yield process
        finally:
            process.kill()


@contextmanager
def listening(address: str) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, 0), family=family, dualstack_ipv6=address == "::") as listener:
        yield listener


@as_root
@pytest.mark.parametrize(
    ("listens_on", "host", "device"),
    [
        ("127.0.0.1", "127.0.0.1", ""),
        ("127.0.0.1", "127.0.0.1", "lo"),
        ("0.0.0.0", "127.0.0.2", ""),
        ("::1", "::1", ""),
        ("::", "127.0.0.1", ""),
        ("::", "::ffff:127.0.0.1", ""),
    ],
)
@pytest.mark.parametrize("user", [0, NOBODY])
def test_the_user_of_a_process_at_the_other_end_is_found(listens_on, host, device, user):
    with listening(listens_on) as listener, client(listener, host, user, device):
        connection, _ = listener.accept()
        with connection:
            assert peer_user(connection) == user


@as_root
def test_a_peer_that_closed_is_nobody_and_not_root():
    with listening("127.0.0.1") as listener, client(listener, "127.0.0.1", NOBODY) as process:
        connection, _ = listener.accept()
        with connection:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.close()
            assert process.stdout.readline() == "closed\n"
            assert connection.recv(1) == b""
            assert peer_user(connection) is None


def test_a_socket_that_listens_at_the_port_of_a_peer_is_not_the_peer():
    """The kernel's search falls back to it: a stranger of another machine would be that user."""
    with listening("127.0.0.1") as listener, socket.create_server(("127.0.0.1", 0)) as listens_there:
        host, port = listens_there.getsockname()
        listens_there.close()
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            peer.bind((host, port))
            peer.connect(listener.getsockname())
            connection, _ = listener.accept()
            # Reset: nothing of the connection stays in the kernel's tables.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            with connection:
                assert peer_user(connection) == os.geteuid()
                name = connection.getpeername()
                peer.close()
                with socket.create_server((host, port)):
                    assert user_between(connection.getsockname(), name) is None


class _Named(socket.socket):
    """A socket that has names of a connection: those of a reset one are gone."""

    def __init__(self, here: tuple[str, int], there: tuple[str, int]) -> None:
        super().__init__()
        self.getsockname = lambda: here
        self.getpeername = lambda: there


TWIN = """
import socket, subprocess, sys
from quench_switch.outside.peers import peer_user
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
connection = socket.socket(fileno=int(sys.argv[1]))
listener, twin = socket.socket(), socket.socket()
listener.bind(connection.getsockname())
listener.listen()
twin.bind(connection.getpeername())
twin.connect(connection.getsockname())
own, _ = listener.accept()
print(peer_user(own), peer_user(connection))
"""


@as_root
@pytest.mark.netns
def test_a_twin_of_the_peer_in_another_namespace_is_not_the_peer():
    """Between the same addresses and ports."""
    with listening("127.0.0.1") as listener, client(listener, "127.0.0.1", NOBODY):
        connection, _ = listener.accept()
        with connection:
            number = connection.fileno()
            command = ["unshare", "--net", sys.executable, "-c", TWIN, str(number)]
            done = subprocess.run(command, pass_fds=(number,), capture_output=True, text=True, check=True, timeout=60)
            assert done.stdout == "0 None\n"
            assert peer_user(connection) == NOBODY


def test_a_user_without_an_id_here_is_not_known(monkeypatch):
    """In a user namespace all others have one id, which may be this process's own."""
    assert peers._overflow_id() is None
    with listening("127.0.0.1") as listener, socket.create_connection(listener.getsockname()) as _:
        connection, _ = listener.accept()
        with connection:
            assert peer_user(connection) == os.geteuid()
            monkeypatch.setattr(peers, "_overflow_id", os.geteuid)
            assert peer_user(connection) is None


def test_a_socket_that_is_not_connected_has_no_peer():
    with listening("127.0.0.1") as listener:
        assert peer_user(listener) is None
    assert peer_user(listener) is None


def user_between(here: tuple[str, int], there: tuple[str, int]) -> int | None:
    with _Named(here, there) as connection:
        return peer_user(connection)


def test_a_peer_elsewhere_has_no_user_here():
    assert user_between(("127.0.0.1", 1), ("192.0.2.1", 9)) is None
    assert user_between(("127.0.0.1", 1), ("::1", 9)) is None


def test_a_quota_is_for_a_user_or_an_address():
    with listening("127.0.0.1") as listener, socket.create_connection(listener.getsockname()) as peer:
        connection, _ = listener.accept()
        with connection:
            assert peer_name(connection) == f"user {os.geteuid()}"
        assert peer_name(connection) == "a peer that is gone"
        assert peer.recv(1) == b""
    for there, name in ADDRESSES.items():
        with _Named(("192.0.2.9", 80), (there, 1)) as connection:
            assert peer_name(connection) == name


ADDRESSES = {
    "127.0.0.1": "loopback",
    "127.0.0.77": "loopback",
    "::1": "loopback",
    "192.0.2.1": "192.0.2.1",
    "::ffff:192.0.2.1": "192.0.2.1",
    "2001:db8::1": "2001:db8::/64",
    "2001:db8::2": "2001:db8::/64",
    "fe80::1%lo": "fe80::/64",
}


def test_a_new_connection_takes_the_place_of_the_oldest_of_its_peer_that_waits():
    quota: Quota[str] = Quota(4, 2)
    assert [quota.admit(each, "a") for each in ("a1", "a2")] == [None, None]
    assert quota.admit("b1", "b") is None
    assert quota.admit("a3", "a") == "a1"
    quota.works("a2")
    assert quota.admit("a4", "a") == "a3"
    quota.works("a4")
    assert quota.admit("a5", "a") == "a5", "both answer requests"
    assert quota.waits("a2")
    assert not quota.waits("a2")
    assert quota.admit("a5", "a") == "a2"
    quota.remove("a5")
    assert quota.admit("a6", "a") is None


def test_where_all_places_are_taken_the_peer_with_most_loses_one():
    quota: Quota[str] = Quota(4, 3)
    for each in ("b1", "a1", "a2", "a3"):
        assert quota.admit(each, each[0]) is None
    assert quota.admit("c1", "c") == "a1"
    for each in ("a2", "a3"):
        quota.works(each)
    assert quota.admit("c2", "c") == "b1", "others wait"
    for each in ("c1", "c2"):
        quota.works(each)
    assert quota.admit("d1", "d") == "a2", "nobody waits, and a has two"
    quota.works("d1")
    assert quota.admit("e1", "e") == "c1"
    quota.works("e1")
    assert quota.admit("f1", "f") == "f1", "nobody has more than one"


def test_who_is_trusted_takes_no_place_and_loses_none():
    quota: Quota[str] = Quota(2, 2)
    for each in ("t1", "t2", "t3"):
        assert quota.admit(each, "a") is None
        quota.trust(each)
        if each != "t3":
            assert quota.admit(f"{each}-other", "a") is None
            quota.remove(f"{each}-other")
    assert quota.admit("a1", "a") is None
    assert quota.admit("a2", "a") == "t3", "trust has a limit too"
    assert quota.admit("a3", "a") == "a1"
    for unknown in (quota.works, quota.waits, quota.trust, quota.remove):
        unknown("t3")
