# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The control calls: values go in and come back, and wrong ones are refused with a code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from quench_switch import DataPlaneError, VirtualSwitch, compile_p4

MAC = bytes.fromhex("0200000000aa")
ONES = b"\xff" * 6
KEY: Any = [("exact", b"\x01"), ("ternary", MAC, ONES), ("range", b"\x08\x00", b"\x08\xff"), ("optional", b"\x01")]


def code(call: Callable[..., object], *args: Any, **kwargs: Any) -> str:
    with pytest.raises(DataPlaneError) as caught:
        call(*args, **kwargs)
    assert caught.value.message == str(caught.value) != ""
    return caught.value.code


def number(value: bytes) -> int:
    return int.from_bytes(value, "big")


def test_the_loaded_program_is_described(switch: VirtualSwitch) -> None:
    program = switch.program()
    assert program is not None
    tables = {table["name"]: table for table in program["tables"]}
    routes = tables["MyIngress.routes"]
    assert [(field["match"], field["bits"]) for field in routes["key"]] == [
        ("exact", 9),
        ("ternary", 48),
        ("range", 16),
        ("optional", 1),
    ] or routes["key"][3]["match"] == "ternary"
    assert routes["size"] == 8
    assert routes["direct_counter"] is True
    assert routes["direct_meter"] == "MyIngress.route_meter"
    assert routes["support_timeout"] is True
    assert routes["default_action"] == ("action", "MyIngress.drop", [])
    assert tables["MyIngress.spread"]["profile"] == "MyIngress.paths"
    assert {"name": "MyIngress.last_port", "size": 8, "bits": 20} in program["registers"]
    assert program["profiles"] == [{"name": "MyIngress.paths", "size": 16, "selector": True}]
    assert [field["bits"] for field in program["digests"][0]["fields"]] == [48, 9]
    assert program["value_sets"][0]["key_bits"] == [16]


def test_unload_leaves_nothing(switch: VirtualSwitch) -> None:
    switch.unload()
    assert switch.program() is None
    assert code(switch.table_entries, "MyIngress.routes") in ("failed_precondition", "not_found")


def test_a_program_that_is_none_is_refused_and_the_old_one_stays(switch: VirtualSwitch) -> None:
    assert code(switch.load, "{") == "invalid_argument"
    assert code(switch.load, "{}") == "invalid_argument"
    assert switch.program() is not None


def test_entries_come_back_as_written(switch: VirtualSwitch) -> None:
    action: Any = ("action", "MyIngress.route", [b"\x02"])
    switch.table_insert("MyIngress.routes", KEY, 10, action, metadata=b"\x00mine", idle_timeout_ns=5_000)
    switch.table_insert("MyIngress.routes", [("exact", b"\x01"), None, None, None], 1, ("action", "MyIngress.drop", []))
    first = switch.table_get("MyIngress.routes", KEY, 10)
    assert first is not None
    assert first["action"][:2] == ("action", "MyIngress.route")
    assert [number(param) for param in first["action"][2]] == [2]  # type: ignore[misc]
    assert (first["priority"], first["metadata"], first["idle_timeout_ns"]) == (10, b"\x00mine", 5_000)
    assert (first["is_const"], first["counter"], first["meter"]) == (False, (0, 0), None)
    entries = switch.table_entries("MyIngress.routes")
    assert len(entries) == 2
    assert first in entries

    switch.table_modify("MyIngress.routes", KEY, 10, ("action", "MyIngress.flood", [b"\x01\x00"]))
    changed = switch.table_get("MyIngress.routes", KEY, 10)
    assert changed is not None
    assert changed["action"] == ("action", "MyIngress.flood", [b"\x01\x00"])
    switch.table_delete("MyIngress.routes", KEY, 10)
    assert switch.table_get("MyIngress.routes", KEY, 10) is None
    assert len(switch.table_entries("MyIngress.routes")) == 1


def test_prefixes_come_back_with_their_length(switch: VirtualSwitch) -> None:
    key: Any = [("lpm", bytes.fromhex("020000000000"), 24)]
    switch.table_insert("MyIngress.prefixes", key, 0, ("action", "MyIngress.send", [b"\x03"]))
    assert switch.table_entries("MyIngress.prefixes")[0]["key"] == key


