# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces of a running switch over gRPC."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import grpc
import pytest
import trustme
from click.testing import Result
from quench_switch._native import RealtimeSwitch
from quench_switch.listener import Tls
from quench_switch.p4runtime import calls
from quench_switch.p4runtime.grpc_server import Certificates, GrpcServer
from quench_switch.trace import packet_trace_pb2 as pb
from quench_switch.trace.cli import app
from quench_switch.trace.live import PATH, LiveError, receive
from quench_switch.trace.service import MOST_TRACE_BYTES, TracesServer
from typer.testing import CliRunner

CPU_PORT = 510
TIMEOUT_S = 10.0


@asynccontextmanager
async def served(
    program: str, packet: bytes, certificates: Certificates | None = None
) -> AsyncIterator[SimpleNamespace]:
    """A switch that sends the packet to a port."""
    switch = RealtimeSwitch(cpu_port=CPU_PORT)
    switch.load(program)
    route = ("action", "Route.forward", [b"\1", b"\2", b"\3"])
    switch.table_insert("Route.ipv4_route", [("lpm", bytes([10, 0, 1, 0]), 24)], 0, route)
    row = [("exact", b"\1"), ("range", b"\0", b"\xff\xff\xff")]
    switch.table_insert("Sample.curve", row, 1, ("action", "Sample.set_chance", [b"\1"]))
    switch.start()
    grpc_part = GrpcServer()
    TracesServer(switch).register(grpc_part)
    address = grpc_part.listen("127.0.0.1:0", certificates)
    await grpc_part.start()
    yield SimpleNamespace(address=address, switch=switch, packet=packet)
    await grpc_part.stop()
    switch.stop()


@pytest.fixture
async def server(sampling_json: str, sampling_packet: bytes) -> AsyncIterator[SimpleNamespace]:
    async with served(sampling_json, sampling_packet) as running:
        yield running


def stub(channel: grpc.aio.Channel) -> grpc.aio.UnaryStreamMultiCallable:
    return channel.unary_stream(
        PATH,
        request_serializer=pb.TraceRequest.SerializeToString,
        response_deserializer=pb.TraceResponse.FromString,
    )


async def packets(server: SimpleNamespace) -> None:
    while True:
        server.switch.packet_out(server.packet)
        await asyncio.sleep(0.05)


async def test_packets_are_traced_until_there_are_enough(server: SimpleNamespace) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(TIMEOUT_S):
        call = stub(channel)(pb.TraceRequest(packets=2))
        responses = call.__aiter__()
        assert not (await anext(responses)).HasField("trace")
        for _ in range(3):
            server.switch.packet_out(server.packet)
        traces = [response.trace async for response in responses]
    assert [trace.input.packet_id for trace in traces] == [1, 2]
    assert {trace.input.ingress_port for trace in traces} == {CPU_PORT}
    assert all(trace.root.WhichOneof("outcome") for trace in traces)


async def test_a_port_that_nothing_comes_from_is_silent(server: SimpleNamespace) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = stub(channel)(pb.TraceRequest(ingress_port=1))
        async with asyncio.timeout(TIMEOUT_S):
            await call.read()
        server.switch.packet_out(server.packet)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await call.read()


def await_packets(server: SimpleNamespace, count: int) -> None:
    """Blocks, so that the event loop, with the service and its clients on it, does nothing meanwhile."""
    deadline = time.monotonic() + TIMEOUT_S
    while server.switch.stats()["ingress_pkts"] < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def test_a_slow_client_loses_traces_and_holds_nothing(server: SimpleNamespace) -> None:
    """The client takes nothing while more packets pass than there is time and room to trace."""
    burst, count = 3000, 2000
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(6 * TIMEOUT_S):
        responses = stub(channel)(pb.TraceRequest(packets=count)).__aiter__()
        await anext(responses)
        for _ in range(burst):
            server.switch.packet_out(server.packet)
        await_packets(server, burst)
        found = [await anext(responses)]
        while found[-1].lost == 0:
            found.append(await anext(responses))
    assert len(found) + found[-1].lost <= burst


async def test_a_client_gets_as_many_traces_as_it_asked_for(server: SimpleNamespace) -> None:
    """Also where others were lost."""
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(6 * TIMEOUT_S):
        responses = stub(channel)(pb.TraceRequest(packets=30)).__aiter__()
        await anext(responses)
        coming = asyncio.create_task(packets(server))
        found = [response async for response in responses]
        coming.cancel()
    assert len(found) == 30


