# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import json

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r
from quench_switch._native import VirtualSwitch
from quench_switch.p4runtime.verify import verify
from quench_switch.realtime import start_config

Set = p4r.SetForwardingPipelineConfigRequest
Get = p4r.GetForwardingPipelineConfigRequest


def copy(config):
    other = p4r.ForwardingPipelineConfig()
    other.CopyFrom(config)
    return other


def test_capabilities_report_the_version_of_the_api(client):
    answer = client.stub.Capabilities(p4r.CapabilitiesRequest())
    assert answer.p4runtime_api_version == "1.4.1"
    assert client.code(lambda: client.stub.Capabilities(p4r.CapabilitiesRequest(device_id=9))) == Code.NOT_FOUND


def test_nothing_is_there_before_a_config_is(client):
    client.become_primary()
    assert not client.get_config().HasField("config")
    assert client.code(lambda: client.read(table_entry=p4r.TableEntry())) == Code.FAILED_PRECONDITION
    assert client.code(lambda: client.set_config(None, Set.COMMIT)) == Code.NOT_FOUND


def test_a_program_without_p4info_is_no_config(server, client, config, tmp_path):
    """A client that gets none sets its own, as it does with BMv2."""
    program = tmp_path / "program.json"
    program.write_bytes(config.p4_device_config)
    server.p4runtime.device.load(start_config(program, None))
    assert client.code(client.get_config) == Code.FAILED_PRECONDITION
    server.p4runtime.device.restart()
    assert client.code(client.get_config) == Code.FAILED_PRECONDITION
    client.become_primary()
    client.set_config(config)
    assert client.get_config().config == config


def test_a_committed_config_is_returned_as_it_was_sent(primary, config):
    assert primary.get_config(Get.ALL).config == config
    assert primary.get_config(Get.COOKIE_ONLY).config == p4r.ForwardingPipelineConfig(cookie=config.cookie)
    with_info = primary.get_config(Get.P4INFO_AND_COOKIE).config
    assert with_info == p4r.ForwardingPipelineConfig(p4info=config.p4info, cookie=config.cookie)
    with_json = primary.get_config(Get.DEVICE_CONFIG_AND_COOKIE).config
    assert with_json == p4r.ForwardingPipelineConfig(p4_device_config=config.p4_device_config, cookie=config.cookie)


def test_verify_changes_nothing(client, config):
    client.become_primary()
    client.set_config(config, Set.VERIFY)
    assert not client.get_config().HasField("config")


def test_a_config_is_checked_without_making_machine_code(config):
    switch = VirtualSwitch()
    switch.load(verify(config, None, interpreted=True).program)
    assert switch.program() is not None
    assert not switch.is_compiled
    switch.load(verify(config, None).program)
    assert switch.is_compiled


def test_a_new_commit_clears_the_forwarding_state(primary, config, names, match):
    primary.insert(table_entry=names.entry("idle_table", match.exact(b"\1"), action=names.action("NoAction")))
    assert len(primary.read(table_entry=p4r.TableEntry(table_id=names.id("idle_table")))) == 1
    primary.set_config(config)
    assert primary.read(table_entry=p4r.TableEntry(table_id=names.id("idle_table"))) == []


def test_a_saved_config_takes_writes_that_commit_brings_to_the_data_plane(client, server, config, names, match):
    client.become_primary()
    client.set_config(config, Set.VERIFY_AND_SAVE)
    entry = names.entry("lpm_table", match.lpm(b"\x0a\0\0\0", 8), action=names.action("forward", b"\2"))
    client.insert(table_entry=entry)
    assert client.read(table_entry=p4r.TableEntry(table_id=names.id("lpm_table"))) == [entry]
    assert server.switch.program() is None
    client.set_config(None, Set.COMMIT)
    assert len(server.switch.table_entries("EntitiesIngress.lpm_table")) == 1
    assert client.read(table_entry=p4r.TableEntry(table_id=names.id("lpm_table"))) == [entry]
    assert client.code(lambda: client.set_config(None, Set.COMMIT)) == Code.NOT_FOUND


def test_commit_takes_no_config(client, config):
    client.become_primary()
    client.set_config(config, Set.VERIFY_AND_SAVE)
    assert client.code(lambda: client.set_config(config, Set.COMMIT)) == Code.INVALID_ARGUMENT


def changed_json(config, change):
    """A config whose JSON differs, so that it really is another program."""
    other = copy(config)
    program = json.loads(config.p4_device_config)
    change(program)
    other.p4_device_config = json.dumps(program).encode()
    return other


