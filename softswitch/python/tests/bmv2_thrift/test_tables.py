# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables by Thrift: writes are in the data plane, and come back in BMv2's form."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from bm_runtime.standard import ttypes as t
from quench_switch.bmv2_thrift import arrays, tables
from quench_switch.bmv2_thrift.running import Running
from quench_switch.p4runtime.device import Device
from thrift.Thrift import TApplicationException

ROUTES, PREFIXES, SPREAD, LEARNING = (f"MyIngress.{name}" for name in ("routes", "prefixes", "spread", "learning"))
SEND = "MyIngress.send"
LAST = 2**31 - 1


def lpm(prefix: str, length: int) -> list[t.BmMatchParam]:
    match = t.BmMatchParamLPM(key=bytes.fromhex(prefix), prefix_length=length)
    return [t.BmMatchParam(type=t.BmMatchParamType.LPM, lpm=match)]


def exact(value: bytes) -> t.BmMatchParam:
    return t.BmMatchParam(type=t.BmMatchParamType.EXACT, exact=t.BmMatchParamExact(value))


def ternary(value: bytes, mask: bytes) -> t.BmMatchParam:
    return t.BmMatchParam(type=t.BmMatchParamType.TERNARY, ternary=t.BmMatchParamTernary(value, mask))


def route_key() -> list[t.BmMatchParam]:
    span = t.BmMatchParamRange(b"\x08\x00", b"\x08\xff")
    return [
        exact(b"\x00\x01"),
        ternary(bytes.fromhex("aabbcc000000"), bytes.fromhex("ffffff000000")),
        t.BmMatchParam(type=t.BmMatchParamType.RANGE, range=span),
        ternary(b"\0", b"\0"),
    ]


def no_options() -> t.BmAddEntryOptions:
    return t.BmAddEntryOptions(priority=0)


def code(error: pytest.ExceptionInfo[t.InvalidTableOperation]) -> str:
    return str(t.TableOperationErrorCode._VALUES_TO_NAMES[error.value.code])


def test_an_entry_is_added_read_changed_and_deleted(clients: SimpleNamespace, device: Device) -> None:
    api = clients.standard
    first = api.bm_mt_add_entry(0, PREFIXES, lpm("0a0000ff0000", 24), SEND, [b"\x01"], no_options())
    second = api.bm_mt_add_entry(0, PREFIXES, lpm("000000000000", 0), SEND, [b"\x02"], no_options())
    assert (first, second) == (0, 1)
    keys = [entry["key"] for entry in device.switch.table_entries(PREFIXES)]
    # Bits behind the prefix do not count, and a prefix of none is no match at all.
    assert sorted(keys, key=str) == [[("lpm", bytes.fromhex("0a0000000000"), 24)], [None]]

    entries = api.bm_mt_get_entries(0, PREFIXES)
    assert [entry.entry_handle for entry in entries] == [0, 1]
    assert [entry.match_key[0].lpm.prefix_length for entry in entries] == [24, 0]
    # BMv2 gives the value with these bits.
    assert entries[0].match_key[0].lpm.key == bytes.fromhex("0a0000ff0000")
    assert entries[0].action_entry.action_data == [b"\x01"]
    assert entries[0].options.priority == -1

    api.bm_mt_modify_entry(0, PREFIXES, first, "MyIngress.drop", [])
    assert api.bm_mt_get_entry(0, PREFIXES, first).action_entry.action_name == "MyIngress.drop"
    api.bm_mt_delete_entry(0, PREFIXES, first)
    assert api.bm_mt_get_num_entries(0, PREFIXES) == 1
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_delete_entry(0, PREFIXES, first)
    assert code(error) == "INVALID_HANDLE"
    # As on BMv2, the smallest free slot is the next, and its handle another one.
    third = api.bm_mt_add_entry(0, PREFIXES, lpm("0b0000000000", 8), SEND, [b"\x01"], no_options())
    assert third == 1 << 24
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_delete_entry(0, PREFIXES, first)
    assert code(error) == "EXPIRED_HANDLE"
    assert [entry.entry_handle for entry in api.bm_mt_get_entries(0, PREFIXES)] == [second, third]
    api.bm_mt_clear_entries(0, PREFIXES, False)
    assert api.bm_mt_get_num_entries(0, PREFIXES) == 0
    assert api.bm_mt_add_entry(0, PREFIXES, lpm("0b0000000000", 8), SEND, [b"\x01"], no_options()) == 0


