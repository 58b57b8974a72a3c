# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4r
from p4runtime_lab import read_table, table_update
from quench_switch.p4runtime.limits import ENTRY_METADATA_BYTES

Update = p4r.Update


@pytest.mark.parametrize("table", ["lpm_table", "selected_table"])
def test_the_default_entry_can_be_set_and_reset(primary, names, table):
    (before,) = read_table(primary, names, table, is_default_action=True)
    assert before.action == p4r.TableAction(action=names.action("NoAction"))
    assert read_table(primary, names, table, is_default_action=True, action=before.action) == [before]
    entry = names.entry(table, is_default_action=True, action=names.action("forward", b"\5"), metadata=b"m")
    primary.modify(table_entry=entry)
    assert read_table(primary, names, table, is_default_action=True) == [entry]
    primary.modify(table_entry=p4r.TableEntry(table_id=names.id(table), is_default_action=True))
    assert read_table(primary, names, table, is_default_action=True) == [before]


@pytest.mark.parametrize("named", [None, "forward", "drop"])
def test_the_default_of_an_indirect_table_is_what_runs_whatever_p4info_names(primary, config, names, named):
    """v1model's tables with an action profile have no default entry: the one that the program names never runs."""
    other = p4r.ForwardingPipelineConfig()
    other.CopyFrom(config)
    (table,) = [each for each in other.p4info.tables if each.preamble.name.endswith("selected_table")]
    table.ClearField("initial_default_action")
    if named is not None:
        table.initial_default_action.action_id = names.id(named)
    primary.set_config(other)
    (default,) = read_table(primary, names, "selected_table", is_default_action=True)
    assert default.action == p4r.TableAction(action=names.action("NoAction"))


def test_a_refused_default_entry_changes_nothing(primary, names):
    before = read_table(primary, names, "lpm_table", is_default_action=True)
    action = names.action("forward", b"\5")
    entry = names.entry("lpm_table", is_default_action=True, action=action, metadata=bytes(ENTRY_METADATA_BYTES + 1))
    assert primary.refusal(table_update(Update.MODIFY, entry)) == Code.RESOURCE_EXHAUSTED
    assert read_table(primary, names, "lpm_table", is_default_action=True) == before


def test_default_entries_of_all_tables_can_be_read(primary, names):
    entries = primary.read(table_entry=p4r.TableEntry(is_default_action=True))
    assert {entry.table_id for entry in entries} == {table.preamble.id for table in names.info.tables}
    assert all(entry.is_default_action for entry in entries)


def test_rules_of_default_entries(primary, names, match):
    default = {"is_default_action": True, "action": names.action("forward", b"\5")}
    cases = [
        (Update.INSERT, names.entry("lpm_table", **default), Code.INVALID_ARGUMENT),
        (Update.DELETE, names.entry("lpm_table", **default), Code.INVALID_ARGUMENT),
        (Update.MODIFY, names.entry("lpm_table", match.lpm(b"\1", 32), **default), Code.INVALID_ARGUMENT),
        (Update.MODIFY, names.entry("lpm_table", priority=1, **default), Code.INVALID_ARGUMENT),
        (Update.MODIFY, names.entry("exact_table", **default), Code.PERMISSION_DENIED),  # @tableonly
        (
            Update.MODIFY,
            names.entry("ternary_table", is_default_action=True, action=names.action("drop")),
            Code.PERMISSION_DENIED,  # const default_action
        ),
        (
            Update.MODIFY,
            names.entry("idle_table", is_default_action=True, idle_timeout_ns=1, action=names.action("NoAction")),
            Code.INVALID_ARGUMENT,
        ),
    ]
    for kind, entry, code in cases:
        assert primary.refusal(table_update(kind, entry)) == code, entry


def test_the_direct_counter_of_the_default_entry_has_no_key(primary, names, match):
    for wrong in ({"match": [match.exact(b"\1")]}, {"priority": 1}):
        entry = p4r.TableEntry(table_id=names.id("exact_table"), is_default_action=True, **wrong)
        counter = p4r.DirectCounterEntry(table_entry=entry, data=p4r.CounterData(packet_count=1))
        update = p4r.Update(type=Update.MODIFY, entity=p4r.Entity(direct_counter_entry=counter))
        assert primary.refusal(update) == Code.INVALID_ARGUMENT


def test_default_entries_are_selected_by_metadata_and_action_too(primary, names):
    def select(**fields):
        return read_table(primary, names, "lpm_table", is_default_action=True, **fields)

    entry = names.entry("lpm_table", is_default_action=True, action=names.action("forward", b"\5"), metadata=b"m")
    primary.modify(table_entry=entry)
    by_action = {name: p4r.TableAction(action=p4r.Action(action_id=names.id(name))) for name in ("forward", "drop")}
    assert select(metadata=b"m") == select(action=by_action["forward"]) == [entry]
    assert select(metadata=b"n") == select(action=by_action["drop"]) == []
