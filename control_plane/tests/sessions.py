# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The embedded switch in this process, and a session, for as long as a test needs them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from finsy.proto import p4r
from quench.client.session import Session
from quench.config.model import Config
from quench.service.agent import SwitchAgent
from quench.service.metrics import Metrics
from quench_switch._native import RealtimeSwitch
from quench_switch.p4runtime.grpc_server import GrpcServer
from quench_switch.p4runtime.server import P4RuntimeServer

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


@asynccontextmanager
async def embedded(
    *, device_id: int = 0, cpu_port: int = 510, port: int = 0
) -> AsyncIterator[tuple[RealtimeSwitch, str]]:
    """A switch without interfaces, and its P4Runtime's address."""
    native = RealtimeSwitch(device_id=device_id, cpu_port=cpu_port)
    native.start()
    server = GrpcServer()
    p4runtime = P4RuntimeServer(native, device_id=device_id, cpu_port=cpu_port)
    p4runtime.register(server)
    address = server.listen(f"127.0.0.1:{port}")
    await server.start()
    p4runtime.start()
    try:
        yield native, address
    finally:
        await p4runtime.stop()
        await server.stop()
        native.stop()


def written_by(session: Session) -> list[Any]:
    """The updates that the session writes from now on."""
    written: list[Any] = []
    write = session.write

    async def record(updates: Any) -> None:
        written.extend(updates)
        await write(updates)

    session.write = record  # type: ignore[method-assign]
    return written


async def until(condition: Callable[[], Any]) -> None:
    """Wait for what has no event."""
    async with asyncio.timeout(TIMEOUT_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@asynccontextmanager
async def controlled(config: Config) -> AsyncIterator[SwitchAgent]:
    """A controller's agent that has programmed the switch."""
    agent = SwitchAgent(config, config.switches[0], Metrics())
    running = asyncio.create_task(agent.run())
    try:
        await until(lambda: agent.ready)
        yield agent
    finally:
        running.cancel()
        await asyncio.wait([running])
