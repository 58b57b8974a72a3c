// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{control, declarations, parser};

#[test]
fn declarations_without_use() {
    declarations(
        "const bit<8> «unused|LOST» = 1; const bit<8> KEPT = 2;
        typedef bit<KEPT> «unused|lost_t»; type bit<8> «unused|other_t»;
        bit<8> «unused|lost»() { return 1; } action «unused|nothing»() { }
        parser «unused|lost_parser»(packet_in p) { state start { transition accept; } }
        control «unused|lost_control»() { apply { } }
        package «unused|Lost»(Control_ c); control «unused|Lost_»();
        extern void find<T, «unused|V»>(in T x);
        const bool checked = static_assert(true, \"\"); const bit<8> __version = 1;",
    );
}

#[test]
fn declarations_in_controls_without_use() {
    control(
        "bit<8> «unused|v»; H «unused|hd»; action «unused|a»(bit<8> «unused|x», bit<8> y) { s.a = y; }
        action used() { }
        table «unused|t» { actions = { used; NoAction; } default_action = NoAction; }
        table applied { actions = { used; } default_action = used; }",
        "bit<8> «unused|inner»; applied.apply();",
    );
}

#[test]
fn a_name_is_used_by_the_declaration_that_it_means() {
    control(
        "bit<8> x = 1; action a() { s.a = x; }",
        "bit<8> «shadow,unused|x» = 2; a();",
    );
}

#[test]
fn names_that_hide_others() {
    declarations(
        "@noWarn(\"unused\") bit<8> bound(in bit<8> x, in bit<8> «shadow|bound») { return x + bound; }",
    );
    control(
        "bit<8> v = 1; action a() { s.b = (bit<16>)v; }",
        "bit<8> «shadow|v» = 2; s.a = v; a();",
    );
}

#[test]
fn ways_through_a_parser() {
    parser(
        "state start { s = { 1, 2 }; transition select(s.a) {
            1: next; default: accept; «parser-transition|2: next;»
        } }
        state «parser-transition|next» { }",
    );
    parser("state start { s = { 1, 2 }; transition «parser-transition|select(s.a) { 1: accept; _: accept; }» }");
    declarations(
        "@noWarn(\"unused\") parser «unreachable|never»(packet_in p) { state start { transition reject; } }",
    );
}

#[test]
fn parameters_of_what_has_no_code_hide_nothing() {
    declarations(
        "@noWarn(\"unused\") const bit<8> x = 1; extern E { E(bit<8> x); void f(in bit<8> x); }
        @noWarn(\"unused\") control Type_(in bit<8> x); @noWarn(\"unused\") package P_(Type_ x);",
    );
}

#[test]
fn a_select_of_constants() {
    let select = |cases: &str| {
        parser(&format!(
            "const bit<8> seven = 7;
            state start {{ s = {{ 1, 2 }}; transition {cases} }}
            state next {{ transition accept; }}"
        ));
    };
    select("select(seven) { 6: accept; 7: next; «parser-transition|8: accept;» «parser-transition|default: next;» }");
    select("select(seven, true) { (6, _): accept; (4 &&& 4, true): next; «parser-transition|default: accept;» }");
    select("«parser-transition|select(seven) { 6: accept; 8..9: next; }»");
    select("select(seven, s.a) { (6, 1): accept; (7, 2): next; (7, 3): accept; }");
    select("select(seven) { 6: accept; default: next; }");
}

#[test]
fn a_hint_about_a_branch_that_is_always_taken() {
    let hints = "if (true) @unlikely { s.a = 1; } else @likely { s.a = 2; }
        if (s.a == 1) @likely { s.a = 1; } else @unlikely { s.a = 2; }";
    control("", hints);
    control(
        "@diagnostic(\"branch\", \"warn\") action a() { }",
        "a(); if (true) «branch|@unlikely» { s.a = 1; } else «branch|@likely» { s.a = 2; }
        if (s.a == 1) @likely { s.a = 1; } else @unlikely { s.a = 2; }",
    );
}

#[test]
fn the_last_case_of_a_switch_without_statements() {
    control("", "switch (s.a) { 1: { s.b = 1; } «missing|2:» }");
    control("", "switch (s.a) { 1: 2: { s.b = 1; } }");
}

#[test]
fn statements_that_never_run() {
    control("", "if (s.a == 1) { exit; «unreachable|s.a = 2;» s.b = 3; } else { return; } «unreachable|s.a = 4;»");
    control("", "if (s.a == 1) { exit; } s.a = 4;");
}
