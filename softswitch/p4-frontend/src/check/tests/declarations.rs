// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, refused};

#[test]
fn names_of_the_library_can_be_hidden_in_an_inner_scope() {
    accepted("#include <core.p4>\ncontrol c() { bit<8> packet_in = 1; action verify() { } apply { verify(); packet_in = 2; } }");
    accepted("const bit<8> x = 1; control c() { bool x = true; bit<8> y = .x; apply { } }");
    refused(
        "const bit<8> x = 1; control c() { bool x = true; bit<8> y = «x»; apply { } }",
        "expected `bit<8>`, found `bool`",
    );
}

#[test]
fn a_declaration_sees_only_what_stands_before_it() {
    refused(
        "const bit<8> x = «y»; const bit<8> y = 1;",
        "used before its declaration",
    );
    refused(
        "control c() { action a() { «f»(); } apply { } } void f() { }",
        "used before its declaration",
    );
    refused("const bit<8> x = «x»;", "refers to itself");
}

#[test]
fn an_overload_that_stands_later_does_not_matter_for_what_stands_before() {
    let program = super::program(
        "control R(); package Top(R r);
         extern void f(in bit<8> a);
         control c() { apply { f(1); } }
         extern void f(in bit<8> b);
         Top(c()) main;",
    );
    assert_eq!(program.controls.len(), 1);
}

#[test]
fn tables_and_value_sets_have_their_place() {
    refused(
        "extern X { X(); void m(); } X() x; control c() { apply { x.«nope»(); } }",
        "has no method `nope`",
    );
    refused("extern X { void m(); } «X»() x;", "has no constructor");
    refused("extern X { «Y»(); }", "constructor");
    refused(
        "extern X { X(bit<8> a); X(bit<8> b); } «X»(1) x;",
        "equally well",
    );
    accepted("extern X { X(bit<8> a); X(bit<8> b); } X(b = 1) x;");
}

#[test]
fn extern_instances() {
    let externs = accepted("extern X<T> { X(T a, bit<8> n); } X<bit<4>>(n = 4, a = 3) x;").externs;
    let names: Vec<_> = externs[0]
        .args
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["a", "n"]);
    assert_eq!(
        (externs[0].name.as_str(), externs[0].type_name.as_str()),
        ("x", "X")
    );
}

#[test]
fn abstract_methods() {
    let header = "extern X { X(); abstract bit<8> f(in bit<8> a); bit<8> g(); }";
    let program = accepted(&format!(
        "{header} X() x = {{ bit<8> f(in bit<8> a) {{ return a + this.g(); }} }};"
    ));
    assert_eq!(program.externs[0].methods[0].0, "f");
    assert_eq!(program.functions.len(), 1);
    refused(
        &format!("{header} «X»() x;"),
        "abstract method `f` of extern `X` is not implemented",
    );
    refused(
        &format!("{header} X() x = {{ bit<8> «f»(in bit<4> a) {{ return 1; }} }};"),
        "differs in its types",
    );
    refused(
        &format!("{header} X() x = {{ bit<8> «f»(inout bit<8> a) {{ return 1; }} }};"),
        "differs in its types",
    );
    refused(&format!("{header} X() x = {{ bit<8> f(in bit<8> a) {{ return a; }} bit<8> «g»() {{ return 1; }} }};"), "no abstract method `g`");
}

#[test]
fn constructors_are_overloaded_by_the_names_of_their_parameters() {
    let (program, _) = super::run(
        "control Add(inout bit<32> v)(bit<32> n) { apply { v = v + n; } }
         control Add(inout bit<32> v)(bit<32> m) { apply { v = v - m; } }",
        "Add(m = 1) down; Add(n = 2) up;",
        "down.apply(x); up.apply(x);",
    );
    let bodies: Vec<_> = program
        .controls
        .iter()
        .map(|control| format!("{:?}", control.body))
        .collect();
    assert!(bodies[0].contains("Sub") && bodies[1].contains("Add"));
    assert_eq!(program.controls[0].type_name, "Add");
    refused(
        "control A()(bit<8> n) { apply { } } control A()(bit<8> m) { apply { } } control c() { «A»(1) a; apply { } }",
        "equally well",
    );
}

#[test]
fn optional_parameters_and_methods() {
    let header = "extern X { X(); abstract void f(inout bit<8> a, @optional in bit<8> b); @optional abstract void g(); }";
    accepted(&format!(
        "{header} X() x = {{ void f(inout bit<8> a) {{ a = 1; }} }};"
    ));
    accepted(&format!(
        "{header} X() x = {{ void f(inout bit<8> a, in bit<8> b) {{ a = b; }} }};"
    ));
    refused(
        "void f(«@optional in bit<8> a») { }",
        "cannot be `@optional` here",
    );
}

#[test]
fn names_for_the_control_plane_are_strings() {
    refused(
        "control c() { «@name(5)» action a() { } apply { } }",
        "takes one string",
    );
    let (program, _) = super::run("", "@name(\"a\" ++ \"_\" ++ \"b\") action a() { }", "a();");
    assert_eq!(program.actions[0].name, "run.a_b");
}

#[test]
fn a_structured_annotation_is_the_only_one_of_its_name() {
    accepted("@a(1) @a(2) @b[x = 1] const bit<8> c = 1;");
    for program in [
        "@a[1] @«a»[2] const bit<8> c = 1;",
        "@a(1) @«a»[] const bit<8> c = 1;",
        "@a[x = 1] @«a» const bit<8> c = 1;",
        "control c() { apply { } } struct S { @a[1] @«a»[2] bit<8> f; }",
    ] {
        refused(program, "is there twice");
    }
}

#[test]
fn values_in_annotations_are_simple_constants() {
    accepted("const int n = 3; @a[n + 1, \"t\", true] @b[x = n == 3] const bit<8> c = 1;");
    refused(
        "@a[x = «{ 2, 3 }»] const bit<8> c = 1;",
        "not `tuple<int, int>`",
    );
    refused("@a[x = «y»] const bit<8> c = 1;", "not declared");
    refused(
        "extern E { E(); } E() e; E() f; @a[«e == f»] const bit<8> c = 1;",
        "cannot be compared",
    );
    refused(
        "control c(in bit<8> v) { @a[«v»] action b() { } apply { } }",
        "must be known at compile time",
    );
}

#[test]
fn constructor_parameters_of_controls_are_not_optional() {
    refused(
        "control c()(«@optional bit<8> n») { apply { } }",
        "cannot be `@optional`",
    );
}

#[test]
fn an_extern_is_not_its_own_type_argument() {
    let e = "extern E<T> { E(); }";
    accepted(&format!("{e} extern F<T> {{ F(); }} E<F<bit<8>>>() e;"));
    refused(&format!("{e} «E<E<bit<8>>>»() e;"), "its own type argument");
}
