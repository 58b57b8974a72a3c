# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Rights by ``role.config`` and ``@p4runtime_role``."""

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r, stratum
from google.protobuf import any_pb2

INSERT = p4r.Update.INSERT
IPV4 = bytes.fromhex("4500001400000000401100000a0000010a000002")


def arbitrate(stream, name, config=None, election_id=1):
    update = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(election_id))
    update.role.name = name
    if config is not None:
        update.role.config.Pack(config)
    stream.send(p4r.StreamMessageRequest(arbitration=update))


@pytest.fixture
def role(primary):
    """Maker of the stream of a role's primary."""

    def make(name, **config):
        stream = primary.stream()
        limits = stratum.P4RoleConfig(**config)
        arbitrate(stream, name, limits)
        answer = stream.receive("arbitration")
        assert answer.status.code == Code.OK
        assert (answer.role.name, answer.role.config.Is(limits.DESCRIPTOR)) == (name, True)
        assert answer.role.config.value == limits.SerializeToString()
        return stream

    return make


def refused(client, name, config):
    stream = client.stream()
    arbitrate(stream, name, config)
    return stream.receive_end()


def insert(entry):
    return p4r.Update(type=INSERT, entity=p4r.Entity(table_entry=entry))


def failures(client, *updates, role, **fields):
    return client.try_write(*updates, role=role, **fields)


def route(names, match):
    return names.entry("exact_table", match.exact(b"\1"), action=names.action("forward", b"\2"))


def rule(names, match):
    return names.entry("lpm_table", match.lpm(b"\x0a\0\0\0", 8), action=names.action("forward", b"\2"))


def test_configs_of_other_types_are_refused(client):
    assert refused(client, "part", any_pb2.Any()) == Code.INVALID_ARGUMENT
    broken = client.stream()
    update = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(1))
    update.role.name = "part"
    update.role.config.type_url = "type.googleapis.com/stratum.P4RoleConfig"
    update.role.config.value = b"\xff"
    broken.send(p4r.StreamMessageRequest(arbitration=update))
    assert broken.receive_end() == Code.INVALID_ARGUMENT


def test_configs_that_contradict_themselves_are_refused(client):
    unheard = stratum.P4RoleConfig(packet_in_filter={"metadata_id": 1, "value": b"\1"})
    empty = stratum.P4RoleConfig(packet_in_filter={"metadata_id": 1}, receives_packet_ins=True)
    for config in (unheard, empty):
        assert refused(client, "part", config) == Code.INVALID_ARGUMENT
    assert refused(client, "", stratum.P4RoleConfig()) == Code.INVALID_ARGUMENT


def test_an_object_of_one_role_alone_is_no_other_roles(role, primary):
    stream = role("one", exclusive_p4_ids=[1, 2], shared_p4_ids=[3])
    for config in ({"exclusive_p4_ids": [2]}, {"shared_p4_ids": [2]}, {"exclusive_p4_ids": [3]}):
        assert refused(primary, "other", stratum.P4RoleConfig(**config)) == Code.INVALID_ARGUMENT
    role("other", exclusive_p4_ids=[4], shared_p4_ids=[3])
    # The primary may change its own.
    arbitrate(stream, "one", stratum.P4RoleConfig(exclusive_p4_ids=[1]))
    assert stream.receive("arbitration").status.code == Code.OK
    role("third", exclusive_p4_ids=[2])


@pytest.mark.parametrize("atomicity", p4r.WriteRequest.Atomicity.values())
def test_a_role_writes_its_own_objects(role, primary, names, match, atomicity):
    role("part", exclusive_p4_ids=[names.id("exact_table")])
    group = p4r.MulticastGroupEntry(multicast_group_id=1)
    free = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    updates = [
        insert(route(names, match)),
        insert(rule(names, match)),
        p4r.Update(type=INSERT, entity=p4r.Entity(packet_replication_engine_entry=free)),
    ]
    whole = atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR
    expected = [Code.ABORTED if whole else Code.OK] * 3
    expected[1] = Code.PERMISSION_DENIED
    assert failures(primary, *updates, role="part", atomicity=atomicity) == expected
    # The default role has full access.
    assert failures(primary, insert(rule(names, match)), role="") == [Code.OK]