async def test_requests_beyond_the_limits_are_refused(server: SimpleNamespace) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(TIMEOUT_S):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub(channel)(pb.TraceRequest(trace_bytes=MOST_TRACE_BYTES + 1)).read()
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        taken = [server.switch.trace() for _ in range(8)]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub(channel)(pb.TraceRequest()).read()
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        del taken
        call = stub(channel)(pb.TraceRequest())
        assert not (await call.read()).HasField("trace")


async def test_the_command_prints_a_running_switchs_packets(server: SimpleNamespace) -> None:
    sender = asyncio.create_task(packets(server))
    words = ["--address", server.address, "--packets", "2"]
    async with asyncio.timeout(TIMEOUT_S):
        tree = await asyncio.to_thread(CliRunner().invoke, app, words)
        lines = await asyncio.to_thread(CliRunner().invoke, app, [*words, "--json"])
    sender.cancel()
    assert (tree.exit_code, lines.exit_code) == (0, 0)
    assert tree.stdout.count(f"into port {CPU_PORT}") == 2
    assert len(lines.stdout.splitlines()) == 2
    refused = await asyncio.to_thread(CliRunner().invoke, app, ["--address", "127.0.0.1:1"])
    assert refused.exit_code == 1
    assert refused.stderr.startswith("quench trace: 127.0.0.1:1: ")
    assert refused.stderr.count("\n") == 1


async def test_the_client_yields_traces_and_says_what_is_wrong(server: SimpleNamespace) -> None:
    sender = asyncio.create_task(packets(server))
    async with asyncio.timeout(TIMEOUT_S):
        traces = [trace async for trace, _ in receive(server.address, packets=3)]
    sender.cancel()
    assert len(traces) == 3
    with pytest.raises(LiveError, match=r"127\.0\.0\.1:1: "):
        async with asyncio.timeout(TIMEOUT_S):
            await anext(receive("127.0.0.1:1"))


async def test_the_command_speaks_tls_and_proves_who_it_is(
    sampling_json: str, sampling_packet: bytes, tmp_path: Path
) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    for name, issuer, identity in (
        ("server", authority, "127.0.0.1"),
        ("client", authority, "client.example"),
        ("other", stranger, "client.example"),
    ):
        certificate = issuer.issue_cert(identity)
        issuer.cert_pem.write_to_path(str(tmp_path / f"{name}-ca.pem"))
        certificate.cert_chain_pems[0].write_to_path(str(tmp_path / f"{name}.pem"))
        certificate.private_key_pem.write_to_path(str(tmp_path / f"{name}.key"))
    asked_for = Tls(*(tmp_path / f"server{part}" for part in (".pem", ".key", "-ca.pem"))).read()
    async with served(sampling_json, sampling_packet, asked_for) as server:
        sender = asyncio.create_task(packets(server))

        async def run(*words: str) -> Result:
            given = ["--address", server.address, "--packets", "1", *words]
            async with asyncio.timeout(TIMEOUT_S):
                return await asyncio.to_thread(CliRunner().invoke, app, given)

        def files(name: str) -> tuple[str, ...]:
            return ("--tls-cert", str(tmp_path / f"{name}.pem"), "--tls-key", str(tmp_path / f"{name}.key"))

        ca = ("--tls-ca", str(tmp_path / "server-ca.pem"))
        admitted = await run(*ca, *files("client"))
        assert (admitted.exit_code, admitted.stdout.count(f"into port {CPU_PORT}")) == (0, 1)
        for words in ((), ca, (*ca, *files("other")), ("--tls-ca", str(tmp_path / "other-ca.pem"), *files("client"))):
            refused = await run(*words)
            assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
            assert refused.stderr.startswith(f"quench trace: {server.address}: ")
        for words in (files("client"), (*ca, "--tls-cert", str(tmp_path / "client.pem"))):
            assert (await run(*words)).exit_code == 2
        sender.cancel()


async def test_clients_that_read_nothing_delay_no_packet(
    server: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The switch goes on. A ninth client is refused when its time to wait is over."""
    monkeypatch.setattr(calls, "TURN_S", 0.1)
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(TIMEOUT_S):
        silent = [stub(channel)(pb.TraceRequest()) for _ in range(8)]
        for call in silent:
            await call.read()
        sent = 1000
        for _ in range(sent):
            server.switch.packet_out(server.packet)
        await_packets(server, sent)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub(channel)(pb.TraceRequest()).read()
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
