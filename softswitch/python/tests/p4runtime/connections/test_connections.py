# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""There are as many connections and calls as the limits say, and none more; one that ends makes room."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
from quench_switch.p4runtime import calls as server_calls
from quench_switch.p4runtime import limits

sys.path.insert(0, str(Path(__file__).parent))

from test_http2 import (
    ACK,
    DATA,
    END_HEADERS,
    HEADERS,
    PING,
    PREFACE,
    RST_STREAM,
    SETTINGS,
    frame,
    is_closed_within,
    open_connection,
    request_headers,
)

PATIENCE_S = 60.0
READ = "/p4.v1.P4Runtime/Read"
UNKNOWN = "/p4.v1.P4Runtime/NoSuchMethod"
"""Answered at once, without a turn, and counted for its connection only."""


class Caller:
    """A connection of its own, and calls on it whose requests never come."""

    def __init__(self, address: str, number: int) -> None:
        # Channels with equal options share a connection.
        self._channel = grpc.insecure_channel(address, options=[("number", number)])
        self._stop = threading.Event()
        self.held: list[grpc.Future] = []
        # The switch's settings, the number of calls among them, are here when it has answered.
        assert self.probe() == grpc.StatusCode.UNIMPLEMENTED

    def hold(self, count: int) -> None:
        """Keep so many calls, those that are held among them; calls that have ended are begun again."""
        method = self._channel.stream_unary(READ, request_serializer=bytes, response_deserializer=bytes)
        self.held = [call for call in self.held if not call.done()]
        missing = range(count - len(self.held))
        self.held += [method.future(iter(lambda: None if self._stop.wait() else b"", None)) for _ in missing]

    def probe(self, path: str = UNKNOWN, timeout_s: float = PATIENCE_S) -> grpc.StatusCode:
        """The status of one more call."""
        call = self._channel.unary_unary(path, request_serializer=bytes, response_deserializer=bytes)
        with pytest.raises(grpc.RpcError) as caught:
            call(b"", timeout=timeout_s)
        return caught.value.code()

    def release(self) -> None:
        """End a call that is held."""
        self.held.pop().cancel()

    def close(self) -> None:
        self._stop.set()
        for call in self.held:
            call.cancel()
        self._channel.close()


@pytest.fixture
def patient_server(server, monkeypatch) -> SimpleNamespace:
    """A server whose calls may wait for their clients as long as the test takes."""
    monkeypatch.setattr(server_calls, "PATIENCE_S", 10 * PATIENCE_S)
    monkeypatch.setattr(server_calls, "CLIENT_S", 10 * PATIENCE_S)
    monkeypatch.setattr(server_calls, "TURN_S", 10 * PATIENCE_S)
    return server


@pytest.fixture
def caller(patient_server) -> Iterator[Callable[[], Caller]]:
    """Maker of callers."""
    callers: list[Caller] = []

    def make() -> Caller:
        callers.append(Caller(patient_server.address, len(callers)))
        return callers[-1]

    yield make
    for each in callers:
        each.close()


