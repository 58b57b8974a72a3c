// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The transitions of a parser's state: cases by values, masks, ranges and value sets.

use std::fmt::Write;

use super::choices::Choices;
use super::scope::Ty;
use super::states::States;

/// An expression that a parser can compare, and its bits.
pub(super) type Key = (String, u32);

/// A field that a parser can compare.
pub(super) fn small(fields: &[Ty]) -> Option<usize> {
    fields
        .iter()
        .position(|ty| matches!(ty, Ty::Bit(bits) if *bits <= 32))
}

/// Such a field of the header at the path, or what comes next.
pub(super) fn key(path: &str, fields: &[Ty]) -> Key {
    match small(fields) {
        Some(field) => (format!("{path}.f{field}"), fields[field].bits()),
        None => ("pkt.lookahead<bit<8>>()".to_owned(), 8),
    }
}

/// Cases lead to one of `to`; what no case fits leads to `default`, or is an error where a case leads there.
pub(super) fn transition(
    c: &mut Choices<'_>,
    states: &mut States,
    (key, bits): &Key,
    to: &[&str],
    default: &str,
) -> String {
    let cases = c.below(4);
    if cases == 0 {
        return format!("transition {default};");
    }
    let two = c.one_in(3);
    let mut reached = false;
    let mut out = match two {
        true => format!("transition select({key}, pkt.lookahead<bit<8>>()) {{\n"),
        false => format!("transition select({key}) {{\n"),
    };
    for _ in 0..cases {
        let to = *c.of(to);
        reached |= to == default;
        let first = match c.one_in(6) {
            true => states.object(&format!("value_set<bit<{bits}>>(4)"), "values"),
            false => keyset(c, *bits),
        };
        let _ = match two {
            true => writeln!(out, "            ({first}, {}): {to};", keyset(c, 8)),
            false => writeln!(out, "            {first}: {to};"),
        };
    }
    // A loop has a way out.
    if !(reached && c.one_in(8)) {
        let _ = writeln!(out, "            default: {default};");
    }
    out.push_str("        }");
    out
}

fn keyset(c: &mut Choices<'_>, bits: u32) -> String {
    let value = c.number(bits);
    match c.below(4) {
        0 => format!("{bits}w{value}"),
        1 => format!("{bits}w{value} &&& {bits}w{}", c.number(bits)),
        2 => {
            let other = c.number(bits);
            format!("{bits}w{}..{bits}w{}", value.min(other), value.max(other))
        }
        _ => format!("{bits}w{value} &&& {bits}w1"),
    }
}
