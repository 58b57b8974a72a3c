// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! States that read a stack: as far as its elements say, as far as what comes next says, as often as a counter says, or
//! elements by their numbers.

use std::fmt::Write;

use super::choices::Choices;
use super::select::{key, small, transition};
use super::shape::Stack;
use super::states::States;

/// From the state `first` to the state `next`.
pub(super) fn read(
    c: &mut Choices<'_>,
    states: &mut States,
    (path, stack): (&str, &Stack),
    first: &str,
    next: &str,
) {
    let element = format!("        pkt.extract({path}.next);\n");
    match c.below(4) {
        0 => {
            let after = last(c, path, stack);
            let key = key(&format!("{path}.last"), &stack.fields);
            let way = transition(c, states, &key, &[first, next, first, next, "reject"], next);
            states.add(first, &(element + &after), &way);
        }
        1 => {
            let one = states.name("element");
            let key = ("pkt.lookahead<bit<8>>()".to_owned(), 8);
            let way = transition(c, states, &key, &[&one, &one, next], next);
            states.add(first, "", &way);
            let after = last(c, path, stack);
            states.add(&one, &(element + &after), &format!("transition {first};"));
        }
        2 => counted(c, states, (path, stack), first, next),
        _ => {
            let mut some = String::new();
            for number in 0..stack.size {
                if !c.one_in(4) {
                    let _ = writeln!(some, "        pkt.extract({path}[{number}]);");
                }
            }
            if c.one_in(4) {
                some.push_str(&element);
            }
            let key = key(&format!("{path}[0]"), &stack.fields);
            let way = transition(c, states, &key, &["accept", next], next);
            states.add(first, &some, &way);
        }
    }
}

/// Something from the element that was read last.
fn last(c: &mut Choices<'_>, path: &str, stack: &Stack) -> String {
    match small(&stack.fields) {
        Some(field) if c.one_in(2) => {
            format!("        md.m32 = (bit<32>) {path}.last.f{field};\n")
        }
        _ => String::new(),
    }
}

fn counted(
    c: &mut Choices<'_>,
    states: &mut States,
    (path, stack): (&str, &Stack),
    first: &str,
    next: &str,
) {
    let counter = states.object("ParserCounter()", "counter");
    let (more, one) = (states.name("more"), states.name("element"));
    let start = match c.below(3) {
        0 => format!("8w{}", c.below(stack.size + 2)),
        1 => format!(
            "pkt.lookahead<bit<8>>(), {}, {}, {}, {}",
            stack.size + c.below(2),
            c.below(8),
            c.below(8),
            c.below(3)
        ),
        _ => "md.m8".to_owned(),
    };
    let set = format!("        {counter}.set({start});\n");
    states.add(first, &set, &format!("transition {more};"));
    let asked = *c.of(&["is_zero", "is_negative"]);
    let done = format!("transition select({counter}.{asked}()) {{ true: {next}; false: {one}; }}");
    states.add(&more, "", &done);
    let step = *c.of(&["decrement(1)", "decrement(2)", "increment(255)"]);
    let body = format!("        pkt.extract({path}.next);\n        {counter}.{step};\n");
    states.add(&one, &body, &format!("transition {more};"));
}
