# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The memory that one client can take: each attack runs against a process, whose peak of memory is read."""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from pathlib import Path

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4i, p4r, p4r_grpc, rpc_status
from google.protobuf import text_format
from quench_switch._native import compile_p4
from quench_switch.p4runtime import limits
from quench_switch.p4runtime import server as p4runtime_server
from quench_switch.p4runtime.arbitration import Arbitration
from quench_switch.p4runtime.errors import RequestError
from quench_switch.p4runtime.outbox import Outbox

PROGRAM = Path(__file__).parents[1] / "programs" / "large.p4"
MOST_BYTES = 256 << 20
"""The bytes that any client may add to what the switch takes when nobody is there."""
PATIENCE_S = 60.0
Insert = p4r.Update.INSERT


class Memory:
    """The memory of a process: the peak since the start, over what it had then."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        # 5: the peak starts anew.
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        self._before = self._read("VmRSS")

    def _read(self, name: str) -> int:
        for line in Path(f"/proc/{self._pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) << 10
        raise AssertionError(f"process {self._pid} is gone")

    def added_bytes(self) -> int:
        return self._read("VmHWM") - self._before


@pytest.fixture(scope="module")
def large():
    output = compile_p4(str(PROGRAM))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())


@pytest.fixture
def victim(record_property, start, connect, large):
    """A switch with the program, its primary, and its memory."""
    process, address = start("--no-p4", "--cpu-port", "510", "--log-level", "error")
    client = connect(address)
    client.become_primary()
    client.set_config(large)
    memory = Memory(process.pid)
    yield client, address, memory, large.p4info
    assert process.poll() is None, process.communicate()
    added = memory.added_bytes()
    process.terminate()
    # A client must not cause a traceback: it could fill the disk.
    assert "Traceback" not in process.communicate(timeout=PATIENCE_S)[1]
    record_property("peak_over_idle_mib", round(added / 2**20, 1))
    assert added < MOST_BYTES


def is_alive(connect, address):
    """Another client gets its answers."""
    other = connect(address)
    assert other.get_config().HasField("config")
    stream = other.stream()
    stream.arbitrate(None)
    assert stream.receive("arbitration")


def flood(address, message, seconds, arbitrate=7):
    """Send a stream message as fast as it goes, and read nothing."""
    deadline = time.monotonic() + seconds
    update = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(arbitrate))
    requests = itertools.chain(
        [p4r.StreamMessageRequest(arbitration=update)],
        itertools.takewhile(lambda _: time.monotonic() < deadline, itertools.repeat(message)),
    )
    channel = grpc.insecure_channel(address)
    call = p4r_grpc.P4RuntimeStub(channel).StreamChannel(requests)
    while time.monotonic() < deadline:
        time.sleep(0.1)
    call.cancel()
    channel.close()


@pytest.mark.parametrize(
    "message",
    [
        p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes(65000))),
        p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes(2 << 20))),
        p4r.StreamMessageRequest(arbitration=p4r.MasterArbitrationUpdate(device_id=1)),
    ],
    ids=["refused", "too long", "arbitration"],
)
def test_a_stream_that_nobody_reads(victim, connect, message):
    _, address, _, _ = victim
    flood(address, message, 1)
    is_alive(connect, address)


def test_packet_ins_that_nobody_reads(victim, connect):
    _, address, _, _ = victim
    # The program sends every packet back.
    packet = p4r.PacketOut(payload=bytes(1500))
    packet.metadata.add(metadata_id=1, value=b"\0")
    flood(address, p4r.StreamMessageRequest(packet=packet), 1)
    is_alive(connect, address)


def test_reads_that_nobody_fetches(victim, connect):
    _, address, _, info = victim
    request = p4r.ReadRequest(device_id=1)
    for _ in range(limits.READ_ENTITIES):
        request.entities.add(register_entry=p4r.RegisterEntry(register_id=info.registers[0].preamble.id))
    channels = [grpc.insecure_channel(address, options=[("x", place)]) for place in range(4)]
    calls = [p4r_grpc.P4RuntimeStub(channel).Read(request) for channel in channels for _ in range(10)]
    time.sleep(2)
    # Others read all the same: what nobody fetches gives up its turn.
    other = connect(address)
    one = p4r.RegisterEntry(register_id=info.registers[0].preamble.id, index=p4r.Index(index=3))
    answer = other.stub.Read(
        p4r.ReadRequest(device_id=1, entities=[p4r.Entity(register_entry=one)]), timeout=PATIENCE_S
    )
    (cell,) = [entity.register_entry for response in answer for entity in response.entities]
    assert cell.index.index == 3
    for call in calls:
        call.cancel()
    for channel in channels:
        channel.close()


def test_requests_that_never_end_hold_no_turn(victim, connect):
    client, address, _, _ = victim
    channels = [grpc.insecure_channel(address, options=[("x", place)]) for place in range(4)]
    paths = ["/p4.v1.P4Runtime/Write", "/p4.v1.P4Runtime/Read", "/quench.port.v1.Ports/Get"]
    calls, stop = [], threading.Event()
    for channel, path in itertools.product(channels, paths):
        method = channel.stream_unary(path, request_serializer=bytes, response_deserializer=bytes)
        calls += [method.future(iter(lambda: None if stop.wait() else b"", None)) for _ in range(5)]
    time.sleep(1)
    client.write()
    client.read(table_entry=p4r.TableEntry())
    stop.set()
    for call in calls:
        call.cancel()
    for channel in channels:
        channel.close()


def entry(info, place, **fields):
    (table,) = [table for table in info.tables if table.preamble.alias == "entries"]
    (action,) = [action for action in info.actions if action.preamble.alias == "send"]
    match = p4r.FieldMatch(
        field_id=1, exact=p4r.FieldMatch.Exact(value=place.to_bytes(4, "big").lstrip(b"\0") or b"\0")
    )
    entry = p4r.TableEntry(table_id=table.preamble.id, match=[match], **fields)
    entry.action.action.action_id = action.preamble.id
    entry.action.action.params.add(param_id=1, value=b"\1")
    return p4r.Entity(table_entry=entry)


def fill(client, entities, batch=4000):
    """Insert until the switch has no room; how many it took."""
    count = 0
    while True:
        updates = [p4r.Update(type=Insert, entity=entity) for entity in itertools.islice(entities, batch)]
        request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1), updates=updates)
        try:
            client.stub.Write(request, timeout=PATIENCE_S)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNKNOWN, error
            status = rpc_status.Status.FromString(dict(error.trailing_metadata())["grpc-status-details-bin"])
            codes = [p4r.Error.FromString(detail.value).canonical_code for detail in status.details]
            assert set(codes) <= {Code.OK, Code.RESOURCE_EXHAUSTED}
            assert codes or "RESOURCE_EXHAUSTED" in status.message
            return count
        count += batch


def test_entries_without_end(victim, connect):
    client, address, _, info = victim
    count = fill(client, (entry(info, place, idle_timeout_ns=1) for place in itertools.count()))
    assert count > 20_000
    is_alive(connect, address)
    # A deleted entry makes room.
    client.write(*[p4r.Update(type=p4r.Update.DELETE, entity=entry(info, place)) for place in range(4000)])
    client.write(p4r.Update(type=Insert, entity=entry(info, 1)))


def test_entries_with_long_metadata(victim):
    client, _, _, info = victim
    code = client.refusal(p4r.Update(type=Insert, entity=entry(info, 1, metadata=bytes(5000))))
    assert code == Code.RESOURCE_EXHAUSTED
    fill(client, (entry(info, place, metadata=bytes(4000)) for place in itertools.count()), 500)


def test_sessions_that_keep_their_requests(victim):
    client, _, _, _ = victim
    replicas = [p4r.Replica(port=b"\1", instance=instance) for instance in range(limits.GROUP_REPLICAS)]
    session = p4r.CloneSessionEntry(replicas=replicas)
    for number in range(1, 40):
        session.session_id = number
        engine = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
        updates = [p4r.Update(type=Insert, entity=p4r.Entity(packet_replication_engine_entry=engine))]
        # The rest of the request is long, and refused.
        updates += [p4r.Update()] * 1000 + [p4r.Update(entity=p4r.Entity(digest_entry=p4r.DigestEntry()))] * 10_000
        assert "Write failure" in client_error(lambda updates=updates: client.write(*updates))
    session.session_id = 99
    session.replicas.add(port=b"\2")
    engine = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
    update = p4r.Update(type=Insert, entity=p4r.Entity(packet_replication_engine_entry=engine))
    assert client.refusal(update) == Code.RESOURCE_EXHAUSTED


def client_error(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value.details()


def test_large_requests_at_once(victim, connect):
    _, address, _, _ = victim
    # Two bytes an update: what a message needs most for when it is parsed.
    data = p4r.WriteRequest(device_id=1).SerializeToString() + b"\x22\x00" * ((limits.MESSAGE_BYTES - 64) // 2)
    channels = [grpc.insecure_channel(address, options=[("x", place)]) for place in range(4)]
    calls = []
    for channel in channels:
        write = channel.unary_unary("/p4.v1.P4Runtime/Write", request_serializer=bytes, response_deserializer=bytes)
        calls += [write.future(data, timeout=PATIENCE_S) for _ in range(12)]
    codes = {call.code() for call in calls}
    assert codes <= {grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.RESOURCE_EXHAUSTED}, codes
    assert grpc.StatusCode.PERMISSION_DENIED in codes
    for channel in channels:
        channel.close()
    is_alive(connect, address)


def test_large_updates_at_once(victim, connect):
    """One refused update that fills its request: the refusal must not keep the parsed message."""
    _, address, _, info = victim
    count = (limits.MESSAGE_BYTES - 1024) // 2
    members = p4r.ActionProfileGroup(members=[p4r.ActionProfileGroup.Member()] * count)
    members.action_profile_id = info.action_profiles[0].preamble.id
    request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1))
    request.updates.add(type=Insert, entity=p4r.Entity(action_profile_group=members))
    channels = [grpc.insecure_channel(address, options=[("x", place)]) for place in range(4)]
    writes = [p4r_grpc.P4RuntimeStub(channel).Write for channel in channels]
    for _ in range(3):
        calls = [write.future(request, timeout=PATIENCE_S) for write in writes]
        assert {call.code() for call in calls} == {grpc.StatusCode.UNKNOWN}
    for channel in channels:
        channel.close()
    is_alive(connect, address)


@pytest.mark.parametrize(
    ("value", "values_each"), [("[" * 900 + "]" * 900, 901), ('{"":0}', 2)], ids=["deep", "members"]
)
def test_programs_of_a_million_values(victim, connect, value, values_each):
    client, address, _, info = victim
    values = ",".join([value] * ((1 << 20) // values_each - 10))
    json = f'{{"actions": [{{"name": "a", "id": 0, "primitives": [{{"op": "x", "parameters": [{values}]}}]}}]}}'
    assert len(json) < limits.MESSAGE_BYTES
    config = p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=json.encode())
    action = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
    request = p4r.SetForwardingPipelineConfigRequest(
        device_id=1, election_id=U128.encode(1), action=action, config=config
    )
    calls = [client.stub.SetForwardingPipelineConfig.future(request, timeout=PATIENCE_S) for _ in range(8)]
    assert {call.code() for call in calls} == {grpc.StatusCode.INVALID_ARGUMENT}
    is_alive(connect, address)


def test_messages_that_are_too_long(victim, connect):
    _, address, _, _ = victim
    with grpc.insecure_channel(address) as channel:
        write = channel.unary_unary("/p4.v1.P4Runtime/Write", request_serializer=bytes, response_deserializer=bytes)
        calls = [write.future(bytes(limits.MESSAGE_BYTES + 1), timeout=PATIENCE_S) for _ in range(20)]
        assert {call.code() for call in calls} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    is_alive(connect, address)


def test_configs_at_once(victim, connect, large):
    _, address, _, _ = victim
    channel = grpc.insecure_channel(address)
    get = channel.unary_unary("/p4.v1.P4Runtime/GetForwardingPipelineConfig", request_serializer=bytes)
    request = p4r.GetForwardingPipelineConfigRequest(device_id=1).SerializeToString()
    calls = [get.future(request) for _ in range(100)]
    is_alive(connect, address)
    for call in calls:
        call.cancel()
    channel.close()


def test_noise_and_connections_that_say_nothing(victim, connect):
    _, address, _, _ = victim
    host, port = address.split(":")
    sockets = []
    for place in range(300):
        sock = socket.create_connection((host, int(port)), 5)
        sock.setblocking(False)
        sockets.append(sock)
        if place % 2:
            try:
                sock.send(os.urandom(4096))
            except OSError:
                # The switch may have closed it already.
                continue
    for sock in sockets:
        sock.close()
    is_alive(connect, address)


def test_a_request_that_is_none_is_refused(victim):
    _, address, _, _ = victim
    with grpc.insecure_channel(address) as channel:
        for service, method in [
            ("p4.v1.P4Runtime", "Write"),
            ("p4.v1.P4Runtime", "Capabilities"),
            ("quench.port.v1.Ports", "Get"),
        ]:
            call = channel.unary_unary(f"/{service}/{method}", request_serializer=bytes, response_deserializer=bytes)
            with pytest.raises(grpc.RpcError) as caught:
                call(b"\xff" * 40, timeout=PATIENCE_S)
            assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        call = channel.unary_unary("/quench.port.v1.Ports/Get", request_serializer=bytes, response_deserializer=bytes)
        with pytest.raises(grpc.RpcError) as caught:
            call(bytes(limits.SMALL_REQUEST_BYTES + 1), timeout=PATIENCE_S)
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_the_metadata_of_a_call_is_limited(server):
    call = grpc.insecure_channel(server.address).unary_unary(
        "/p4.v1.P4Runtime/Capabilities", request_serializer=bytes, response_deserializer=bytes
    )
    assert call(b"", metadata=[("x", "y" * (limits.METADATA_BYTES - 1024))], timeout=PATIENCE_S)
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", metadata=[("x", "y" * (2 * limits.METADATA_BYTES))], timeout=PATIENCE_S)
    # HTTP's own status (RFC 6585, section 5): no call began.
    assert "431" in caught.value.details()


# -- Streams and roles ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("of_peer", [True, False])
def test_streams_are_limited(server, connect, monkeypatch, of_peer):
    if not of_peer:
        monkeypatch.setattr(p4runtime_server, "STREAMS_OF_PEER", limits.STREAMS)
    client = connect(server.address)
    for election_id in range(1, (limits.STREAMS_OF_PEER if of_peer else limits.STREAMS) + 1):
        stream = client.stream()
        stream.arbitrate(election_id)
        assert stream.receive("arbitration").status.code == Code.OK
    one_more = connect(server.address).stream()
    one_more.arbitrate(99)
    assert one_more.receive_end() == Code.RESOURCE_EXHAUSTED
    stream.close()
    deadline = time.monotonic() + PATIENCE_S
    while True:
        again = connect(server.address).stream()
        again.arbitrate(99)
        try:
            assert again.receive("arbitration").status.code == Code.OK
            return
        except AssertionError:
            assert time.monotonic() < deadline


def update(role, election_id=1):
    message = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(election_id))
    message.role.name = role
    return message


def test_roles_without_controllers_are_forgotten_in_the_end():
    arbitration = Arbitration(1)
    kept = arbitration.update(None, update("kept", 9), Outbox())
    arbitration.disconnect(arbitration.update(None, update("", 5), Outbox()))
    for number in range(10_000):
        arbitration.disconnect(arbitration.update(None, update(f"role {number}"), Outbox()))
    assert len(arbitration._roles) <= limits.ROLES
    assert arbitration.is_primary(kept)
    assert arbitration._roles[""].highest == 5
    # The latest are the ones that are remembered.
    assert arbitration._roles["role 9999"].highest == 1
    for number in range(limits.ROLES - 2):
        arbitration.update(None, update(f"live {number}"), Outbox())
    with pytest.raises(RequestError) as caught:
        arbitration.update(None, update("one more"), Outbox())
    assert caught.value.code == Code.RESOURCE_EXHAUSTED


def test_the_controllers_of_a_role_are_limited():
    arbitration = Arbitration(1)
    controllers = [
        arbitration.update(None, update("", number), Outbox()) for number in range(limits.CONTROLLERS_PER_ROLE)
    ]
    with pytest.raises(RequestError) as caught:
        arbitration.update(None, update("", 1000), Outbox())
    assert caught.value.code == Code.RESOURCE_EXHAUSTED
    arbitration.disconnect(controllers[3])
    arbitration.update(None, update("", 1000), Outbox())


def test_the_name_of_a_role_is_limited():
    with pytest.raises(RequestError) as caught:
        Arbitration(1).update(None, update("x" * 300), Outbox())
    assert caught.value.code == Code.RESOURCE_EXHAUSTED
    assert len(caught.value.message) < limits.ERROR_BYTES


def test_an_outbox_is_limited_in_bytes():
    outbox = Outbox()
    size = 10_000
    taken = sum(outbox.offer(bytes(size)) for _ in range(1000))
    assert taken == limits.OUTBOX_BYTES // (size + limits.MESSAGE_OVERHEAD_BYTES)
    # Messages that must arrive have room of their own.
    outbox.put(b"vital")
    for _ in range(1000):
        outbox.put(bytes(size))
    assert not outbox.offer(b"")
