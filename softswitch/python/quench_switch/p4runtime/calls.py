# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of one request: each is received when its turn comes, and no client can keep a turn that others want.

Until a call has its turn, its request stays with the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from google.protobuf.message import DecodeError, Message

from .errors import exhausted, invalid
from .limits import CLIENT_S, PATIENCE_S, TURN_S

if TYPE_CHECKING:
    from .grpc_server import Call, Method

M = TypeVar("M", bound=Message)


class Turns:
    """A limit of the number of calls at a time.

    A call that waits for its client for long gives up its turn when another wants it.
    """

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


async def receive(turns: Turns, call: Call, limit_bytes: int) -> bytes:
    """The request of a call that has its turn."""
    async with turns.client():
        data = await call.read(limit_bytes)
    if data is None:
        raise invalid("the call has no request")
    return data


async def send(turns: Turns, call: Call, data: bytes) -> None:
    """An answer; returns when the client has room for more."""
    async with turns.client():
        await call.write(data)


def unary(turns: Turns, limit_bytes: int, method: Callable[[bytes], Awaitable[Message]]) -> Method:
    """A method with one request and one answer."""

    async def answer(call: Call) -> None:
        async with turns.turn():
            message = await method(await receive(turns, call, limit_bytes))
            await send(turns, call, message.SerializeToString())

    return answer
