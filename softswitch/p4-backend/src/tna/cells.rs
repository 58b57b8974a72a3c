// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The content of a register's cell: one number without a sign. A structure's first field has the highest bits.

use num_bigint::BigInt;
use quench_p4_frontend::ir::{self, Type};
use quench_p4_frontend::span::Span;

use super::state::bits_of;
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::layout::Class;
use crate::lower::{constant_bits, ops, Lower, Value};
use crate::place::Scalar;

/// The value of the type that the cell holds.
pub fn unpacked(lower: &Lower<'_>, cell: &Expr, ty: &Type) -> Result<Value> {
    let bits = bits_of(lower, ty, lower.span)?;
    part(lower, cell, bits, ty, bits)
}

/// The value whose highest bit is bit `top - 1` of the cell's `bits`.
fn part(lower: &Lower<'_>, cell: &Expr, bits: u32, ty: &Type, top: u32) -> Result<Value> {
    match lower.layout.class(ty, lower.span)? {
        Class::Scalar(scalar) => {
            let width = scalar.bits();
            let value = match width == bits {
                true => cell.clone(),
                false => ops::slice(cell.clone(), top - 1, top - width),
            };
            Ok(Value::Scalar(ops::cast(value, Scalar::Bit(width), scalar)))
        }
        Class::Struct(types) => {
            let mut top = top;
            let mut values = Vec::new();
            for ty in &types {
                values.push(part(lower, cell, bits, ty, top)?);
                top -= bits_of(lower, ty, lower.span)?;
            }
            Ok(Value::Struct(values))
        }
        _ => not_supported(lower.span, "a register of anything but numbers"),
    }
}

/// The cell that holds the value.
pub fn packed(lower: &Lower<'_>, value: Value, ty: &Type) -> Result<Expr> {
    match (lower.layout.class(ty, lower.span)?, value) {
        (Class::Scalar(scalar), Value::Scalar(expr)) => {
            Ok(ops::cast(expr, scalar, Scalar::Bit(scalar.bits())))
        }
        (Class::Struct(types), Value::Struct(values)) => {
            let mut cell: Option<Expr> = None;
            for (value, ty) in values.into_iter().zip(&types) {
                let low = packed(lower, value, ty)?;
                let bits = bits_of(lower, ty, lower.span)?;
                cell = Some(match cell {
                    None => low,
                    Some(high) => {
                        let high = Expr::binary("<<", high, Expr::hex(bits, 16));
                        Expr::binary("|", high, low)
                    }
                });
            }
            Ok(cell.unwrap_or_else(|| Expr::hex(0, 0)))
        }
        _ => not_supported(lower.span, "a register of anything but numbers"),
    }
}

/// The cell that holds a constant. A number stands for a structure of only that number.
pub fn constant(lower: &Lower<'_>, value: &ir::Value, ty: &Type, span: Span) -> Result<BigInt> {
    match (lower.layout.class(ty, span)?, value) {
        (Class::Scalar(scalar), value) => match constant_bits(value, scalar.bits()) {
            Some(bits) => Ok(bits),
            None => not_supported(span, "an initial value of this type"),
        },
        (Class::Struct(types), ir::Value::Aggregate(values)) => {
            let mut cell = BigInt::ZERO;
            for (value, ty) in values.iter().zip(&types) {
                cell = (cell << bits_of(lower, ty, span)?) | constant(lower, value, ty, span)?;
            }
            Ok(cell)
        }
        _ => not_supported(span, "an initial value of this type"),
    }
}

/// Names and widths of a structure's fields.
pub fn fields(lower: &Lower<'_>, ty: &Type, span: Span) -> Result<Vec<(String, u32)>> {
    let Type::Named(id) = *lower.layout.resolve(ty) else {
        return Ok(Vec::new());
    };
    let fields = lower.layout.fields(id).iter();
    fields
        .map(|field| Ok((field.name.clone(), bits_of(lower, &field.ty, span)?)))
        .collect()
}
