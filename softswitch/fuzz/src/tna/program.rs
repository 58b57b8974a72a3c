// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The whole program: what its pieces give, put into the frame that all programs share.

use super::choices::{Choices, PIECE_BYTES};
use super::control::{Control, Gress};
use super::shape::Shape;
use super::{deparser, parser, statements};

/// The program that an input stands for.
pub fn program(data: &[u8]) -> String {
    let mut pieces = data.chunks(PIECE_BYTES).map(Choices::new);
    let mut next = || pieces.next().unwrap_or_else(|| Choices::new(&[]));
    let shape = Shape::new(&mut next());
    let mut parsing = next();
    let parsers =
        [Gress::Ingress, Gress::Egress].map(|gress| parser::parser(&mut parsing, &shape, gress));
    let mut deparsing = next();
    let deparsers = [Gress::Ingress, Gress::Egress]
        .map(|gress| deparser::deparser(&mut deparsing, &shape, gress));
    let mut controls = [Gress::Ingress, Gress::Egress].map(|gress| Control::new(&shape, gress));
    for mut piece in pieces {
        let gress = usize::from(piece.one_in(3));
        statements::add(&mut piece, &mut controls[gress]);
    }
    let [ingress, egress] = controls;
    let [(ingress_copies, ingress_deparser), (egress_copies, egress_deparser)] = deparsers;
    let replaced = [
        ("TYPES", &shape.source()),
        ("INGRESS_PARSER", &parsers[0]),
        ("EGRESS_PARSER", &parsers[1]),
        ("INGRESS_DECLARATIONS", &ingress.declarations),
        ("EGRESS_DECLARATIONS", &egress.declarations),
        ("INGRESS_BODY", &ingress.body),
        ("EGRESS_BODY", &egress.body),
        ("INGRESS_COPIES", &ingress_copies),
        ("EGRESS_COPIES", &egress_copies),
        ("INGRESS_DEPARSER", &ingress_deparser),
        ("EGRESS_DEPARSER", &egress_deparser),
    ];
    let mut text = include_str!("frame.p4").to_owned();
    for (mark, part) in replaced {
        text = text.replace(&format!("    // {mark}\n"), part);
    }
    text
}
