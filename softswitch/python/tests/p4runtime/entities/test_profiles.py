# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import json

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch._native import compile_p4

Update = p4r.Update
Set = p4r.ActionProfileActionSet


@pytest.fixture
def make(names, match):
    """Makers of members, groups and entries of the table with a selector."""

    class Make:
        profile = names.id("choices")

        def member(self, number, port=b"\1"):
            return p4r.ActionProfileMember(
                action_profile_id=self.profile, member_id=number, action=names.action("forward", port)
            )

        def group(self, number, *members, **fields):
            return p4r.ActionProfileGroup(
                action_profile_id=self.profile,
                group_id=number,
                members=[p4r.ActionProfileGroup.Member(member_id=member, weight=weight) for member, weight in members],
                **fields,
            )

        def entry(self, key, **action):
            entry = names.entry("selected_table", match.exact(key))
            entry.action.CopyFrom(p4r.TableAction(**action))
            return entry

        def oneshot(self, *ports):
            return p4r.ActionProfileActionSet(
                action_profile_actions=[
                    p4r.ActionProfileAction(action=names.action("forward", port), weight=2) for port in ports
                ]
            )

    return Make()


def updates(kind, **entity):
    return p4r.Update(type=kind, entity=p4r.Entity(**entity))


def test_members_and_groups_read_as_they_were_written(primary, make):
    members = [make.member(1, b"\1"), make.member(2, b"\2")]
    for member in members:
        primary.insert(action_profile_member=member)
    group = make.group(1, (1, 1), (2, 3), max_size=8)
    group.members[1].watch_port = b"\2"
    primary.insert(action_profile_group=group)
    assert primary.read(action_profile_member=p4r.ActionProfileMember()) == members
    assert primary.read(action_profile_member=make.member(2)) == members[1:]
    assert primary.read(action_profile_group=p4r.ActionProfileGroup()) == [group]
    entries = [make.entry(b"\1", action_profile_member_id=2), make.entry(b"\2", action_profile_group_id=1)]
    for entry in entries:
        primary.insert(table_entry=entry)
    read = primary.read(table_entry=p4r.TableEntry(table_id=entries[0].table_id))
    assert sorted(read, key=lambda entry: entry.match[0].exact.value) == entries


def test_rules_of_members(primary, make):
    primary.insert(action_profile_member=make.member(1))
    no_action = make.member(3)
    no_action.ClearField("action")
    unknown = make.member(3)
    unknown.action_profile_id = 99
    for kind, member, code in [
        (Update.INSERT, make.member(1), Code.ALREADY_EXISTS),
        (Update.INSERT, make.member(0), Code.INVALID_ARGUMENT),
        (Update.INSERT, no_action, Code.INVALID_ARGUMENT),
        (Update.INSERT, unknown, Code.NOT_FOUND),
        (Update.INSERT, make.member(3, b"\2\0"), Code.OUT_OF_RANGE),
        (Update.MODIFY, make.member(3), Code.NOT_FOUND),
        (Update.DELETE, make.member(3), Code.NOT_FOUND),
    ]:
        assert primary.refusal(updates(kind, action_profile_member=member)) == code, member


def test_rules_of_groups(primary, make):
    for number in (1, 2):
        primary.insert(action_profile_member=make.member(number))
    primary.insert(action_profile_group=make.group(1, (1, 1), max_size=4))
    for kind, group, code in [
        (Update.INSERT, make.group(1, (1, 1)), Code.ALREADY_EXISTS),
        (Update.INSERT, make.group(0, (1, 1)), Code.INVALID_ARGUMENT),
        (Update.INSERT, make.group(2, (9, 1)), Code.NOT_FOUND),
        (Update.INSERT, make.group(2, (1, 0)), Code.INVALID_ARGUMENT),
        (Update.INSERT, make.group(2, (1, -1)), Code.INVALID_ARGUMENT),
        (Update.INSERT, make.group(2, (1, 1), (1, 1)), Code.INVALID_ARGUMENT),
        (Update.INSERT, make.group(2, (1, 5), max_size=4), Code.RESOURCE_EXHAUSTED),
        (Update.INSERT, make.group(2, (1, 1), max_size=-1), Code.INVALID_ARGUMENT),
        (Update.MODIFY, make.group(1, (1, 1), max_size=5), Code.INVALID_ARGUMENT),
        (Update.MODIFY, make.group(2, (1, 1)), Code.NOT_FOUND),
        (Update.DELETE, make.group(2), Code.NOT_FOUND),
    ]:
        assert primary.refusal(updates(kind, action_profile_group=group)) == code, group
    primary.modify(action_profile_group=make.group(1, (1, 1), (2, 3), max_size=4))


