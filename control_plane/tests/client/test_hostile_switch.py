# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Random messages from a server that speaks P4Runtime. The controller goes on."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import finsy as fy
import grpc
import pytest
from finsy.proto import U128, p4r, p4r_grpc
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab import CONFIG, METRICS, ROOT
from quench.client.session import Session, SessionError, Target
from quench.config import load_config
from quench.service.agent import SwitchAgent
from quench.service.metrics import Metrics
from sessions import Recorder, running, until
from test_isq import ipv4

SCHEMA = fy.P4Schema(ROOT / "build" / "quench.p4info.txtpb", ROOT / "build" / "quench.json")
NAMES = {each.name: each.id for each in SCHEMA.controller_packet_metadata["packet_in"].metadata}
HANG_S = 60


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all examples: gRPC's poller stays with the loop that it saw first."""
    with asyncio.Runner() as runner:
        yield runner


_settings = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def parsed(kind: Any) -> Callable[[bytes], Any]:
    """A message from any bytes: those that are none give the empty one."""

    def parse(content: bytes) -> Any:
        message = kind()
        with contextlib.suppress(DecodeError):
            message.ParseFromString(content)
        return message

    return parse


FIELDS = st.builds(
    p4r.PacketMetadata,
    metadata_id=st.one_of(st.sampled_from(sorted(NAMES.values())), st.integers(0, 2**32 - 1)),
    value=st.binary(max_size=9),
)
FRAMES = st.one_of(st.binary(max_size=200), st.builds(ipv4, protocol=st.integers(0, 255), payload=st.binary()))
PACKETS = st.one_of(
    st.builds(p4r.PacketIn, payload=FRAMES, metadata=st.lists(FIELDS, max_size=12)),
    st.fixed_dictionaries({name: st.integers(0, 255) for name in NAMES}).flatmap(
        lambda values: st.builds(
            p4r.PacketIn,
            payload=FRAMES,
            metadata=st.just(
                [p4r.PacketMetadata(metadata_id=NAMES[name], value=bytes([value])) for name, value in values.items()]
            ),
        )
    ),
)
BYTES = st.binary(max_size=60)
OTHERS = st.one_of(
    st.builds(p4r.StreamMessageResponse, error=BYTES.map(parsed(p4r.StreamError))),
    st.builds(p4r.StreamMessageResponse, digest=BYTES.map(parsed(p4r.DigestList))),
    st.builds(p4r.StreamMessageResponse, idle_timeout_notification=BYTES.map(parsed(p4r.IdleTimeoutNotification))),
    BYTES.map(parsed(p4r.StreamMessageResponse)).filter(lambda message: not message.HasField("arbitration")),
)
MESSAGES = st.one_of(st.builds(p4r.StreamMessageResponse, packet=PACKETS), OTHERS)
ENTITIES = st.lists(st.binary(max_size=80).map(parsed(p4r.Entity)), max_size=5)


def primary_of(election_id: int) -> p4r.StreamMessageResponse:
    return p4r.StreamMessageResponse(
        arbitration=p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(election_id))
    )


class Server(p4r_grpc.P4RuntimeServicer):
    """Says what it is given, and remembers what it gets."""

    def __init__(self) -> None:
        self.says: list[p4r.StreamMessageResponse] = [primary_of(10)]
        self.entities: list[p4r.Entity] = []
        self.version = "1.4.1"
        self.packet_outs: list[p4r.PacketOut] = []
        self.reads = 0
        self.streams = 0

    async def StreamChannel(self, requests: AsyncIterator[Any], _: Any) -> AsyncIterator[Any]:  # noqa: N802
        self.streams += 1
        async for request in requests:
            if request.HasField("arbitration"):
                for message in self.says:
                    yield message
            else:
                self.packet_outs.append(request.packet)

    async def Capabilities(self, *_: Any) -> Any:  # noqa: N802
        return p4r.CapabilitiesResponse(p4runtime_api_version=self.version)

    async def GetForwardingPipelineConfig(self, *_: Any) -> Any:  # noqa: N802
        return p4r.GetForwardingPipelineConfigResponse()

    async def SetForwardingPipelineConfig(self, *_: Any) -> Any:  # noqa: N802
        return p4r.SetForwardingPipelineConfigResponse()

    async def Write(self, *_: Any) -> Any:  # noqa: N802
        return p4r.WriteResponse()

    async def Read(self, *_: Any) -> AsyncIterator[Any]:  # noqa: N802
        self.reads += 1
        yield p4r.ReadResponse(entities=self.entities)


@asynccontextmanager
async def served(server: Server) -> AsyncIterator[str]:
    grpc_server = grpc.aio.server()
    p4r_grpc.add_P4RuntimeServicer_to_server(server, grpc_server)
    port = grpc_server.add_insecure_port("127.0.0.1:0")
    await grpc_server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await grpc_server.stop(0)


def agent_of(folder: Path, address: str, more: str = "") -> tuple[SwitchAgent, Metrics]:
    """``more``: further lines of the configuration about the switch."""
    path = folder / "net.yaml"
    text = CONFIG.format(grpc=address, build=ROOT / "build", socket=folder / "ctl.sock", metrics=METRICS)
    path.write_text(text.replace("    router_address:", f"{more}    router_address:"))
    config, metrics = load_config(path), Metrics()
    return SwitchAgent(config, config.switches[0], metrics), metrics