def test_priorities_ranges_counters_meters_and_timeouts(clients: SimpleNamespace, device: Device) -> None:
    api = clients.standard
    handle = api.bm_mt_add_entry(0, ROUTES, route_key(), "MyIngress.route", [b"\x01"], t.BmAddEntryOptions(priority=5))
    (entry,) = device.switch.table_entries(ROUTES)
    assert entry["priority"] == LAST - 5
    assert entry["key"][3] is None
    read = api.bm_mt_get_entry_from_key(0, ROUTES, route_key(), t.BmAddEntryOptions(priority=5))
    assert read.entry_handle == handle
    assert read.options.priority == 5
    assert (read.match_key[2].range.start, read.match_key[2].range.end_) == (b"\x08\x00", b"\x08\xff")
    assert (read.match_key[3].ternary.key, read.match_key[3].ternary.mask) == (b"\0", b"\0")

    api.bm_mt_write_counter(0, ROUTES, handle, t.BmCounterValue(packets=3, bytes=300))
    counter = api.bm_mt_read_counter(0, ROUTES, handle)
    assert (counter.packets, counter.bytes) == (3, 300)
    api.bm_mt_reset_counters(0, ROUTES)
    assert api.bm_mt_read_counter(0, ROUTES, handle).packets == 0

    assert api.bm_mt_get_meter_rates(0, ROUTES, handle) == []
    rates = [t.BmMeterRateConfig(0.5, 10), t.BmMeterRateConfig(1.0, 20)]
    api.bm_mt_set_meter_rates(0, ROUTES, handle, rates)
    assert device.switch.table_entries(ROUTES)[0]["meter"] == (500_000, 10, 1_000_000, 20, 0)
    assert api.bm_mt_get_meter_rates(0, ROUTES, handle) == rates

    api.bm_mt_set_entry_ttl(0, ROUTES, handle, 1500)
    assert api.bm_mt_get_entry(0, ROUTES, handle).life.timeout_ms == 1500
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_read_counter(0, PREFIXES, 0)
    assert code(error) == "INVALID_HANDLE"


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("MyIngress.nowhere", lpm("000000000000", 0), SEND, [b"\1"]), "INVALID_TABLE_NAME"),
        ((PREFIXES, lpm("000000000000", 0), "MyIngress.learn", []), "INVALID_ACTION_NAME"),
        ((PREFIXES, lpm("000000000000", 0), SEND, []), "BAD_ACTION_DATA"),
        ((PREFIXES, [], SEND, [b"\1"]), "BAD_MATCH_KEY"),
        ((PREFIXES, [exact(bytes(6))], SEND, [b"\1"]), "BAD_MATCH_KEY"),
        ((PREFIXES, lpm("000000000000", 49), SEND, [b"\1"]), "BAD_MATCH_KEY"),
        ((PREFIXES, lpm("ff000000000000", 8), SEND, [b"\1"]), "BAD_MATCH_KEY"),
        ((SPREAD, [exact(b"\x08\x00")], SEND, [b"\1"]), "WRONG_TABLE_TYPE"),
    ],
)
def test_what_is_wrong_has_bmv2s_error(
    clients: SimpleNamespace, device: Device, arguments: tuple[object, ...], name: str
) -> None:
    with pytest.raises(t.InvalidTableOperation) as error:
        clients.standard.bm_mt_add_entry(0, *arguments, no_options())
    assert code(error) == name
    assert device.switch.table_entries(PREFIXES) == []


def test_a_full_table_and_a_second_entry_with_a_key(clients: SimpleNamespace) -> None:
    api = clients.standard
    for number in range(8):
        api.bm_mt_add_entry(0, ROUTES, route_key(), "MyIngress.drop", [], t.BmAddEntryOptions(priority=number + 1))
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_add_entry(0, ROUTES, route_key(), "MyIngress.drop", [], t.BmAddEntryOptions(priority=1))
    assert code(error) == "DUPLICATE_ENTRY"
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_add_entry(0, ROUTES, route_key(), "MyIngress.drop", [], t.BmAddEntryOptions(priority=99))
    assert code(error) == "TABLE_FULL"


