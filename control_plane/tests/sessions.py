# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A session for as long as a test needs it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from finsy.proto import p4r
from quench.client.session import Session

TIMEOUT_S = 60


class Recorder:
    """A user that records the session's calls."""

    def __init__(self) -> None:
        self.is_primary = asyncio.Event()
        self.backups: list[int] = []
        self.stood_by = asyncio.Event()
        self.packets: list[p4r.PacketIn] = []
        self.errors: list[p4r.StreamError] = []

    async def primary(self, session: Session) -> None:
        self.is_primary.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.is_primary.clear()

    def backup(self, highest: int) -> None:
        self.backups.append(highest)
        self.stood_by.set()

    def packet(self, packet: p4r.PacketIn) -> None:
        self.packets.append(packet)

    def stream_error(self, error: p4r.StreamError) -> None:
        self.errors.append(error)


@asynccontextmanager
async def running(session: Session) -> AsyncIterator[Recorder]:
    """The record of a session, while it runs."""
    recorder = Recorder()
    task = asyncio.create_task(session.run(recorder))
    try:
        yield recorder
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def connected(session: Session) -> AsyncIterator[Session]:
    """The session, when it is primary."""
    async with running(session) as recorder, asyncio.timeout(TIMEOUT_S):
        await recorder.is_primary.wait()
        yield session
