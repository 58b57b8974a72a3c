// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: choices, loops, sub-parsers, lookahead, errors.

use crate::common::{data, error, Program};

const ITEM: &str = "header item_t { bit<7> v; bit<1> more; }";

/// Chooses by field c and puts what was chosen into field d.
fn choose(cases: &str, c: u64) -> u64 {
    let start = format!("transition select(hdr.data.c) {{ {cases} }}");
    let program = Program {
        metadata: "bit<8> chosen;",
        start: &start,
        states: "state one { meta.chosen = 1; transition accept; } state two { meta.chosen = 2; transition accept; }",
        apply: "hdr.data.d = meta.chosen; hdr.data.e = std.parser_error == error.NoMatch ? 16w1 : 0;",
        ..Program::default()
    };
    let fields = program.data([0, 0, c, 0, 0]);
    fields[3] + fields[4] * 100
}

#[test]
fn ranges_masks_and_defaults() {
    let cases = "5 .. 20: one; 0x80 &&& 0xc0: two; default: accept;";
    let chosen = [4, 5, 13, 20, 21, 0x80, 0xbf, 0xc0].map(|c| choose(cases, c));
    assert_eq!(chosen, [0, 1, 1, 1, 0, 2, 2, 0]);
}

#[test]
fn without_a_match_the_error_says_so() {
    assert_eq!([1, 2].map(|c| choose("1: one;", c)), [1, 100]);
}

#[test]
fn several_keys_of_odd_widths() {
    let program = Program {
        metadata: "bit<8> chosen;",
        start: "transition select(hdr.data.a[11:0], hdr.data.c[1:0], hdr.data.d == 7) {
                (0xaba, 3, true): one; (_, 1 .. 2, _): two; (_, _, _): accept; }",
        states: "state one { meta.chosen = 1; transition accept; } state two { meta.chosen = 2; transition accept; }",
        apply: "hdr.data.e = (bit<16>)meta.chosen;",
        ..Program::default()
    };
    assert_eq!(program.data([0xaba, 0, 3, 7, 0])[4], 1);
    assert_eq!(program.data([0xaba, 0, 3, 8, 0])[4], 0);
    assert_eq!(program.data([0, 0, 2, 0, 0])[4], 2);
}

#[test]
fn a_stack_is_filled_in_a_loop_of_states() {
    let program = Program {
        types: ITEM,
        headers: "item_t[4] items;",
        start: "transition item;",
        states: "state item { packet.extract(hdr.items.next); transition select(hdr.items.last.more) { 1: item; default: done; } }
                 state done { hdr.data.c = (bit<8>)hdr.items.lastIndex; transition accept; }",
        apply: "hdr.data.d = std.parser_error == error.StackOutOfBounds ? 8w1 : 0;",
        ..Program::default()
    };
    let run = |items: &[u8]| {
        let mut packet = data([0, 0, 0xff, 0, 0]);
        packet.extend(items);
        let (_, bytes) = program.run(&packet).expect("a packet comes out");
        (bytes[8], bytes[9])
    };
    assert_eq!(run(&[3, 5, 4]), (2, 0));
    assert_eq!(run(&[1, 1, 1, 1, 1]), (0xff, 1));
}

#[test]
fn branches_and_loops_inside_a_state() {
    let program = Program {
        declarations: "bit<32> count(in bit<8> limit, in bit<32> from) {
                bit<32> n = from;
                for (bit<8> i = 0; i < 5; i = i + 1) { if (i == limit) { break; } n = n + 1; }
                return n;
            }",
        start: "bit<32> n = 0;
                if (hdr.data.c == 1) { n = 10; } else { if (hdr.data.d == 1) { n = 20; } }
                hdr.data.a = count(hdr.data.d, n); transition accept;",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 1, 3, 0])[0], 13);
    assert_eq!(program.data([0, 0, 0, 1, 0])[0], 21);
    assert_eq!(program.data([0, 0, 0, 9, 0])[0], 5);
}

#[test]
fn a_sub_parser_runs_at_each_place_that_applies_it() {
    let program = Program {
        types: ITEM,
        headers: "item_t x; item_t y;",
        declarations: "parser Item(packet_in p, out item_t item, inout bit<8> count) {
                state start { p.extract(item); transition select(item.more) { 1: tick; default: accept; } }
                state tick { count = count + 1; transition accept; }
            }",
        start: "Item.apply(packet, hdr.x, hdr.data.c); hdr.data.d = 1; Item.apply(packet, hdr.y, hdr.data.c); transition accept;",
        apply: "hdr.data.e = (bit<16>)hdr.x.v * 100 + (bit<16>)hdr.y.v;",
        ..Program::default()
    };
    let mut packet = data([0, 0, 0, 0, 0]);
    packet.extend([7 << 1 | 1, 5 << 1 | 1]);
    let (_, bytes) = program.run(&packet).expect("a packet comes out");
    assert_eq!(bytes[8..12], [2, 1, 2, 0xc1]); // 705
}

