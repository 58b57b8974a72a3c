# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of one request: each is received when its turn comes, and no client can keep a turn that others want.

gRPC would receive, parse and keep every request before the server sees it. Here calls are streams of bytes, which look
the same on the wire: until a call has its turn, its request stays with the client.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from .errors import Code, RequestError, exhausted, invalid
from .limits import CLIENT_S, PATIENCE_S, TURN_S

_log = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]
M = TypeVar("M", bound=Message)


class Turns:
    """So many calls at a time. One that waits for its client for long gives up its turn when another wants it."""

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._parked: dict[asyncio.Timeout, float] = {}

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn. Raises RESOURCE_EXHAUSTED if none comes."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + TURN_S
        while True:
            try:
                async with asyncio.timeout(PATIENCE_S / 4):
                    await self._free.acquire()
                break
            except TimeoutError:
                self._evict(loop.time())
                if loop.time() > give_up:
                    raise exhausted("the switch is busy with other requests") from None
        try:
            yield
        finally:
            self._free.release()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[None]:
        """Around what waits for the client. Raises RESOURCE_EXHAUSTED if it takes too long."""
        loop = asyncio.get_running_loop()
        limit = asyncio.timeout(CLIENT_S)
        try:
            async with limit:
                self._parked[limit] = loop.time()
                try:
                    yield
                finally:
                    del self._parked[limit]
        except TimeoutError:
            raise exhausted("the client neither sent its request nor fetched the answer in time") from None

    def _evict(self, now: float) -> None:
        for limit, since in self._parked.items():
            deadline = limit.when()
            if now - since >= PATIENCE_S and deadline is not None and deadline > now:
                limit.reschedule(now)
                return


def parse(kind: type[M], data: bytes) -> M:
    """A message. Raises INVALID_ARGUMENT for bytes that are none."""
    try:
        return kind.FromString(data)
    except DecodeError:
        raise invalid(f"the request is not a {kind.DESCRIPTOR.name}") from None


async def receive(turns: Turns, context: Context, limit_bytes: int) -> bytes:
    """The request of a call that has its turn."""
    async with turns.client():
        data = await context.read()
    if not isinstance(data, bytes):
        raise invalid("the call has no request")
    if len(data) > limit_bytes:
        raise exhausted(f"the request has {len(data)} bytes, the most is {limit_bytes}")
    return data


async def send(turns: Turns, context: Context, data: bytes) -> None:
    """An answer; returns when the client has room for more."""
    async with turns.client():
        await context.write(data)


def unary(
    turns: Turns, limit_bytes: int, method: Callable[[bytes, Context], Awaitable[Message]]
) -> grpc.RpcMethodHandler[Any, Any]:
    """A method with one request and one answer."""

    async def handle(_requests: AsyncIterator[bytes], context: Context) -> None:
        async def answer() -> None:
            async with turns.turn():
                message = await method(await receive(turns, context, limit_bytes), context)
                await send(turns, context, message.SerializeToString())

        await refuse(context, answer())

    return grpc.stream_stream_rpc_method_handler(guarded(handle))


def guarded(
    handle: Callable[[AsyncIterator[bytes], Context], Awaitable[None]],
) -> Callable[[AsyncIterator[bytes], Context], Awaitable[None]]:
    """INTERNAL for what nobody foresaw, a panic of the native module among it: a request must not end the switch."""

    async def handle_guarded(requests: AsyncIterator[bytes], context: Context) -> None:
        try:
            await handle(requests, context)
        except (asyncio.CancelledError, grpc.aio.AbortError, KeyboardInterrupt, SystemExit):
            raise
        except grpc.aio.InternalError:
            # The client ended the call, or gRPC did for a message that is too long: nobody is there to answer.
            raise asyncio.CancelledError from None
        except BaseException:  # noqa: BLE001 - a panic of the native module is no Exception
            _log.exception("a request broke")
            await abort(context, RequestError(Code.INTERNAL, "internal error, see the switch's log"))

    return handle_guarded


async def refuse(context: Context, call: Awaitable[None]) -> None:
    """Do what a call is for, and end it with the error if it is refused."""
    refusal = None
    try:
        await call
    except RequestError as error:
        refusal = error.bare()
    if refusal is not None:
        await abort(context, refusal)


async def abort(context: Context, error: RequestError) -> NoReturn:
    """End a call with an error."""
    await context.abort(error.status, error.message)
    raise AssertionError("abort returns never")
