# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The publisher of nanomsg's protocol: what subscribers get, and what strangers and slow readers cannot do."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4r
from quench_switch._native import RealtimeSwitch
from quench_switch.bmv2_thrift import publisher
from quench_switch.bmv2_thrift.learning import Notifications
from quench_switch.bmv2_thrift.publisher import Publisher, parse_address
from quench_switch.p4runtime.server import P4RuntimeServer

SUBSCRIBER, PUBLISHER = b"\0SP\0\0\x21\0\0", b"\0SP\0\0\x20\0\0"
TIMEOUT_S = 20.0
CPU_PORT = 64
MAC = bytes(range(6))

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def subscribe(address: str, greeting: bytes = SUBSCRIBER) -> Streams:
    where = parse_address(address)
    if where.path is None:
        reader, writer = await asyncio.open_connection(where.host, where.port)
    else:
        reader, writer = await asyncio.open_unix_connection(where.path)
    assert await reader.readexactly(8) == PUBLISHER
    writer.write(greeting)
    return reader, writer


async def received(reader: asyncio.StreamReader, address: str) -> bytes:
    if address.startswith("ipc"):
        assert await reader.readexactly(1) == b"\1"
    (length,) = struct.unpack(">Q", await reader.readexactly(8))
    return await reader.readexactly(length)


async def is_closed(reader: asyncio.StreamReader) -> bool:
    try:
        return await reader.read() == b""
    except ConnectionError:
        return True


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - nothing tells
        await asyncio.sleep(0.01)


def run(test: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(test, TIMEOUT_S)

    asyncio.run(limited())


@pytest.fixture(params=["ipc", "tcp"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "ipc":
        return f"ipc://{tmp_path}/digests.ipc"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def greeted(of: Publisher) -> int:
    return sum(subscriber.is_greeted for subscriber in of._subscribers)


def test_each_subscriber_gets_each_message_in_order(address: str) -> None:
    async def test() -> None:
        made = Publisher(parse_address(address))
        await made.start()
        made.send(b"too early")
        streams = [await subscribe(address) for _ in range(3)]
        await until(lambda: greeted(made) == 3)
        messages = [b"", b"one", bytes(100_000)]
        for message in messages:
            made.send(message)
        for reader, _ in streams:
            assert [await received(reader, address) for _ in messages] == messages
        streams[0][1].close()
        await until(lambda: greeted(made) == 2)
        made.send(b"two")
        assert await received(streams[1][0], address) == b"two"
        made.stop()
        assert await is_closed(streams[1][0])
        with pytest.raises(OSError):  # noqa: PT011 - refused, or no such file
            await subscribe(address)

    run(test())


@pytest.mark.parametrize(
    "greeting", [b"GET / HTT", PUBLISHER, SUBSCRIBER + b"x", bytes(100_000)], ids=["http", "pub", "more", "zeros"]
)
def test_what_is_no_subscriber_is_closed(address: str, greeting: bytes) -> None:
    async def test() -> None:
        made = Publisher(parse_address(address))
        await made.start()
        reader, _ = await subscribe(address, greeting)
        assert await is_closed(reader)
        await until(lambda: not made._subscribers)
        made.stop()

    run(test())


def test_who_says_nothing_is_closed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "GREETING_S", 0.05)

    async def test() -> None:
        made = Publisher(parse_address(address))
        await made.start()
        silent, _ = await subscribe(address, SUBSCRIBER[:7])
        made.send(b"not for it")
        assert await is_closed(silent)
        made.stop()

    run(test())


def test_a_slow_reader_loses_messages_and_nobody_waits(address: str, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        made = Publisher(parse_address(address))
        await made.start()
        (_, slow), (_, other), (reader, _) = [await subscribe(address) for _ in range(3)]
        await until(lambda: greeted(made) == 3)
        count = 400
        for number in range(count):
            made.send(struct.pack(">I", number) + bytes(100_000))
            message = await received(reader, address)
            assert struct.unpack(">I", message[:4]) == (number,)
        assert 0 < made.lost < 2 * count
        assert all(subscriber.waiting_bytes <= publisher.WAITING_BYTES for subscriber in made._subscribers)
        slow.close()
        other.close()
        made.stop()

    run(test())
    assert len([message for message in caplog.messages if "reads too slowly" in message]) == 2


def test_there_are_so_many_subscribers_at_most(address: str, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        made = Publisher(parse_address(address))
        await made.start()
        kept = [await subscribe(address) for _ in range(publisher.SUBSCRIBERS)]
        for _ in range(3):
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await subscribe(address)
        kept[0][1].close()
        await until(lambda: len(made._subscribers) < publisher.SUBSCRIBERS)
        await subscribe(address)
        made.stop()

    run(test())
    # Each: the log's limit holds for them as for all warnings.
    assert len([message for message in caplog.messages if "the most" in message]) == 3


def test_an_address_that_somebody_has_is_refused(address: str) -> None:
    async def test() -> None:
        first, second = Publisher(parse_address(address)), Publisher(parse_address(address))
        await first.start()
        with pytest.raises(OSError, match="in use"):
            await second.start()
        first.stop()
        await second.start()
        second.stop()

    run(test())


def test_only_a_socket_that_was_left_behind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x.ipc"
    path.write_text("mine")

    async def test() -> None:
        made = Publisher(parse_address(f"ipc://{path}"))
        with pytest.raises(OSError, match="exists"):
            await made.start()
        assert path.read_text() == "mine"
        path.unlink()
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        await made.start()
        await subscribe(f"ipc://{path}")
        made.stop()
        assert not path.exists()

    run(test())


@pytest.mark.parametrize(
    "text", ["", "ipc://", "tcp://", "tcp://1.2.3.4", "tcp://:1", "tcp://h:65536", "tcp://h:-1", "x:1", "inproc://x"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write ipc://PATH or tcp://HOST:PORT"):
        parse_address(text)


def test_who_reaches_an_address() -> None:
    local = ["ipc:///tmp/x.ipc", "tcp://127.0.0.1:5", "tcp://[::1]:5", "tcp://localhost:5"]
    assert all(parse_address(text).is_local for text in local)
    assert not any(parse_address(text).is_local for text in ("tcp://*:5", "tcp://0.0.0.0:5", "tcp://10.0.0.1:5"))


def test_what_a_packet_teaches_is_published(address: str, config: p4r.ForwardingPipelineConfig) -> None:
    """From the data plane to the subscriber."""

    async def test() -> None:
        switch = RealtimeSwitch(cpu_port=CPU_PORT)
        try:
            server = P4RuntimeServer(switch, device_id=7, cpu_port=CPU_PORT)
            server.device.load(config)
            made = Notifications(address, server.device, switch, 7)
            server.digest_listener = made.learning
            await made.publisher.start()
            switch.start()
            server.start()
            reader, _ = await subscribe(address)
            await until(lambda: greeted(made.publisher) == 1)
            switch.packet_out(bytes(6) + MAC + b"\x12\x34" + bytes(50))
            message = await received(reader, address)
            assert message == struct.pack("<4sQiiQi", b"LEA|", 7, 0, 1, 0, 1) + MAC + struct.pack(">H", CPU_PORT)
            made.publisher.stop()
            await server.stop()
        finally:
            switch.stop()

    run(test())
