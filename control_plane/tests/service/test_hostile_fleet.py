# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Floods from a P4Runtime server, and a controller with all sorts of servers beside one that works."""

import asyncio
import itertools
import logging
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import finsy as fy
import grpc
import pytest
from finsy.proto import p4r
from lab import QUENCH, ROOT
from quench.client.channel import MOST_MESSAGE_BYTES
from quench.client.session import Session, SessionError, Target
from sessions import Recorder
from test_hostile_server import Endless, raw
from test_hostile_switch import SCHEMA, Server, agent_of, last_packet, primary_of, served, until

HANG_S = 60


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all tests: gRPC's poller stays with the loop that it saw first."""
    with asyncio.Runner() as runner:
        yield runner


def test_a_message_that_is_too_long_ends_the_session(loop: asyncio.Runner) -> None:
    """Its empty parts would take a hundred times as much as the message when it is parsed."""

    async def check() -> None:
        server = Server()
        entries = [p4r.TableEntry()] * (MOST_MESSAGE_BYTES // 2)
        idle = p4r.IdleTimeoutNotification(table_entry=entries)
        server.says.append(p4r.StreamMessageResponse(idle_timeout_notification=idle))
        async with served(server) as address, asyncio.timeout(HANG_S):
            with pytest.raises(SessionError, match="larger than max"):
                await Session(Target(address, 1), SCHEMA, 10).run(Recorder())

    loop.run(check())


def test_packet_ins_of_countless_fields_take_no_room(tmp_path: Path, loop: asyncio.Runner) -> None:
    """An empty field has two bytes in the message and takes a hundred: nobody is there yet who would decode them."""

    async def check() -> None:
        agent, metrics = agent_of(tmp_path, "127.0.0.1:1")
        for packet in (
            p4r.PacketIn(metadata=[p4r.PacketMetadata()] * 10_000),
            p4r.PacketIn(payload=bytes(100_000)),
        ):
            agent.packet(packet)
        assert len(agent.packet_ins._backlog) == 0
        assert metrics.packet_ins_bad.labels("s1")._value.get() == 2
        agent.packet(last_packet().packet)
        assert len(agent.packet_ins._backlog) == 1

    loop.run(check())


def test_what_a_switch_says_does_not_fill_the_log(
    tmp_path: Path, loop: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def check() -> None:
        server = Server()
        for highest in range(100, 2100):
            backup = primary_of(highest)
            backup.arbitration.status.code = fy.GRPCStatusCode.ALREADY_EXISTS
            server.says.append(backup)
        server.says += [primary_of(10), last_packet()]
        async with served(server) as address:
            agent, _ = agent_of(tmp_path, address)
            task = asyncio.create_task(agent.run())
            await until(lambda: server.packet_outs)
            task.cancel()
            await asyncio.wait([task])

    with caplog.at_level(logging.INFO, "quench"):
        loop.run(check())
    assert len(caplog.records) < 30


NET = """\
switches:
{switches}
profiles:
  always: {{scheme: curve, points: [{{depth: 0, p1: 1.0, isq: true}}]}}
socket: {folder}/ctl.sock
"""
SWITCH = """\
  - name: {name}
    address: {address}
    pipeline: {{p4info: {build}/quench.p4info.txtpb, json: {build}/quench.json}}
    router_address: 10.0.0.254
    ports:
      2: {{rate: 10Mbps, profile: always}}
"""


@contextmanager
def controller(folder: Path, addresses: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    build = ROOT / "build"
    switches = "".join(
        SWITCH.format(name=f"s{place}", address=address, build=build) for place, address in enumerate(addresses)
    )
    path = folder / "net.yaml"
    path.write_text(NET.format(switches=switches, folder=folder))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([QUENCH, "controller", "run", str(path)], stdout=log, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def test_one_switch_is_served_beside_all_sorts_of_others(tmp_path: Path, loop: asyncio.Runner) -> None:
    """Streams that end at once, noise, errors without end, endless reads, and one that accepts and says nothing."""

    class Ending(Server):
        async def StreamChannel(self, *_: Any) -> AsyncIterator[Any]:  # noqa: N802
            return
            yield

    class Changing(Server):
        numbers = itertools.count()

        async def Capabilities(self, _: Any, context: Any) -> Any:  # noqa: N802
            await context.abort(grpc.StatusCode.UNKNOWN, f"{next(self.numbers)}" + "\x1b[2J" * 4000)

    async def check() -> None:
        good, ending, changing, endless = Server(), Ending(), Changing(), Endless()
        good.says.append(last_packet())
        silent = await asyncio.start_server(lambda *_: asyncio.sleep(HANG_S), "127.0.0.1", 0)
        async with (
            silent,
            served(good) as a,
            served(ending) as b,
            served(changing) as c,
            served(endless) as d,
            raw({"StreamChannel": b"\xff" * 40}) as e,
        ):
            host, port = silent.sockets[0].getsockname()
            with controller(tmp_path, [a, b, c, d, e, f"{host}:{port}"]) as process:
                await until(lambda: good.packet_outs)
                await asyncio.sleep(6)
                assert process.poll() is None
                assert good.streams == 1
                # At the most ten connections a second.
                assert ending.streams < 150
        log = (tmp_path / "log").read_text()
        assert "Traceback" not in log
        lines = log.splitlines()
        assert all(" quench." in line for line in lines), "every line is labelled"
        assert len(lines) < 60
        assert len(log) < 30_000
        assert "\x1b" not in log

    loop.run(check())