def test_reconcile_keeps_the_forwarding_state(primary, server, config, names, match):
    entries = [
        names.entry("lpm_table", match.lpm(b"\x0a\0\0\0", 8), action=names.action("forward", b"\2"), metadata=b"mine"),
        names.entry("exact_table", match.exact(b"\5"), action=names.action("forward_metered", b"\3")),
    ]
    for entry in entries:
        primary.insert(table_entry=entry)
    primary.modify(table_entry=names.entry("lpm_table", is_default_action=True, action=names.action("forward", b"\7")))
    session = p4r.CloneSessionEntry(session_id=7, replicas=[p4r.Replica(port=b"\x01\xfe", instance=1)])
    primary.insert(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(clone_session_entry=session))
    register = p4r.RegisterEntry(register_id=names.id("averages"), index=p4r.Index(index=3))
    register.data.bitstring = b"\x12\x34"
    primary.modify(register_entry=register)
    before = [
        primary.read(table_entry=p4r.TableEntry()),
        primary.read(table_entry=p4r.TableEntry(is_default_action=True)),
        primary.read(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
        primary.read(register_entry=p4r.RegisterEntry()),
    ]
    other = changed_json(config, lambda program: program.update(program="another.p4"))
    primary.set_config(other, Set.RECONCILE_AND_COMMIT)
    assert primary.get_config().config == other
    after = [
        primary.read(table_entry=p4r.TableEntry()),
        primary.read(table_entry=p4r.TableEntry(is_default_action=True)),
        primary.read(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
        primary.read(register_entry=p4r.RegisterEntry()),
    ]
    assert after == before
    assert len(server.switch.clone_sessions()) == 1


@pytest.mark.parametrize("way", [Set.RECONCILE_AND_COMMIT, Set.VERIFY_AND_SAVE])
def test_initial_entries_come_over_as_they_were_left(primary, config, names, match, way):
    """A saved config starts with the program's, and is changed before COMMIT; RECONCILE keeps what was changed."""
    other = changed_json(config, lambda program: program.update(program="another.p4"))
    if way == Set.VERIFY_AND_SAVE:
        primary.set_config(other, way)
    free = names.entry("initial_table", match.exact(b"\xde\xa2"))
    primary.delete(table_entry=free)
    new = names.entry("initial_table", match.exact(b"\xde\xa3"), action=names.action("drop"))
    primary.insert(table_entry=new)
    before = primary.read(table_entry=p4r.TableEntry(table_id=names.id("initial_table")))
    assert len(before) == 2
    assert new in before
    if way == Set.VERIFY_AND_SAVE:
        primary.set_config(None, Set.COMMIT)
    else:
        primary.set_config(other, way)
    assert primary.read(table_entry=p4r.TableEntry(table_id=names.id("initial_table"))) == before


def test_reconcile_with_state_that_does_not_fit_changes_nothing(primary, config, names, match):
    entry = names.entry("idle_table", match.exact(b"\1"), action=names.action("NoAction"))
    primary.insert(table_entry=entry)
    smaller = changed_json(config, lambda program: program.update(program="another.p4"))
    info = p4i.P4Info()
    info.CopyFrom(config.p4info)
    for table in info.tables:
        if table.preamble.alias == "idle_table":
            table.preamble.id += 1
    smaller.p4info.CopyFrom(info)
    assert primary.code(lambda: primary.set_config(smaller, Set.RECONCILE_AND_COMMIT)) == Code.INVALID_ARGUMENT
    assert primary.get_config().config == config
    assert primary.read(table_entry=p4r.TableEntry(table_id=names.id("idle_table"))) == [entry]


def test_old_clients_wrap_the_json(client, config):
    client.become_primary()
    wrapped = copy(config)
    size = len(config.p4_device_config)
    length = bytearray()
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    length.append(size)
    # Field 1 is reassign = true, field 3 the JSON.
    wrapped.p4_device_config = b"\x08\x01\x1a" + bytes(length) + config.p4_device_config
    client.set_config(wrapped)
    assert client.get_config().config == wrapped
    # Field 2 is extras, a message of texts by text.
    extras = b"\x0a\x06\x0a\x01k\x12\x01v"
    wrapped.p4_device_config = b"\x12" + bytes([len(extras)]) + extras + wrapped.p4_device_config
    client.set_config(wrapped)
    assert client.read(table_entry=p4r.TableEntry()) is not None


def _no_device_config(config):
    config.p4_device_config = b""


def _not_json(config):
    config.p4_device_config = b"{ nonsense"


def _binary(config):
    config.p4_device_config = b"\xff\xfe\xfd"


def _no_p4info(config):
    config.ClearField("p4info")


def _table_of_another_program(config):
    config.p4info.tables[0].preamble.name = "Other.table"


def _wrong_width(config):
    config.p4info.tables[0].match_fields[0].bitwidth = 47


def _wrong_match_kind(config):
    config.p4info.tables[0].match_fields[0].match_type = p4i.MatchField.LPM


def _lost_match_field(config):
    del config.p4info.tables[0].match_fields[:]


def _lost_parameter(config):
    for action in config.p4info.actions:
        del action.params[:]


def _wrong_array_size(config):
    config.p4info.registers[0].size = 9


def _two_of_one_id(config):
    config.p4info.tables[1].preamble.id = config.p4info.tables[0].preamble.id


def _no_id(config):
    config.p4info.tables[0].preamble.id = 0


def _dangling_action(config):
    config.p4info.tables[0].action_refs[0].id = 4711


def _half_a_byte(config):
    config.p4info.controller_packet_metadata[0].metadata[0].bitwidth = 10


@pytest.mark.parametrize(
    "spoil",
    [
        _no_device_config,
        _not_json,
        _binary,
        _no_p4info,
        _table_of_another_program,
        _wrong_width,
        _wrong_match_kind,
        _lost_match_field,
        _lost_parameter,
        _wrong_array_size,
        _two_of_one_id,
        _no_id,
        _dangling_action,
        _half_a_byte,
    ],
)
def test_a_config_that_contradicts_itself_is_refused_and_changes_nothing(primary, config, spoil):
    spoiled = copy(config)
    spoil(spoiled)
    for action in (Set.VERIFY, Set.VERIFY_AND_SAVE, Set.VERIFY_AND_COMMIT, Set.RECONCILE_AND_COMMIT):
        with pytest.raises(grpc.RpcError) as caught:
            primary.set_config(spoiled, action)
        assert Code.from_status_code(caught.value.code()) == Code.INVALID_ARGUMENT
        assert "\n" not in caught.value.details()
        assert len(caught.value.details()) > 10
    assert primary.get_config().config == config


def test_reconcile_keeps_the_counters_of_default_entries(primary, config, names):
    default = p4r.TableEntry(table_id=names.id("exact_table"), is_default_action=True)
    counter = p4r.DirectCounterEntry(table_entry=default, data=p4r.CounterData(packet_count=3, byte_count=4))
    primary.modify(direct_counter_entry=counter)
    other = changed_json(config, lambda program: program.update(program="another.p4"))
    primary.set_config(other, Set.RECONCILE_AND_COMMIT)
    assert primary.read(direct_counter_entry=p4r.DirectCounterEntry(table_entry=default)) == [counter]


@pytest.mark.parametrize("first", [True, False])
def test_an_action_that_is_also_called_directly_keeps_its_parameters(client, config, names, match, first):
    """p4c writes such an action twice under one name: for tables, and without parameters for a table of its own."""

    def twice(program):
        copies = program["actions"]
        (listed,) = [action for action in copies if action["name"] == "EntitiesIngress.forward"]
        called = {"name": listed["name"], "id": 4711, "runtime_data": [], "primitives": []}
        copies.insert(0 if first else len(copies), called)
        call = {
            "name": "tbl_forward",
            "id": 4711,
            "match_type": "exact",
            "type": "simple",
            "max_size": 1024,
            "key": [],
            "action_ids": [called["id"]],
            "actions": [called["name"]],
            "next_tables": {called["name"]: None},
            "base_default_next": None,
            "default_entry": {"action_id": called["id"], "action_const": True, "action_data": []},
        }
        tables = program["pipelines"][0]["tables"]
        tables.insert(0 if first else len(tables), call)

    client.become_primary()
    client.set_config(changed_json(config, twice))
    entry = names.entry("lpm_table", match.lpm(b"\x0a\0\0\0", 8), action=names.action("forward", b"\2"))
    client.insert(table_entry=entry)
    assert client.read(table_entry=p4r.TableEntry(table_id=names.id("lpm_table"))) == [entry]


def test_a_table_that_the_compiler_removed_takes_no_entries(client, config, names):
    unreached = copy(config)
    removed = unreached.p4info.tables.add()
    removed.preamble.id = 0x2004711
    removed.preamble.name = "EntitiesIngress.unreached"
    client.become_primary()
    client.set_config(unreached)
    assert client.get_config().config == unreached
    with pytest.raises(grpc.RpcError) as caught:
        client.read(table_entry=p4r.TableEntry(table_id=removed.preamble.id))
    assert Code.from_status_code(caught.value.code()) == Code.NOT_FOUND
    assert "no packet reaches it" in caught.value.details()
    entry = p4r.TableEntry(table_id=removed.preamble.id)
    update = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry))
    assert client.refusal(update) == Code.NOT_FOUND
    assert client.read(table_entry=p4r.TableEntry()) is not None
