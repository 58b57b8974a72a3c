// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, refused, run};
use crate::ast::Direction;
use crate::ir::VarKind;

#[test]
fn parameters_of_actions() {
    accepted("control c() { action a(in bit<8> p, inout bool q, bit<4> r) { } apply { } }");
    refused(
        "control c() { action a(bit<4> r, «in bit<8> p») { } apply { } }",
        "must stand before those without",
    );
    refused(
        "control c() { action a(«int» r) { } apply { } }",
        "a parameter of an action cannot",
    );
    refused(
        "control c() { action a(bit<4> r) { «r» = 1; } apply { } }",
        "without direction",
    );
    refused(
        "control c(in bit<8> a, bool «a») { apply { } }",
        "two parameters `a`",
    );
}

#[test]
fn an_action_call_takes_run_time_values_for_all_parameters() {
    let (program, _) = run(
        "",
        "action a(inout bit<32> p, bit<32> q) { p = q; }",
        "a(x, x + 1);",
    );
    let action = &program.actions[0];
    assert_eq!(action.name, "run.a");
    let kinds: Vec<_> = action
        .params
        .iter()
        .map(|var| program.vars[var.index()].kind)
        .collect();
    assert_eq!(
        kinds,
        [
            VarKind::Param(Direction::InOut),
            VarKind::Param(Direction::None)
        ]
    );
}

#[test]
fn parameters_of_controls() {
    refused(
        "extern X { X(); } control c(«in X x») { apply { } }",
        "cannot have a direction",
    );
    refused(
        "control d() { apply { } } control c(«d» x) { apply { } }",
        "a parameter cannot have the type `d`",
    );
    refused(
        "control c(«in string s») { apply { } }",
        "cannot have a direction",
    );
    refused(
        "control c()(«in bit<8> n») { apply { } }",
        "constructor parameter `n` cannot have a direction",
    );
    refused(
        "control c(out bit<8> x = «3») { apply { } }",
        "cannot have a default",
    );
    refused(
        "control d() { apply { } } control c()(«d» x) { apply { } }",
        "a parameter cannot have the type `d`",
    );
}

#[test]
fn each_instance_is_elaborated_with_its_arguments() {
    let (program, _) = run(
        "control Add(inout bit<32> v)(bit<32> n) { apply { v = v + n; } }",
        "Add(3) three; Add(n = 4) four;",
        "three.apply(x); four.apply(x); three.apply(x);",
    );
    let names: Vec<_> = program
        .controls
        .iter()
        .map(|control| control.name.as_str())
        .collect();
    assert_eq!(names, ["run.three", "run.four", "run"]);
    assert_ne!(program.controls[0].params, program.controls[1].params);
    let shown = format!("{:?}", program.controls[1].body);
    assert!(shown.contains("Int(4)"), "{shown}");
}

#[test]
fn control_and_extern_arguments_of_constructors() {
    let (program, _) = run(
        "extern reg { reg(bit<8> n); bit<32> get(); }
         control Inner(inout bit<32> v); 
         control Leaf(inout bit<32> v) { apply { v = 1; } }
         control Outer(inout bit<32> v)(Inner i, reg r) { apply { i.apply(v); v = r.get(); } }",
        "reg(5) shared; Outer(Leaf(), shared) o;",
        "o.apply(x);",
    );
    let names: Vec<_> = program
        .controls
        .iter()
        .map(|control| control.type_name.as_str())
        .collect();
    assert_eq!(names, ["Leaf", "Outer", "run"]);
    assert_eq!(program.externs.len(), 1);
}

#[test]
fn direct_application_makes_an_instance() {
    let (program, _) = run(
        "control Sub(inout bit<32> v) { apply { v = 1; } }",
        "",
        "Sub.apply(x); Sub.apply(x);",
    );
    let names: Vec<_> = program
        .controls
        .iter()
        .map(|control| control.name.as_str())
        .collect();
    assert_eq!(names, ["run.Sub", "run.Sub", "run"]);
    refused(
        "extern X { X(); } control c() { apply { «X.apply();» } }",
        "neither a parser nor a control",
    );
}

#[test]
fn where_controls_are_applied() {
    let sub = "control Sub() { apply { } }";
    refused(
        &format!("{sub} control c() {{ Sub() s; action a() {{ «s.apply()»; }} apply {{ }} }}"),
        "cannot be applied in an action",
    );
    refused(
        &format!("{sub} control c() {{ Sub() s; apply {{ s.apply(«1»); }} }}"),
        "takes 0 arguments, not 1",
    );
    refused(
        &format!("{sub} control c() {{ Sub() s; apply {{ s.«run»(); }} }}"),
        "has no method `run`",
    );
    refused(
        &format!("{sub} control c() {{ action a() {{ «Sub.apply();» }} apply {{ }} }}"),
        "instantiated in an action",
    );
}

#[test]
fn a_control_does_not_contain_itself() {
    refused("control c() { «c»() inner; apply { } }", "refers to itself");
    refused(
        "control c() { action a() { «a»(); } apply { } }",
        "not declared",
    );
    refused(
        "control c() { action a() { «b»(); } action b() { } apply { } }",
        "not declared",
    );
}

#[test]
fn declarations_are_distinct() {
    refused(
        "control c() { bit<8> x; action «x»() { } apply { } }",
        "already declared in this scope",
    );
    refused(
        "control c() { apply { } } control «c»() { apply { } }",
        "already declared",
    );
    refused(
        "const bit<8> x = 1; const bool «x» = true;",
        "already declared",
    );
}
