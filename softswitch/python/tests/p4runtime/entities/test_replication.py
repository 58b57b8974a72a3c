# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4r

Update = p4r.Update
Pre = p4r.PacketReplicationEngineEntry


def group(number, *replicas, **fields):
    entry = p4r.MulticastGroupEntry(multicast_group_id=number, **fields)
    for port, instance in replicas:
        entry.replicas.add(port=port, instance=instance)
    return Pre(multicast_group_entry=entry)


def session(number, *replicas, **fields):
    entry = p4r.CloneSessionEntry(session_id=number, **fields)
    for port, instance in replicas:
        entry.replicas.add(port=port, instance=instance)
    return Pre(clone_session_entry=entry)


def update(kind, entry):
    return p4r.Update(type=kind, entity=p4r.Entity(packet_replication_engine_entry=entry))


@pytest.mark.parametrize("make", [group, session])
def test_replicas_read_as_they_were_written(primary, make):
    first, second = make(1, (b"\1", 1), (b"\2", 1)), make(2, (b"\1", 1), (b"\1", 2))
    for entry in (first, second):
        primary.insert(packet_replication_engine_entry=entry)
    assert primary.read(packet_replication_engine_entry=make(0)) == [first, second]
    assert primary.read(packet_replication_engine_entry=make(2)) == [second]
    changed = make(1, (b"\5", 0))
    primary.modify(packet_replication_engine_entry=changed)
    primary.delete(packet_replication_engine_entry=make(2))
    assert primary.read(packet_replication_engine_entry=make(0)) == [changed]


def test_metadata_truncation_and_class_of_service_are_kept(primary, server):
    entries = [
        group(3, (b"\1", 1), metadata=b"mine"),
        session(3, (b"\1", 1), packet_length_bytes=128, class_of_service=0),
    ]
    for entry in entries:
        primary.insert(packet_replication_engine_entry=entry)
    assert primary.read(packet_replication_engine_entry=Pre()) == entries
    assert server.switch.clone_sessions() == [(3, [(1, 1)], 128, 0)]
    assert server.switch.multicast_groups() == [(3, [(1, 1)])]


def test_the_deprecated_port_field_still_works(primary, server):
    entry = p4r.CloneSessionEntry(session_id=1, replicas=[p4r.Replica(egress_port=510, instance=1)])
    primary.insert(packet_replication_engine_entry=Pre(clone_session_entry=entry))
    assert server.switch.clone_sessions()[0][1] == [(510, 1)]
    assert primary.read(packet_replication_engine_entry=session(0)) == [Pre(clone_session_entry=entry)]


def backed(number, first, *backups):
    entry = group(number, first)
    for port, instance in backups:
        entry.multicast_group_entry.replicas[0].backup_replicas.add(port=port, instance=instance)
    return entry


def test_backup_replicas_are_read_in_their_order(primary):
    primary.insert(packet_replication_engine_entry=backed(1, (b"\1", 1), (b"\0\3", 3), (b"\2", 2)))
    read = primary.read(packet_replication_engine_entry=group(0))
    assert read == [backed(1, (b"\1", 1), (b"\3", 3), (b"\2", 2))]


