// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{run, statement_accepted, statement_refused};
use crate::ast::BinaryOp;
use crate::ir::{Expr, ExprKind, Stmt, StmtKind, Type};

fn assigned(statements: &[Stmt]) -> &Expr {
    match &statements.last().unwrap().kind {
        StmtKind::Assign(_, value) => value,
        other => panic!("not an assignment: {other:?}"),
    }
}

#[test]
fn literals_take_the_type_of_the_other_operand() {
    let (_, body) = run("", "", "x = x + 1;");
    let ExprKind::Binary(BinaryOp::Add, left, right) = &assigned(&body).kind else {
        panic!();
    };
    assert_eq!((&left.ty, &right.ty), (&Type::Bit(32), &Type::Bit(32)));
}

#[test]
fn serializable_enums_become_numbers_by_a_cast() {
    let (_, body) = run("enum bit<32> E { a = 1 }", "E e = E.a;", "x = e;");
    assert!(
        matches!(&assigned(&body).kind, ExprKind::Cast(inner) if matches!(inner.ty, Type::Named(_)))
    );
}

#[test]
fn operands_must_agree() {
    statement_refused(
        "b = «b + w»;",
        "`+` is not defined for `bit<8>` and `bit<16>`",
    );
    statement_refused(
        "b = «b + i»;",
        "`+` is not defined for `bit<8>` and `int<8>`",
    );
    statement_refused("t = «b && t»;", "`&&` is not defined");
    statement_refused("t = «t < t»;", "`<` is not defined for `bool` and `bool`");
    statement_refused("b = «!b»;", "`!` is not defined for `bit<8>`");
    statement_refused("t = «~t»;", "`~` is not defined for `bool`");
    statement_refused("b = «b |+| w»;", "`|+|` is not defined");
    statement_refused(
        "t = «5 |+| 6» > 3;",
        "`|+|` is not defined for `int` and `int`",
    );
    statement_refused("w = «b ++ t»;", "`++` is not defined");
}

#[test]
fn equality() {
    statement_accepted(
        "t = h == ro; t = s == s; t = stack == stack; t = s == {1, 2}; t = h == {#};",
    );
    statement_accepted("t = e == E.one; t = err == error.NoError; t = n == N.three; t = n == 3; t = {1, b} == {b, 2};");
    statement_refused("t = «b == w»;", "cannot be compared");
    statement_refused("t = «e == 1»;", "cannot be compared");
    statement_refused("t = «h == s»;", "cannot be compared");
    statement_refused("t = «{#} == {#}»;", "cannot be compared");
}

#[test]
fn explicit_casts() {
    statement_accepted("b = (bit<8>)w; b = (bit<8>)i; i = (int<8>)b; t = (bool)1w1; t = (bool)1; nt = (T)b; b = (bit<8>)nt; n = (N)5; b = (bit<8>)n; n = (N)b;");
    statement_refused("i = «(int<8>)w»;", "cannot cast");
    statement_refused("t = «(bool)b»;", "cannot cast `bit<8>` to `bool`");
    statement_refused("t = (bool)«2»;", "only 0 and 1");
    statement_refused("nt = «(T)w»;", "cannot cast");
    statement_refused("e = «(E)1»;", "cannot cast");
    statement_refused("s = «(S)b»;", "cannot cast");
}

#[test]
fn no_implicit_casts_beyond_the_specification() {
    statement_refused("b = «w»;", "expected `bit<8>`, found `bit<16>`");
    statement_refused("b = «i»;", "expected `bit<8>`, found `int<8>`");
    statement_refused("b = «t»;", "expected `bit<8>`, found `bool`");
    statement_refused("b = «nt»;", "expected `bit<8>`, found `T`");
    statement_refused("n = «3»;", "expected `N`, found `int`");
    statement_refused("t = «1»;", "expected `bool`, found `int`");
}

#[test]
fn lists_and_records() {
    statement_accepted("s = {1, 2}; s = {b = 1, a = 2}; s = {1, ...}; s = {a = 1, ...}; s = ...; h = {1, 2}; h = {#}; u = {#};");
    statement_refused("s = «{1}»;", "2 elements, but the list has 1");
    for list in [
        "{«N.three», 1}",
        "{a = «n», b = 1}",
        "(S) {«t ? N.three : n», 1}",
    ] {
        statement_refused(&format!("s = {list};"), "write `(bit<8>)`");
    }
    statement_refused("sink<H>({«n», 1});", "write `(bit<8>)`");
    statement_accepted("s = {(bit<8>) n, 1}; tuple<bit<8>, bit<16>> pair = {n, 1}; b = n;");
    statement_refused("s = «{1, 2, 3}»;", "2 elements, but the list has 3");
    statement_refused("s = {1, «t»};", "expected `bit<16>`, found `bool`");
    statement_refused("s = «{a = 1}»;", "field `b` of `S` has no value");
    statement_refused("s = {a = 1, «c» = 2};", "`S` has no field `c`");
    statement_refused("s = {a = 1, «a» = 2};", "given twice");
    statement_refused("b = «{1}»;", "expected `bit<8>`");
    statement_refused("s = «{#}»;", "expected `S`, found `{#}`");
    statement_refused(
        "tuple<bit<8>, bool> q = {1, true}; s = «q»;",
        "expected `S`",
    );
}

#[test]
fn record_fields_are_put_in_order() {
    let (_, body) = run(
        "struct S { bit<8> a; bit<16> b; }",
        "S s = {0, 0};",
        "s = {b = 1, a = 2};",
    );
    let ExprKind::Aggregate(items) = &assigned(&body).kind else {
        panic!();
    };
    assert_eq!(
        (&items[0].ty, &items[1].ty),
        (&Type::Bit(8), &Type::Bit(16))
    );
}

#[test]
fn members() {
    statement_refused("b = h.«nope»;", "`H` has no member `nope`");
    statement_refused("e = E.«nope»;", "`E` has no member `nope`");
    statement_refused("err = error.«Nope»;", "no member `Nope`");
    statement_refused("b = b.«f»;", "`bit<8>` has no member `f`");
    statement_refused("h = stack.«next»;", "only in a parser");
    statement_refused("b = «nope»;", "`nope` is not declared");
    statement_accepted("t = stack.size == 32w4;");
}

#[test]
fn indices_and_slices() {
    statement_accepted(
        "h = stack[b]; h = stack[3]; b = w[7:0]; b = w[15:8]; w[7:0] = 1; b = w[b+:8];",
    );
    statement_refused("h = stack[«4»];", "is outside");
    statement_refused("h = stack[«-1»];", "is outside");
    statement_refused("h = stack[«t»];", "must be an integer");
    statement_refused("b = «b[0]»;", "cannot be indexed");
    statement_refused("b = b[«8»:1];", "bit 8 is outside of `bit<8>`");
    statement_refused("t = «b[1:2]» == 0;", "is empty");
    statement_refused("t = «s»[1:0] == 0;", "no bit slices");
    statement_refused("tuple<bit<8>> q = {1}; b = q[«1»];", "outside of the tuple");
    statement_refused(
        "tuple<bit<8>> q = {1}; b = q[«b»];",
        "known at compile time",
    );
}

#[test]
fn ternary() {
    statement_accepted("b = t ? 1 : b; b = t ? b : 2; h = t ? ro : {#}; b = t ? 1 : 2;");
    statement_refused("b = «b» ? 1 : b;", "expected `bool`, found `bit<8>`");
    statement_refused("b = «t ? b : w»;", "differ in type");
}