def test_a_role_is_shown_its_own_objects(role, primary, names, match):
    role("part", shared_p4_ids=[names.id("exact_table")])
    primary.write(insert(route(names, match)), insert(rule(names, match)))

    def tables(**fields):
        wanted = [p4r.Entity(table_entry=p4r.TableEntry()), p4r.Entity(counter_entry=p4r.CounterEntry())]
        responses = primary.stub.Read(p4r.ReadRequest(device_id=1, entities=wanted, **fields))
        found = [entity for response in responses for entity in response.entities]
        return {entity.table_entry.table_id for entity in found if entity.HasField("table_entry")}, len(found)

    assert tables(role="part") == ({names.id("exact_table")}, 1)
    assert tables()[0] >= {names.id("exact_table"), names.id("lpm_table")}


def test_only_a_role_that_may_push_changes_the_program(role, primary, config):
    role("part")
    role("admin", can_push_pipeline=True)
    request = p4r.SetForwardingPipelineConfigRequest(
        device_id=1,
        election_id=U128.encode(1),
        action=p4r.SetForwardingPipelineConfigRequest.VERIFY,
        config=config,
        role="part",
    )
    code = primary.code(lambda: primary.stub.SetForwardingPipelineConfig(request))
    assert code == Code.PERMISSION_DENIED
    request.role = "admin"
    primary.stub.SetForwardingPipelineConfig(request)


def test_packet_ins_go_to_the_roles_that_want_them(role, primary, names, match):
    deaf = role("deaf")
    reason_1 = role("one", receives_packet_ins=True, packet_in_filter={"metadata_id": 2, "value": b"\0\0"})
    other = role("other", receives_packet_ins=True, packet_in_filter={"metadata_id": 2, "value": b"\3"})
    every = role("all", receives_packet_ins=True)
    to_cpu = names.entry(
        "exact_table", match.exact(b"\x02\0\0\0\0\1"), action=names.action("forward_metered", b"\x01\xfe")
    )
    primary.write(insert(to_cpu))
    frame = bytes.fromhex("0200000000010200000000021234") + bytes(46)
    metadata = [p4r.PacketMetadata(metadata_id=1, value=b"\0")]
    deaf.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=frame, metadata=metadata)))
    for stream in (reason_1, every):
        assert stream.receive("packet").payload == frame
    assert deaf.is_silent()
    assert other.is_silent()


def test_a_table_of_another_role_by_annotation(client, config, names, match):
    """As SONiC PINS declares its tables; the other tables are open."""
    owned = p4r.ForwardingPipelineConfig()
    owned.CopyFrom(config)
    (table,) = [table for table in owned.p4info.tables if table.preamble.alias == "exact_table"]
    table.preamble.annotations.append('@p4runtime_role("sdn_controller")')
    client.become_primary()
    client.set_config(owned)
    for name in ("sdn_controller", "other"):
        stream = client.stream()
        arbitrate(stream, name)
        assert stream.receive("arbitration").status.code == Code.OK
    entry = insert(route(names, match))
    assert failures(client, entry, insert(rule(names, match)), role="other") == [Code.PERMISSION_DENIED, Code.OK]
    assert failures(client, entry, role="sdn_controller") == [Code.OK]
    with pytest.raises(grpc.RpcError):
        client.write(entry, role="unknown")


def test_digests_and_idle_entries_go_to_the_role_that_has_them(role, primary, server, names, match):
    role("part", shared_p4_ids=[names.id("learned_t"), names.id("exact_table")])
    role("none")
    device, access = server.p4runtime.device, server.p4runtime.arbitration.access
    idle = [route(names, match), rule(names, match)]
    for name, digest, tables in (("part", True, [idle[0]]), ("none", False, []), ("", True, idle)):
        assert access(name).has_object(names.id("learned_t")) == digest
        assert access(name).idle(idle, device.running.pipeline) == tables
