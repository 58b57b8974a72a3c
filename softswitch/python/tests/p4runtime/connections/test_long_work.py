# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""One client's long work: others go on meanwhile, sizes are limited, errors can be sent."""

import asyncio
import copy
import gc
import json
import threading
import time
import weakref
from functools import partial
from typing import Any, NamedTuple

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r, p4r_grpc, rpc_status
from quench_switch.p4runtime import limits
from quench_switch.p4runtime.errors import RequestError, batch_status, exhausted, invalid
from quench_switch.p4runtime.work import Work
from quench_switch.ports_client import PortsClient

PATIENCE_S = 60.0
SHORT_S = 5.0
"""A bound against a hang: a request beside the long work takes some milliseconds."""


@pytest.fixture(scope="module")
def long_config(config):
    """A program that is nearly as long as may be, of actions each of which has to be read and checked."""
    program = json.loads(config.p4_device_config)
    action = max(program["actions"], key=lambda action: len(action["primitives"]))
    room = limits.MESSAGE_BYTES - len(json.dumps(program)) - config.p4info.ByteSize() - 10_000
    first = max(action["id"] for action in program["actions"]) + 1
    for number in range(room // (len(json.dumps(action)) + 20)):
        copied = copy.copy(action)
        copied["id"], copied["name"] = first + number, f"copy.{number}"
        program["actions"].append(copied)
    return p4r.ForwardingPipelineConfig(p4info=config.p4info, p4_device_config=json.dumps(program).encode())


def test_others_go_on_while_configs_load(server, client, connect, config, names, long_config):
    client.become_primary()
    client.set_config(config)
    enough, waits, loads = threading.Event(), [], []

    def load():
        request = p4r.SetForwardingPipelineConfigRequest(
            device_id=1,
            election_id=U128.encode(1),
            config=long_config,
            action=p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_SAVE,
        )
        while not enough.is_set():
            before = time.monotonic()
            client.stub.SetForwardingPipelineConfig(request, timeout=PATIENCE_S)
            loads.append(time.monotonic() - before)

    loader = threading.Thread(target=load)
    loader.start()
    other = connect(server.address)
    with PortsClient(server.address) as ports:
        while not loads or len(waits) < 20:
            assert loader.is_alive()
            before = time.monotonic()
            stream = other.stream()
            # A new id each time: the switch may not have seen the end of the stream before.
            stream.arbitrate(len(waits) + 1, role="other")
            assert stream.receive("arbitration").status.code == Code.OK
            assert len(other.get_config().config.p4_device_config) == len(config.p4_device_config)
            ports.stats()
            stream.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes(64))))
            assert stream.receive("error").canonical_code == Code.INVALID_ARGUMENT
            stream.close()
            waits.append(time.monotonic() - before)
    enough.set()
    loader.join(PATIENCE_S)
    assert max(waits) < SHORT_S, (waits, loads)


def test_others_read_while_a_write_is_applied(server, client, connect, config, names):
    client.become_primary()
    client.set_config(config)
    request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1), updates=[p4r.Update()] * limits.UPDATES)
    writes = [client.stub.Write.future(request, timeout=PATIENCE_S) for _ in range(4)]
    other, waits = connect(server.address), []
    while not all(write.done() for write in writes):
        before = time.monotonic()
        other.read(table_entry=names.entry("const_table"))
        waits.append(time.monotonic() - before)
    assert {write.code() for write in writes} == {grpc.StatusCode.UNKNOWN}
    assert waits
    assert max(waits) < SHORT_S, waits


def test_the_event_loop_waits_for_no_work(server, client, connect, config, monkeypatch):
    """A config and a read that do not end: on the loop nobody would be answered any more."""
    client.become_primary()
    client.set_config(config)
    device, enough, begun = server.p4runtime.device, threading.Event(), threading.Semaphore(0)
    entities = device.entities()

    def wait(*_):
        begun.release()
        assert enough.wait(PATIENCE_S)

    def wait_and_find_nothing(*_):
        wait()
        yield from ()

    monkeypatch.setattr(device, "set_config", wait)
    monkeypatch.setattr(entities, "read", wait_and_find_nothing)
    request = p4r.SetForwardingPipelineConfigRequest(device_id=1, election_id=U128.encode(1))
    load = client.stub.SetForwardingPipelineConfig.future(request, timeout=PATIENCE_S)
    read = client.stub.Read(p4r.ReadRequest(device_id=1, entities=[p4r.Entity()]), timeout=PATIENCE_S)
    try:
        assert begun.acquire(timeout=PATIENCE_S)
        assert begun.acquire(timeout=PATIENCE_S)
        other = connect(server.address)
        stream = other.stream()
        stream.arbitrate(1, role="other")
        assert stream.receive("arbitration").status.code == Code.OK
        assert other.get_config().config == config
        with PortsClient(server.address, PATIENCE_S) as ports:
            assert ports.stats()
    finally:
        enough.set()
    load.result(PATIENCE_S)
    assert [len(response.entities) for response in read] in ([], [0])


