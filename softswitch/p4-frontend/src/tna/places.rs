// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: which externs and tables a block can use.

use super::blocks::{Block, Kind};
use super::instances::instance;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, Program};

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let extern_type = match &call.callee {
                Callee::ExternMethod { instance: id, .. } => &instance(program, *id).type_name,
                Callee::ParamMethod { extern_type, .. } => extern_type,
                _ => return,
            };
            if let Some(places) = places(extern_type) {
                if !places.contains(&block.kind) {
                    let places: Vec<_> = places.iter().map(|kind| plural(*kind)).collect();
                    diagnostics.error(
                        call.span,
                        format!(
                            "`{extern_type}` cannot be used in {}: only in {}",
                            block.describe(),
                            places.join(" and ")
                        ),
                    );
                }
            }
            let only_ingress = matches!(extern_type.as_str(), "Resubmit" | "Digest");
            if only_ingress && block.gress == super::blocks::Gress::Egress {
                diagnostics.error(
                    call.span,
                    format!(
                        "`{extern_type}` cannot be used in {}: only in ingress",
                        block.describe()
                    ),
                );
            }
        });
        check_tables(program, block, diagnostics);
    }
}

/// Only the match-action units have tables.
fn check_tables(program: &Program, block: &Block, diagnostics: &mut Diagnostics) {
    if block.kind == Kind::Control {
        return;
    }
    walk(program, block.root, &mut |item, _| {
        if let Item::Table(id, span) = item {
            let name = &program.tables[id.index()].name;
            diagnostics.error(
                span,
                format!(
                    "table `{name}` cannot be applied in {}: only in controls",
                    block.describe()
                ),
            );
        }
    });
}

fn places(extern_type: &str) -> Option<&'static [Kind]> {
    Some(match extern_type {
        "ActionProfile"
        | "ActionSelector"
        | "Alpm"
        | "Atcam"
        | "Counter"
        | "DirectCounter"
        | "DirectLpf"
        | "DirectMeter"
        | "DirectRegister"
        | "DirectRegisterAction"
        | "DirectWred"
        | "Hash"
        | "Lpf"
        | "MathUnit"
        | "Meter"
        | "Random"
        | "Register"
        | "RegisterAction"
        | "RegisterParam"
        | "SelectorAction"
        | "Wred" => &[Kind::Control],
        "ParserCounter" | "ParserPriority" | "packet_in" => &[Kind::Parser],
        "Digest" | "Mirror" | "Resubmit" | "packet_out" => &[Kind::Deparser],
        "Checksum" => &[Kind::Parser, Kind::Deparser],
        _ => return None,
    })
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Parser => "parsers",
        Kind::Control => "controls",
        Kind::Deparser => "deparsers",
    }
}
