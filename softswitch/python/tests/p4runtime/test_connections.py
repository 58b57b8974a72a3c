# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""As many connections and calls as the limits say, and none more; one that ends makes room."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import grpc
import pytest
from quench_switch.p4runtime import calls as server_calls
from quench_switch.p4runtime import limits

sys.path.insert(0, str(Path(__file__).parent))

from test_http2 import is_closed_within, open_connection

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
        """What becomes of one more call."""
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
def caller(server, monkeypatch) -> Iterator[Callable[[], Caller]]:
    """Maker of callers. Calls may wait for their clients as long as the test takes."""
    monkeypatch.setattr(server_calls, "PATIENCE_S", 10 * PATIENCE_S)
    monkeypatch.setattr(server_calls, "CLIENT_S", 10 * PATIENCE_S)
    monkeypatch.setattr(server_calls, "TURN_S", 10 * PATIENCE_S)
    callers: list[Caller] = []

    def make() -> Caller:
        callers.append(Caller(server.address, len(callers)))
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


def test_the_calls_of_the_switch_are_limited(caller: Callable[[], Caller]) -> None:
    # Connected first: a call that is refused would not say whether the connection is there.
    last = caller()
    callers = [caller() for _ in range(limits.CALLS // limits.CALLS_PER_CONNECTION)]

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


def test_connections_are_limited(server) -> None:
    sockets = [open_connection(server.address, acknowledge=True) for _ in range(limits.CONNECTIONS)]
    try:
        with closing(open_connection(server.address, acknowledge=False)) as one_more:
            assert one_more.recv(1) == b""
        assert not any(is_closed_within(sock, 0.001) for sock in sockets)
        sockets.pop().close()

        def has_room() -> bool:
            with closing(open_connection(server.address, acknowledge=False)) as again:
                return again.recv(1) != b""

        assert within_patience(has_room)
    finally:
        for sock in sockets:
            sock.close()