def test_members_and_groups_in_use_cannot_be_deleted(primary, make):
    for number in (1, 2):
        primary.insert(action_profile_member=make.member(number))
    primary.insert(action_profile_group=make.group(1, (1, 1)))
    primary.insert(table_entry=make.entry(b"\1", action_profile_group_id=1))
    primary.insert(table_entry=make.entry(b"\2", action_profile_member_id=2))
    for entity in (
        {"action_profile_member": make.member(1)},
        {"action_profile_member": make.member(2)},
        {"action_profile_group": make.group(1)},
    ):
        assert primary.refusal(updates(Update.DELETE, **entity)) == Code.FAILED_PRECONDITION
    primary.delete(table_entry=make.entry(b"\1"))
    primary.delete(action_profile_group=make.group(1))
    primary.delete(action_profile_member=make.member(1))


def test_entries_name_members_and_groups_that_exist(primary, make, names):
    for action in ({"action_profile_member_id": 1}, {"action_profile_group_id": 1}):
        assert primary.refusal(updates(Update.INSERT, table_entry=make.entry(b"\1", **action))) == Code.NOT_FOUND
    direct = make.entry(b"\1", action=names.action("forward", b"\1"))
    assert primary.refusal(updates(Update.INSERT, table_entry=direct)) == Code.INVALID_ARGUMENT


def test_oneshot_sets_read_as_they_were_written(primary, make):
    entry = make.entry(b"\1", action_profile_action_set=make.oneshot(b"\1", b"\1", b"\2"))
    primary.insert(table_entry=entry)
    assert primary.read(table_entry=p4r.TableEntry(table_id=entry.table_id)) == [entry]
    assert primary.read(action_profile_member=p4r.ActionProfileMember()) == []


def test_oneshot_sets_and_members_do_not_mix(primary, make):
    oneshot = make.entry(b"\1", action_profile_action_set=make.oneshot(b"\1"))
    primary.insert(table_entry=oneshot)
    assert primary.refusal(updates(Update.INSERT, action_profile_member=make.member(1))) == Code.INVALID_ARGUMENT
    primary.delete(table_entry=oneshot)
    primary.insert(action_profile_member=make.member(1))
    assert primary.refusal(updates(Update.INSERT, table_entry=oneshot)) == Code.INVALID_ARGUMENT


def test_rules_of_oneshot_sets(primary, make):
    unweighted = make.oneshot(b"\1")
    unweighted.action_profile_actions[0].weight = 0
    huge = make.oneshot(b"\1")
    huge.action_profile_actions[0].weight = 17
    no_mode, no_size = make.oneshot(b"\1"), make.oneshot(b"\1")
    no_mode.action_selection_mode = 9
    no_size.size_semantics = 9
    known = make.oneshot(b"\1").SerializeToString()
    newer = p4r.ActionProfileActionSet.FromString(known + b"\x2a\x02\x08\x01")
    # A known number with the type of another field is unknown, too, and hides no newer one.
    odd = p4r.ActionProfileActionSet.FromString(known + b"\x12\x00" + b"\x2a\x02\x08\x01")
    for action_set, code in [
        (unweighted, Code.INVALID_ARGUMENT),
        (no_mode, Code.INVALID_ARGUMENT),
        (no_size, Code.INVALID_ARGUMENT),
        (newer, Code.UNIMPLEMENTED),
        (odd, Code.UNIMPLEMENTED),
    ]:
        entry = make.entry(b"\1", action_profile_action_set=action_set)
        assert primary.refusal(updates(Update.INSERT, table_entry=entry)) == code
    strange = p4r.ActionProfileActionSet.FromString(known + b"\x12\x00")
    primary.insert(table_entry=make.entry(b"\1", action_profile_action_set=strange))


@pytest.mark.parametrize("mode", [Set.HASH, Set.RANDOM])
@pytest.mark.parametrize("semantics", [Set.SUM_OF_WEIGHTS, Set.SUM_OF_MEMBERS])
def test_a_oneshot_set_may_have_a_mode_and_size_semantics_of_its_own(primary, config, make, mode, semantics):
    """The largest size that P4Info gives groups counts what the set says."""
    limited = p4r.ForwardingPipelineConfig()
    limited.CopyFrom(config)
    limited.p4info.action_profiles[0].max_group_size = 16
    primary.set_config(limited)
    heavy = make.oneshot(b"\1", b"\2")
    heavy.action_selection_mode, heavy.size_semantics = mode, semantics
    heavy.action_profile_actions[0].weight = 15
    entry = make.entry(b"\1", action_profile_action_set=heavy)
    if semantics == Set.SUM_OF_WEIGHTS:
        assert primary.refusal(updates(Update.INSERT, table_entry=entry)) == Code.INVALID_ARGUMENT
        heavy.action_profile_actions[0].weight = 14
        entry = make.entry(b"\1", action_profile_action_set=heavy)
    primary.insert(table_entry=entry)
    assert primary.read(table_entry=p4r.TableEntry(table_id=entry.table_id)) == [entry]
    bare = make.entry(b"\1")
    bare.ClearField("action")
    bare.metadata = b"kept"
    primary.modify(table_entry=bare)
    (read,) = primary.read(table_entry=p4r.TableEntry(table_id=entry.table_id))
    assert read.action == entry.action


def test_oneshot_sets_and_groups_without_members_do_not_mix(primary, make):
    primary.insert(action_profile_group=make.group(1))
    oneshot = make.entry(b"\1", action_profile_action_set=make.oneshot(b"\1"))
    assert primary.refusal(updates(Update.INSERT, table_entry=oneshot)) == Code.INVALID_ARGUMENT


