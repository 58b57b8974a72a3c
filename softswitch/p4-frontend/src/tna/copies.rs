// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: a deparser emits headers unconditionally, and chooses copies and digests by a type. A resubmitted packet takes no
//! more data along than the metadata of a port has bits, which they replace.

use super::blocks::{Block, Kind};
use super::instances::instance;
use super::walk::{walk, At, Item};
use super::widths;
use crate::diagnostics::Diagnostics;
use crate::ir::{Call, Callee, Program};

const RESUBMIT_BITS: u64 = 64;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for block in blocks.iter().filter(|block| block.kind == Kind::Deparser) {
        walk(program, block.root, &mut |item, at| {
            if let Item::Call(call) = item {
                check_call(program, call, at, diagnostics);
            }
        });
    }
}

fn check_call(program: &Program, call: &Call, at: At, diagnostics: &mut Diagnostics) {
    match &call.callee {
        Callee::ParamMethod {
            extern_type,
            method,
            ..
        } if extern_type == "packet_out" && method == "emit" && at.in_if => {
            diagnostics.error(
                call.span,
                "`emit` in an `if`: Tofino emits a header exactly when it is valid",
            );
        }
        Callee::ExternMethod { instance: id, .. } => {
            let called = instance(program, *id);
            let field = match called.type_name.as_str() {
                "Mirror" => "mirror_type",
                "Resubmit" => "resubmit_type",
                "Digest" => "digest_type",
                _ => return,
            };
            if called.args.is_empty() && !at.in_if {
                diagnostics.error(
                    call.span,
                    format!(
                        "`{}` has no type: give its constructor one, or write `if (... {field} == ...)` around this",
                        called.name
                    ),
                );
            }
            if called.type_name == "Resubmit" {
                check_resubmit(program, call, diagnostics);
            }
        }
        _ => {}
    }
}

fn check_resubmit(program: &Program, call: &Call, diagnostics: &mut Diagnostics) {
    let Some(data) = call.args.first() else {
        return;
    };
    let bits = widths::with_fields(program, &data.expr.ty, widths::scalar);
    if let Some(bits) = bits.filter(|&bits| bits > RESUBMIT_BITS) {
        diagnostics.error(
            data.expr.span,
            format!(
                "{bits} bits of resubmit data: a packet takes at most {RESUBMIT_BITS} along; leave out what its second \
                 pass does not need"
            ),
        );
    }
}
