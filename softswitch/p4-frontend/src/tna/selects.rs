// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: widths of the keys of `select`.

use super::blocks::{Block, Root};
use crate::diagnostics::Diagnostics;
use crate::ir::{ExprKind, KeySet, ParserId, Program, Transition, Type, Value};

/// The parser has 32 bits to match on.
const MAX_KEY_BITS: u32 = 32;

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for block in blocks {
        if let Root::Parser(id) = block.root {
            of_parser(program, id, diagnostics);
        }
    }
}

fn of_parser(program: &Program, id: ParserId, diagnostics: &mut Diagnostics) {
    for state in &program.parsers[id.index()].states {
        let Transition::Select { keys, cases } = &state.transition else {
            continue;
        };
        for (index, key) in keys.iter().enumerate() {
            let Type::Bit(bits) = key.ty else {
                continue;
            };
            let compared = cases.iter().any(|(keysets, _)| match keysets.get(index) {
                Some(KeySet::Value(value)) => {
                    matches!(value.kind, ExprKind::Const(Value::Int(_)))
                }
                _ => false,
            });
            if bits > MAX_KEY_BITS && compared {
                diagnostics.error(
                    key.span,
                    format!(
                        "`select` on {bits} bits: Tofino's parser compares at most {MAX_KEY_BITS}"
                    ),
                );
            }
        }
    }
}
