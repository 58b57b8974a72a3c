# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Thrift clients that send anything: random bytes, damaged calls, calls with any contents, half of a call, no end."""

from __future__ import annotations

import contextlib
import random
import resource
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from bm_runtime.simple_pre_lag import SimplePreLAG
from bm_runtime.standard import Standard
from quench_switch.bmv2_thrift import wire
from quench_switch.bmv2_thrift.listener import CONNECTIONS, ThriftListener
from quench_switch.outside.log_limit import BURST, LogLimit
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

SECONDS = 3.0
TIMEOUT_S = 10.0
GROWN_BYTES = 200_000_000
SERVICES: dict[str, Any] = {"standard": Standard, "simple_pre_lag": SimplePreLAG}
NAMES = ["", "MyIngress.routes", "MyIngress.spread", "MyIngress.paths", "MyIngress.seen", "MyIngress.policer"]
SCALARS = [TType.BOOL, TType.BYTE, TType.I16, TType.I32, TType.I64, TType.DOUBLE, TType.STRING]


class Writer:
    """Calls with arguments of any type, most of them of the types that the method has."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.buffer = TMemoryBuffer()
        self.protocol = TBinaryProtocol(self.buffer)

    def call(self) -> bytes:
        service = self.draw.choice(list(SERVICES))
        methods = sorted(name for name in vars(SERVICES[service].Iface) if not name.startswith("_"))
        method = self.draw.choice([*methods, "no_such_method"])
        kind = self.draw.choice([2, 3, 4, 99]) if self.draw.random() < 0.03 else 1
        TMultiplexedProtocol(self.protocol, service).writeMessageBegin(method, kind, 0)
        arguments = getattr(SERVICES[service], f"{method}_args", None)
        spec = getattr(arguments, "thrift_spec", None) or ()
        for field in spec:
            if field is not None and self.draw.random() < 0.9:
                self.field(field[0], field[1], field[3])
        self.protocol.writeFieldStop()
        return bytes(self.buffer.getvalue())

    def field(self, number: int, kind: int, inner: Any) -> None:
        if self.draw.random() < 0.05:
            kind, inner = self.draw.choice(SCALARS), None
        self.protocol.writeFieldBegin("", kind, number)
        self.value(kind, inner)

    def value(self, kind: int, inner: Any) -> None:
        draw, protocol = self.draw, self.protocol
        if kind == TType.BOOL:
            protocol.writeBool(draw.random() < 0.5)
        elif kind == TType.DOUBLE:
            protocol.writeDouble(draw.choice([0.0, -1.0, 1e308, float("nan"), float("inf")]))
        elif kind == TType.STRING:
            name = draw.choice(NAMES).encode()
            protocol.writeBinary(name if draw.random() < 0.8 else bytes(draw.randrange(20)))
        elif kind in (TType.LIST, TType.SET):
            self.items(inner)
        elif kind == TType.STRUCT:
            for field in (inner[0].thrift_spec if inner else None) or ():
                if field is not None and draw.random() < 0.8:
                    self.field(field[0], field[1], field[3])
            protocol.writeFieldStop()
        elif kind == TType.MAP:
            protocol.writeMapBegin(TType.I32, TType.I32, 0)
        else:
            bits = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}[kind]
            most = 1 << (bits - 1)
            number = draw.choice([0, 1, 2, -1, most - 1, -most, draw.randrange(-most, most)])
            {8: protocol.writeByte, 16: protocol.writeI16, 32: protocol.writeI32, 64: protocol.writeI64}[bits](number)

    def items(self, inner: Any) -> None:
        count = self.draw.randrange(4)
        # A length that is a lie ends the connection.
        lie = self.draw.choice([2**31 - 1, -1, 65_536]) if self.draw.random() < 0.03 else count
        self.protocol.writeListBegin(inner[0], lie)
        for _ in range(count):
            self.value(inner[0], inner[1])


def damaged(draw: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut off or doubled."""
    changed = bytearray(data)
    for _ in range(draw.randrange(1, 5)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(draw.choice([changed, changed[: draw.randrange(len(changed))], changed * 2]))


def send(server: ThriftListener, data: bytes) -> None:
    """Sends bytes, ends the sending half, and reads until the other end is closed."""
    connection = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
    with connection, contextlib.suppress(OSError):
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass


def test_no_client_ends_the_switch_or_fills_it(
    server: ThriftListener, clients: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    seed = secrets.randbits(32)
    draw = random.Random(seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ends = time.monotonic() + SECONDS
    calls = 0
    while time.monotonic() < ends:
        kind = draw.random()
        whole = b"".join(Writer(draw).call() for _ in range(draw.randrange(1, 8)))
        if kind < 0.1:
            whole = draw.randbytes(draw.randrange(1, 400))
        elif kind < 0.4:
            whole = damaged(draw, whole)
        send(server, whole)
        calls += 1
        if calls % 50 == 0:
            assert clients.standard.bm_mgmt_get_info().device_id == 7, f"seed {seed}"
    assert calls > 20, f"seed {seed}"
    assert clients.standard.bm_mgmt_get_info().device_id == 7, f"seed {seed}"
    # Thrift's generated code logs what a method raises that is no error of the service.
    assert not [record.exc_text for record in caplog.records if record.exc_info], f"seed {seed}"
    assert sum(map(LogLimit().filter, caplog.records)) < 8 * BURST, f"seed {seed}"
    grown_bytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown_bytes < GROWN_BYTES, f"seed {seed}: {grown_bytes}"


def begun(server: ThriftListener) -> socket.socket:
    """A connection with the beginning of a call."""
    connection = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
    connection.sendall(struct.pack("!II", 0x80010001, 100) + b"standard:")
    return connection


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_half_a_call_does_not_keep_its_place(server: ThriftListener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "CALL_S", 0.3)
    held = [begun(server) for _ in range(CONNECTIONS)]
    # One byte now and then does not help.
    for connection in held:
        with contextlib.suppress(OSError):
            connection.sendall(b"x")

    def free() -> bool:
        with socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S) as connection:
            connection.settimeout(0.2)
            try:
                return connection.recv(1) != b""
            except TimeoutError:
                return True
            except ConnectionResetError:
                return False

    eventually(free)
    for connection in held:
        assert connection.recv(1) == b""
        connection.close()


def test_a_client_between_two_calls_may_wait(clients: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "CALL_S", 0.1)
    for _ in range(2):
        assert clients.standard.bm_mgmt_get_info().device_id == 7
        time.sleep(0.3)


def test_a_thousand_connections_leave_those_that_work(server: ThriftListener, clients: SimpleNamespace) -> None:
    assert clients.standard.bm_mgmt_get_info().device_id == 7
    threads = threading.active_count()
    strangers = []
    for _ in range(1000):
        strangers.append(socket.socket())
        # Beyond the backlog the kernel answers late.
        strangers[-1].setblocking(False)
        strangers[-1].connect_ex(("127.0.0.1", server.port))
    assert clients.standard.bm_mgmt_get_info().device_id == 7
    assert threading.active_count() <= threads + CONNECTIONS
    for connection in strangers:
        connection.close()
    eventually(lambda: threading.active_count() <= threads)
