// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{folded_int, refused, statement_refused};

#[test]
fn arithmetic_wraps_at_the_width() {
    assert_eq!(folded_int("", "(bit<32>)(8w255 + 8w1)"), 0);
    assert_eq!(folded_int("", "(bit<32>)(8w0 - 8w1)"), 255);
    assert_eq!(folded_int("", "(bit<32>)(8w16 * 8w17)"), 16);
    assert_eq!(folded_int("", "(bit<32>)(bit<8>)(8s127 + 8s1)"), 128);
    assert_eq!(folded_int("", "(bit<32>)(~8w1)"), 254);
    assert_eq!(folded_int("", "(bit<32>)(-8w1)"), 255);
}

#[test]
fn saturating_arithmetic_stops_at_the_ends() {
    assert_eq!(folded_int("", "(bit<32>)(8w250 |+| 8w10)"), 255);
    assert_eq!(folded_int("", "(bit<32>)(8w5 |-| 8w10)"), 0);
    assert_eq!(folded_int("", "(bit<32>)(bit<8>)(8s100 |+| 8s100)"), 127);
    assert_eq!(folded_int("", "(bit<32>)(bit<8>)(-8s100 |-| 8s100)"), 128);
}

#[test]
fn arbitrary_precision_does_not_wrap() {
    assert_eq!(
        folded_int("const int big = 1 << 100;", "(big + 7) >> 98"),
        4
    );
    assert_eq!(folded_int("", "7 / 2 * 10 + 7 % 4"), 33);
    assert_eq!(folded_int("const int m = -3;", "(m + 10) & 5"), 5);
}

#[test]
fn shifts() {
    assert_eq!(folded_int("", "(bit<32>)(8w1 << 9)"), 0);
    assert_eq!(folded_int("", "(bit<32>)(8w0x80 >> 7)"), 1);
    assert_eq!(folded_int("", "(bit<32>)(bit<8>)(-8s4 >> 1)"), 254);
    assert_eq!(folded_int("", "32w1 << 3"), 8);
}

#[test]
fn concatenation_and_slices() {
    assert_eq!(folded_int("", "16w0xAB ++ 16w0xCD"), 0xAB_00CD);
    assert_eq!(folded_int("", "(bit<32>)(16w0xABCD[11:4])"), 0xBC);
    assert_eq!(folded_int("", "(bit<32>)(16w0xABCD[4+:8])"), 0xBC);
    assert_eq!(folded_int("", "(bit<32>)((-8s1)[3:0])"), 15);
}

#[test]
fn comparisons_and_logic_fold() {
    assert_eq!(folded_int("", "(3 < 4 && !(2 == 3)) ? 1 : 2"), 1);
    assert_eq!(folded_int("", "(8s5 >= -8s5 || false) ? 1 : 2"), 1);
    assert_eq!(folded_int("", "(\"a\" ++ \"b\" == \"ab\") ? 1 : 2"), 1);
}

#[test]
fn names_of_constants_members_and_sizes_fold() {
    assert_eq!(
        folded_int("const bit<32> k = 5; const bit<32> l = k + 1;", "l * 2"),
        12
    );
    assert_eq!(folded_int("enum bit<32> E { a = 7, b = 9 }", "E.b"), 9);
    assert_eq!(
        folded_int(
            "struct S { bit<32> p; bit<32> q; } const S s = { 3, 4 };",
            "s.q"
        ),
        4
    );
    assert_eq!(
        folded_int("const tuple<bit<32>, bool> t = { 6, true };", "t[0]"),
        6
    );
    assert_eq!(
        folded_int("header H { bit<8> a; varbit<24> v; }", "H.minSizeInBits()"),
        8
    );
    assert_eq!(
        folded_int("header H { bit<8> a; varbit<24> v; }", "H.maxSizeInBytes()"),
        4
    );
    assert_eq!(
        folded_int(
            "header H { bit<12> a; bit<4> b; bit<3> c; bit<5> d; } ",
            "H.minSizeInBytes()"
        ),
        3
    );
    assert_eq!(
        folded_int(
            "header A { bit<8> a; } header B { bit<24> b; } header_union U { A a; B b; }",
            "U.maxSizeInBits()"
        ),
        24
    );
}

#[test]
fn division_by_zero_and_negative_operands() {
    refused("const bit<8> a = «8w4 / 0»;", "division by zero");
    refused("const int a = «4 % (2 - 2)»;", "division by zero");
    refused("const int a = «-4» / 2;", "negative");
    statement_refused("b = b / «-1»;", "negative");
    statement_refused("i = «i / i»;", "`/` is not defined");
}

#[test]
fn shifts_that_are_wrong() {
    refused("const int a = 4 << «-1»;", "negative");
    statement_refused("b = b << «-1»;", "negative");
    statement_refused("b = b << «i»;", "cannot be signed");
    statement_refused("b = «1» << b;", "width of the shifted number");
    refused("const int a = «1 << (1 << 40)»;", "too large");
}

#[test]
fn results_that_would_exhaust_memory() {
    let squares: String = (1..40)
        .map(|n| format!("const int k{n} = k{} * k{};", n - 1, n - 1))
        .collect();
    let found = super::errors(&format!("const int k0 = 1 << 1000; {squares}"));
    assert!(found[0].2.contains("too large"), "{found:?}");
}

#[test]
fn what_must_be_known_at_compile_time() {
    statement_refused("const bit<8> k = «b»; ", "must be known at compile time");
    statement_refused("b = w[«b»:0];", "known at compile time");
    refused(
        "control c(in bit<8> n) { bit<«n»> x; apply { } }",
        "known at compile time",
    );
    refused(
        "control c()(bit<8> n) { bit<«n»> x; apply { } }",
        "known at compile time",
    );
}

#[test]
fn static_assert_is_evaluated() {
    refused(
        "#include <core.p4>\nconst bool a = «static_assert(1 > 2, \"too small\")»;",
        "too small",
    );
    super::accepted("#include <core.p4>\nconst bool a = static_assert(2 > 1);");
}
