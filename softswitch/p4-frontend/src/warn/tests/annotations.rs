// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations about warnings.

use super::{control, declarations};

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
fn silence_is_for_one_kind_and_one_declaration() {
    declarations("@noWarn(\"shadow\") const bit<8> «unused|x» = 1;");
    declarations("@noWarn(\"unused\") const bit<8> x = 1; const bit<8> «unused|y» = 2;");
}

#[test]
fn the_checker_is_silent_too() {
    declarations("@noWarn(\"unused\") const bit<4> x = «overflow|99»;");
    declarations("@noWarn(\"unused\") @noWarn(\"overflow\") const bit<4> x = 99;");
    control(
        "table t { key = { 8w1: exact @name(\"k\") @noWarn(\"ignore-prop\"); } actions = { NoAction; } }",
        "t.apply(); @noWarn(\"uninitialized-use\") { bit<8> x; s.a = x; }",
    );
}

#[test]
fn the_source_can_set_a_level() {
    declarations("@diagnostic(\"unused\", \"disable\") const bit<8> x = 1; const bit<8> y = 2;");
    declarations("«unknown|@diagnostic(\"unsued\", \"disable\")» const bit<8> «unused|x» = 1;");
    declarations("«missing|@diagnostic(\"unused\")» const bit<8> «unused|x» = 1;");
    declarations("«mismatch|@diagnostic(\"unused\", \"off\")» const bit<8> «unused|x» = 1;");
}

#[test]
fn a_level_in_the_source_can_be_an_error() {
    let text = format!(
        "{}@diagnostic(\"unused\", \"error\") const bit<8> x = 1;{}{}{}",
        super::BEFORE,
        super::PARSER,
        super::CONTROL,
        super::MAIN
    );
    let options = crate::Options::default();
    let refused = crate::load_text(std::path::Path::new("test.p4"), &text, &options);
    let refused = refused.map(|_| ()).expect_err("an error now");
    assert!(
        refused.to_string().contains("[--Werror=unused]"),
        "{refused}"
    );
}

#[test]
fn uses_of_what_is_deprecated() {
    declarations(
        "@deprecated(\"Use new.\") const bit<8> old = 1;
        @noWarn(\"unused\") const bit<8> x = «deprecated|old»;",
    );
    declarations(
        "@deprecated(\"\") typedef bit<8> old_t;
        @noWarn(\"unused\") const «deprecated|old_t» x = 1;",
    );
    declarations(
        "@deprecated(\"Use f(x).\") extern bit<8> f(); extern bit<8> f(in bit<8> x);
        @noWarn(\"unused\") bit<8> g() { return f(1); }",
    );
}

#[test]
fn annotations_that_an_action_profile_has_not() {
    declarations(
        "extern action_profile { action_profile(bit<32> size); }
        extern action_selector { action_selector(bit<32> size); }
        @noWarn(\"unused\") «ignore|@max_group_size(2)» action_profile(1) one;
        @noWarn(\"unused\") @max_group_size(2) «ignore|@max_member_weight(3)» action_selector(1) two;
        @noWarn(\"unused\") @selector_size_semantics(\"sum_of_members\") @max_member_weight(3)
        action_selector(1) three;",
    );
}
