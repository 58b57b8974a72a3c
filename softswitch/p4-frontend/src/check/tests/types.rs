// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, refused};
use crate::ir::{Type, TypeDefKind};

#[test]
fn typedefs_are_looked_through_and_remembered() {
    let program =
        accepted("typedef bit<48> Mac; type bit<9> Port; struct S { Mac m; Port p; bit<4> n; }");
    let s = program.types.iter().find(|ty| ty.name == "S").unwrap();
    let TypeDefKind::Struct(fields) = &s.kind else {
        panic!("{s:?}");
    };
    assert_eq!(fields[0].ty, Type::Bit(48));
    assert_eq!(fields[0].declared_as.as_deref(), Some("Mac"));
    assert!(matches!(fields[1].ty, Type::Named(_)));
    assert_eq!(fields[1].declared_as.as_deref(), Some("Port"));
    assert_eq!(fields[2].declared_as, None);
}

#[test]
fn declared_types_are_listed_though_nothing_uses_them() {
    let program =
        accepted("@controller_header(\"packet_in\") header In { bit<9> port; } enum E { a }");
    let names: Vec<_> = program
        .declared_types
        .iter()
        .map(|id| program.types[id.index()].name.as_str())
        .collect();
    assert_eq!(names, ["In", "E"]);
    assert_eq!(
        program.types[program.declared_types[0].index()]
            .annotations
            .len(),
        1
    );
}

#[test]
fn widths() {
    accepted("const int w = 4; struct S { bit<(w * 2)> a; int<w> b; varbit<32> c; bit d; }");
    refused("struct S { bit<«(-1)»> a; }", "negative");
    refused("struct S { int<«0»> a; }", "at least one bit");
    refused("struct S { bit<«true»> a; }", "must be an integer");
    refused("struct S { bit<«99999999»> a; }", "too large");
}

#[test]
fn what_may_be_in_headers() {
    accepted(
        "type bit<4> T; enum bit<4> E { a = 1 } struct In { bit<8> x; }
         header H { bit<8> a; int<8> b; bool c; varbit<8> d; T e; E f; In g; }",
    );
    refused(
        "header G { bit<8> a; } header H { «G» g; }",
        "a header cannot contain `G`",
    );
    refused(
        "enum E { a } header H { «E» e; }",
        "a header cannot contain `E`",
    );
    refused("header H { «error» e; }", "a header cannot contain `error`");
    refused(
        "header G { bit<8> a; } struct S { G g; } header H { «S» s; }",
        "a header cannot contain `S`",
    );
}

#[test]
fn what_may_be_in_unions_and_stacks() {
    accepted("header A { } header B { } header_union U { A a; B b; } struct S { U[3] u; A[2] a; }");
    refused(
        "header_union U { «bit<8>» a; }",
        "a header union cannot contain `bit<8>`",
    );
    refused(
        "struct S { «varbit<8>»[2] a; }",
        "an array cannot contain `varbit<8>`",
    );
    refused(
        "header A { } header B { «A[2]» a; }",
        "a header cannot contain",
    );
    accepted("header H { } struct S { H[0] a; }");
    refused("header H { } struct S { H[«-1»] a; }", "number of elements");
}

#[test]
fn what_may_be_in_structs_and_tuples() {
    refused("struct S { «int» a; }", "a struct cannot contain `int`");
    refused("struct S { «void» a; }", "a struct cannot contain `void`");
    refused(
        "extern X { X(); } struct S { «X» a; }",
        "a struct cannot contain `X`",
    );
    refused(
        "extern X { X(); } struct S { tuple<«X»> a; }",
        "a tuple cannot contain `X`",
    );
    refused("type «tuple<bit<8>>» T;", "cannot contain");
}

#[test]
fn fields_are_distinct() {
    refused("struct S { bit<8> a; bit<4> «a»; }", "two fields `a`");
    refused("enum E { a, «a» }", "there twice");
    refused("error { X, «X» }", "there twice");
}

#[test]
fn serializable_enums() {
    let program = accepted("enum bit<8> E { a = 1, b = 0xff } enum int<4> F { c = -8 }");
    let TypeDefKind::SerEnum { repr, members } = &program.types[0].kind else {
        panic!();
    };
    assert_eq!(*repr, Type::Bit(8));
    assert_eq!(members[1], ("b".to_string(), 255.into()));
    refused("enum «bool» E { a = true }", "represented by");
    refused(
        "extern bit<8> f(); enum bit<8> E { a = «f()» }",
        "known at compile time",
    );
}

#[test]
fn types_do_not_contain_themselves() {
    refused("struct S { «S» s; }", "refers to itself");
    refused(
        "struct S<T> { T t; } typedef «S<S<bit<8>>>» X;",
        "its own type argument",
    );
}

#[test]
fn errors_and_match_kinds_add_up() {
    let program = accepted("#include <core.p4>\nerror { Mine } match_kind { best }");
    assert_eq!(program.errors[0], "NoError");
    assert_eq!(program.errors.last().unwrap(), "Mine");
    assert_eq!(program.match_kinds, ["exact", "ternary", "lpm", "best"]);
    refused(
        "#include <core.p4>\nerror { «NoMatch» }",
        "already declared",
    );
}

#[test]
fn types_that_explode() {
    let doubling: String = (1..40)
        .map(|n| format!("struct S{n} {{ S{} a; S{} b; }} ", n - 1, n - 1))
        .collect();
    let found = super::errors(&format!("struct S0 {{ bit<8> a; }} {doubling}"));
    assert!(found[0].2.contains("fields in all"), "{found:?}");
    let doubling: String = (1..40)
        .map(|n| format!("typedef tuple<T{}, T{}> T{n}; ", n - 1, n - 1))
        .collect();
    let found = super::errors(&format!("typedef bit<8> T0; {doubling}"));
    assert!(found[0].2.contains("fields in all"), "{found:?}");
    let doubling: String = (1..40)
        .map(|n| format!("typedef P<T{}, T{}> T{n}; ", n - 1, n - 1))
        .collect();
    let found = super::errors(&format!(
        "struct P<A, B> {{ }} typedef bit<8> T0; {doubling}"
    ));
    assert!(!found.is_empty());
}

#[test]
fn arrays_are_not_stacks() {
    accepted(
        "enum E { a } struct P { bit<8> x; bool y; } header H { bit<8>[4] a; P[2] p; }
         struct S { E[2] e; bit<8>[2][3] m; error[2] r; H[2] h; }
         control c(inout S s) { apply { s.m[2][1] = 1; s.m[0] = { 1, 2 }; s.m[1] = {...}; } }",
    );
    let array =
        |statement: &str| format!("control c(inout bit<8>[4] a) {{ apply {{ {statement} }} }}");
    refused(
        &array("a = «a.next»;").replace("«a.next»", "a.«next»"),
        "no member `next`",
    );
    refused(&array("a.«push_front»(1);"), "no method `push_front`");
    refused(&array("a[«4»] = 1;"), "is outside: there are 4 elements");
    refused(&array("a = «{#}»;"), "expected `bit<8>[4]`");
    refused(
        "struct S { «bit<8>[1000][1000]» a; }",
        "the type has more than",
    );
}
