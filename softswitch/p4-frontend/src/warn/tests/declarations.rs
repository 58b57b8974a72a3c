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
fn the_source_can_ask_for_silence() {
    control(
        "@noWarn(\"unused\") bit<8> v; @noWarn(\"unused\") action a(bit<8> x) { }",
        "@noWarn(\"unused\") bit<8> w;",
    );
    declarations("«unknown|@noWarn(\"unsued\")» const bit<8> «unused|x» = 1;");
    declarations("«missing|@noWarn» @noWarn(\"unused\") const bit<8> x = 1;");
}

#[test]
fn an_annotation_that_looks_like_a_known_one() {
    control("@«unknown|nmae»(\"x\") action a() { }", "a();");
    control("@mine @names_of_others(1) action a() { }", "a();");
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
fn statements_that_never_run() {
    control("", "if (s.a == 1) { exit; «unreachable|s.a = 2;» s.b = 3; } else { return; } «unreachable|s.a = 4;»");
    control("", "if (s.a == 1) { exit; } s.a = 4;");
}
