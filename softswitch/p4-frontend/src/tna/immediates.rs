// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: arguments that the hardware has as immediate values are known at compile time.

use super::blocks::Block;
use super::instances::instance;
use super::origins::Origins;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, Program};

pub(super) fn check(
    program: &Program,
    blocks: &[Block],
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) {
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let Callee::ExternMethod {
                instance: id,
                method,
                ..
            } = &call.callee
            else {
                return;
            };
            let type_name = instance(program, *id).type_name.as_str();
            let immediate = immediate(type_name, method);
            for arg in &call.args {
                if immediate.contains(&arg.name.as_str()) && origins.is_run_time(&arg.expr) {
                    diagnostics.error(
                        arg.expr.span,
                        format!(
                            "the argument for `{}` of `{type_name}.{method}` must be known at compile time",
                            arg.name
                        ),
                    );
                }
            }
        });
    }
}

/// Names of the parameters.
fn immediate(type_name: &str, method: &str) -> &'static [&'static str] {
    match (type_name, method) {
        ("ParserCounter", "increment" | "decrement") => &["value"],
        ("ParserCounter", "set") => &["max", "rotate", "mask", "add"],
        ("Counter" | "DirectCounter", "count") | ("Meter" | "DirectMeter", "execute") => {
            &["adjust_byte_count"]
        }
        _ => &[],
    }
}