LAST = "198.51.100.7"


def last_packet() -> p4r.StreamMessageResponse:
    """One that must be answered, behind all the others."""
    values = dict.fromkeys(NAMES, b"\0") | {"reason": b"\1", "isq_level": b"\x7f"}
    metadata = [p4r.PacketMetadata(metadata_id=NAMES[name], value=value) for name, value in values.items()]
    frame = ipv4(source=LAST, tos=0b10)
    return p4r.StreamMessageResponse(packet=p4r.PacketIn(payload=frame, metadata=metadata))


@_settings
@given(st.lists(MESSAGES, max_size=30))
def test_no_message_ends_the_answering(
    tmp_path: Path, loop: asyncio.Runner, messages: list[p4r.StreamMessageResponse]
) -> None:
    async def check() -> None:
        server = Server()
        server.says += [*messages, last_packet()]
        async with served(server) as address:
            agent, _ = agent_of(tmp_path, address)
            running_agent = asyncio.create_task(agent.run())
            answer = lambda: any(out.payload[30:34] == bytes([198, 51, 100, 7]) for out in server.packet_outs)  # noqa: E731
            await until(lambda: running_agent.done() or answer())
            assert not running_agent.done()
            assert server.streams == 1, "the session was torn down"
            running_agent.cancel()
            await asyncio.wait([running_agent])

    loop.run(check())


@pytest.mark.parametrize(
    ("name", "value"), [("isq_level", b"\xc8"), ("isq_advice", b"\1\0\0"), ("isq_advice", b"\1" * 9)]
)
def test_a_level_or_advice_out_of_range_is_counted(
    tmp_path: Path, loop: asyncio.Runner, name: str, value: bytes
) -> None:
    async def check() -> None:
        server = Server()
        bad = last_packet()
        for field in bad.packet.metadata:
            if field.metadata_id == NAMES[name]:
                field.value = value
        server.says += [bad, last_packet()]
        async with served(server) as address:
            agent, metrics = agent_of(tmp_path, address)
            task = asyncio.create_task(agent.run())
            await until(lambda: server.packet_outs)
            assert len(server.packet_outs) == 1
            assert metrics.packet_ins_bad.labels("s1")._value.get() == 1
            task.cancel()
            await asyncio.wait([task])

    loop.run(check())


@_settings
@given(ENTITIES)
def test_no_entity_ends_the_agent(tmp_path: Path, loop: asyncio.Runner, found: list[p4r.Entity]) -> None:
    async def check() -> None:
        server = Server()
        server.entities = found
        async with served(server) as address:
            agent, _ = agent_of(tmp_path, address)
            task = asyncio.create_task(agent.run())
            await until(lambda: task.done() or server.reads >= 2 or agent.ready)
            assert not task.done()
            task.cancel()
            await asyncio.wait([task])

    logging.disable(logging.CRITICAL)
    try:
        loop.run(check())
    finally:
        logging.disable(logging.NOTSET)


@_settings
@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**128 - 1))
def test_any_answer_to_a_bid_is_lived_with(loop: asyncio.Runner, code: int, highest: int) -> None:
    async def check() -> None:
        server = Server()
        answer = primary_of(highest)
        answer.arbitration.status.code = code
        server.says = [answer]
        async with served(server) as address:
            session = Session(Target(address, 1), SCHEMA, 10)
            async with running(session) as recorder, asyncio.timeout(HANG_S):
                if code == 0:
                    await recorder.is_primary.wait()
                else:
                    await asyncio.sleep(0.02)

    loop.run(check())


def test_a_primary_that_is_deposed_and_comes_back_answers(tmp_path: Path, loop: asyncio.Runner) -> None:
    """In one breath: nothing of the first time may end after the second has begun."""

    async def check() -> None:
        server = Server()
        deposed = primary_of(20)
        deposed.arbitration.status.code = fy.GRPCStatusCode.ALREADY_EXISTS
        server.says = [primary_of(10), deposed, primary_of(10)] * 20 + [last_packet()]
        async with served(server) as address:
            agent, metrics = agent_of(tmp_path, address)
            task = asyncio.create_task(agent.run())
            await until(lambda: server.packet_outs and agent.ready)
            assert metrics.primary.labels("s1")._value.get() == 1
            task.cancel()
            await asyncio.wait([task])

    loop.run(check())


@pytest.mark.parametrize("method", ["receive", "send", "request"])
def test_a_call_that_grpc_cancels_is_the_end_of_a_connection(
    loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """gRPC cancels a task that waits for a call which it ends. The task itself goes on."""

    async def cancelled(*_: Any) -> None:
        raise asyncio.CancelledError

    async def check() -> None:
        server = Server()
        async with served(server) as address:
            session = Session(Target(address, 1), SCHEMA, 10)
            monkeypatch.setattr(session._client, method, cancelled)
            with pytest.raises(SessionError, match="the connection has ended"):
                await session.run(Recorder())

    loop.run(check())


@pytest.mark.parametrize("version", ["", "one", "1", "9" * 5000 + ".1"])
def test_a_version_that_is_none(loop: asyncio.Runner, version: str) -> None:
    async def check() -> None:
        server = Server()
        server.version = version
        async with served(server) as address:
            with pytest.raises(SessionError, match="the switch speaks P4Runtime"):
                await Session(Target(address, 1), SCHEMA, 10).run(Recorder())

    loop.run(check())
