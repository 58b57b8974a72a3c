# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packet-ins that wait to be answered, up to a size in bytes. Beyond it the oldest are dropped."""

import asyncio
from collections import deque
from typing import Generic, Protocol, TypeVar

OVERHEAD_BYTES = 512
"""Memory of a message beside its own bytes: Python's and protobuf's objects."""
LIMIT_BYTES = 16 << 20


class Sized(Protocol):
    """A protobuf message."""

    def ByteSize(self) -> int:  # noqa: N802
        """Its encoded length."""


Message = TypeVar("Message", bound=Sized)


class Backlog(Generic[Message]):
    """A queue of messages. ``put`` never waits."""

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._messages: deque[tuple[Message, int]] = deque()
        self._filled = asyncio.Event()
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._messages)

    def put(self, message: Message) -> int:
        """Add a message and return how many were dropped for it; the newest always stays."""
        size = message.ByteSize() + OVERHEAD_BYTES
        self._messages.append((message, size))
        self.size_bytes += size
        lost = 0
        while self.size_bytes > self._limit_bytes and len(self._messages) > 1:
            self.size_bytes -= self._messages.popleft()[1]
            lost += 1
        self._filled.set()
        return lost

    async def get(self) -> Message:
        """The oldest message; waits for one."""
        while not self._messages:
            self._filled.clear()
            await self._filled.wait()
        message, size = self._messages.popleft()
        self.size_bytes -= size
        return message
