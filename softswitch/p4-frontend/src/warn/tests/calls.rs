// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arguments of one call that are written.

use super::{check, control, BEFORE, MAIN, PARSER};

#[test]
fn arguments_that_share_memory() {
    let locals = "action a(out bit<8> x, inout bit<8> y) { x = y; y = 1; }
        action whole(out S x, out bit<8> y) { x = { 1, 2 }; y = 1; }";
    control(locals, "a(s.a, «ordering|s.a»); whole(s, «ordering|s.a»);");
    control(
        "action a(out bit<8> x, in bit<8> y, out bit<8> z) { x = y; z = 1; }",
        "a(h.one.f, h.one.f, h.two.f);",
    );
    control(
        "action a(out bit<4> x, out bit<4> y) { x = 1; y = 2; }",
        "a(s.a[3:0], s.a[7:4]); a(s.a[4:1], «ordering|s.a[7:4]»);",
    );
}

#[test]
fn elements_of_stacks() {
    let locals = "action a(out bit<8> x, out bit<8> y) { x = 1; y = 2; }";
    control(locals, "a(h.stack[0].f, h.stack[1].f);");
    control(locals, "a(h.stack[s.a].f, «ordering|h.stack[1].f»);");
}

#[test]
fn calls_in_arguments_write_too() {
    check(&format!(
        "{BEFORE}bit<8> set(inout bit<8> x) {{ x = 1; return 2; }}
        void two(in bit<8> x, inout bit<8> y) {{ y = x; }}
        {PARSER}control control_(inout Headers h, inout S s) {{ apply {{
            two(set(s.a), «ordering|s.a»); two(set(h.one.f), s.a); s.a = set(s.a) + set(s.a);
        }} }}
        {MAIN}"
    ));
}
