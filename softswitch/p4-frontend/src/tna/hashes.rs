// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: a hash has fields, and only a hash is `@symmetric`.

use super::blocks::Block;
use super::instances::instance;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{Callee, ExprKind, Program, Type, Value};

pub(super) fn check(program: &Program, blocks: &[Block], diagnostics: &mut Diagnostics) {
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            let Callee::ExternMethod { instance: id, .. } = &call.callee else {
                return;
            };
            let called = instance(program, *id);
            if let Some(symmetric) = called
                .annotations
                .iter()
                .find(|a| a.name.text == "symmetric" && called.type_name != "Hash")
            {
                diagnostics.error(
                    symmetric.span,
                    format!(
                        "`@symmetric` is only for a `Hash`, not for a `{}`",
                        called.type_name
                    ),
                );
            }
            let data = call.args.first().map(|arg| &arg.expr);
            if let ("Hash", Some(data)) = (called.type_name.as_str(), data) {
                let empty = match &data.kind {
                    ExprKind::Aggregate(items) => items.is_empty(),
                    ExprKind::Const(Value::Aggregate(items)) => items.is_empty(),
                    _ => matches!(&data.ty, Type::Tuple(items) if items.is_empty()),
                };
                if empty {
                    diagnostics.error(data.span, "a hash of no fields: name at least one");
                }
            }
        });
    }
}
