// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, errors, refused, run, statement_accepted, statement_refused};
use crate::ast::Direction;
use crate::ir::{Callee, ExprKind, StmtKind, Type};

const EXTERNS: &str = "
    extern void f(in bit<8> a, out bit<8> b, inout bit<8> c);
    extern void g(in bit<8> a, @optional in bit<8> b);
    extern void k(bit<8> n);
    extern void o(in bit<8> a); extern void o(in bit<8> a, in bit<8> b);
    bit<8> d(in bit<8> a, in bit<8> b = 7) { return a - b; }
";

fn call_refused(statements: &str, message: &str) {
    let program = format!("{EXTERNS} control c(in bit<8> ro) {{ bit<8> x; bit<8> y; bit<4> n; apply {{ {statements} }} }}");
    refused(&program, message);
}

fn call_accepted(statements: &str) {
    accepted(&format!(
        "{EXTERNS} control c(in bit<8> ro) {{ bit<8> x; bit<8> y; apply {{ {statements} }} }}"
    ));
}

#[test]
fn numbers_and_names_of_arguments() {
    call_accepted("f(1, x, y); f(c = y, a = 1, b = x); f(ro, _, y); g(1); g(1, 2); g(b = 1, a = 2); o(1); o(1, 2);");
    call_refused("«f(1, x)»;", "no argument for parameter `c` of `f`");
    call_refused("f(1, x, y, «y»);", "takes 3 arguments, not 4");
    call_refused("f(a = 1, b = x, «z» = y);", "`f` has no parameter `z`");
    call_refused("f(a = 1, b = x, «a = 2»);", "given twice");
    call_refused(
        "«f(1, b = x, c = y)»;",
        "either all arguments are named, or none",
    );
    call_refused("«o(1, 2, 3)»;", "none of the declarations of `o`");
}

#[test]
fn directions() {
    call_refused("f(1, «2», x);", "expected something that can be written");
    call_refused("f(1, x, «ro»);", "`ro` is an `in` parameter");
    call_refused(
        "f(1, x, «(bit<8>)n»);",
        "expected something that can be written",
    );
    call_refused("f(1, x, «n»);", "needs an argument of exactly `bit<8>`");
    call_refused("f(«_», x, y);", "only of an `out` parameter");
    call_refused("k(«x»);", "must be known at compile time");
    call_accepted("k(5); f(1, x[7:0], y);");
}

#[test]
fn arguments_come_in_the_order_of_the_parameters() {
    let (_, body) = run(
        EXTERNS,
        "bit<8> p = 1; bit<8> q = 2;",
        "f(c = q, b = p, a = 3);",
    );
    let StmtKind::Call(call) = &body[0].kind else {
        panic!();
    };
    let names: Vec<_> = call
        .args
        .iter()
        .map(|arg| (arg.name.as_str(), arg.direction))
        .collect();
    assert_eq!(
        names,
        [
            ("a", Direction::In),
            ("b", Direction::Out),
            ("c", Direction::InOut)
        ]
    );
    assert!(matches!(&call.callee, Callee::ExternFunction { name, .. } if name == "f"));
}

#[test]
fn defaults_are_put_in() {
    let (program, body) = run(EXTERNS, "", "x = (bit<32>)d(9);");
    let StmtKind::Assign(_, value) = &body[0].kind else {
        panic!();
    };
    let ExprKind::Cast(inner) = &value.kind else {
        panic!("{value:?}");
    };
    let ExprKind::Call(call) = &inner.kind else {
        panic!();
    };
    assert_eq!(call.args.len(), 2);
    assert!(matches!(&call.args[1].expr.kind, ExprKind::Const(_)));
    assert_eq!(program.functions.len(), 1);
}

#[test]
fn an_optional_argument_that_is_left_out_is_a_dont_care() {
    let (_, body) = run(EXTERNS, "", "g(1);");
    let StmtKind::Call(call) = &body[0].kind else {
        panic!();
    };
    assert!(matches!(call.args[1].expr.kind, ExprKind::DontCare));
}

#[test]
fn results() {
    statement_refused("b = «sink(b)»;", "gives no value");
    statement_refused("«b»(1);", "cannot be called");
    statement_refused("«nope»(1);", "not declared");
    refused(
        "bit<8> «f»(in bool b) { if (b) { return 1; } }",
        "on every path",
    );
    refused("bit<8> f() { «return;» }", "must give a value");
    assert_eq!(errors("bit<8> f() { return true; }").len(), 1);
    refused("void f() { return «1»; }", "gives no value");
    refused("bit<8> f() { return «true»; }", "expected `bit<8>`");
    accepted("bit<8> f(in bool b) { if (b) { return 1; } else { return 2; } }");
}