def test_default_actions(clients: SimpleNamespace) -> None:
    api = clients.standard
    assert api.bm_mt_get_default_entry(0, PREFIXES).action_name == "NoAction"
    api.bm_mt_set_default_action(0, PREFIXES, SEND, [b"\x03"])
    assert api.bm_mt_get_default_entry(0, PREFIXES).action_data == [b"\x03"]
    api.bm_mt_reset_default_entry(0, PREFIXES)
    assert api.bm_mt_get_default_entry(0, PREFIXES).action_name == "NoAction"


def test_members_groups_and_entries_that_use_them(clients: SimpleNamespace, device: Device) -> None:
    api, paths = clients.standard, "MyIngress.paths"
    members = [api.bm_mt_act_prof_add_member(0, paths, SEND, [bytes([port])]) for port in (1, 2, 3)]
    assert members == [0, 1, 2]
    group = api.bm_mt_act_prof_create_group(0, paths)
    for member in members[:2]:
        api.bm_mt_act_prof_add_member_to_group(0, paths, member, group)
    api.bm_mt_indirect_add_entry(0, SPREAD, [exact(b"\x08\x00")], members[2], no_options())
    handle = api.bm_mt_indirect_ws_add_entry(0, SPREAD, [exact(b"\x86\xdd")], group, no_options())
    actions = {entry["key"][0][1]: entry["action"] for entry in device.switch.table_entries(SPREAD)}
    assert actions == {b"\x08\x00": ("member", 2), b"\x86\xdd": ("group", 0)}
    assert api.bm_mt_get_entry(0, SPREAD, handle).action_entry.grp_handle == group
    assert api.bm_mt_act_prof_get_group(0, paths, group).mbr_handles == [0, 1]
    assert [each.action_data for each in api.bm_mt_act_prof_get_members(0, paths)][2] == [b"\x03"]

    for call, name in (
        (lambda: api.bm_mt_act_prof_delete_member(0, paths, 0), "MBR_STILL_USED"),
        (lambda: api.bm_mt_act_prof_delete_group(0, paths, group), "GRP_STILL_USED"),
        (lambda: api.bm_mt_act_prof_add_member_to_group(0, paths, 0, group), "MBR_ALREADY_IN_GRP"),
        (lambda: api.bm_mt_act_prof_remove_member_from_group(0, paths, 2, group), "MBR_NOT_IN_GRP"),
        (lambda: api.bm_mt_act_prof_get_member(0, paths, 9), "INVALID_MBR_HANDLE"),
        (lambda: api.bm_mt_act_prof_get_group(0, paths, 9), "INVALID_GRP_HANDLE"),
        (lambda: api.bm_mt_act_prof_get_groups(0, "MyIngress.none"), "INVALID_ACTION_PROFILE_NAME"),
    ):
        with pytest.raises(t.InvalidTableOperation) as error:
            call()
        assert code(error) == name
    api.bm_mt_indirect_delete_entry(0, SPREAD, handle)
    api.bm_mt_act_prof_remove_member_from_group(0, paths, 0, group)
    api.bm_mt_act_prof_delete_member(0, paths, 0)
    assert api.bm_mt_act_prof_add_member(0, paths, SEND, [b"\x04"]) == 0


def test_entries_of_p4runtime_have_handles_and_its_deletions_are_seen(clients: SimpleNamespace, device: Device) -> None:
    api = clients.standard
    key = [("lpm", bytes.fromhex("0a0000000000"), 8)]
    device.switch.table_insert(PREFIXES, key, 0, ("action", SEND, [b"\x01"]))
    (entry,) = api.bm_mt_get_entries(0, PREFIXES)
    device.switch.table_delete(PREFIXES, key, 0)
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_get_entry(0, PREFIXES, entry.entry_handle)
    assert code(error) == "INVALID_HANDLE"


