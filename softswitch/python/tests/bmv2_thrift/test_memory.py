# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory that all Thrift clients together can take of a switch, whose peak is read."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bm_runtime.standard import Standard
from bm_runtime.standard import ttypes as t
from quench_switch._native import compile_p4
from quench_switch.bmv2_thrift.listener import CONNECTIONS
from quench_switch.bmv2_thrift.wire import CALL_VALUES, CALLS_BYTES, ITEMS, STRING_BYTES
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TMemoryBuffer, TTransportException

MANY = Path(__file__).parent / "programs/many.p4"
MOST_BYTES = 256 << 20
"""The bytes that clients may add to what the switch takes when nobody is there."""
PATIENCE_S = 60.0
TABLE = "MyIngress.prefixes"
NO_OPTIONS = t.BmAddEntryOptions(priority=0)


def call(method: str, *arguments: Any) -> bytes:
    """The bytes of a call."""
    buffer = TMemoryBuffer()
    client = Standard.Client(TMultiplexedProtocol(TBinaryProtocol(buffer), "standard"))
    getattr(client, f"send_{method}")(*arguments)
    data: bytes = buffer.getvalue()
    return data


def entry(data: list[bytes], *matches: t.BmMatchParam) -> bytes:
    return call("bm_mt_add_entry", 0, TABLE, list(matches), "MyIngress.send", data, NO_OPTIONS)


def client(port: int) -> SimpleNamespace:
    """A client that is answered. The switch may still be at work for connections that are gone."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        transport = TBufferedTransport(TSocket("127.0.0.1", port))
        transport.open()
        api = Standard.Client(TMultiplexedProtocol(TBinaryProtocol(transport), "standard"))
        try:
            assert api.bm_mgmt_get_info().thrift_port == port
        except TTransportException:
            transport.close()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return SimpleNamespace(api=api, close=transport.close)


@pytest.fixture(scope="module")
def switch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int, int]]:
    """The process of a switch, its Thrift port, and the memory that it takes when nobody is there."""
    folder = tmp_path_factory.mktemp("switch")
    (folder / "many.json").write_text(compile_p4(str(MANY)).json)
    ready, log = folder / "ready", folder / "log"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "quench_switch.cli.switch", str(folder / "many.json"), "--log-file", str(log)]
    command += ["--grpc-server-addr", "127.0.0.1:0", "--thrift-addr", f"127.0.0.1:{port}", "--ready-file", str(ready)]
    with subprocess.Popen(command) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not ready.exists():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            # Thrift is imported with the first connection.
            client(port).close()
            yield process.pid, port, memory(process.pid, "VmRSS")
            assert process.poll() is None
        finally:
            process.terminate()
    assert "Traceback" not in log.read_text()
    assert log.stat().st_size < 50_000


@pytest.fixture
def victim(
    switch: tuple[int, int, int], record_testsuite_property: Any, request: pytest.FixtureRequest
) -> Iterator[int]:
    """The port of the switch, whose memory is limited after the test too."""
    pid, port, idle_bytes = switch
    yield port
    added = memory(pid, "VmHWM") - idle_bytes
    record_testsuite_property(f"peak_over_idle_mib after {request.node.name}", round(added / 2**20, 1))
    assert added < MOST_BYTES


def memory(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) << 10


CALLS = {
    "texts": entry([bytes(20)] * (CALL_VALUES // 2 - 100)),
    "empty structs": entry([], *[t.BmMatchParam()] * (ITEMS - 1)),
    "long texts": entry([bytes(STRING_BYTES)] * 3),
    "too many values": entry([b""] * (ITEMS - 1), *[t.BmMatchParam()] * (ITEMS - 1)),
    "numbers": call("bm_learning_ack", 0, 1, 1, list(range(ITEMS - 1))),
}


@pytest.mark.parametrize("kind", CALLS)
def test_calls_of_all_connections_at_once(victim: int, kind: str) -> None:
    """Half of them are never whole."""
    data = memoryview(CALLS[kind])
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(("127.0.0.1", victim), PATIENCE_S))
            for _ in range(CONNECTIONS - 1)
        ]
        for connection in connections:
            connection.setblocking(False)
        left = {connection: data[: len(data) - number % 2] for number, connection in enumerate(connections)}
        deadline = time.monotonic() + PATIENCE_S
        while left:
            assert time.monotonic() < deadline
            for connection, part in list(left.items()):
                try:
                    left[connection] = part[connection.send(part[: 1 << 16]) :]
                except BlockingIOError:
                    time.sleep(0.001)
                except OSError:
                    # There was no room for it.
                    del left[connection]
                else:
                    if not left[connection]:
                        del left[connection]
        client(victim).close()


def test_calls_that_break_leave_their_room(victim: int) -> None:
    """They are read whole, and no service has them."""
    broken = CALLS["long texts"].replace(b"standard:", b"nobody's:", 1)
    assert len(broken) > 3 * STRING_BYTES
    deadline = time.monotonic() + PATIENCE_S
    left = 2 * CALLS_BYTES // len(broken)
    while left:
        with socket.create_connection(("127.0.0.1", victim), PATIENCE_S) as connection:
            try:
                connection.sendall(broken)
                assert connection.recv(1) == b""
                left -= 1
            except ConnectionResetError:
                # The connections of the test before are not all closed yet.
                assert time.monotonic() < deadline
    with socket.create_connection(("127.0.0.1", victim), PATIENCE_S) as connection:
        connection.sendall(CALLS["long texts"])
        # Refused, and answered.
        assert len(connection.recv(1)) == 1


def test_answers_that_nobody_takes(victim: int) -> None:
    question = call("bm_register_read_all", 0, "MyIngress.large")
    with ExitStack() as stack:
        for _ in range(CONNECTIONS - 1):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", victim), PATIENCE_S))
            connection.sendall(question)
        # Another one is answered all the same: who does not take an answer loses it.
        other = client(victim)
        assert len(other.api.bm_register_read_all(0, "MyIngress.large")) == 1 << 18
        other.close()
