# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that wait to go out on one stream, as bytes."""

from __future__ import annotations

import asyncio
from collections import deque

from .errors import RequestError, exhausted
from .limits import MESSAGE_OVERHEAD_BYTES, OUTBOX_ARBITRATION_BYTES, OUTBOX_BYTES


class Outbox:
    """A queue that keeps all arbitration messages and drops others when the client reads too slowly.

    A client that does not even read arbitration messages loses its stream.
    """

    def __init__(self) -> None:
        self._messages: deque[tuple[bytes, bool]] = deque()
        self._bytes = {False: 0, True: 0}
        """Waiting, of messages that may be lost and of those that may not."""
        self._ready = asyncio.Event()
        self._end: RequestError | None = None
        self._closed = False

    def put(self, message: bytes) -> None:
        """Queue a message that must arrive."""
        if self._bytes[True] + len(message) + MESSAGE_OVERHEAD_BYTES > OUTBOX_ARBITRATION_BYTES:
            self._messages.clear()
            self.close(exhausted("the client does not read its stream"))
        elif not self._closed:
            self._append(message, True)

    def offer(self, message: bytes) -> bool:
        """Queue a message that may be lost; False if it was."""
        if self._closed or self._bytes[False] + len(message) + MESSAGE_OVERHEAD_BYTES > OUTBOX_BYTES:
            return False
        self._append(message, False)
        return True

    def _append(self, message: bytes, vital: bool) -> None:
        self._messages.append((message, vital))
        self._bytes[vital] += len(message) + MESSAGE_OVERHEAD_BYTES
        self._ready.set()

    def close(self, error: RequestError | None = None) -> None:
        """End the stream after what is queued, with an error if given."""
        if not self._closed:
            self._end = error
            self._closed = True
        self._ready.set()

    async def get(self) -> bytes | None:
        """Next message, None at the end. Raises the error that the outbox was closed with."""
        while not self._messages:
            if self._closed:
                if self._end is not None:
                    raise self._end
                return None
            self._ready.clear()
            await self._ready.wait()
        message, vital = self._messages.popleft()
        self._bytes[vital] -= len(message) + MESSAGE_OVERHEAD_BYTES
        return message