def test_refused_entries(switch: VirtualSwitch) -> None:
    action: Any = ("action", "MyIngress.route", [b"\x02"])
    switch.table_insert("MyIngress.routes", KEY, 10, action)
    assert code(switch.table_insert, "MyIngress.routes", KEY, 10, action) == "already_exists"
    assert code(switch.table_insert, "MyIngress.absent", KEY, 10, action) == "not_found"
    assert code(switch.table_modify, "MyIngress.routes", KEY, 11, action) == "not_found"
    assert code(switch.table_delete, "MyIngress.routes", KEY, 11) == "not_found"
    assert code(switch.table_insert, "MyIngress.routes", KEY[:2], 10, action) == "invalid_argument"
    wide = [("exact", b"\x02\x00"), *KEY[1:]]
    assert code(switch.table_insert, "MyIngress.routes", wide, 10, action) in ("invalid_argument", "out_of_range")
    full = [("exact", b"\x01"), None, None, None]
    for priority in range(1, 8):
        switch.table_insert("MyIngress.routes", full, priority, action)  # type: ignore[arg-type]
    assert code(switch.table_insert, "MyIngress.routes", full, 9, action) == "resource_exhausted"
    assert len(switch.table_entries("MyIngress.routes")) == 8


@pytest.mark.parametrize(
    "key",
    [
        [("exact",)],
        [("lpm", b"\x01")],
        [("sometimes", b"\x01")],
        [("exact", "text")],
        [("exact", 1)],
        ["exact"],
        5,
    ],
)
def test_a_key_of_the_wrong_form_is_a_python_error(switch: VirtualSwitch, key: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        switch.table_insert("MyIngress.prefixes", key, 0, ("action", "MyIngress.drop", []))
    assert switch.table_entries("MyIngress.prefixes") == []


def test_default_action(switch: VirtualSwitch) -> None:
    assert switch.table_default("MyIngress.routes") == ("action", "MyIngress.drop", [])
    switch.table_set_default("MyIngress.routes", ("action", "MyIngress.flood", [b"\x00\x07"]))
    assert switch.table_default("MyIngress.routes") == ("action", "MyIngress.flood", [b"\x00\x07"])
    switch.table_set_default("MyIngress.routes", None)
    assert switch.table_default("MyIngress.routes") == ("action", "MyIngress.drop", [])
    assert switch.default_counter_read("MyIngress.routes") == (0, 0)
    assert switch.default_counter_read("MyIngress.prefixes") is None


def test_direct_resources(switch: VirtualSwitch) -> None:
    switch.table_insert("MyIngress.routes", KEY, 10, ("action", "MyIngress.route", [b"\x02"]))
    switch.direct_counter_write("MyIngress.routes", KEY, 10, 3, 300)
    switch.direct_meter_write("MyIngress.routes", KEY, 10, (1, 2, 3, 4, 0))
    entry = switch.table_get("MyIngress.routes", KEY, 10)
    assert entry is not None
    assert (entry["counter"], entry["meter"]) == ((3, 300), (1, 2, 3, 4, 0))
    switch.direct_meter_write("MyIngress.routes", KEY, 10, None)
    entry = switch.table_get("MyIngress.routes", KEY, 10)
    assert entry is not None
    assert entry["meter"] is None


def test_arrays(switch: VirtualSwitch) -> None:
    switch.register_write("MyIngress.last_port", 2, b"\x0a\xbc\xde")
    assert number(switch.register_read("MyIngress.last_port", 2)) == 0xABCDE
    cells = [number(value) for value in switch.register_read_all("MyIngress.last_port")]
    assert cells == [0, 0, 0xABCDE, *[0] * 5]
    too_wide = code(switch.register_write, "MyIngress.last_port", 2, b"\x10\x00\x00")
    assert too_wide in ("invalid_argument", "out_of_range")
    for index in (8, -1, 1 << 70):
        assert code(switch.register_read, "MyIngress.last_port", index) == "out_of_range"
    assert code(switch.register_read, "absent", 0) == "not_found"

    switch.counter_write("MyIngress.seen", 1, 5, 500)
    assert switch.counter_read("MyIngress.seen", 1) == (5, 500)
    assert switch.counter_read_all("MyIngress.seen") == [(0, 0), (5, 500), (0, 0), (0, 0)]

    assert switch.meter_read("MyIngress.policer", 3) is None
    switch.meter_write("MyIngress.policer", 3, (1000, 100, 2000, 200, 0))
    assert switch.meter_read_all("MyIngress.policer") == [None, None, None, (1000, 100, 2000, 200, 0)]
    switch.meter_write("MyIngress.policer", 3, None)
    assert switch.meter_read("MyIngress.policer", 3) is None


def test_action_profile(switch: VirtualSwitch) -> None:
    for member in (1, 2):
        switch.member_insert("MyIngress.paths", member, ("MyIngress.send", [bytes([member])]))
    assert code(switch.member_insert, "MyIngress.paths", 1, ("MyIngress.drop", [])) == "already_exists"
    switch.member_modify("MyIngress.paths", 2, ("MyIngress.drop", []))
    assert dict(switch.members("MyIngress.paths"))[2] == ("MyIngress.drop", [])
    switch.group_insert("MyIngress.paths", 7, [(1, 1, None), (2, 3, 4)], max_size=8)
    assert switch.groups("MyIngress.paths") == [(7, [(1, 1, None), (2, 3, 4)], 8)]
    switch.table_insert("MyIngress.spread", [("exact", b"\x08\x00")], 0, ("group", 7))
    switch.table_insert("MyIngress.spread", [("exact", b"\x08\x06")], 0, ("member", 1))
    oneshot: Any = ("oneshot", [("MyIngress.send", [b"\x00\x05"], 2, None), ("MyIngress.drop", [], 1, 6)], False, 0)
    assert code(switch.table_insert, "MyIngress.spread", [("exact", b"\x86\xdd")], 0, oneshot) == "invalid_argument"
    actions = [entry["action"] for entry in switch.table_entries("MyIngress.spread")]
    assert sorted(actions) == [("group", 7), ("member", 1)]
    assert code(switch.member_delete, "MyIngress.paths", 1) in ("failed_precondition", "invalid_argument")
    switch.table_delete("MyIngress.spread", [("exact", b"\x08\x00")], 0)
    switch.group_modify("MyIngress.paths", 7, [(2, 1, None)])
    switch.group_delete("MyIngress.paths", 7)
    assert switch.groups("MyIngress.paths") == []
    switch.table_delete("MyIngress.spread", [("exact", b"\x08\x06")], 0)
    for member in (1, 2):
        switch.member_delete("MyIngress.paths", member)
    switch.table_insert("MyIngress.spread", [("exact", b"\x86\xdd")], 0, oneshot)
    assert [entry["action"] for entry in switch.table_entries("MyIngress.spread")] == [oneshot]


def test_a_batch_waits_until_it_is_applied(switch: VirtualSwitch) -> None:
    batch = switch.batch()
    batch.counter_write("MyIngress.seen", 1, 5, 500)
    batch.clone_session_set(5, [(510, 1)])
    assert (len(batch), switch.counter_read("MyIngress.seen", 1), batch.clone_sessions()) == (2, (0, 0), [])
    assert batch.apply() is None
    assert (len(batch), switch.counter_read("MyIngress.seen", 1)) == (0, (5, 500))
    batch.clone_session_delete(5)
    batch.clone_session_delete(6)
    refused = batch.apply()
    assert refused is not None
    assert (refused[0], refused[1].code, len(batch)) == (1, "not_found", 0)
    batch.clone_session_delete(5)
    assert batch.apply(keep=False) is None
    assert switch.clone_sessions() == [(5, [(510, 1)], 0, 0)]


TABLE = """\
#include <core.p4>
#include <v1model.p4>
struct nothing { }
parser P(packet_in p, out nothing h, inout nothing m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout nothing h, inout nothing m) { apply {} }
control I(inout nothing h, inout nothing m, inout standard_metadata_t s) {
    table t { key = { s.packet_length: exact; } actions = { NoAction; } size = 4096; }
    apply { t.apply(); }
}
control E(inout nothing h, inout nothing m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in nothing h) { apply {} }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_nobody_changes_a_table_between_the_parts_of_a_batch(tmp_path: Path) -> None:
    (tmp_path / "table.p4").write_text(TABLE)
    switch = VirtualSwitch()
    switch.load(compile_p4(str(tmp_path / "table.p4")).json)
    keys: Any = [[("exact", number.to_bytes(4, "big"))] for number in range(2000)]
    ended = threading.Event()

    def delete() -> None:
        while not ended.is_set():
            for key in keys[:50]:
                with suppress(DataPlaneError):
                    switch.table_delete("I.t", key, 0)

    other = threading.Thread(target=delete)
    other.start()
    try:
        for _ in range(10):
            batch = switch.batch()
            for key in [*keys, keys[0]]:
                batch.table_insert("I.t", key, 0, ("action", "NoAction", []))
            refused = batch.apply(in_parts=True)
            assert refused is not None
            assert (refused[0], refused[1].code) == (len(keys), "already_exists")
            assert switch.table_entries("I.t") == []
    finally:
        ended.set()
        other.join()


def test_value_set(switch: VirtualSwitch) -> None:
    program = switch.program()
    assert program is not None
    name = program["value_sets"][0]["name"]
    members: Any = [[("exact", b"\x08\x00")], [("exact", b"\x86\xdd")]]
    switch.value_set_write(name, members)
    assert switch.value_set_read(name) == members


def test_replication(switch: VirtualSwitch) -> None:
    switch.clone_session_set(5, [(510, 1), (2, 0)], truncate_bytes=100, class_of_service=0)
    assert switch.clone_sessions() == [(5, [(510, 1), (2, 0)], 100, 0)]
    switch.clone_session_delete(5)
    assert switch.clone_sessions() == []
    assert code(switch.clone_session_delete, 5) == "not_found"
    assert code(switch.clone_session_set, 5, [(1, 70_000)]) == "out_of_range"
    switch.multicast_group_set(9, [(1, 11), (2, 22)])
    assert switch.multicast_groups() == [(9, [(1, 11), (2, 22)])]
    switch.multicast_group_delete(9)
    assert switch.multicast_groups() == []


def test_port_options_change_one_by_one(switch: VirtualSwitch) -> None:
    switch.port_set(3, {"rate_bps": 1_000_000, "capacity_pkts": 5, "queues": 2})
    switch.port_set(3, {"delay_ns": 7, "loss": 0.25, "hold": True, "overhead_bytes": -14})
    state = switch.port_get(3)
    expected = {
        "rate_bps": 1_000_000,
        "rate_pps": 0,
        "capacity_pkts": 5,
        "capacity_bytes": 0,
        "queues": 2,
        "delay_ns": 7,
        "loss": 0.25,
        "hold": True,
        "overhead_bytes": -14,
    }
    assert {name: state[name] for name in expected} == expected
    assert 3 in switch.ports()


@pytest.mark.parametrize(
    "options",
    [
        {"speed": 1},
        {"queues": 9},
        {"queues": 0},
        {"queues": 300},
        {"loss": 1.5},
        {"rate_bps": 1, "rate_pps": 1},
        {"delay_ns": -1},
        {"overhead_bytes": 1 << 31},
    ],
)
def test_impossible_port_options_change_nothing(switch: VirtualSwitch, options: Any) -> None:
    switch.port_set(3, {"rate_bps": 5})
    before = switch.port_get(3)
    assert code(switch.port_set, 3, options) in ("invalid_argument", "out_of_range")
    assert switch.port_get(3) == before


@pytest.mark.parametrize(
    "settings",
    [{"cpu_port": 0}, {"cpu_port": 511}, {"drop_port": 512}, {"cpu_port": 9, "drop_port": 9}, {"priority_queues": 9}],
)
def test_impossible_switches_are_refused(settings: Any) -> None:
    assert code(VirtualSwitch, **settings) == "invalid_argument"
