// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Structs, tuples, headers, stacks and unions as values.

use crate::common::{data, Program};

const ITEM: &str = "header item_t { bit<8> v; }";

#[test]
fn a_struct_built_from_its_own_fields_is_not_torn() {
    let program = Program {
        declarations: "struct pair_t { bit<32> x; bit<32> y; }",
        apply: "pair_t p = { hdr.data.a, hdr.data.b }; p = { p.y, p.x }; hdr.data.a = p.x; hdr.data.b = p.y;",
        ..Program::default()
    };
    assert_eq!(program.data([1, 2, 0, 0, 0])[..2], [2, 1]);
}

#[test]
fn nested_structs_and_tuples_are_copied_and_compared() {
    let program = Program {
        declarations:
            "struct in_t { bit<32> x; bool y; } struct out_t { in_t i; tuple<bit<8>, bit<16>> t; }",
        apply: "out_t p = { { hdr.data.a, true }, { 3, 4 } }; out_t q; q = p;
                if (p == q) { hdr.data.c = 1; }
                q.i.y = false; if (p != q) { hdr.data.d = q.t[0]; }",
        ..Program::default()
    };
    assert_eq!(program.data([9, 0, 0, 0, 0])[2..4], [1, 3]);
}

#[test]
fn headers_are_equal_when_both_are_invalid_or_both_valid_with_equal_fields() {
    let program = Program {
        types: ITEM,
        headers: "item_t x; item_t y;",
        apply: "if (hdr.x == hdr.y) { hdr.data.c = 1; }
                hdr.x.setValid(); hdr.x.v = 5; if (hdr.x != hdr.y) { hdr.data.c = hdr.data.c + 2; }
                hdr.y = hdr.x; if (hdr.x == hdr.y) { hdr.data.c = hdr.data.c + 4; }
                hdr.y = (item_t){#}; if (!hdr.y.isValid()) { hdr.data.c = hdr.data.c + 8; }
                hdr.x = { 7 }; hdr.data.d = hdr.x.v;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 0, 0, 0])[2..4], [15, 7]);
}

#[test]
fn stacks_push_and_pop() {
    let program = Program {
        types: ITEM,
        headers: "item_t[3] items;",
        apply: "hdr.items.push_front(2); hdr.items[0] = { 1 }; hdr.items[1] = { 2 };
                hdr.items.push_front(1); hdr.items[0] = { 9 }; hdr.items.pop_front(1);",
        deparse: "packet.emit(hdr.items);",
        ..Program::default()
    };
    let (_, bytes) = program.run(&data([0; 5])).expect("a packet comes out");
    assert_eq!(bytes[12..], [1, 2]);
}

#[test]
fn a_union_has_one_valid_member() {
    let program = Program {
        types: "header one_t { bit<8> v; } header two_t { bit<16> v; } header_union any_t { one_t one; two_t two; }",
        headers: "any_t any;",
        apply: "hdr.any.one.setValid(); hdr.any.one.v = 1; hdr.any.two = { 0x0203 };
                if (hdr.any.one.isValid()) { hdr.data.c = 1; } if (hdr.any.isValid()) { hdr.data.d = 1; }",
        deparse: "packet.emit(hdr.any);",
        ..Program::default()
    };
    let (_, bytes) = program.run(&data([0; 5])).expect("a packet comes out");
    assert_eq!(bytes[8..], [0, 1, 0, 0, 2, 3]);
}

#[test]
fn a_stack_is_read_and_written_at_an_index_known_at_run_time() {
    let program = Program {
        types: ITEM,
        headers: "item_t[3] items;",
        start: "packet.extract(hdr.items.next); packet.extract(hdr.items.next); packet.extract(hdr.items.next); transition accept;",
        apply: "bit<8> i = hdr.data.c; hdr.items[i].v = hdr.items[i + 1].v + 1;
                if (hdr.items[i].isValid()) { hdr.data.d = 1; } hdr.items[i + 1].setInvalid();",
        deparse: "packet.emit(hdr.items);",
        ..Program::default()
    };
    let mut packet = data([0, 0, 1, 0, 0]);
    packet.extend([10, 20, 30]);
    let (_, bytes) = program.run(&packet).expect("a packet comes out");
    assert_eq!(bytes[9], 1);
    assert_eq!(bytes[12..], [10, 31]);
}

#[test]
fn a_ternary_of_headers_copies_one_of_them() {
    let program = Program {
        types: ITEM,
        headers: "item_t x; item_t y;",
        apply: "hdr.x = { 1 }; hdr.y = { 2 }; hdr.x = hdr.data.c == 1 ? hdr.y : hdr.x; hdr.data.d = hdr.x.v;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 1, 0, 0])[3], 2);
    assert_eq!(program.data([0, 0, 0, 0, 0])[3], 1);
}

#[test]
fn switch_on_a_value_falls_through_and_has_a_default() {
    let program = Program {
        apply: "switch (hdr.data.c) { 1: 2: { hdr.data.d = 12; } 3: { hdr.data.d = 3; } default: { hdr.data.d = 99; } }",
        ..Program::default()
    };
    let chosen = [1, 2, 3, 4].map(|c| program.data([0, 0, c, 0, 0])[3]);
    assert_eq!(chosen, [12, 12, 3, 99]);
}

#[test]
fn enums_are_numbers_and_serializable_ones_have_their_own() {
    let program = Program {
        declarations:
            "enum colour_t { red, green } enum bit<16> kind_t { small = 5, large = 0x1234 }",
        apply: "colour_t k = hdr.data.c == 0 ? colour_t.red : colour_t.green;
                if (k == colour_t.green) { hdr.data.d = 1; } hdr.data.e = (bit<16>)kind_t.large;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 1, 0, 0])[3..], [1, 0x1234]);
    assert_eq!(program.json()["enums"][0]["name"], "colour_t");
}

#[test]
fn a_widened_value_has_all_its_bits_as_a_key_and_in_a_hash() {
    let program = Program {
        start: "transition select((bit<16>)hdr.data.c, hdr.data.d) { (0x0101, 2): wrong; (1, 2): right; default: accept; }",
        metadata: "bit<4> found; bit<16> hash; bit<16> same;",
        states: "state right { meta.found = 1; transition accept; } state wrong { meta.found = 2; transition accept; }",
        locals: "table t { key = { (bit<8>)meta.found: exact @name(\"found\"); } actions = { NoAction; }
                           const entries = { 1: NoAction(); 0x81: NoAction(); } }",
        apply: "if (t.apply().hit) { hdr.data.e = (bit<16>)meta.found; }
                hash(meta.hash, HashAlgorithm.crc16, 16w0, { (bit<16>)hdr.data.c, hdr.data.d }, 32w65536);
                hash(meta.same, HashAlgorithm.crc16, 16w0, { 8w0, hdr.data.c, hdr.data.d }, 32w65536);
                hdr.data.a = (bit<32>)(meta.hash ^ meta.same);",
        ..Program::default()
    };
    assert_eq!(program.data([7, 0, 1, 2, 0]), [0, 0, 1, 2, 1]);
}
