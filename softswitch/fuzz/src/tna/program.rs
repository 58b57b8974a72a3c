// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The whole program: what its pieces give, put into the frame that all programs share.

use super::choices::Pieces;
use super::control::{Control, Gress};
use super::shape::Shape;
use super::{deparser, parser, parts};

/// Pieces that every program has: headers, stacks, two parsers, deparsers.
pub const FIRST_PIECES: usize = 5;

/// The headers of the program that an input stands for.
pub(super) fn shape(pieces: &mut Pieces<'_>) -> Shape {
    let (mut headers, mut stacks) = (pieces.take(), pieces.take());
    Shape::new(&mut headers, &mut stacks)
}

/// The program that an input stands for.
pub fn program(data: &[u8]) -> String {
    let mut pieces = Pieces::new(data);
    let shape = shape(&mut pieces);
    let both = [Gress::Ingress, Gress::Egress];
    let parsers = both.map(|gress| parser::parser(&mut pieces.take(), &shape, gress));
    let mut deparsing = pieces.take();
    let deparsers = both.map(|gress| deparser::deparser(&mut deparsing, &shape, gress));
    let mut controls = both.map(|gress| Control::new(&shape, gress));
    while let Some(mut piece) = pieces.next() {
        let gress = usize::from(piece.one_in(3));
        parts::add(&mut piece, &mut pieces, &mut controls[gress], 0);
    }
    let [ingress_parser, egress_parser] = parsers;
    let [ingress, egress] = controls;
    let [(ingress_copies, ingress_deparser), (egress_copies, egress_deparser)] = deparsers;
    let replaced = [
        ("TYPES", &shape.source()),
        (
            "INGRESS_PARTS",
            &(ingress_parser.outside + &ingress.outside),
        ),
        ("EGRESS_PARTS", &(egress_parser.outside + &egress.outside)),
        ("INGRESS_PARSER", &ingress_parser.body),
        ("EGRESS_PARSER", &egress_parser.body),
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
