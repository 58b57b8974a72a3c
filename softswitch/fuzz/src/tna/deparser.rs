// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers: checksums, copies and digests, then the headers.

use std::fmt::Write;

use super::choices::Choices;
use super::control::Gress;
use super::scope::Ty;
use super::shape::Shape;

/// Declarations and body.
pub(super) fn deparser(c: &mut Choices<'_>, shape: &Shape, gress: Gress) -> (String, String) {
    let (mut declared, mut body) = (String::new(), String::new());
    if c.one_in(2) {
        if let Some((target, sum)) = checksum(c, shape) {
            declared.push_str("    Checksum() sum;\n");
            let _ = writeln!(body, "        {target} = {sum};");
        }
    }
    let md = match gress {
        Gress::Ingress => "ig_dprsr_md",
        Gress::Egress => "eg_dprsr_md",
    };
    declared.push_str("    Mirror(1) mirror;\n");
    let with = *c.of(&["<mirror_t>(md.m10, {md.m8, md.m16})", "(md.m10)"]);
    let _ = writeln!(
        body,
        "        if ({md}.mirror_type == 1) {{ mirror.emit{with}; }}"
    );
    if gress == Gress::Ingress {
        declared.push_str("    Resubmit(1) resubmit;\n    Digest<digest_t>(1) digest;\n");
        let with = *c.of(&["<again_t>({md.m16, 0})", "()"]);
        let _ = writeln!(
            body,
            "        if ({md}.resubmit_type == 1) {{ resubmit.emit{with}; }}
        if ({md}.digest_type == 1) {{ digest.pack({{md.m9, md.m32}}); }}"
        );
    }
    match c.one_in(3) {
        true => {
            for number in 0..shape.headers.len() {
                let _ = writeln!(body, "        pkt.emit(hdr.h{number});");
            }
            for (number, stack) in shape.stacks.iter().enumerate() {
                // The stack, or its elements in another order.
                match c.one_in(2) {
                    true => {
                        for element in (0..stack.size).rev() {
                            let _ = writeln!(body, "        pkt.emit(hdr.s{number}[{element}]);");
                        }
                    }
                    false => {
                        let _ = writeln!(body, "        pkt.emit(hdr.s{number});");
                    }
                }
            }
        }
        false => body.push_str("        pkt.emit(hdr);\n"),
    }
    (declared, body)
}

/// A field of 16 bits, and the sum of a header that fills 16 bits too.
fn checksum(c: &mut Choices<'_>, shape: &Shape) -> Option<(String, String)> {
    let mut targets = Vec::new();
    for (number, fields) in shape.headers.iter().enumerate() {
        for (field, ty) in fields.iter().enumerate() {
            if *ty == Ty::Bit(16) {
                targets.push(format!("hdr.h{number}.f{field}"));
            }
        }
    }
    if targets.is_empty() {
        return None;
    }
    let target = c.of(&targets).clone();
    let of = c.below(shape.headers.len());
    let fields = shape.headers[of].iter().enumerate();
    let mut data: Vec<_> = fields
        .filter(|(_, ty)| matches!(ty, Ty::Bit(_)))
        .map(|(field, ty)| (format!("hdr.h{of}.f{field}"), ty.bits()))
        .collect();
    data.push(("md.m16".to_owned(), 16));
    let bits: u32 = data.iter().map(|(_, bits)| bits).sum();
    let mut list: Vec<_> = data.into_iter().map(|(path, _)| path).collect();
    if bits % 16 != 0 {
        list.push(format!("{}w0", 16 - bits % 16));
    }
    let flag = *c.of(&["", ", true", ", false"]);
    Some((target, format!("sum.update({{{}}}{flag})", list.join(", "))))
}
