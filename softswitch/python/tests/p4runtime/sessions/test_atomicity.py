# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Batches that happen whole or not at all (specification, "Batch Atomicity")."""

import gc
import threading

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st
from p4runtime_lab import PROGRAMS
from p4runtime_model.draw import Draw
from p4runtime_model.generate import update as any_update
from p4runtime_model.program import read_program
from p4runtime_model.state import initial_state
from p4runtime_model.writes import judge_update
from quench_switch._native import VirtualSwitch, compile_p4
from quench_switch.p4runtime.entities import Entities
from quench_switch.p4runtime.state import State
from quench_switch.p4runtime.verify import verify

CONTINUE, ROLLBACK, ATOMIC = p4r.WriteRequest.Atomicity.values()
WHOLE = [ROLLBACK, ATOMIC]
INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE
CPU_PORT = 510


def everything():
    """Requests that read all that can be read, one for each kind."""
    entry = p4r.TableEntry()
    entry.counter_data.SetInParent()
    entry.meter_config.SetInParent()
    default = p4r.TableEntry(is_default_action=True)
    default.counter_data.SetInParent()
    return [
        p4r.Entity(table_entry=entry),
        p4r.Entity(table_entry=default),
        p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
        p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
        p4r.Entity(counter_entry=p4r.CounterEntry()),
        p4r.Entity(meter_entry=p4r.MeterEntry()),
        p4r.Entity(register_entry=p4r.RegisterEntry()),
        p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
        p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
        p4r.Entity(digest_entry=p4r.DigestEntry()),
    ]


def made(kind, **entity):
    return p4r.Update(type=kind, entity=p4r.Entity(**entity))


def group(number):
    entry = p4r.MulticastGroupEntry(multicast_group_id=number)
    return p4r.PacketReplicationEngineEntry(multicast_group_entry=entry)


def codes(client, *updates, atomicity):
    """The code of each update."""
    return client.try_write(*updates, atomicity=atomicity)


@pytest.mark.parametrize("atomicity", WHOLE)
def test_a_batch_is_applied_in_its_order(primary, names, match, atomicity):
    entry = names.entry("exact_table", match.exact(b"\1"), action=names.action("forward", b"\2"))
    other = names.entry("exact_table", match.exact(b"\1"), action=names.action("forward", b"\3"))
    updates = [made(INSERT, table_entry=entry), made(MODIFY, table_entry=other), made(DELETE, table_entry=entry)]
    again = [*updates, made(INSERT, table_entry=other)]
    assert codes(primary, *again, atomicity=atomicity) == [Code.OK] * 4
    (found,) = primary.read(table_entry=p4r.TableEntry(table_id=names.id("exact_table")))
    assert found.action.action.params[0].value == b"\3"


@pytest.mark.parametrize("atomicity", WHOLE)
@pytest.mark.parametrize("place", range(3))
def test_one_update_that_is_refused_aborts_the_others(primary, atomicity, place):
    updates = [made(INSERT, packet_replication_engine_entry=group(number)) for number in (1, 2)]
    updates.insert(place, made(DELETE, packet_replication_engine_entry=group(9)))
    expected = [Code.ABORTED] * 3
    expected[place] = Code.NOT_FOUND
    assert codes(primary, *updates, atomicity=atomicity) == expected
    assert not primary.read(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry())


@pytest.mark.parametrize("atomicity", WHOLE)
def test_the_first_refusal_counts_whoever_finds_it(primary, names, match, atomicity):
    """The data plane refuses the second insert, the server the update after it."""
    entry = names.entry("exact_table", match.exact(b"\1"), action=names.action("forward", b"\2"))
    updates = [made(INSERT, table_entry=entry)] * 2 + [p4r.Update()]
    assert codes(primary, *updates, atomicity=atomicity) == [Code.ABORTED, Code.ALREADY_EXISTS, Code.ABORTED]
    assert not primary.read(table_entry=p4r.TableEntry(table_id=names.id("exact_table")))


def test_an_atomicity_that_does_not_exist_is_refused(primary):
    assert primary.code(lambda: primary.write(atomicity=7)) == Code.INVALID_ARGUMENT


