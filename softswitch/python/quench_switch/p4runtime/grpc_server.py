# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""gRPC of the switch's services: connections, whose number is shared fairly, and calls, which are streams of bytes.

HTTP/2 and TLS are the native module's. A call runs as a task of the event loop; it is cancelled when the client gives
it up.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from quench_switch._native import GrpcServer as NativeServer
from quench_switch.outside.peers import Quota, peer_name

from .errors import Code, RequestError, unimplemented
from .limits import (
    CALLS,
    CALLS_OF_PEER,
    CALLS_PER_CONNECTION,
    CLIENT_S,
    CONNECTION_WINDOW_BYTES,
    CONNECTIONS,
    CONNECTIONS_OF_PEER,
    FIRST_CALL_MS,
    KEEPALIVE_ANSWER_MS,
    KEEPALIVE_MS,
    METADATA_BYTES,
    STREAM_WINDOW_BYTES,
)

if TYPE_CHECKING:
    from quench_switch._native import GrpcCall, GrpcConnection

_log = logging.getLogger(__name__)

_OK: Final = 0


class Call:
    """One call of a client, as a handler sees it. Used on the event loop."""

    def __init__(self, native: GrpcCall, peer: str) -> None:
        self._native = native
        self._loop = asyncio.get_running_loop()
        self.peer: Final = peer
        """The peer that quotas count the call for."""

    async def read(self, limit_bytes: int) -> bytes | None:
        """The next message; None after the last.

        Raises RESOURCE_EXHAUSTED for a longer message, CANCELLED if the client gave the call up, and INTERNAL for bytes
        that are no message.
        """
        answer = _Answer(self._loop)
        if (now := self._native.read(limit_bytes, answer.take)) is not None:
            answer.set(*now)
        return await answer.future

    async def write(self, data: bytes) -> None:
        """Send a message; returns when the client has room for the next. Raises CANCELLED if the call is over."""
        answer = _Answer(self._loop)
        if not self._native.write(data, answer.take):
            await answer.future

    def end(self, error: RequestError | None = None) -> None:
        """End the call after what was written."""
        if error is None:
            self._native.end(_OK, "", b"")
        else:
            self._native.end(error.code, error.message, error.details)

    def on_given_up(self, act: Callable[[], object]) -> None:
        """Do something when the client gave the call up before its end."""

        def tell(_data: bytes | None, _error: tuple[int, str] | None) -> None:
            _post(self._loop, act)

        self._native.over(tell)


class _Answer:
    """An answer by which a thread of the native module tells the event loop of its result."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.future: asyncio.Future[bytes | None] = loop.create_future()

    def take(self, data: bytes | None, error: tuple[int, str] | None) -> None:
        """Called on that thread."""
        _post(self._loop, lambda: self.set(data, error))

    def set(self, data: bytes | None, error: tuple[int, str] | None) -> None:
        """Called on the event loop."""
        if self.future.done():
            return
        if error is None:
            self.future.set_result(data)
        else:
            self.future.set_exception(RequestError(Code(error[0]), error[1]))


def _post(loop: asyncio.AbstractEventLoop, act: Callable[[], object]) -> None:
    # The loop may have ended, with all that waited.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


Method = Callable[[Call], Awaitable[None]]
"""Answers a call. It ends the call with the RequestError that it raises, and without an error when it returns."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM texts: of the server, and of the authority whose clients alone are admitted."""

    certificate: bytes
    key: bytes
    client_authority: bytes | None


