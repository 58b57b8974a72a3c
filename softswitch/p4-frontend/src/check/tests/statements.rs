// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, refused, run, statement_accepted, statement_refused};
use crate::ast::BinaryOp;
use crate::ir::{ExprKind, StmtKind, Type, VarKind};

#[test]
fn targets_of_assignments() {
    statement_accepted("h.f = 1; stack[1].f = 2; s.a[3:0] = 5; h = ro; stack[b] = h; b = b;");
    statement_refused("«ro.f» = 1;", "`ro` is an `in` parameter");
    statement_refused("«w[b+:2]» = 1;", "known only at run time");
    statement_refused(
        "const bit<8> k = 1; «k» = 2;",
        "expected something that can be written",
    );
    statement_refused(
        "«stack.size» = 1;",
        "expected something that can be written",
    );
}

#[test]
fn operator_assignments_are_written_out() {
    let (_, body) = run("", "", "x |+|= 3;");
    let StmtKind::Assign(_, value) = &body[0].kind else {
        panic!();
    };
    assert!(matches!(
        &value.kind,
        ExprKind::Binary(BinaryOp::AddSat, ..)
    ));
    statement_refused("«t += true;»", "`+` is not defined");
}

#[test]
fn constant_conditions_are_pruned() {
    let (_, body) = run(
        "const bool debug = false;",
        "",
        "if (debug) { x = 1; } else { x = 2; }",
    );
    assert!(matches!(&body[0].kind, StmtKind::Block(inner) if inner.len() == 1));
    statement_refused("if («b») { }", "expected `bool`");
}

#[test]
fn scopes_nest() {
    statement_accepted("{ bit<8> q = 1; b = q; } { bool q = true; t = q; }");
    statement_refused("{ bit<8> q = 1; } b = «q»;", "not declared");
    statement_refused("bit<8> q; bool «q»;", "already declared");
    statement_refused("bit<8> q = «q»;", "not declared");
    statement_refused("bit<8> «s»;", "hides a parameter");
}

#[test]
fn variables_have_run_time_types() {
    statement_refused("«int» q;", "known only at compile time");
    statement_refused("«string» q;", "known only at compile time");
    statement_refused("«void» q;", "cannot have the type `void`");
}

#[test]
fn return_and_exit() {
    statement_accepted("if (t) { return; } exit;");
    statement_refused("return «1»;", "gives no value");
    refused(
        "void f() { «exit;» }",
        "`exit` cannot be used in a function",
    );
    refused(
        "parser p() { state start { «return»; transition accept; } }",
        "return",
    );
}

#[test]
fn switch_on_values() {
    let (_, body) = run(
        "enum E { one, two, three }",
        "E e = E.one;",
        "switch (e) { E.one: E.two: { x = 1; } default: { x = 2; } }",
    );
    let StmtKind::SwitchValue { cases, .. } = &body[0].kind else {
        panic!();
    };
    assert_eq!(
        cases
            .iter()
            .map(|case| case.labels.len())
            .collect::<Vec<_>>(),
        [2, 0]
    );
    statement_refused("switch (b) { 1: { } «1»: { } }", "there twice");
    statement_refused("switch (b) { «true»: { } }", "expected `bit<8>`");
    statement_refused("switch (b) { «w»: { } }", "expected `bit<8>`");
    statement_refused(
        "switch («s») { default: { } }",
        "`switch` is not defined for `S`",
    );
    statement_refused(
        "switch (b) { «default: { }» 1: { } }",
        "`default` must be the last",
    );
}

#[test]
fn loops_need_their_place() {
    statement_refused("«break;»", "only in a loop");
    statement_refused("«continue;»", "only in a loop");
    statement_accepted("for (bit<8> k = 0; k < 4; k = k + 1) { if (k == b) { break; } continue; }");
    statement_refused("for (bit<8> k = 0; «k»; k = k + 1) { }", "expected `bool`");
}

#[test]
fn a_range_is_counted_with_a_bit_more() {
    let (program, body) = run("", "", "for (bit<8> k in 250 .. 255) { x = (bit<32>)k; }");
    let StmtKind::Block(parts) = &body[0].kind else {
        panic!();
    };
    let StmtKind::For {
        init,
        condition,
        body,
        ..
    } = &parts.last().unwrap().kind
    else {
        panic!();
    };
    let StmtKind::Declare(counter, _) = &init[0].kind else {
        panic!();
    };
    assert_eq!(program.vars[counter.index()].ty, Type::Bit(9));
    assert_eq!(program.vars[counter.index()].kind, VarKind::Local);
    assert!(matches!(condition.kind, ExprKind::Binary(BinaryOp::Le, ..)));
    assert!(matches!(body[0].kind, StmtKind::Assign(..)));
}

#[test]
fn loops_over_stacks_and_lists() {
    statement_accepted(
        "for (H e in stack) { b = b + e.f; } for (bit<8> k in (list<bit<8>>){1, b, 3}) { b = k; }",
    );
    statement_refused("for (bit<8> k in «s») { }", "not over `S`");
    statement_refused("«for (bit<8> k in stack) { }»", "must have the type `H`");
}

#[test]
fn calls_as_statements() {
    statement_accepted("h.isValid();");
    refused(
        "action a(bit<8> x) { } parser p() { state start { «a(1)»; } }",
        "cannot be called in a parser state",
    );
    accepted("action a(bit<8> x) { } control c() { apply { a(1); } }");
}
