// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Small programs, and the result of checking them. In programs that are refused, `«` and `»` enclose the place
//! that the first error must name.

mod calls;
mod constants;
mod controls;
mod declarations;
mod evaluation;
mod expressions;
mod generics;
mod parsers;
mod statements;
mod tables;
mod types;

use std::path::Path;

use crate::ir::{self, ExprKind, Stmt, StmtKind, Value};
use crate::{load_text, Options, Severity};

/// Makes a program of declarations.
const MAIN: &str = "
control Empty_(); package Package_(Empty_ e);
control empty_() { apply { } }
Package_(empty_()) main;
";

fn errors(text: &str) -> Vec<(u32, u32, String)> {
    match load_text(Path::new("test.p4"), text, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(failure) => failure
            .diagnostics
            .into_iter()
            .filter(|found| found.severity == Severity::Error)
            .map(|found| {
                let span = found.span.unwrap_or_default();
                (span.start, span.end, found.message)
            })
            .collect(),
    }
}

/// A whole program that is correct.
#[track_caller]
fn program(text: &str) -> ir::Program {
    match load_text(Path::new("test.p4"), text, &Options::default()) {
        Ok(loaded) => loaded.program,
        Err(failure) => {
            let shown: Vec<_> = failure
                .diagnostics
                .iter()
                .map(|found| found.render(&failure.sources))
                .collect();
            panic!("refused:\n{}", shown.join("\n"));
        }
    }
}

/// Declarations that are correct.
#[track_caller]
fn accepted(declarations: &str) -> ir::Program {
    program(&format!("{declarations}{MAIN}"))
}

/// Declarations with an error at the place marked, whose message has `message` in it.
#[track_caller]
fn refused(declarations: &str, message: &str) {
    let start = declarations.find('«').expect("the place is marked") as u32;
    let end = (declarations.find('»').expect("the place is marked") - '«'.len_utf8()) as u32;
    let text = format!("{}{MAIN}", declarations.replace(['«', '»'], ""));
    let found = errors(&text);
    let Some((found_start, found_end, found_message)) = found.first() else {
        panic!("accepted: {declarations}");
    };
    assert!(
        found_message.contains(message),
        "expected an error with {message:?}, found {found:?}"
    );
    assert_eq!(
        (*found_start, *found_end),
        (start, end),
        "place of {found_message:?} in {declarations}: {:?}",
        text.get(*found_start as usize..*found_end as usize)
    );
}

/// A control with variables of several types, around `statements`.
fn in_control(statements: &str) -> String {
    format!(
        "#include <core.p4>
        header H {{ bit<8> f; bit<16> g; }}
        header V {{ varbit<32> v; }}
        header_union U {{ H h; V v; }}
        struct S {{ bit<8> a; bit<16> b; }}
        enum E {{ one, two }}
        enum bit<8> N {{ three = 3, four = 4 }}
        type bit<8> T;
        extern void sink<X>(in X x);
        control c(inout H h, in H ro, inout H[4] stack, inout U u, inout S s) {{
            bit<8> b; bit<16> w; int<8> i; bool t; E e; N n; T nt; error err;
            apply {{ {statements} }}
        }}"
    )
}

#[track_caller]
fn statement_refused(statements: &str, message: &str) {
    refused(&in_control(statements), message);
}

#[track_caller]
fn statement_accepted(statements: &str) {
    accepted(&in_control(statements));
}

/// The body of the control that `main` runs, with `declarations` before it and `locals` in it.
#[track_caller]
fn run(declarations: &str, locals: &str, statements: &str) -> (ir::Program, Vec<Stmt>) {
    let program = program(&format!(
        "#include <core.p4>
        {declarations}
        control Run(inout bit<32> x); package Main(Run r);
        control run(inout bit<32> x) {{ {locals} apply {{ {statements} }} }}
        Main(run()) main;"
    ));
    let control = program
        .controls
        .iter()
        .find(|control| control.name == "run");
    let body = control.expect("main runs it").body.clone();
    (program, body)
}

/// The constant that the only assignment in `run` assigns.
#[track_caller]
fn folded(declarations: &str, expression: &str) -> Value {
    let (_, body) = run(declarations, "", &format!("x = {expression};"));
    match &body[..] {
        [Stmt {
            kind: StmtKind::Assign(_, value),
            ..
        }] => match &value.kind {
            ExprKind::Const(value) => value.clone(),
            other => panic!("not folded: {other:?}"),
        },
        other => panic!("not one assignment: {other:?}"),
    }
}

#[track_caller]
fn folded_int(declarations: &str, expression: &str) -> i64 {
    match folded(declarations, expression) {
        Value::Int(value) => i64::try_from(value).expect("a small number"),
        other => panic!("not a number: {other:?}"),
    }
}

#[test]
fn every_construct_is_accepted() {
    program(include_str!("everything.p4"));
}
