# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Thousands of streams that bid, act and vanish at any moment; the seed is printed."""

import asyncio
import logging
import os
import random
import sys
import time
from pathlib import Path

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r, p4r_grpc

sys.path.insert(0, str(Path(__file__).parent))

from test_limits import MOST_BYTES, PATIENCE_S, Memory

_log = logging.getLogger(__name__)
STORM_S = 4.0
AT_A_TIME = 24
IDS = [None, 0, 1, 2, 2**64 - 1, 2**64, 2**127, 2**128 - 2, 10, 10, 10]
ROLES = ["", "", "a", "é" * 128, "x" * 300, "\0", *(f"role {place}" for place in range(100))]
COMMIT = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
READS = [
    p4r.Entity(table_entry=p4r.TableEntry()),
    p4r.Entity(register_entry=p4r.RegisterEntry()),
    p4r.Entity(counter_entry=p4r.CounterEntry()),
]


def bid(election_id, role=""):
    update = p4r.MasterArbitrationUpdate(device_id=1)
    if election_id is not None:
        update.election_id.CopyFrom(U128.encode(election_id))
    if role:
        update.role.name = role
    return p4r.StreamMessageRequest(arbitration=update)


async def controller(stub, config, draw):
    """One short life."""
    role, election_id = draw.choice(ROLES), draw.choice(IDS)
    stream = stub.StreamChannel()
    for _ in range(draw.choice([0, 1, 1, 2, 5])):
        await stream.write(bid(draw.choice([election_id, draw.choice(IDS)]), role))
    common = {"device_id": 1, "election_id": U128.encode(election_id or 0), "role": role}
    end = draw.choice(["cancel", "half close", "config", "write", "read", "packet"])
    if end == "half close":
        await stream.done_writing()
        async for _ in stream:
            pass
    elif end == "packet":
        packet = p4r.PacketOut(payload=bytes(draw.choice([0, 60, 65535, 70000])))
        for _ in range(draw.choice([0, 1, 5, 1000])):
            packet.metadata.add(metadata_id=draw.getrandbits(32), value=draw.randbytes(draw.choice([0, 1, 9, 5000])))
        await stream.write(p4r.StreamMessageRequest(packet=packet))
    elif end == "config":
        call = stub.SetForwardingPipelineConfig(
            p4r.SetForwardingPipelineConfigRequest(**common, action=COMMIT, config=config), timeout=PATIENCE_S
        )
        await vanish(draw, stream, call)
    elif end == "write":
        updates = [p4r.Update()] * draw.choice([1, 2000])
        await vanish(draw, stream, stub.Write(p4r.WriteRequest(**common, updates=updates), timeout=PATIENCE_S))
    elif end == "read":
        call = stub.Read(p4r.ReadRequest(device_id=1, entities=READS), timeout=PATIENCE_S)
        await call.read()
        call.cancel()
    await asyncio.sleep(draw.choice([0, 0, 0.003]))
    stream.cancel()


async def vanish(draw, stream, call):
    """The primary, its request, or both, while the switch works on it."""
    await asyncio.sleep(draw.random() * 0.01)
    for victim in draw.choice([[stream], [call], [stream, call]]):
        victim.cancel()
    await call


async def storm(address, config, seed):
    draw = random.Random(seed)
    channels = [grpc.aio.insecure_channel(address, options=[("x", place)]) for place in range(4)]
    stubs = [p4r_grpc.P4RuntimeStub(channel) for channel in channels]
    end, codes = time.monotonic() + STORM_S, set()
    while time.monotonic() < end:
        lives = [controller(draw.choice(stubs), config, draw) for _ in range(AT_A_TIME)]
        for outcome in await asyncio.gather(*lives, return_exceptions=True):
            if isinstance(outcome, grpc.RpcError):
                codes.add((Code.from_status_code(outcome.code()), outcome.details() or ""))
            else:
                assert outcome is None or isinstance(outcome, asyncio.CancelledError | asyncio.InvalidStateError)
    for channel in channels:
        await channel.close()
    return codes


async def others(address, asked):
    """A client that asks all the time."""
    async with grpc.aio.insecure_channel(address, options=[("y", 1)]) as channel:
        while True:
            await p4r_grpc.P4RuntimeStub(channel).Capabilities(p4r.CapabilitiesRequest(), timeout=PATIENCE_S)
            asked.append(1)
            await asyncio.sleep(0.02)


async def status_of(stream):
    async with asyncio.timeout(PATIENCE_S):
        message = await stream.read()
    return message.arbitration.status.code


async def check_arbitration(address, config):
    """The rules hold after the storm as before."""
    async with grpc.aio.insecure_channel(address, options=[("z", 1)]) as channel:
        stub = p4r_grpc.P4RuntimeStub(channel)
        highest = 2**128 - 1
        primary = stub.StreamChannel()
        await primary.write(bid(highest))
        assert await status_of(primary) == Code.OK
        request = p4r.SetForwardingPipelineConfigRequest(
            device_id=1, election_id=U128.encode(highest), action=COMMIT, config=config
        )
        await stub.SetForwardingPipelineConfig(request, timeout=PATIENCE_S)
        same = stub.StreamChannel()
        await same.write(bid(highest))
        assert await same.code() == grpc.StatusCode.INVALID_ARGUMENT
        backup = stub.StreamChannel()
        await backup.write(bid(5))
        assert await status_of(backup) == Code.ALREADY_EXISTS
        primary.cancel()
        assert await status_of(backup) == Code.NOT_FOUND
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Write(p4r.WriteRequest(device_id=1, election_id=U128.encode(highest)), timeout=PATIENCE_S)
        assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
        backup.cancel()


def test_a_storm_of_controllers(start, config, record_property):
    seed = int(os.environ.get("QUENCH_TEST_SEED") or random.randrange(2**32))
    _log.warning("QUENCH_TEST_SEED=%d", seed)
    process, address = start("--no-p4", "--cpu-port", "510")
    memory = Memory(process.pid)

    async def run():
        asked = []
        other = asyncio.create_task(others(address, asked))
        codes = await storm(address, config, seed)
        assert not other.done(), other
        other.cancel()
        await check_arbitration(address, config)
        return codes, len(asked)

    codes, asked = asyncio.run(run())
    assert asked > STORM_S
    assert not {text for code, text in codes if "see the switch's log" in text}
    added = memory.added_bytes()
    process.terminate()
    _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "Traceback" not in log
    beside_pipelines = [line for line in log.splitlines() if "pipeline loaded" not in line]
    assert len(beside_pipelines) < 20, beside_pipelines
    record_property("peak_over_idle_mib", round(added / 2**20, 1))
    assert added < MOST_BYTES
