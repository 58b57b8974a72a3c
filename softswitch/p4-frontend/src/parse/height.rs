// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Heights of expressions. A long row of operators makes a deep tree without nesting in the text.

use crate::ast::{Expr, ExprKind};

/// The tree is at most `limit` levels deep. Looks no deeper than that.
pub(super) fn fits(expr: &Expr, limit: usize) -> bool {
    let Some(limit) = limit.checked_sub(1) else {
        return false;
    };
    let fits = |expr: &Expr| fits(expr, limit);
    match &expr.kind {
        ExprKind::Bool(_)
        | ExprKind::Integer { .. }
        | ExprKind::String(_)
        | ExprKind::Path(_)
        | ExprKind::This
        | ExprKind::Type(_)
        | ExprKind::Invalid
        | ExprKind::Default
        | ExprKind::DontCare => true,
        ExprKind::Member(a, _) | ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => fits(a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Mask(a, b)
        | ExprKind::Range(a, b) => fits(a) && fits(b),
        ExprKind::Slice {
            base: a,
            hi: b,
            lo: c,
        }
        | ExprKind::PlusSlice {
            base: a,
            lo: b,
            width: c,
        }
        | ExprKind::Ternary {
            condition: a,
            then: b,
            otherwise: c,
        } => fits(a) && fits(b) && fits(c),
        ExprKind::List { items, .. } => items.iter().all(fits),
        ExprKind::Record { fields, .. } => fields.iter().all(|(_, value)| fits(value)),
        ExprKind::Call { callee, args, .. } => {
            fits(callee) && args.iter().filter_map(|arg| arg.value.as_ref()).all(fits)
        }
    }
}
