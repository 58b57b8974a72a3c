// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A parser: one state for each header, states for each stack, and ways from each to those behind it.

use std::fmt::Write;

use super::choices::Choices;
use super::control::Gress;
use super::scope::Ty;
use super::select::{key, small, transition};
use super::shape::{Shape, Stack};
use super::stack_states;
use super::states::States;

pub(super) struct Parser {
    /// The parsers that this one applies.
    pub outside: String,
    pub body: String,
}

pub(super) fn parser(c: &mut Choices<'_>, shape: &Shape, gress: Gress) -> Parser {
    let mut states = States::default();
    let mut outside = String::new();
    let sums = c.one_in(3);
    if sums {
        states.declarations.push_str("    Checksum() sum;\n");
    }
    // A unit does one of both.
    let method = *c.of(&["add", "subtract"]);
    start(c, &mut states, gress);
    let (headers, stacks) = (shape.headers.len(), shape.stacks.len());
    let state = |number: usize| match number.checked_sub(headers) {
        None => format!("p{number}"),
        Some(stack) if stack < stacks => format!("q{stack}"),
        _ => "accept".to_owned(),
    };
    for (number, fields) in shape.headers.iter().enumerate() {
        let path = format!("hdr.h{number}");
        let next = state(number + 1);
        let mut body = match c.one_in(4) {
            true => within(c, gress, (&mut outside, &mut states), number, fields),
            false => format!("        pkt.extract({path});\n"),
        };
        if sums && c.one_in(2) {
            let _ = writeln!(body, "        sum.{method}({path});");
        }
        if sums && number + 1 == headers {
            let result = match c.below(3) {
                0 => "md.flag = sum.verify();",
                1 if method == "subtract" => "sum.subtract_all_and_deposit(md.m16);",
                _ => "md.m16 = sum.get();",
            };
            let _ = writeln!(body, "        {result}");
        }
        body.push_str(&copied(c, &path, fields));
        let key = key(&path, fields);
        let to = ["accept", &next, &next, "reject"];
        let way = transition(c, &mut states, &key, &to, &next);
        states.add(&state(number), &body, &way);
    }
    for (number, stack) in shape.stacks.iter().enumerate() {
        let (first, next) = (state(headers + number), state(headers + number + 1));
        let path = format!("hdr.s{number}");
        if c.one_in(3) {
            let body = stack_within(c, gress, (&mut outside, &mut states), number, stack);
            states.add(&first, &body, &format!("transition {next};"));
        } else {
            stack_states::read(c, &mut states, (&path, stack), &first, &next);
        }
    }
    Parser {
        outside,
        body: states.source(),
    }
}

fn start(c: &mut Choices<'_>, states: &mut States, gress: Gress) {
    if gress == Gress::Egress {
        states.add(
            "start",
            "        pkt.extract(eg_intr_md);\n",
            "transition p0;",
        );
        return;
    }
    let port = match c.one_in(4) {
        true => "md.m32 = port_metadata_unpack<port_t>(pkt).zone;",
        false => "pkt.advance(PORT_METADATA_SIZE);",
    };
    states.add(
        "start",
        "        pkt.extract(ig_intr_md);\n",
        "transition select(ig_intr_md.resubmit_flag) { 0: fresh; default: again; }",
    );
    states.add("fresh", &format!("        {port}\n"), "transition p0;");
    states.add(
        "again",
        "        again_t again;\n        pkt.extract(again);\n        md.m16 = again.number;\n",
        "transition p0;",
    );
}

/// Copies of a header's field or of what comes next, or a step.
fn copied(c: &mut Choices<'_>, path: &str, fields: &[Ty]) -> String {
    let line = match (c.below(8), small(fields)) {
        (1 | 2, Some(field)) => format!("md.m32 = (bit<32>) {path}.f{field};"),
        (3, _) => "md.m16 = pkt.lookahead<bit<16>>();".to_owned(),
        (4, _) => "md.m16 = pkt.lookahead<mirror_t>().number;".to_owned(),
        (5, _) => format!("pkt.advance({});", c.of(&[8, 16, 64])),
        _ => return String::new(),
    };
    format!("        {line}\n")
}

/// Declares a parser and an instance of it; the statement that applies it.
fn applied(
    gress: Gress,
    (outside, states): (&mut String, &mut States),
    params: &str,
    args: &str,
    inner: &States,
) -> String {
    let name = states.name("sub");
    let kind = match gress {
        Gress::Ingress => format!("ingress_{name}"),
        Gress::Egress => format!("egress_{name}"),
    };
    let _ = write!(
        outside,
        "parser {kind}(packet_in pkt, {params}) {{\n{}}}\n",
        inner.source()
    );
    let _ = writeln!(states.declarations, "    {kind}() {name};");
    format!("        {name}.apply(pkt, {args});\n")
}

/// A header that a parser of its own reads, with values that go in and come back.
fn within(
    c: &mut Choices<'_>,
    gress: Gress,
    around: (&mut String, &mut States),
    number: usize,
    fields: &[Ty],
) -> String {
    let mut inner = States::default();
    let alone = c.one_in(2);
    let (path, param, arg) = match alone {
        true => {
            let direction = *c.of(&["out", "inout"]);
            (
                "h".to_owned(),
                format!("{direction} h{number}_t h"),
                format!("hdr.h{number}"),
            )
        }
        false => (
            format!("hdr.h{number}"),
            "inout headers_t hdr".to_owned(),
            "hdr".to_owned(),
        ),
    };
    let params = format!("{param}, in bit<32> given, out bit<8> found, inout bit<10> kept");
    let args = format!("{arg}, md.m32, md.m8, md.m10");
    let start = format!("        found = 1;\n        pkt.extract({path});\n");
    let key = match c.one_in(4) {
        true => ("given".to_owned(), 32),
        false => key(&path, fields),
    };
    let way = transition(
        c,
        &mut inner,
        &key,
        &["more", "accept", "more", "reject"],
        "more",
    );
    inner.add("start", &start, &way);
    let more = match c.below(4) {
        0 => "found = given[7:0];",
        1 => "found = pkt.lookahead<bit<8>>();",
        2 => "kept = given[17:8];",
        _ => "pkt.advance(8);",
    };
    inner.add("more", &format!("        {more}\n"), "transition accept;");
    applied(gress, around, &params, &args, &inner)
}

/// A stack that a parser of its own reads.
fn stack_within(
    c: &mut Choices<'_>,
    gress: Gress,
    around: (&mut String, &mut States),
    number: usize,
    stack: &Stack,
) -> String {
    let mut inner = States::default();
    inner.add("start", "", "transition first;");
    let size = stack.size;
    let (path, param, arg) = match c.one_in(2) {
        true => (
            "s".to_owned(),
            format!("inout s{number}_t[{size}] s"),
            format!("hdr.s{number}"),
        ),
        false => (
            format!("hdr.s{number}"),
            "inout headers_t hdr".to_owned(),
            "hdr".to_owned(),
        ),
    };
    stack_states::read(c, &mut inner, (&path, stack), "first", "accept");
    let params = format!("{param}, inout metadata_t md");
    applied(gress, around, &params, &format!("{arg}, md"), &inner)
}