def test_rules_of_replication(primary):
    primary.insert(packet_replication_engine_entry=group(1))
    primary.insert(packet_replication_engine_entry=session(1))
    same_port = backed(2, (b"\1", 1), (b"\1", 2))
    same_place = backed(2, (b"\1", 1), (b"\2", 2), (b"\0\2", 2))
    cloned = session(2, (b"\1", 1))
    cloned.clone_session_entry.replicas[0].backup_replicas.add(port=b"\2")
    no_port = group(2)
    no_port.multicast_group_entry.replicas.add(instance=1)
    for kind, entry, code in [
        (Update.INSERT, Pre(), Code.INVALID_ARGUMENT),
        (Update.INSERT, group(0), Code.INVALID_ARGUMENT),
        (Update.INSERT, group(0x10000), Code.INVALID_ARGUMENT),
        (Update.INSERT, group(1), Code.ALREADY_EXISTS),
        (Update.INSERT, group(2, (b"\1", 1), (b"\0\1", 1)), Code.INVALID_ARGUMENT),
        (Update.INSERT, group(2, (b"\2\0", 1)), Code.OUT_OF_RANGE),
        (Update.INSERT, group(2, (b"", 1)), Code.OUT_OF_RANGE),
        (Update.INSERT, group(2, (b"\1", 0x10000)), Code.INVALID_ARGUMENT),
        (Update.INSERT, no_port, Code.INVALID_ARGUMENT),
        (Update.INSERT, same_port, Code.INVALID_ARGUMENT),
        (Update.INSERT, same_place, Code.INVALID_ARGUMENT),
        (Update.INSERT, backed(2, (b"\1", 1), (b"\2", 0x10000)), Code.INVALID_ARGUMENT),
        (Update.INSERT, backed(2, (b"\1", 1), (b"\2\0", 1)), Code.OUT_OF_RANGE),
        (Update.INSERT, backed(2, (b"\1", 1), (b"", 1)), Code.OUT_OF_RANGE),
        (Update.INSERT, cloned, Code.UNIMPLEMENTED),
        (Update.MODIFY, group(2), Code.NOT_FOUND),
        (Update.DELETE, group(2), Code.NOT_FOUND),
        (Update.INSERT, session(0), Code.INVALID_ARGUMENT),
        (Update.INSERT, session(32768), Code.INVALID_ARGUMENT),
        (Update.INSERT, session(1), Code.ALREADY_EXISTS),
        (Update.INSERT, session(2, packet_length_bytes=-1), Code.INVALID_ARGUMENT),
        (Update.MODIFY, session(2), Code.NOT_FOUND),
        (Update.DELETE, session(2), Code.NOT_FOUND),
    ]:
        assert primary.refusal(update(kind, entry)) == code, entry


@pytest.mark.parametrize("make", [group, session])
def test_ports_are_read_in_canonical_form(primary, make):
    primary.insert(packet_replication_engine_entry=make(1, (b"\0\0\1", 1), (b"\0\1\2", 2)))
    assert primary.read(packet_replication_engine_entry=make(0)) == [make(1, (b"\1", 1), (b"\1\2", 2))]


def test_a_class_of_service_has_to_exist(primary):
    refused = update(Update.INSERT, session(1, class_of_service=8))
    assert primary.refusal(refused) == Code.INVALID_ARGUMENT
    primary.insert(packet_replication_engine_entry=session(1, class_of_service=7))


def test_a_list_of_replicas_of_any_length_is_answered_soon(primary):
    entry = p4r.MulticastGroupEntry(multicast_group_id=1)
    entry.replicas.extend(p4r.Replica(egress_port=place % 500, instance=place // 500) for place in range(60_000))
    entry.replicas.append(entry.replicas[0])
    # In quadratic time it takes 20 s; the client waits 5 s.
    assert primary.refusal(update(Update.INSERT, Pre(multicast_group_entry=entry))) == Code.RESOURCE_EXHAUSTED
    del entry.replicas[500:-1]
    assert primary.refusal(update(Update.INSERT, Pre(multicast_group_entry=entry))) == Code.INVALID_ARGUMENT


def test_the_kept_state_is_no_part_of_the_request(primary, server, names):
    """A kept part of a message keeps all of the message in memory."""
    config = p4r.DigestEntry.Config(max_list_size=3)
    digest = p4r.DigestEntry(digest_id=names.info.digests[0].preamble.id, config=config)
    request = p4r.WriteRequest(
        updates=[
            update(Update.INSERT, group(1, metadata=b"m")),
            update(Update.INSERT, session(1, class_of_service=1)),
            p4r.Update(type=Update.INSERT, entity=p4r.Entity(digest_entry=digest)),
        ]
    )
    for one in request.updates:
        assert server.p4runtime.device.entities().write(one) is None
    replication = [one.entity.packet_replication_engine_entry for one in request.updates[:2]]
    replication[0].multicast_group_entry.metadata = b"n"
    replication[1].clone_session_entry.class_of_service = 2
    request.updates[2].entity.digest_entry.config.max_list_size = 4
    assert primary.read(packet_replication_engine_entry=Pre()) == [
        group(1, metadata=b"m"),
        session(1, class_of_service=1),
    ]
    assert primary.read(digest_entry=p4r.DigestEntry()) == [digest]


def test_unknown_fields_are_not_kept(primary):
    newer = p4r.MulticastGroupEntry.FromString(group(1).multicast_group_entry.SerializeToString() + b"\xfa\x7f\1x")
    primary.insert(packet_replication_engine_entry=Pre(multicast_group_entry=newer))
    assert primary.read(packet_replication_engine_entry=group(0)) == [group(1)]
