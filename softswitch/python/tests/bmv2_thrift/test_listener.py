# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The Thrift port against what is no client."""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import sys
from types import SimpleNamespace

import pytest
from quench_switch.bmv2_thrift.listener import CONNECTIONS, ThriftListener, Users, listen

TIMEOUT_S = 10


def connect(server: ThriftListener) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)


def ended(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!I", 0x80010001) + struct.pack("!i", 2**31 - 1),
        struct.pack("!I", 0x80010001) + struct.pack("!i", -5),
        struct.pack("!I", 0x80010001) + struct.pack("!i", 3) + b"abc" + struct.pack("!i", 1),
        # A struct within a struct within a struct...
        struct.pack("!I", 0x80010001)
        + struct.pack("!i", 13)
        + b"standard:none"
        + struct.pack("!i", 1)
        + b"\x0c\x00\x01" * 20_000,
        # A call that never ends.
        struct.pack("!I", 0x80010001)
        + struct.pack("!i", 13)
        + b"standard:none"
        + struct.pack("!i", 1)
        + (b"\x0b\x00\x01" + struct.pack("!i", 1 << 20) + bytes(1 << 20)) * 5,
    ],
)
def test_what_is_no_thrift_ends_its_own_connection_only(
    server: ThriftListener, clients: SimpleNamespace, data: bytes
) -> None:
    with connect(server) as stranger:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stranger.sendall(data)
        assert ended(stranger)
    assert clients.standard.bm_mgmt_get_info().device_id == 7


def test_one_connection_too_many_is_closed_and_a_place_is_free_again(server: ThriftListener) -> None:
    held = [connect(server) for _ in range(CONNECTIONS)]
    with connect(server) as further:
        assert ended(further)
    for connection in held:
        connection.close()


def test_stop_ends_connections(server: ThriftListener) -> None:
    with connect(server) as connection:
        server.stop()
        assert ended(connection)


@pytest.mark.parametrize("address", ["127.0.0.1", ":9090", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:"])
def test_an_address_that_is_none(address: str) -> None:
    with pytest.raises(OSError, match="write HOST:PORT"):
        listen(address, Users(), lambda _: None)


def test_a_switch_that_cannot_have_its_thrift_address_does_not_start(server: ThriftListener) -> None:
    taken = f"127.0.0.1:{server.port}"
    for address, reason in ((taken, "Address already in use"), ("nowhere", "write HOST:PORT")):
        command = [sys.executable, "-m", "quench_switch.cli.switch", "--no-p4", "--grpc-server-addr", "127.0.0.1:0"]
        result = subprocess.run(
            [*command, "--thrift-addr", address], capture_output=True, text=True, check=False, timeout=TIMEOUT_S * 3
        )
        assert result.returncode == 1
        line = result.stderr.splitlines()[-1]
        assert line.startswith(f"quench switch: Thrift cannot listen on {address}: ")
        assert reason in line