@pytest.mark.parametrize("port", [b"\2\0", b"\xff" * 3000])
def test_a_watch_port_has_to_exist(primary, make, port):
    primary.insert(action_profile_member=make.member(1))
    group = make.group(1, (1, 1))
    group.members[0].watch_port = port
    assert primary.refusal(updates(Update.INSERT, action_profile_group=group)) == Code.INVALID_ARGUMENT


@pytest.fixture
def changed(primary, config):
    """Runs the program with another P4Info."""

    def change(edit):
        other = p4r.ForwardingPipelineConfig()
        other.CopyFrom(config)
        edit(other.p4info)
        primary.set_config(other)

    return change


def test_a_group_of_any_size_is_answered_soon(primary, server, config, make):
    large = p4r.ForwardingPipelineConfig()
    large.CopyFrom(config)
    program = json.loads(config.p4_device_config)
    program["pipelines"][0]["action_profiles"][0]["max_size"] = 40_000
    large.p4_device_config = json.dumps(program).encode()
    primary.set_config(large)
    for number in range(1, 40_001):
        server.switch.member_insert("EntitiesIngress.choices", number, ("EntitiesIngress.forward", [b"\1"]))
    group = make.group(1, *((number, 1) for number in range(1, 40_001)), (40_000, 1))
    # In quadratic time it takes many times the 5 s that the client waits.
    assert primary.refusal(updates(Update.INSERT, action_profile_group=group)) == Code.INVALID_ARGUMENT


def test_sizes_count_members_where_p4info_says_so(primary, make, changed):
    changed(lambda info: info.action_profiles[0].sum_of_members.SetInParent())
    for number in (1, 2, 3):
        primary.insert(action_profile_member=make.member(number))
    group = make.group(1, (1, 100), (2, 100), max_size=2)
    primary.insert(action_profile_group=group)
    assert primary.read(action_profile_group=p4r.ActionProfileGroup()) == [group]
    larger = make.group(1, (1, 1), (2, 1), (3, 1), max_size=2)
    assert primary.refusal(updates(Update.MODIFY, action_profile_group=larger)) == Code.RESOURCE_EXHAUSTED


def test_members_respect_the_scope_of_actions(primary, make, names, changed):
    def only_default(info):
        (table,) = [table for table in info.tables if table.preamble.alias == "selected_table"]
        (ref,) = [ref for ref in table.action_refs if ref.id == names.id("NoAction")]
        ref.scope = p4i.ActionRef.DEFAULT_ONLY

    changed(only_default)
    member = p4r.ActionProfileMember(action_profile_id=make.profile, member_id=1, action=names.action("NoAction"))
    assert primary.refusal(updates(Update.INSERT, action_profile_member=member)) == Code.PERMISSION_DENIED


SHARED = """
#include <core.p4>
#include <v1model.p4>
header data_t { bit<8> a; }
struct headers_t { data_t data; }
struct metadata_t { }
parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.data); transition accept; }
}
control Nothing(inout headers_t hdr, inout metadata_t meta) { apply { } }
control Forward(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action_selector(HashAlgorithm.crc16, 16, 16) shared;
    action both() { std.egress_spec = 1; }
    action only_first() { std.egress_spec = 2; }
    action only_second() { std.egress_spec = 3; }
    table first {
        key = { hdr.data.a: exact; std.ingress_port: selector; }
        actions = { both; only_first; }
        implementation = shared;
    }
    table second {
        key = { hdr.data.a: exact; std.ingress_port: selector; }
        actions = { only_second; both; }
        implementation = shared;
    }
    apply { first.apply(); second.apply(); }
}
control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.data); } }
V1Switch(Parse(), Nothing(), Forward(), Leave(), Nothing(), Deparse()) main;
"""


def test_members_of_a_shared_profile_have_actions_of_all_its_tables(client, tmp_path):
    path = tmp_path / "shared.p4"
    path.write_text(SHARED)
    output = compile_p4(str(path))
    info = text_format.Parse(output.p4info_text, p4i.P4Info())
    client.become_primary()
    client.set_config(p4r.ForwardingPipelineConfig(p4info=info, p4_device_config=output.json.encode()))
    actions = {action.preamble.alias: action.preamble.id for action in info.actions}
    codes = {
        name: client.refusal(
            updates(
                Update.INSERT,
                action_profile_member=p4r.ActionProfileMember(
                    action_profile_id=info.action_profiles[0].preamble.id,
                    member_id=number,
                    action=p4r.Action(action_id=actions[name]),
                ),
            )
        )
        for number, name in enumerate(("only_first", "only_second"), 1)
    }
    assert codes == {"only_first": Code.INVALID_ARGUMENT, "only_second": Code.INVALID_ARGUMENT}
    client.insert(
        action_profile_member=p4r.ActionProfileMember(
            action_profile_id=info.action_profiles[0].preamble.id,
            member_id=3,
            action=p4r.Action(action_id=actions["both"]),
        )
    )
