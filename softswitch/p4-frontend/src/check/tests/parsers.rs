// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::{accepted, program, refused};
use crate::ir::{KeySet, Program, Target, Transition};

fn with_states(states: &str) -> String {
    format!(
        "header H {{ bit<8> a; bit<16> b; }} enum bit<8> N {{ x = 1, y = 2 }} struct P {{ bit<8> a; bit<16> b; }}
        parser p(in H h, in N n, in varbit<8> v) {{ value_set<bit<8>>(4) set; value_set<P>(4) pairs; {states} }}"
    )
}

fn ran(states: &str) -> Program {
    program(&format!(
        "parser P_(in bit<8> a, in bit<16> b); package Top(P_ p);
        parser p(in bit<8> a, in bit<16> b) {{ value_set<bit<8>>(4) set; {states} }}
        Top(p()) main;"
    ))
}

#[test]
fn start_comes_first_and_no_transition_is_reject() {
    let program = ran("state other { } @name(\"first\") state start { transition other; }");
    let states = &program.parsers[0].states;
    assert_eq!(
        (states[0].name.as_str(), states[1].name.as_str()),
        ("first", "other")
    );
    assert!(matches!(
        states[0].transition,
        Transition::To(Target::State(1))
    ));
    assert!(matches!(
        states[1].transition,
        Transition::To(Target::Reject)
    ));
}

#[test]
fn states_are_declared_once_and_exist() {
    refused(
        "parser «p»() { state other { transition accept; } }",
        "no state `start`",
    );
    refused(
        &with_states("state start { } state «start» { }"),
        "two states `start`",
    );
    refused(
        &with_states("state start { } state «accept» { }"),
        "built in",
    );
    refused(
        &with_states("state start { transition «nowhere»; }"),
        "no state `nowhere`",
    );
    refused(
        &with_states("state start { } state «set» { }"),
        "already declared",
    );
}

#[test]
fn cases_of_select() {
    let program = ran("state start { transition select(a, b) {
            (1, 2): accept; (1 &&& 3, 4 .. 6): reject; (_, 7): accept; default: reject; } }");
    let Transition::Select { keys, cases } = &program.parsers[0].states[0].transition else {
        panic!();
    };
    assert_eq!((keys.len(), cases.len()), (2, 4));
    assert!(matches!(
        cases[0].0[..],
        [KeySet::Value(_), KeySet::Value(_)]
    ));
    assert!(matches!(
        cases[1].0[..],
        [KeySet::Mask(..), KeySet::Range(..)]
    ));
    assert!(matches!(
        cases[2].0[..],
        [KeySet::DontCare, KeySet::Value(_)]
    ));
    assert!(matches!(cases[3], (ref sets, Target::Reject) if sets.len() == 2));
    let KeySet::Value(value) = &cases[0].0[1] else {
        panic!();
    };
    assert_eq!(value.ty, crate::ir::Type::Bit(16));
}

#[test]
fn nested_lists_of_keys_are_flattened() {
    let program = ran(
        "state start { transition select(a, {b, a}) { (1, {2, 3}): accept; (_, _): reject; } }",
    );
    let Transition::Select { keys, cases } = &program.parsers[0].states[0].transition else {
        panic!();
    };
    assert_eq!(keys.len(), 3);
    assert!(cases.iter().all(|(sets, _)| sets.len() == 3));
}

#[test]
fn value_sets() {
    accepted(&with_states(
        "state start { transition select(h.a) { set: accept; } }",
    ));
    accepted(&with_states(
        "state start { transition select(h.a, h.b) { pairs: accept; } }",
    ));
    accepted(&with_states(
        "state start { transition select(h.a, h.b) { (set, 1): accept; } }",
    ));
    refused(
        &with_states("state start { transition select(h.b) { «set»: accept; } }"),
        "the value set holds `bit<8>`",
    );
    refused(
        "parser p() { value_set<bit<8>>(«true») s; state start { } }",
        "must be an integer",
    );
    let program = ran("state start { transition select(a) { set: accept; } }");
    assert_eq!(
        (
            program.value_sets[0].name.as_str(),
            program.value_sets[0].size
        ),
        ("p.set", 4)
    );
}

#[test]
fn key_sets_have_the_types_of_the_keys() {
    accepted(&with_states(
        "state start { transition select(n) { N.x: accept; N.x &&& 1: reject; } }",
    ));
    refused(
        &with_states("state start { transition select(h.a) { «true»: accept; } }"),
        "expected `bit<8>`",
    );
    refused(
        &with_states("state start { transition select(h.a, h.b) { «(1, 2, 3): accept;» } }"),
        "2 keys, but the case has 3",
    );
    refused(
        &with_states("state start { transition select(«v») { _: accept; } }"),
        "not defined for `varbit<8>`",
    );
    refused(
        &with_states("state start { transition select(h.a == 1) { «true &&& false»: accept; } }"),
        "`&&&` is not defined",
    );
    accepted(&with_states(
        "state start { transition select(h.a) { h.a: accept; h.a &&& 1: accept; 1 .. h.a: reject; } }",
    ));
}

#[test]
fn stack_members_are_for_parsers() {
    accepted(
        "#include <core.p4>
        header H { bit<8> a; }
        parser p(packet_in pkt, inout H[3] s, out bit<32> n) {
            state start { pkt.extract(s.next); n = s.lastIndex; transition select(s.last.a) { 1: start; _: accept; } }
        }",
    );
}

#[test]
fn sub_parsers() {
    let program = program(
        "parser P_(inout bit<8> a); package Top(P_ p);
        parser inner(inout bit<8> x)(bit<8> n) { state start { x = x + n; transition accept; } }
        parser outer(inout bit<8> a) { inner(3) i; state start { i.apply(a); i.apply(a); transition accept; } }
        Top(outer()) main;",
    );
    let names: Vec<_> = program
        .parsers
        .iter()
        .map(|parser| parser.name.as_str())
        .collect();
    assert_eq!(names, ["outer.i", "outer"]);
    refused(
        "control c() { apply { } } parser p() { «c»() i; state start { } }",
        "a control cannot be instantiated in a parser",
    );
    refused(
        "parser q() { state start { } } control c() { «q»() i; apply { } }",
        "a parser cannot be instantiated in a control",
    );
}

#[test]
fn a_parser_must_be_able_to_end() {
    refused(
        "parser «p»() { state start { transition start; } state unreached { transition accept; } }",
        "never reaches `accept` or `reject`",
    );
}
