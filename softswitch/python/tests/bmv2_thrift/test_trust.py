# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The users who may connect to the Thrift port, and the interfaces and files that they reach by it."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from bm_runtime.standard import Standard
from bm_runtime.standard import ttypes as t
from quench_switch.bmv2_thrift.listener import ThriftListener, Users, listen
from quench_switch.p4runtime.device import Device
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.transport.TTransport import TMemoryBuffer

NOBODY = 65534
TIMEOUT_S = 10
COMMAND = [sys.executable, "-m", "quench_switch.cli.switch", "--no-p4", "--grpc-server-addr", "127.0.0.1:0"]
# The process takes its user itself: with `user=` it would be forked, and gRPC in this process breaks what it forks.
SENDS = """
import os, socket, sys
os.setuid(int(sys.argv.pop(1)))
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(bytes.fromhex(sys.argv[2]))
    if len(sys.argv) == 3:
        try:
            print(len(connection.recv(1)))
        except ConnectionResetError:
            print(0)
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user's process is made by root")


def call(write: str, *arguments: object) -> bytes:
    buffer = TMemoryBuffer()
    client = Standard.Client(TMultiplexedProtocol(TBinaryProtocol(buffer), "standard"))
    getattr(client, f"send_{write}")(*arguments)
    data: bytes = buffer.getvalue()
    return data


def send_as(user: int, port: int, data: bytes, *, closes: bool = False) -> str:
    """Sends bytes as a user, in a process of its own. The number of bytes that came back, at most 1."""
    command = [sys.executable, "-S", "-c", SENDS, str(user), str(port), data.hex(), *(["closes"] if closes else [])]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=True, timeout=TIMEOUT_S)
    return done.stdout.strip()


@as_root
def test_another_user_gets_no_answer(server: ThriftListener, device: Device) -> None:
    question = call("bm_mgmt_get_info")
    assert send_as(0, server.port, question) == "1"
    assert send_as(NOBODY, server.port, question) == "0"
    send_as(NOBODY, server.port, call("bm_counter_write", 0, "MyIngress.seen", 1, t.BmCounterValue(7, 7)))
    assert device.switch.counter_read("MyIngress.seen", 1) == (0, 0)


@contextmanager
def waiting(users: Users) -> Iterator[tuple[ThriftListener, list[socket.socket]]]:
    """A listener that has not accepted yet, and the connections that it will have served."""
    served: list[socket.socket] = []
    listener = listen("127.0.0.1:0", users, served.append)
    listener._socket.listen(8)
    yield listener, served
    listener.stop()


@as_root
@pytest.mark.parametrize(("user", "expected"), [(NOBODY, 0), (0, 0)])
def test_who_closes_before_he_is_looked_at_is_not_root(user: int, expected: int) -> None:
    """The kernel may say 0 for the user of a socket that no process has any more."""
    with waiting(Users(frozenset())) as (listener, served):
        send_as(user, listener.port, call("bm_mgmt_get_info"), closes=True)
        listener.start()
        # The next one is accepted after it.
        with socket.create_connection(("127.0.0.1", listener.port), TIMEOUT_S) as connection:
            connection.recv(1)
        assert len(served) == 1 + expected


@as_root
@pytest.mark.parametrize("text", ["nobody", str(NOBODY), "daemon,nobody", "all"])
def test_users_are_admitted_by_name_by_number_or_all(text: str) -> None:
    with waiting(Users.parse(text)) as (listener, served):
        listener.start()
        send_as(NOBODY, listener.port, b"")
        assert len(served) == 1


def test_users_that_are_none() -> None:
    assert Users.parse(pwd.getpwuid(NOBODY).pw_name).numbers == {os.geteuid(), NOBODY}
    for text in ("", "no such user", "-1", "\x1b", "all,", "1,"):
        with pytest.raises(ValueError, match="is no user of this machine"):
            Users.parse(text)


def test_other_machines_are_admitted_only_together_with_all_users() -> None:
    with pytest.raises(OSError, match="--thrift-allow-users all"):
        listen("0.0.0.0:0", Users.parse("nobody"), lambda _: None)
    listen("0.0.0.0:0", Users.parse("all"), lambda _: None).stop()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--thrift-addr", "127.0.0.1:0", "--thrift-allow-users", "no such"], "'no such' is no user of this machine"),
        (["--thrift-addr", "0.0.0.0:0"], "give --thrift-allow-users all"),
        (["--thrift-allow-users", "all"], "need --thrift-addr"),
        (["--allow-interface", "veth*"], "need --thrift-addr"),
    ],
)
def test_options_that_contradict_end_the_switch_in_one_line(options: list[str], message: str) -> None:
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False, timeout=3 * TIMEOUT_S)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["lo", "eth0", "no-suc", "", "../lo", "no-such-\0"])
def test_an_interface_that_was_not_granted_is_not_attached(
    clients: SimpleNamespace, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(t.InvalidDevMgrOperation):
        clients.standard.bm_dev_mgr_add_port(name, 2, "")
    assert "is not attached" in caplog.text
    assert [port.port_num for port in clients.standard.bm_dev_mgr_show_ports()] == [1]


@pytest.mark.parametrize(
    "path", ["/etc/x", "../x", "a/b", "..", ".", "/", "./../x", "captures/../../x", "//x", "x/..", "a/../../x"]
)
def test_a_capture_is_a_name_in_the_folder_of_captures(
    clients: SimpleNamespace, captures: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(t.InvalidDevMgrOperation):
        clients.standard.bm_dev_mgr_add_port("no-such-interface", 2, path)
    assert "the folder of --pcap" in caplog.text
    assert list(captures.parent.rglob("*")) == [captures]


@pytest.fixture
def interface() -> Iterator[str]:
    """An interface of the test's own, which the server's fixture grants."""
    if os.geteuid() != 0:
        pytest.skip("interfaces need root")
    name = f"no-such-{os.getpid() % 10_000}"
    subprocess.run(["ip", "link", "add", name, "type", "veth"], check=True)
    yield name
    subprocess.run(["ip", "link", "del", name], check=True)


@pytest.mark.netns
def test_a_capture_replaces_nothing_and_is_its_owners(
    clients: SimpleNamespace, interface: str, captures: Path, tmp_path: Path
) -> None:
    add = clients.standard.bm_dev_mgr_add_port
    target, old = tmp_path / "target", captures / "old_out.pcap"
    for path in (target, old):
        path.write_text("as it was")
    (captures / "link_in.pcap").symlink_to(target)
    (captures / "dangling_in.pcap").symlink_to(tmp_path / "nothing")
    for name in ("old", "link", "dangling"):
        with pytest.raises(t.InvalidDevMgrOperation):
            add(interface, 2, name)
    # The kernel cuts a name at the colon, behind which a pattern may match anything.
    with pytest.raises(t.InvalidDevMgrOperation):
        add(f"{interface}:x"[:15], 2, "")
    assert (target.read_text(), old.read_text()) == ("as it was", "as it was")
    assert not (tmp_path / "nothing").exists()
    add(interface, 2, str(captures / "new"))
    assert {path.stat().st_mode & 0o777 for path in captures.glob("new_*.pcap")} == {0o600}
    assert len(list(captures.glob("new_*.pcap"))) == 2
    clients.standard.bm_dev_mgr_remove_port(2)
