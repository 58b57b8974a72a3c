# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries that a program gives its tables, as a P4Runtime request."""

from __future__ import annotations

from pathlib import Path

import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from quench_switch import CompileError, CompileOutput, compile_p4

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
enum bit<8> Kind { first = 1, second = 2 }
@p4runtime_translation("quench/name", string) type bit<16> name_t;
@p4runtime_translation("quench/wide", 32) type bit<9> wide_t;
header data_t { bit<12> a; bit<12> b; int<8> c; Kind kind; }
struct headers { data_t data; }
struct metadata { name_t name; wide_t wide; bool on; error problem; }
parser P(packet_in p, out headers h, inout metadata m, inout standard_metadata_t s) {
    state start { p.extract(h.data); transition accept; }
}
control V(inout headers h, inout metadata m) { apply {} }
control I(inout headers h, inout metadata m, inout standard_metadata_t s) {
    action set(@id(7) bit<12> a, int<8> c) { h.data.a = a; h.data.c = c; }
    TABLES
}
control E(inout headers h, inout metadata m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout metadata m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.data); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def compiled(folder: Path, keys: str, entries: str) -> CompileOutput:
    """A table with these keys and entries."""
    table = f"table t {{ key = {{ {keys} }} actions = {{ set; NoAction; }} {entries} }} apply {{ t.apply(); }}"
    source = folder / "entries.p4"
    source.write_text(PROGRAM.replace("TABLES", table))
    return compile_p4(str(source))


def inserted(output: CompileOutput) -> list[p4r.TableEntry]:
    """The entries of the request, which is the same in both formats."""
    request = p4r.WriteRequest.FromString(output.entries_binary)
    assert text_format.Parse(output.entries_text, p4r.WriteRequest()) == request
    assert all(update.type == p4r.Update.INSERT for update in request.updates)
    return [update.entity.table_entry for update in request.updates]


def match(entry: p4r.TableEntry) -> dict[int, tuple[str, tuple[object, ...]]]:
    """By the field's id: kind and values."""
    found = {}
    for field in entry.match:
        kind = field.WhichOneof("field_match_type")
        value = getattr(field, kind)
        found[field.field_id] = (kind, tuple(number for _, number in value.ListFields()))
    return found


def test_each_kind_of_key_has_its_values_and_dont_cares_are_left_out(tmp_path: Path) -> None:
    keys = "h.data.a: exact; h.data.b: lpm; h.data.c: ternary; h.data.kind: optional; s.ingress_port: range;"
    entries = """const entries = {
        (1, 0x123 &&& 0xff0, -1, Kind.second, 2..3): set(0xabc, -2);
        (2, 0x123, 5 &&& 3, _, 7): NoAction();
        (3, _, _, _, 0..511): NoAction();
    }"""
    output = compiled(tmp_path, keys, entries)
    first, second, third = inserted(output)
    info = p4i.P4Info.FromString(output.p4info_binary)
    ids = {action.preamble.name: action.preamble.id for action in info.actions}
    assert {entry.table_id for entry in (first, second, third)} == {info.tables[0].preamble.id}
    assert [entry.priority for entry in (first, second, third)] == [3, 2, 1]
    assert first.is_const
    assert match(first) == {
        1: ("exact", (b"\x00\x01",)),
        2: ("lpm", (b"\x01\x20", 8)),
        3: ("ternary", (b"\xff", b"\xff")),
        4: ("optional", (b"\x02",)),
        5: ("range", (b"\x00\x02", b"\x00\x03")),
    }
    assert match(second) == {
        1: ("exact", (b"\x00\x02",)),
        2: ("lpm", (b"\x01\x23", 12)),
        3: ("ternary", (b"\x01", b"\x03")),
        5: ("range", (b"\x00\x07", b"\x00\x07")),
    }
    assert match(third) == {1: ("exact", (b"\x00\x03",))}
    action = first.action.action
    assert action.action_id == ids["I.set"]
    assert [(param.param_id, param.value) for param in action.params] == [(7, b"\x0a\xbc"), (2, b"\xfe")]
    assert second.action.action.action_id == ids["NoAction"]


def test_values_that_the_controller_writes_in_another_form(tmp_path: Path) -> None:
    keys = "m.name: exact; m.wide: exact; m.on: exact; m.problem: exact;"
    (entry,) = inserted(compiled(tmp_path, keys, "const entries = { (300, 5, true, error.NoMatch): NoAction(); }"))
    assert [field.exact.value for field in entry.match] == [b"300", b"\x00\x00\x00\x05", b"\x01", b"\x02"]
    assert entry.priority == 0


def test_priorities_of_the_program_are_kept_in_the_order_in_which_entries_win(tmp_path: Path) -> None:
    keys = "h.data.a: ternary;"
    entries = "entries = { priority = 5: 1: NoAction(); const priority = 9: 2: NoAction(); 3: NoAction(); }"
    found = inserted(compiled(tmp_path, keys, entries))
    assert [(entry.match[0].ternary.value[-1], entry.priority) for entry in found] == [(2, 9), (3, 8), (1, 5)]
    assert [entry.is_const for entry in found] == [True, False, False]
    found = inserted(compiled(tmp_path, keys, f"largest_priority_wins = false; {entries}"))
    assert [(entry.match[0].ternary.value[-1], entry.priority) for entry in found] == [(1, 5), (2, 9), (3, 10)]
    with pytest.raises(CompileError, match="at most 31 bits"):
        compiled(tmp_path, keys, "entries = { priority = 0x80000000: 1: NoAction(); }")


def test_a_program_without_entries_has_an_empty_request(tmp_path: Path) -> None:
    output = compiled(tmp_path, "h.data.a: exact;", "")
    assert inserted(output) == []
    assert output.entries_text.startswith("# proto-file: p4/v1/p4runtime.proto\n")
