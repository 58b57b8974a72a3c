# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that wait to go out on one stream."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from finsy.proto import p4r

from .errors import RequestError

MAX_NOTIFICATIONS: Final = 8192
"""Packet-ins, digests, timeouts and errors that may wait; beyond it they are dropped and counted."""


class Outbox:
    """A queue that always takes arbitration messages and drops others when the client reads too slowly."""

    def __init__(self, limit: int = MAX_NOTIFICATIONS) -> None:
        self._messages: deque[p4r.StreamMessageResponse] = deque()
        self._limit = limit
        self._ready = asyncio.Event()
        self._end: RequestError | None = None
        self._closed = False
        self.dropped = 0

    def put(self, message: p4r.StreamMessageResponse) -> None:
        """Queue a message that must arrive."""
        self._messages.append(message)
        self._ready.set()

    def offer(self, message: p4r.StreamMessageResponse) -> bool:
        """Queue a message that may be lost; False if it was."""
        if len(self._messages) >= self._limit:
            self.dropped += 1
            return False
        self.put(message)
        return True

    def close(self, error: RequestError | None = None) -> None:
        """End the stream after what is queued, with an error if given."""
        self._end = error
        self._closed = True
        self._ready.set()

    async def get(self) -> p4r.StreamMessageResponse | None:
        """Next message, None at the end. Raises the error that the outbox was closed with."""
        while not self._messages:
            if self._closed:
                if self._end is not None:
                    raise self._end
                return None
            self._ready.clear()
            await self._ready.wait()
        return self._messages.popleft()
