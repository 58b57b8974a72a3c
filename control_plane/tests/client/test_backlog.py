# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest
from finsy.proto import p4r
from hypothesis import given
from hypothesis import strategies as st
from quench.client.backlog import LIMIT_BYTES, OVERHEAD_BYTES, Backlog
from quench.client.session import SessionError
from test_hostile_switch import SCHEMA, agent_of, last_packet


@given(st.lists(st.integers(0, 3000), max_size=100), st.integers(1, 20_000))
def test_the_oldest_go_and_all_are_counted(sizes: list[int], limit_bytes: int) -> None:
    async def check() -> None:
        backlog: Backlog[p4r.PacketIn] = Backlog(limit_bytes)
        messages = [p4r.PacketIn(payload=bytes(size)) for size in sizes]
        lost = 0
        for message in messages:
            lost += backlog.put(message)
            assert backlog.size_bytes <= max(limit_bytes, message.ByteSize() + OVERHEAD_BYTES)
        kept = messages[lost:]
        for message in kept:
            assert await backlog.get() is message
        assert backlog.size_bytes == 0
        assert bool(kept) == bool(messages), "the newest stays, however large it is"

    asyncio.run(check())


async def test_get_waits_for_a_message() -> None:
    backlog: Backlog[p4r.PacketIn] = Backlog()
    waiting = asyncio.create_task(backlog.get())
    await asyncio.sleep(0)
    assert not waiting.done()
    message = p4r.PacketIn(payload=b"x")
    assert backlog.put(message) == 0
    assert await waiting is message


class EndedSession:
    """Takes nothing any more."""

    p4info = SCHEMA

    async def send(self, _: object) -> None:
        raise SessionError("the connection has ended")


async def test_what_is_lost_is_a_metric(tmp_path: Path) -> None:
    agent, metrics = agent_of(tmp_path, "127.0.0.1:1")
    lost = metrics.packet_ins_lost.labels("s1")._value
    # With tag and length just as long as 256 of them need to be the limit.
    large = p4r.PacketIn(payload=bytes((LIMIT_BYTES >> 8) - OVERHEAD_BYTES - 4))
    for _ in range(259):
        agent.packet(large)
    assert lost.get() == 3
    # Packets that wait when the connection ends are lost too.
    for _ in range(5):
        agent.packet(last_packet().packet)
    before = lost.get()
    with pytest.raises(SessionError):
        await agent.packet_ins.answer(cast("Any", EndedSession()), lambda: True)
    assert metrics.packet_ins_bad.labels("s1")._value.get() == 259 - before
    assert lost.get() == before + 4