def test_whole_batches_set_fewer_cells(primary, names, monkeypatch):
    """The old cells are kept as long as the batch may be taken back."""
    register = names.info.registers[0]
    monkeypatch.setattr("quench_switch.p4runtime.writes.ATOMIC_CELLS", register.size - 1)
    (cell,) = primary.read(register_entry=p4r.RegisterEntry(register_id=register.preamble.id, index=p4r.Index(index=0)))
    fill = p4r.RegisterEntry(register_id=register.preamble.id, data=cell.data)
    for atomicity in WHOLE:
        assert codes(primary, made(MODIFY, register_entry=fill), atomicity=atomicity) == [Code.RESOURCE_EXHAUSTED]
    assert codes(primary, made(MODIFY, register_entry=fill), atomicity=CONTINUE) == [Code.OK]


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_refused_batch_changes_nothing(config, seed):
    """Batches of any updates, of which about a third has a refused one, against the same updates one by one."""
    draw, state = Draw(seed), initial_state(read_program(config))
    pipeline = verify(config, CPU_PORT)
    whole, single = (VirtualSwitch(cpu_port=CPU_PORT, interpreted=True) for _ in range(2))
    sides = []
    for switch in (whole, single):
        switch.load(pipeline.program)
        sides.append(Entities(pipeline, switch))

    def found(side):
        answers = [entity.SerializeToString() for entity in side.read(everything()) if entity is not None]
        return answers, side.state.control.state_bytes()

    for _ in range(12):
        batch = [any_update(draw, state) for _ in range(draw.randint(1, 7))]
        if draw.chance(0.35):
            batch.insert(draw.randrange(len(batch) + 1), p4r.Update())
        before = found(sides[0])
        refusal = sides[0].write_together(batch)
        if refusal is not None:
            assert found(sides[0]) == before, f"batch {batch} refused at {refusal}"
            continue
        for update in batch:
            assert sides[1].write(update) is None, update
            verdict, effect = judge_update(state, update)
            assert verdict.accepts, update
            effect()
        assert found(sides[0]) == found(sides[1])


def entities_of(config):
    """Entities on a switch of their own."""
    pipeline, switch = verify(config, CPU_PORT), VirtualSwitch(cpu_port=CPU_PORT)
    switch.load(pipeline.program)
    return Entities(pipeline, switch)


def test_a_batch_that_breaks_the_server_leaves_nothing_for_the_next(config, monkeypatch):
    entities = entities_of(config)
    stage = entities._stage

    def breaks_on_the_empty(update):
        if not update.HasField("entity"):
            raise KeyboardInterrupt
        return stage(update)

    monkeypatch.setattr(entities, "_stage", breaks_on_the_empty)
    group = p4r.MulticastGroupEntry(multicast_group_id=7, replicas=[p4r.Replica(port=b"\1", instance=1)])
    engine = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    insert = p4r.Update(type=INSERT, entity=p4r.Entity(packet_replication_engine_entry=engine))
    with pytest.raises(KeyboardInterrupt):
        entities.write_together([insert, p4r.Update()])
    assert entities.write_together([insert]) is None


def is_in_memory(state):
    """Whether the pipeline's state with this identity is still there. Those of other tests may be, for a while."""
    gc.collect()
    return any(isinstance(each, State) and id(each) == state for each in gc.get_objects())


def test_what_a_program_had_goes_with_it(config):
    entities = entities_of(config)
    state = id(entities.state)
    assert is_in_memory(state)
    del entities
    assert not is_in_memory(state)


# -- Under traffic ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pair():
    """Two tables, and the program."""
    output = compile_p4(str(PROGRAMS / "pair.p4"))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    return p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode())


def test_each_packet_sees_all_of_a_batch_or_nothing(client, pair):
    stream = client.become_primary()
    client.set_config(pair)
    ids = {item.preamble.alias: item.preamble.id for kind in (pair.p4info.tables, pair.p4info.actions) for item in kind}

    def say(kind, table, value):
        param = p4r.Action.Param(param_id=1, value=value.to_bytes(4, "big"))
        action = p4r.Action(action_id=ids[f"say_{table}"], params=[param])
        port = p4r.FieldMatch(field_id=1, exact=p4r.FieldMatch.Exact(value=CPU_PORT.to_bytes(2, "big")))
        entry = p4r.TableEntry(table_id=ids[table], match=[port], action=p4r.TableAction(action=action))
        return made(kind, table_entry=entry)

    def between(value):
        key = p4r.FieldMatch(field_id=1, exact=p4r.FieldMatch.Exact(value=value.to_bytes(4, "big")))
        action = p4r.TableAction(action=p4r.Action(action_id=ids["NoAction"]))
        return p4r.TableEntry(table_id=ids["between"], match=[key], action=action)

    client.write(say(INSERT, "first", 1), say(INSERT, "second", 1))
    done = threading.Event()
    # The room for packets under way: a busy machine sends faster than it receives.
    room = threading.Semaphore(100)

    def send():
        packet = p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes(60)))
        while not done.is_set():
            if room.acquire(timeout=0.1):
                stream.send(packet)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        for round_number in range(2, 42):
            many = [made(INSERT, table_entry=between(1000 + number)) for number in range(100)]
            many += [made(DELETE, table_entry=between(1000 + number)) for number in range(100)]
            changes = [say(MODIFY, "first", round_number), *many, say(MODIFY, "second", round_number)]
            if round_number % 4 == 0:
                with pytest.raises(grpc.RpcError):
                    client.write(say(MODIFY, "second", 9999), *changes, p4r.Update(), atomicity=ATOMIC)
            client.write(*changes, atomicity=ATOMIC)
            # Packets from before the change come first.
            first = 0
            while first != round_number:
                payload = stream.receive("packet").payload
                room.release()
                first, second = (int.from_bytes(payload[place : place + 4], "big") for place in (0, 4))
                assert first == second
    finally:
        done.set()
        thread.join()