#[test]
fn functions_do_not_call_themselves() {
    refused(
        "bit<8> f(in bit<8> a) { return «f»(a); }",
        "refers to itself",
    );
    refused(
        "bit<8> f() { return «g»(); } bit<8> g() { return 1; }",
        "used before its declaration",
    );
}

#[test]
fn overloads_differ_in_the_names_or_number_of_parameters() {
    accepted("extern void f(in bit<8> a); extern void f(in bit<8> b);");
    refused(
        "extern void f(in bit<8> a); extern void «f»(in bool a);",
        "already declared",
    );
    refused(
        "extern void f(in bit<8> a); extern void f(in bit<8> b); control c() { apply { «f(1)»; } }",
        "equally well",
    );
}

#[test]
fn overloads_differ_in_names_and_not_in_types() {
    let declarations = "enum bit<8> E { a = 1 }
        extern X { X(); void f(in bit<8> i, in E e); void f(in bit<8> i, @optional in bit<32> n); }";
    let body = |statement: &str| {
        format!("{declarations} control c(in bit<32> v) {{ X() x; apply {{ {statement} }} }}")
    };
    accepted(&body("x.f(1); x.f(i = 1, e = E.a); x.f(i = 1, n = v);"));
    for call in ["x.f(1, E.a)", "x.f(1, v)"] {
        refused(
            &body(&format!("«{call}»;")),
            "equally well: name the arguments",
        );
    }
}

#[test]
fn header_methods() {
    statement_accepted("t = h.isValid(); h.setValid(); h.setInvalid(); stack.push_front(1); stack.pop_front(2); t = u.isValid();");
    statement_refused("«ro».setValid();", "`ro` is an `in` parameter");
    statement_refused("s.«setValid»();", "`S` has no method `setValid`");
    statement_refused("h.setValid(«1»);", "takes no arguments");
    statement_refused("stack.push_front(«b»);", "known at compile time");
    statement_refused("stack.push_front(«-1»);", "cannot be negative");
    statement_refused("u.«setValid»();", "no method `setValid`");
    statement_refused("b = b.«nope»();", "no method `nope`");
}

#[test]
fn methods_of_the_core_library() {
    let parser = |statement: &str| {
        format!(
            "#include <core.p4>
            header H {{ bit<8> a; }} header V {{ varbit<8> v; }} struct S {{ bit<8> b; }}
            parser p(packet_in pkt, out H h, out V v, out S s) {{ state start {{ {statement} }} }}"
        )
    };
    accepted(&parser("pkt.extract(h); pkt.extract(v, 8); pkt.extract<H>(_); s.b = pkt.lookahead<bit<8>>(); pkt.advance(8);"));
    refused(&parser("pkt.extract(«s»);"), "needs a header, not `S`");
    refused(&parser("pkt.extract(«v»);"), "needs its size");
    refused(
        &parser("pkt.extract(«h», 8);"),
        "needs a header with a `varbit`",
    );
    refused(
        &parser("s.b = «pkt.lookahead()»;"),
        "cannot infer the type argument `T`",
    );
    refused(&parser("«pkt.lookahead<V>()»;"), "fixed size");
    refused(&parser("pkt.«nope»();"), "has no method `nope`");
    refused(
        "#include <core.p4>\ncontrol c(packet_out p, in bit<8> b) { apply { p.emit(«b»); } }",
        "needs headers, not `bit<8>`",
    );
    refused(
        "#include <core.p4>\ncontrol c() { apply { «verify(true, error.NoError)»; } }",
        "only in a parser",
    );
}

#[test]
fn methods_of_parameters_and_instances_are_told_apart() {
    let declarations = "extern X<T> { X(bit<8> n); void put<U>(in T t, in U u); }
        control Sub(X<bit<4>> p) { apply { p.put(1, 2w1); } }";
    let (program, _) = run(
        declarations,
        "X<bit<4>>(3) mine; Sub() sub;",
        "sub.apply(mine); mine.put(2, true);",
    );
    let sub = &program.controls[0];
    let StmtKind::Call(call) = &sub.body[0].kind else {
        panic!();
    };
    let Callee::ParamMethod { type_args, .. } = &call.callee else {
        panic!("{call:?}");
    };
    assert_eq!(type_args[..], [Type::Bit(2)]);
    let StmtKind::Call(call) = &program.controls[1].body[1].kind else {
        panic!();
    };
    assert!(
        matches!(&call.callee, Callee::ExternMethod { method, type_args, .. } if method == "put" && type_args[..] == [Type::Bool])
    );
    assert_eq!(program.externs[0].type_args, [Type::Bit(4)]);
}