#[test]
fn lookahead_and_advance() {
    let program = Program {
        types: "struct peek_t { bit<4> hi; int<4> lo; bit<8> next; }",
        start: "peek_t p = packet.lookahead<peek_t>(); packet.advance(8 * (bit<32>)hdr.data.c);
                hdr.data.a = (bit<32>)p.hi; hdr.data.b = (bit<32>)(bit<8>)(int<8>)p.lo; hdr.data.d = p.next;
                transition select(packet.lookahead<bit<8>>()) { 0x55: accept; default: odd; }",
        states: "state odd { hdr.data.e = 1; transition accept; }",
        ..Program::default()
    };
    let mut packet = data([0, 0, 2, 0, 0]);
    packet.extend([0x3f, 0x42, 0x55]);
    let (_, bytes) = program.run(&packet).expect("a packet comes out");
    assert_eq!(bytes[..12], [0, 0, 0, 3, 0, 0, 0, 0xff, 2, 0x42, 0, 0]);
}

#[test]
fn verify_sets_the_parser_error_and_stops() {
    let program = Program {
        declarations: "error { TooSmall }",
        start: "verify(hdr.data.c > 5, error.TooSmall); hdr.data.a = 1; transition accept;",
        apply: "if (std.parser_error == error.TooSmall) { hdr.data.d = 1; }",
        ..Program::default()
    };
    assert_eq!(program.data([0, 0, 6, 0, 0])[..4], [1, 0, 6, 0]);
    assert_eq!(program.data([0, 0, 5, 0, 0])[..4], [0, 0, 5, 1]);
}

#[test]
fn a_field_of_variable_width() {
    let program = Program {
        types: "header opts_t { bit<8> n; varbit<64> v; }",
        headers: "opts_t opts; opts_t copy;",
        start: "packet.extract(hdr.opts, (bit<32>)hdr.data.c * 8); transition accept;",
        apply: "hdr.copy = hdr.opts;",
        deparse: "packet.emit(hdr.opts); packet.emit(hdr.copy);",
        ..Program::default()
    };
    let mut packet = data([0, 0, 3, 0, 0]);
    packet.extend([9, 1, 2, 3, 0xee]);
    let (_, bytes) = program.run(&packet).expect("a packet comes out");
    assert_eq!(bytes[12..], [9, 1, 2, 3, 9, 1, 2, 3, 0xee]);
}

#[test]
fn a_value_set_is_a_transition_of_its_own() {
    let program = Program {
        start: "transition select(hdr.data.c) { known: accept; default: reject; }",
        ..Program::default()
    };
    let text = program.text().replace(
        "state start",
        "value_set<bit<8>>(4) known;\n    state start",
    );
    let json = crate::common::json(&text);
    let transition = &json["parsers"][0]["parse_states"][0]["transitions"][0];
    assert_eq!(
        (&transition["type"], &transition["value"]),
        (&"parse_vset".into(), &"P.known".into())
    );
    assert_eq!(json["parse_vsets"][0]["compressed_bitwidth"], 8);
}

#[test]
fn ranges_of_signed_keys_are_of_signed_numbers() {
    let choose = |cases: &str, c: u64| {
        let start = format!("transition select((int<8>)hdr.data.c) {{ {cases} default: other; }}");
        let program = Program {
            start: &start,
            states: "state hit { hdr.data.d = 1; transition accept; } state other { transition accept; }",
            ..Program::default()
        };
        program.data([0, 0, c, 0, 0])[3]
    };
    assert_eq!(
        [0xfe, 0, 3, 4].map(|c| choose("-2..3: hit;", c)),
        [1, 1, 1, 0]
    );
    // Both are empty.
    assert_eq!([0, 4, 9].map(|c| choose("5..3: hit;", c)), [0, 0, 0]);
    assert_eq!(
        [0xfd, 0xff, 0].map(|c| choose("-1..-3: hit;", c)),
        [0, 0, 0]
    );
}

#[test]
fn a_range_of_a_wide_key_that_needs_too_many_masks_is_refused() {
    let most = "1..((1 << 2047) - 1 + (1 << 2047)) - 1";
    let one = format!("transition select(meta.wide) {{ {most}: accept; }}");
    let two = format!("transition select(meta.wide, hdr.data.a) {{ ({most}, 1..2): accept; }}");
    let [fits, program] = [&one, &two].map(|start| Program {
        metadata: "bit<2048> wide;",
        start,
        ..Program::default()
    });
    fits.json();
    let message = error(&program.text());
    assert!(message.contains("more than 4096 masks"), "{message}");
}