def test_handles_of_entries_that_p4runtime_deleted_make_room(device: Device) -> None:
    running = Running(device, device.switch)
    running.refresh()
    switch, at_once = device.switch, 4
    with device.lock:
        made = tables.Tables(running)
        given = set()
        for number in range(200):
            key = lpm(f"{number:012x}", 48)
            if number % 2:
                given.add(made.add(PREFIXES, key, no_options(), ("action", SEND, [b"\1"])))
            else:
                switch.table_insert(PREFIXES, made.key(running.table(PREFIXES), key), 0, ("action", SEND, [b"\1"]))
                given.add(made.bm_mt_get_entry_from_key(0, PREFIXES, key, no_options()).entry_handle)
            if number >= at_once:
                switch.table_delete(PREFIXES, made.key(running.table(PREFIXES), lpm(f"{number - at_once:012x}", 48)), 0)
        # Not one of 200 names two entries.
        assert len(given) == 200
        handles = running.handles(PREFIXES)
        assert len(handles.places) <= 4 * (at_once + 1)
        assert len(handles.given) <= len(handles.places)


def test_a_new_program_has_no_handles_of_the_old_one(clients: SimpleNamespace) -> None:
    api = clients.standard
    api.bm_mt_add_entry(0, PREFIXES, lpm("0a0000000000", 8), SEND, [b"\x01"], no_options())
    api.bm_reset_state()
    assert api.bm_mt_get_num_entries(0, PREFIXES) == 0
    assert api.bm_mt_add_entry(0, PREFIXES, lpm("0b0000000000", 8), SEND, [b"\x01"], no_options()) == 0


def test_the_state_has_the_limit_of_p4runtime(
    clients: SimpleNamespace, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = clients.standard
    handle = api.bm_mt_add_entry(0, PREFIXES, lpm("0a0000000000", 8), SEND, [b"\x01"], no_options())
    monkeypatch.setattr(device, "state_bytes", device.switch.state_bytes() - 1)
    with pytest.raises(t.InvalidTableOperation) as error:
        api.bm_mt_add_entry(0, PREFIXES, lpm("0b0000000000", 8), SEND, [b"\x01"], no_options())
    assert code(error) == "TABLE_FULL"
    api.bm_mt_delete_entry(0, PREFIXES, handle)


def test_what_is_too_large_to_be_read_at_once(clients: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    api = clients.standard
    for number in range(3):
        api.bm_mt_add_entry(0, PREFIXES, lpm(f"0{number}0000000000", 8), SEND, [b"\x01"], no_options())
    monkeypatch.setattr(tables, "MAX_ENTRIES", 2)
    monkeypatch.setattr(arrays, "MAX_CELLS", 2)
    with pytest.raises(TApplicationException, match="more than 2 entries"):
        api.bm_mt_get_entries(0, PREFIXES)
    with pytest.raises(TApplicationException, match="more than 2 cells"):
        api.bm_register_read_all(0, "MyIngress.last_port")
    assert api.bm_mt_get_num_entries(0, PREFIXES) == 3


def test_a_long_key_is_kept_in_the_fields_width(device: Device) -> None:
    """Zeros in front of a value are no part of it; they would be memory that nobody counts."""
    running = Running(device, device.switch)
    running.refresh()
    with device.lock:
        key = [t.BmMatchParam(t.BmMatchParamType.LPM, lpm=t.BmMatchParamLPM(bytes(1 << 16) + b"\1", 48))]
        handle = tables.Tables(running).add(PREFIXES, key, no_options(), ("action", SEND, [b"\1"]))
        assert running.handles(PREFIXES).given[handle] == [bytes(5) + b"\1"]


@pytest.mark.parametrize(
    "param",
    [
        t.BmMatchParam(t.BmMatchParamType.LPM, exact=t.BmMatchParamExact(bytes(6))),
        t.BmMatchParam(t.BmMatchParamType.LPM, valid=t.BmMatchParamValid(True)),
        t.BmMatchParam(t.BmMatchParamType.LPM),
        t.BmMatchParam(t.BmMatchParamType.EXACT, exact=t.BmMatchParamExact(bytes(6))),
        t.BmMatchParam(77, lpm=t.BmMatchParamLPM(bytes(6), 3)),
    ],
)
def test_a_match_of_another_kind_than_its_type_is_refused(clients: SimpleNamespace, param: t.BmMatchParam) -> None:
    with pytest.raises(t.InvalidTableOperation) as error:
        clients.standard.bm_mt_add_entry(0, PREFIXES, [param], SEND, [b"\1"], no_options())
    assert code(error) == "BAD_MATCH_KEY"
