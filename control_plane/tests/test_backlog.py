# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import asyncio

from finsy.proto import p4r
from hypothesis import given
from hypothesis import strategies as st
from quench.switch.backlog import OVERHEAD_BYTES, Backlog


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
