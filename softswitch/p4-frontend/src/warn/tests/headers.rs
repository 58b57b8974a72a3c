// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{control, parser};

#[test]
fn a_header_that_the_code_makes_invalid() {
    control("", "h.one.setInvalid(); s.a = «invalid-header|h.one».f;");
    control("", "h.one.setInvalid(); h.one.setValid(); s.a = h.one.f;");
    control(
        "",
        "if (s.a == 1) { h.one.setInvalid(); } «invalid-header|h.one».f = 1;",
    );
    control(
        "",
        "h.one = {#}; «invalid-header|h.one».f = 1; h.one = { 1, 2 }; h.one.f = 2;",
    );
    control(
        "",
        "h.two.setInvalid(); h.one = h.two; s.a = «invalid-header|h.one».f;",
    );
}

#[test]
fn what_comes_from_outside_is_taken_to_be_valid() {
    control("", "s.a = h.one.f; h.two.g = 1; s.a = h.stack[1].f;");
}

#[test]
fn a_header_of_its_own_begins_invalid() {
    control("", "H v; «invalid-header|v».f = 1; v.setValid(); v.g = 2;");
    control("", "H v; v.setValid(); s.a = «uninitialized-use|v.f»;");
}

#[test]
fn the_program_may_ask() {
    control("", "if (s.a == 1) { h.one.setInvalid(); } if (h.one.isValid()) { s.a = h.one.f; } s.a = «invalid-header|h.one».f;");
    control(
        "",
        "if (s.a == 1) { h.one.setInvalid(); } s.a = h.one.isValid() && h.one.f == 1 ? 8w1 : 2;",
    );
}

#[test]
fn a_table_may_make_a_header_invalid_but_it_is_the_control_plane_that_knows() {
    let locals = "action a() { h.one.setInvalid(); } action b() { h.one.f = 1; }
        table t { key = { s.a: exact; } actions = { a; b; } default_action = b; }
        table u { actions = { a; } default_action = a; }";
    control(
        locals,
        "t.apply(); s.a = h.one.f; u.apply(); s.a = «invalid-header|h.one».f;",
    );
}

#[test]
fn one_member_of_a_union_is_valid() {
    control(
        "",
        "h.either.a.setValid(); h.either.a.f = 1; «invalid-header|h.either.b».f = 1;",
    );
    control(
        "",
        "h.either.a.setValid(); h.either.b = { 1, 2 }; s.a = «invalid-header|h.either.a».f;",
    );
}

#[test]
fn elements_of_stacks() {
    control("", "h.stack[1].setInvalid(); s.a = h.stack[0].f; s.a = «invalid-header|h.stack[1]».f; s.a = h.stack[s.a].f;");
    control(
        "",
        "H[2] v; «invalid-header|v[s.a]».f = 1; v[0].setValid(); v[s.a].f = 1;",
    );
}

#[test]
fn actions_and_functions_are_followed() {
    control(
        "action a(inout H x) { x.setInvalid(); }",
        "a(h.one); s.a = «invalid-header|h.one».f;",
    );
    control(
        "action a(out H x) { x = { 1, 2 }; }",
        "a(h.one); s.a = h.one.f;",
    );
}

#[test]
fn a_parser_reads_what_it_has_extracted() {
    parser("state start { s = { 1, 2 }; p.extract(h.one); s.a = h.one.f; transition accept; }");
    parser("state start { s = { 1, 2 }; «invalid-header|h.two».f = 1; p.extract(h.one); transition accept; }");
    parser(
        "state start { s = { 1, 2 }; p.extract(h.stack.next); transition select(h.stack.last.f) { 1: start; default: accept; } }",
    );
}