def test_sizes_are_limited(primary, config):
    too_long = p4r.ForwardingPipelineConfig(p4info=config.p4info, p4_device_config=b"{" + bytes(127 << 20))
    assert primary.code(lambda: primary.set_config(too_long)) == Code.RESOURCE_EXHAUSTED
    updates = [p4r.Update()] * 200_000
    assert primary.code(lambda: primary.write(*updates)) == Code.RESOURCE_EXHAUSTED
    request = p4r.ReadRequest(device_id=1, entities=[p4r.Entity()] * (limits.READ_ENTITIES + 1))
    assert primary.code(lambda: list(primary.stub.Read(request))) == Code.RESOURCE_EXHAUSTED
    with pytest.raises(grpc.RpcError) as caught:
        primary.stub.Write(p4r.WriteRequest(device_id=1, role="x" * 60_000))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
    assert len(caught.value.details()) <= limits.ERROR_BYTES


def metadata_bytes(call: Any) -> int:
    """A refused call's metadata, as HTTP/2 counts headers (RFC 9113, 6.5.2). gRPC's clients take 8192 by default."""
    message = sum(1 if 0x20 <= byte <= 0x7E and byte != 0x25 else 3 for byte in call.details().encode())
    values = {":status": 3, "content-type": 16, "grpc-status": 2, "grpc-message": message}
    for key, value in call.trailing_metadata():
        values[key] = -(-len(value) // 3) * 4 if key.endswith("-bin") else len(value)
    return sum(len(key) + size + 32 for key, size in values.items())


@pytest.mark.parametrize("count", [1, 50, 130, 150, 230, 1600, limits.UPDATES])
def test_the_error_of_a_write_reaches_a_client(server, primary, count):
    """The limits of other clients are as gRPC's: Java counts what it gets, in base64."""
    value = p4r.FieldMatch(field_id=1, exact=p4r.FieldMatch.Exact(value=b"\1"))
    entry = p4r.TableEntry(table_id=1, match=[value])
    update = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry))
    group = p4r.MulticastGroupEntry(multicast_group_id=1 << 20)
    replication = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    other = p4r.Update(type=p4r.Update.DELETE, entity=p4r.Entity(packet_replication_engine_entry=replication))
    updates = [update, other, other] * (count // 3) + [update] * (count % 3)
    request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1), updates=updates)
    with grpc.insecure_channel(server.address) as channel, pytest.raises(grpc.RpcError) as caught:
        p4r_grpc.P4RuntimeStub(channel).Write(request, timeout=PATIENCE_S)
    assert caught.value.code() == grpc.StatusCode.UNKNOWN
    assert f"{count} of {count} updates were refused" in caught.value.details()
    assert metadata_bytes(caught.value) <= 8192
    details = dict(caught.value.trailing_metadata())["grpc-status-details-bin"]
    status = rpc_status.Status.FromString(details)
    assert len(status.details) == (count if count <= 130 else 0)
    if not status.details:
        assert "send fewer updates at a time" in status.message
        assert "0 NOT_FOUND, 1 to 2 INVALID_ARGUMENT, 3 NOT_FOUND" in status.message
        assert "The first error is of update 0, NOT_FOUND: " in status.message


def test_long_errors_of_any_text_fit_too():
    for count in (1, 7, 100, 5000):
        for text in ("x" * 2000, "\u20ac" * 2000, "\n" * 2000):
            status = batch_status([invalid(text)] * count)
            error = FakeCall(status.message, (("grpc-status-details-bin", status.SerializeToString()),))
            assert metadata_bytes(error) <= 8192


class FakeCall(NamedTuple):
    message: str
    metadata: tuple[tuple[str, bytes], ...]

    def details(self) -> str:
        return self.message

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        return self.metadata


def test_messages_go_before_codes():
    def codes(status):
        found = []
        for detail in status.details:
            error = p4r.Error()
            assert detail.Unpack(error)
            found.append((error.canonical_code, bool(error.message)))
        return found

    refused: list[RequestError | None] = [invalid("x" * 100), None, exhausted("y" * 500)]
    assert codes(batch_status(refused)) == [(3, True), (0, False), (8, True)]
    found = codes(batch_status(refused * 40))
    assert [code for code, _ in found] == [3, 0, 8] * 40
    assert found[0] == (3, True)
    assert found[-1] == (8, False)


async def test_a_read_that_goes_on_when_the_switch_stops_is_refused():
    work = Work()
    assert await work.read(lambda: 7) == 7
    work.close()
    for run in (work.read, work.write):
        with pytest.raises(RequestError, match="the switch is stopping") as caught:
            await run(lambda: 7)
        assert caught.value.code == Code.UNAVAILABLE


async def test_a_write_that_is_given_up_keeps_no_request_in_the_queue():
    class Request:
        """A request that a job needs."""

    work, enough = Work(), threading.Event()
    first = asyncio.create_task(work.write(lambda: enough.wait(PATIENCE_S)))
    request = Request()
    gone = weakref.ref(request)
    second = asyncio.create_task(work.write(partial(id, request)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    assert second.cancelled()
    del request, second
    gc.collect()
    assert gone() is None
    enough.set()
    assert await first
    assert await work.write(lambda: 3) == 3
    work.close()