def within_patience(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_the_calls_of_a_connection_are_limited(caller: Callable[[], Caller]) -> None:
    full, other = caller(), caller()
    full.hold(limits.CALLS_PER_CONNECTION - 1)
    assert full.probe() == grpc.StatusCode.UNIMPLEMENTED
    full.hold(limits.CALLS_PER_CONNECTION)
    assert full.probe(timeout_s=1) == grpc.StatusCode.DEADLINE_EXCEEDED
    assert other.probe() == grpc.StatusCode.UNIMPLEMENTED
    full.release()
    assert full.probe() == grpc.StatusCode.UNIMPLEMENTED


def test_the_calls_of_a_peer_are_limited(caller: Callable[[], Caller]) -> None:
    # Connected first: a call that is refused would not say whether the connection is there.
    last = caller()
    callers = [caller() for _ in range(limits.CALLS_OF_PEER // limits.CALLS_PER_CONNECTION)]

    def probe_is(code: grpc.StatusCode) -> bool:
        return last.probe(READ, timeout_s=0.5) == code

    def is_full() -> bool:
        # A probe that came before the last of these calls took its place, and the call was refused.
        for each in callers:
            each.hold(limits.CALLS_PER_CONNECTION)
        return probe_is(grpc.StatusCode.RESOURCE_EXHAUSTED) and not any(
            call.done() for each in callers for call in each.held
        )

    assert within_patience(is_full)
    callers[0].release()
    # It is let in, and waits for its turn, which the others have.
    assert within_patience(lambda: probe_is(grpc.StatusCode.DEADLINE_EXCEEDED))


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_messages_may_be_compressed_and_are_limited_as_others(server, compression) -> None:
    with grpc.insecure_channel(server.address, compression=compression) as channel:
        call = channel.unary_unary("/p4.v1.P4Runtime/Capabilities", request_serializer=bytes)
        assert call(b"\x08\x01" * 500, timeout=PATIENCE_S)
        with pytest.raises(grpc.RpcError) as caught:
            call(b"\x08\x01" * limits.SMALL_REQUEST_BYTES, timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def hold_read(address: str) -> socket.socket:
    """A connection with a call whose request does not come."""
    connection = open_connection(address, acknowledge=True)
    connection.sendall(frame(HEADERS, END_HEADERS, 1, request_headers(READ.encode())))
    return connection


def is_served(connection: socket.socket) -> bool:
    """Whether the switch answers a probe of HTTP/2."""
    opaque = os.urandom(8)
    try:
        connection.settimeout(PATIENCE_S)
        connection.sendall(frame(PING, 0, 0, opaque))
        seen = b""
        while frame(PING, ACK, 0, opaque) not in seen:
            data = connection.recv(4096)
            if not data:
                return False
            seen += data
    except (ConnectionError, TimeoutError):
        return False
    return True


def test_an_idle_connection_makes_room_for_another_and_a_call_does_not(patient_server) -> None:
    address = patient_server.address
    with ExitStack() as stack:
        busy = [stack.enter_context(closing(hold_read(address))) for _ in range(limits.CONNECTIONS_OF_PEER - 1)]
        idle = stack.enter_context(closing(hold_read(address)))
        # One by one, for the switch knows a call only after its connection.
        assert all(is_served(each) for each in (*busy, idle))
        refused = stack.enter_context(closing(open_connection(address, acknowledge=False)))
        assert is_closed_within(refused, PATIENCE_S)
        assert all(is_served(each) for each in (*busy, idle))
        idle.sendall(frame(RST_STREAM, 0, 1, struct.pack(">I", 8)))
        assert is_served(idle)
        assert within_patience(lambda: is_served(stack.enter_context(closing(hold_read(address)))))
        assert is_closed_within(idle, PATIENCE_S)
        assert all(is_served(each) for each in busy)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="other users' processes are made by root")
# The process takes its user itself: with `user=` it would be forked, and gRPC in this process breaks what it forks.
HOLDS = """
import os, socket, sys
os.setuid(int(sys.argv.pop(1)))
held = []
for _ in range(int(sys.argv[3])):
    held.append(socket.create_connection((sys.argv[1], int(sys.argv[2]))))
    try:
        held[-1].sendall(bytes.fromhex(sys.argv[4]))
        held[-1].recv(1)
    except ConnectionError:
        pass
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_by(address: str, user: int, connections: int, data: bytes) -> Iterator[None]:
    """Connections of another user, which have sent this after HTTP/2's preface, while the block runs."""
    host, port = address.split(":")
    sent = PREFACE + frame(SETTINGS, 0, 0) + data
    command = [sys.executable, "-S", "-c", HOLDS, str(user), host, port, str(connections), sent.hex()]
    with subprocess.Popen(command, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            yield
        finally:
            holder.kill()


@as_root
@pytest.mark.parametrize("flags", [END_HEADERS, 0], ids=["calls", "half a head"])
def test_other_users_keep_nobody_out(server, flags: int) -> None:
    head = frame(HEADERS, flags, 1, request_headers(READ.encode()))
    with ExitStack() as stack:
        for user in (60_001, 60_002, 60_003):
            stack.enter_context(held_by(server.address, user, limits.CONNECTIONS_OF_PEER, head))
        with closing(hold_read(server.address)) as ours:
            assert is_served(ours)


@as_root
def test_the_calls_of_the_switch_are_limited(patient_server, caller: Callable[[], Caller]) -> None:
    last = caller()
    heads = [frame(HEADERS, END_HEADERS, 2 * number + 1, request_headers(READ.encode())) for number in range(32)]
    assert len(heads) == limits.CALLS_PER_CONNECTION
    connections = limits.CALLS_OF_PEER // limits.CALLS_PER_CONNECTION
    with ExitStack() as stack:
        for user in (60_001, 60_002):
            stack.enter_context(held_by(patient_server.address, user, connections, b"".join(heads)))
        assert within_patience(lambda: last.probe(READ, timeout_s=0.5) == grpc.StatusCode.RESOURCE_EXHAUSTED)
        # Methods without a turn are calls as well.
        assert last.probe() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert within_patience(lambda: last.probe() == grpc.StatusCode.UNIMPLEMENTED)


@as_root
def test_answers_that_nobody_fetches_keep_nobody_out(server) -> None:
    """Each of the calls has its answer, and a window of HTTP/2 without room for it."""
    no_room = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))
    path = b"/p4.v1.P4Runtime/Capabilities"
    calls = b"".join(
        frame(HEADERS, END_HEADERS, 2 * number + 1, request_headers(path)) + frame(DATA, 1, 2 * number + 1, bytes(5))
        for number in range(limits.CALLS_PER_CONNECTION)
    )
    with held_by(server.address, 60_001, 2 * limits.CALLS // limits.CALLS_PER_CONNECTION, no_room + calls):
        for number in range(20):
            with grpc.insecure_channel(server.address, options=[("number", number)]) as channel:
                assert channel.unary_unary(path.decode(), request_serializer=bytes)(b"", timeout=PATIENCE_S)
