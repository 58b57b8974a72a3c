// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arguments and results of the methods of TNA's objects.

use quench_p4_frontend::ir::{self, ExprKind, ExternId, Type};

use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::lower::{ops, Lower, Value};
use crate::place::{Place, Scalar};

/// The object that a constructor got as its argument `name`.
pub fn argument(ir: &ir::Program, id: ExternId, name: &str) -> Result<ExternId> {
    match optional_argument(ir, id, name) {
        Some(ir::Value::Extern(object)) => Ok(*object),
        _ => {
            let object = &ir.externs[id.index()];
            not_supported(
                object.span,
                format_args!("a {} without `{name}`", object.type_name),
            )
        }
    }
}

pub fn optional_argument<'p>(
    ir: &'p ir::Program,
    id: ExternId,
    name: &str,
) -> Option<&'p ir::Value> {
    let args = &ir.externs[id.index()].args;
    args.iter()
        .find(|(arg, _)| arg == name)
        .map(|(_, value)| value)
}

/// Whether an optional argument is not given.
pub fn is_omitted(e: &ir::Expr) -> bool {
    matches!(e.kind, ExprKind::DontCare)
}

/// A number for a primitive.
pub fn number(lower: &mut Lower<'_>, e: &ir::Expr) -> Result<Expr> {
    let scalar = lower.layout.number(&e.ty, e.span)?;
    let value = lower.scalar(e)?;
    Ok(match scalar {
        Scalar::Bool => ops::data(value),
        // Objects know only numbers without a sign.
        Scalar::Int(w) => ops::cast(value, scalar, Scalar::Bit(w)),
        _ => value,
    })
}

/// The same as [`number`], but an index may be a number without width.
pub fn index(lower: &mut Lower<'_>, e: &ir::Expr) -> Result<Expr> {
    match lower.layout.resolve(&e.ty) {
        Type::InfInt => lower.scalar(e),
        Type::Bit(0) => Ok(Expr::hex(0, 32)),
        _ => number(lower, e),
    }
}

/// The result of a primitive that writes an unsigned field.
pub fn result(
    lower: &mut Lower<'_>,
    ty: &Type,
    primitive: impl FnOnce(&mut Lower<'_>, Expr),
) -> Result<Value> {
    let scalar = lower.layout.scalar(ty, lower.span)?;
    let raw = Scalar::Bit(scalar.bits());
    let Place::Scalar(destination) = lower.temporary(&Type::Bit(scalar.bits()))? else {
        return not_supported(lower.span, "a result without bits");
    };
    primitive(lower, destination.expr.clone());
    Ok(Value::Scalar(ops::cast(destination.expr, raw, scalar)))
}
