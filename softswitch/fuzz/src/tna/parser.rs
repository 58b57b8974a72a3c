// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A parser: one state for each header, and ways from each to those behind it.

use std::fmt::Write;

use super::choices::Choices;
use super::control::Gress;
use super::scope::Ty;
use super::shape::Shape;

/// The states and what stands before them.
pub(super) fn parser(c: &mut Choices<'_>, shape: &Shape, gress: Gress) -> String {
    let sums = c.one_in(3);
    let mut out = String::new();
    if sums {
        out.push_str("    Checksum() sum;\n");
    }
    // A unit does one of both.
    let method = *c.of(&["add", "subtract"]);
    out.push_str(&start(c, gress));
    let last = shape.headers.len() - 1;
    for (number, fields) in shape.headers.iter().enumerate() {
        let _ = writeln!(out, "    state p{number} {{");
        let _ = writeln!(out, "        pkt.extract(hdr.h{number});");
        if sums && c.one_in(2) {
            let _ = writeln!(out, "        sum.{method}(hdr.h{number});");
        }
        if sums && number == last {
            let result = match c.below(3) {
                0 => "md.flag = sum.verify();",
                1 if method == "subtract" => "sum.subtract_all_and_deposit(md.m16);",
                _ => "md.m16 = sum.get();",
            };
            let _ = writeln!(out, "        {result}");
        }
        if let (true, Some(field)) = (c.one_in(3), small(fields)) {
            let _ = writeln!(out, "        md.m32 = (bit<32>) hdr.h{number}.f{field};");
        }
        let next = match number < last {
            true => format!("p{}", number + 1),
            false => "accept".to_owned(),
        };
        let _ = writeln!(
            out,
            "        {}\n    }}",
            transition(c, number, fields, &next)
        );
    }
    out
}

fn start(c: &mut Choices<'_>, gress: Gress) -> String {
    if gress == Gress::Egress {
        return "    state start {\n        pkt.extract(eg_intr_md);\n        transition p0;\n    }\n".to_owned();
    }
    let port = match c.one_in(4) {
        true => "md.m32 = port_metadata_unpack<port_t>(pkt).zone;",
        false => "pkt.advance(PORT_METADATA_SIZE);",
    };
    format!(
        "    state start {{
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {{
            0: fresh;
            default: again;
        }}
    }}
    state fresh {{
        {port}
        transition p0;
    }}
    state again {{
        again_t again;
        pkt.extract(again);
        md.m16 = again.number;
        transition p0;
    }}
"
    )
}

/// A field that a parser can compare.
fn small(fields: &[Ty]) -> Option<usize> {
    fields
        .iter()
        .position(|ty| matches!(ty, Ty::Bit(bits) if *bits <= 32))
}

fn transition(c: &mut Choices<'_>, number: usize, fields: &[Ty], next: &str) -> String {
    let key = match small(fields) {
        Some(field) => (format!("hdr.h{number}.f{field}"), fields[field].bits()),
        None => ("pkt.lookahead<bit<8>>()".to_owned(), 8),
    };
    let cases = c.below(4);
    if cases == 0 {
        return format!("transition {next};");
    }
    let two = c.one_in(3);
    let mut out = match two {
        true => format!("transition select({}, pkt.lookahead<bit<8>>()) {{\n", key.0),
        false => format!("transition select({}) {{\n", key.0),
    };
    for _ in 0..cases {
        let to = *c.of(&["accept", next, "reject"]);
        let first = keyset(c, key.1);
        let _ = match two {
            true => writeln!(out, "            ({first}, {}): {to};", keyset(c, 8)),
            false => writeln!(out, "            {first}: {to};"),
        };
    }
    if !c.one_in(8) {
        let _ = writeln!(out, "            default: {next};");
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
