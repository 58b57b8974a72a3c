// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, refused, run, statement_accepted, statement_refused};
use crate::ir::{Callee, ExprKind, StmtKind, Type, TypeDefKind};

#[test]
fn types_are_copied_per_argument() {
    let program = accepted(
        "struct S<T> { T a; bit<8> b; } struct X { S<bit<4>> p; S<bit<4>> q; S<bool> r; }",
    );
    let x = program.types.iter().find(|ty| ty.name == "X").unwrap();
    let TypeDefKind::Struct(fields) = &x.kind else {
        panic!();
    };
    assert_eq!(fields[0].ty, fields[1].ty);
    assert_ne!(fields[0].ty, fields[2].ty);
    let Type::Named(id) = fields[2].ty else {
        panic!();
    };
    let copy = &program.types[id.index()];
    assert_eq!(copy.name, "S<bool>");
    assert!(matches!(&copy.kind, TypeDefKind::Struct(fields) if fields[0].ty == Type::Bool));
}

#[test]
fn type_arguments_are_counted() {
    refused(
        "struct S<T> { T a; } struct X { «S» s; }",
        "is generic: it needs 1 type argument",
    );
    refused(
        "struct S<T> { T a; } struct X { «S<bit<8>, bool>» s; }",
        "takes 1 type argument, not 2",
    );
    refused(
        "struct S { bit<8> a; } struct X { «S<bool>» s; }",
        "is not generic",
    );
    refused(
        "struct S<T> { T a; } struct X { S<«_»> s; }",
        "`_` stands for a type only",
    );
    refused(
        "header H<T> { «T» a; } struct X { H<error> h; }",
        "cannot contain",
    );
}

#[test]
fn functions_are_copied_per_argument() {
    let (program, _) = run(
        "T first<T>(in T a, in T b) { return a; }",
        "",
        "x = first(x, 1); bit<8> y = first(8w1, 2); x = first<bit<32>>(1, 2);",
    );
    let results: Vec<_> = program
        .functions
        .iter()
        .map(|function| function.result.clone())
        .collect();
    assert_eq!(results, [Type::Bit(32), Type::Bit(8)]);
}

#[test]
fn literals_adapt_to_the_other_arguments() {
    let (_, body) = run(
        "extern void r<T>(out T a, in T low, in T high);",
        "",
        "r(x, 0, 7);",
    );
    let StmtKind::Call(call) = &body[0].kind else {
        panic!();
    };
    assert!(call.args.iter().all(|arg| arg.expr.ty == Type::Bit(32)));
    assert!(
        matches!(&call.callee, Callee::ExternFunction { type_args, .. } if type_args[..] == [Type::Bit(32)])
    );
}

#[test]
fn lists_are_tuples_for_a_generic_parameter() {
    let (_, body) = run("extern void data<T>(in T a);", "", "data({x, 8w1});");
    let StmtKind::Call(call) = &body[0].kind else {
        panic!();
    };
    assert_eq!(
        call.args[0].expr.ty,
        Type::Tuple(vec![Type::Bit(32), Type::Bit(8)])
    );
    assert!(matches!(call.args[0].expr.kind, ExprKind::Aggregate(_)));
}

#[test]
fn what_cannot_be_inferred() {
    statement_refused("sink(«1»);", "width of the argument");
    statement_refused("sink(«{b, 1}»);", "width of the argument");
    statement_refused("«sink({a = b})»;", "cannot infer the type argument `X`");
    statement_refused("sink(«\"text\"»);", "cannot be a string");
    statement_refused("«sink<bool, bool>(t)»;", "takes 1 type argument, not 2");
    statement_refused("sink<bool>(«b»);", "expected `bool`");
    statement_accepted("sink(b); sink<bit<4>>(1); sink({b, w}); sink<_>(t); sink(s);");
    refused(
        "T f<T>() { T t; return t; } bit<8> g() { return «f()»; }",
        "cannot infer the type argument `T` of `f`",
    );
    refused(
        "T f<T>(in T a, in T b) { return a; } bit<8> g() { return f(8w1, «true»); }",
        "expected `bit<8>`",
    );
}

#[test]
fn a_type_parameter_is_no_type_in_particular() {
    refused(
        "T f<T>(in T a) { return «a + 1»; }",
        "`+` is not defined for `T`",
    );
    refused(
        "bool f<T>(in T a) { return «a == a»; }",
        "cannot be compared",
    );
    refused(
        "bit<8> f<T>(in T a) { return «a»; }",
        "expected `bit<8>`, found `T`",
    );
    refused("extern packet { packet(); } extern void s<T>(in T t); packet() p; control c() { apply { s(«p»); } }", "it has a direction");
    refused("T f<T, «T»>(in T a) { return a; }", "already declared");
}

#[test]
fn generic_controls_are_elaborated_with_their_arguments() {
    let (program, _) = run(
        "control Copy<T>(inout T a, in T b) { apply { a = b; } }",
        "Copy<bit<32>>() c;",
        "c.apply(x, 5);",
    );
    let copy = &program.controls[0];
    assert_eq!(program.vars[copy.params[0].index()].ty, Type::Bit(32));
    refused(
        "control C<T>(in T a) { apply { } } control d() { «C»() c; apply { } }",
        "cannot infer the type argument `T`",
    );
}

#[test]
fn packages_infer_from_their_arguments() {
    let program = super::program(
        "control Pipe<H, M>(inout H h, inout M m); package Top<H, M>(Pipe<H, M> p);
         control c(inout bit<8> h, inout bool m) { apply { } }
         Top(c()) main;",
    );
    assert_eq!(program.main.unwrap().type_args, [Type::Bit(8), Type::Bool]);
}

#[test]
fn arguments_of_packages_must_fit() {
    let found = super::errors(
        "control Pipe<H>(inout H h); package Top<H>(Pipe<H> p);
         control c(in bit<8> h) { apply { } }
         Top(c()) main;",
    );
    assert!(found[0].2.contains("found `c`"), "{found:?}");
    let found = super::errors(
        "control Pipe<H>(inout H h, inout H i); package Top<H>(Pipe<H> p);
         control c(inout bit<8> h, inout bit<9> i) { apply { } }
         Top(c()) main;",
    );
    assert!(found[0].2.contains("found `c`"), "{found:?}");
}
