// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: a deparser emits headers unconditionally, chooses copies and digests by a type, and computes only checksums.

use super::blocks::{Block, Kind};
use super::instance;
use super::walk::{walk, At, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Call, Callee, Program};

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
        }
        _ => {}
    }
}