class _Handler:
    """The methods that the native module calls, on its thread. All connections wait meanwhile."""

    def __init__(self) -> None:
        self.methods: dict[str, Method] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self.is_stopping = False
        self.on_failure: Callable[[str], None] | None = None
        self._quota: Quota[GrpcConnection] = Quota(CONNECTIONS, CONNECTIONS_OF_PEER)
        self._peers: dict[GrpcConnection, str] = {}

    def opened(self, connection: GrpcConnection, descriptor: int) -> str | None:
        """The peer that a connection is counted for; None if it is not served."""
        borrowed = socket.socket(fileno=descriptor)
        try:
            peer = peer_name(borrowed)
        finally:
            borrowed.detach()
        for each in self._peers:
            if each.calls:
                self._quota.works(each)
            else:
                self._quota.waits(each)
        closed = self._quota.admit(connection, peer)
        if closed is connection:
            _log.warning("a gRPC connection of %s was refused: all places are taken", peer)
            return None
        self._peers[connection] = peer
        if closed is not None:
            self._peers.pop(closed, None)
            closed.close()
        return peer

    def authenticated(self, connection: GrpcConnection) -> None:
        """Its client has shown a certificate."""
        self._quota.trust(connection)

    def closed(self, connection: GrpcConnection) -> None:
        """A connection that was served is over."""
        self._quota.remove(connection)
        self._peers.pop(connection, None)

    def begun(self, native: GrpcCall) -> None:
        """A client began a call."""
        assert self.loop is not None
        peer = self._peers.get(native.connection, "a peer that is gone")
        _post(self.loop, lambda: self._begin(native, peer))

    def failed(self, reason: str) -> None:
        """No connection is accepted any more."""
        assert self.loop is not None
        if self.on_failure is not None:
            _post(self.loop, partial(self.on_failure, reason))

    def _begin(self, native: GrpcCall, peer: str) -> None:
        """Begin a call, on the event loop."""
        call = Call(native, peer)
        if self.is_stopping:
            call.end(RequestError(Code.UNAVAILABLE, "the switch is stopping"))
            return
        method = self.methods.get(native.path)
        if method is None:
            call.end(unimplemented("the switch has no such method"))
            return
        task = asyncio.get_running_loop().create_task(_answer(method, call))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        call.on_given_up(task.cancel)


class GrpcServer:
    """Services of one address. ``start`` on the event loop that answers."""

    def __init__(self) -> None:
        # An object of its own: the native module has it, and this one the native module.
        self._handler = _Handler()
        self._native: NativeServer | None = None

    def add(self, service: str, methods: Mapping[str, Method]) -> None:
        """Answer the methods of a service, such as ``p4.v1.P4Runtime``."""
        self._handler.methods |= {f"/{service}/{name}": method for name, method in methods.items()}

    def on_failure(self, act: Callable[[str], None]) -> None:
        """Set the action, on the event loop, for a server that serves nobody any more; it gets the reason."""
        self._handler.on_failure = act

    def listen(self, address: str, certificates: Certificates | None = None) -> str:
        """Bind to ``HOST:PORT``, ``unix:PATH`` or ``unix-abstract:NAME``; returns it with the port that it got.

        Raises OSError for an address that cannot be had, and ValueError for certificates that are none.
        """
        self._native = NativeServer(
            address,
            self._handler,
            certificate=None if certificates is None else certificates.certificate,
            key=None if certificates is None else certificates.key,
            client_authority=None if certificates is None else certificates.client_authority,
            calls=CALLS,
            calls_of_peer=CALLS_OF_PEER,
            calls_per_connection=CALLS_PER_CONNECTION,
            metadata_bytes=METADATA_BYTES,
            stream_window_bytes=STREAM_WINDOW_BYTES,
            connection_window_bytes=CONNECTION_WINDOW_BYTES,
            first_call_ms=FIRST_CALL_MS,
            answer_ms=int(CLIENT_S * 1000),
            keepalive_ms=KEEPALIVE_MS,
            keepalive_answer_ms=KEEPALIVE_ANSWER_MS,
        )
        return self._native.address

    async def start(self) -> None:
        """Begin to accept connections."""
        if self._native is None:
            raise RuntimeError("the server has no address: call listen first")
        self._handler.loop = asyncio.get_running_loop()
        self._native.start()

    async def stop(self, grace_s: float = 0.0) -> None:
        """Accept no more. Calls may go on for a while; then they are cancelled, and their connections closed."""
        if self._native is not None:
            await asyncio.to_thread(self._native.stop, int(grace_s * 1000))
        self._handler.is_stopping = True
        tasks = list(self._handler.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(method: Method, call: Call) -> None:
    """Run a method. An unforeseen error is INTERNAL, a panic of the native module too: no call may end the switch."""
    refusal: RequestError | None = RequestError(Code.CANCELLED, "the call was given up")
    try:
        await method(call)
        refusal = None
    except RequestError as error:
        refusal = error.bare()
    except (KeyboardInterrupt, SystemExit):
        raise
    except asyncio.CancelledError:
        raise
    except BaseException:  # noqa: BLE001 - a panic of the native module is no Exception
        _log.exception("a request broke")
        refusal = RequestError(Code.INTERNAL, "internal error, see the switch's log")
    finally:
        call.end(refusal)
