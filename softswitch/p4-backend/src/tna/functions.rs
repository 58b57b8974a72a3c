// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The functions of TNA.

use quench_p4_frontend::ir::{self, BinaryOp, Type};

use super::state::bits_of;
use super::{blocks, state};
use crate::error::{not_supported, Result};
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::layout::SCALARS;
use crate::lower::ops::{self, Types};
use crate::lower::{Lower, Value};
use crate::place::{Leaf, Place, Scalar};

/// Bits of port metadata.
const PORT_METADATA_BITS: u32 = 64;

pub fn call(lower: &mut Lower<'_>, name: &str, call: &ir::Call) -> Result<Option<Value>> {
    let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
    match (name, args.as_slice()) {
        // The front end warns about it: the hardware has no such check.
        ("verify", _) => Ok(None),
        ("min", [a, b]) => least(lower, "<", a, b).map(Some),
        ("max", [a, b]) => least(lower, ">", a, b).map(Some),
        ("sizeInBits", [of]) => size(lower, of, 1, call).map(Some),
        ("sizeInBytes", [of]) => size(lower, of, 8, call).map(Some),
        ("funnel_shift_right", [target, high, low, by]) => {
            funnel_shift(lower, target, high, low, by)?;
            Ok(None)
        }
        ("invalidate", [field]) => {
            invalidate(lower, field)?;
            Ok(None)
        }
        ("is_validated", [field]) => is_validated(lower, field).map(Some),
        ("port_metadata_unpack", [_]) => {
            lower.only_in(call, name, &[blocks::INGRESS.parser])?;
            if bits_of(lower, &call.result, call.span)? > PORT_METADATA_BITS {
                return not_supported(
                    call.span,
                    format_args!("port metadata of more than {PORT_METADATA_BITS} bits"),
                );
            }
            let value = lower.lookahead(&call.result)?;
            let bits = Expr::hex(PORT_METADATA_BITS, 32);
            lower.push(StmtKind::Advance(bits));
            Ok(Some(value))
        }
        _ => not_supported(call.span, format_args!("the extern function {name}")),
    }
}

/// The operand that stands before the other in the order `op`.
fn least(lower: &mut Lower<'_>, op: &'static str, a: &ir::Expr, b: &ir::Expr) -> Result<Value> {
    let mut values = Vec::new();
    for (value, e) in lower.values([a, b])?.into_iter().zip([a, b]) {
        // Each is read twice.
        let value = match value {
            Value::Scalar(expr) if matches!(expr, Expr::Field(..)) || expr.is_constant() => {
                Value::Scalar(expr)
            }
            value => lower.spill(value, &e.ty)?,
        };
        match value {
            Value::Scalar(expr) => values.push(expr),
            _ => return not_supported(e.span, "a composite value where one number is needed"),
        }
    }
    let (Some(b), Some(a)) = (values.pop(), values.pop()) else {
        unreachable!("two values");
    };
    let condition = Expr::binary(op, a.clone(), b.clone());
    Ok(Value::Scalar(Expr::ternary(condition, a, b)))
}

fn size(lower: &mut Lower<'_>, of: &ir::Expr, unit: u32, call: &ir::Call) -> Result<Value> {
    let bits = bits_of(lower, &of.ty, of.span)?.div_ceil(unit);
    let result = lower.layout.scalar(&call.result, call.span)?;
    Ok(Value::Scalar(Expr::hex(bits, result.bits())))
}

fn funnel_shift(
    lower: &mut Lower<'_>,
    target: &ir::Expr,
    high: &ir::Expr,
    low: &ir::Expr,
    by: &ir::Expr,
) -> Result<()> {
    let place = lower.place(target, true)?;
    let scalar = lower.layout.scalar(&target.ty, target.span)?;
    let bits = scalar.bits();
    let mut values = Vec::new();
    for (value, e) in lower
        .values([high, low, by])?
        .into_iter()
        .zip([high, low, by])
    {
        match value {
            Value::Scalar(expr) => values.push(expr),
            _ => return not_supported(e.span, "a composite value where one number is needed"),
        }
    }
    let Ok([high, low, by]) = <[Expr; 3]>::try_from(values) else {
        unreachable!("three values");
    };
    let concatenated = Types {
        left: scalar,
        right: scalar,
        result: Scalar::Bit(bits.saturating_mul(2)),
    };
    let shifted = Types {
        left: concatenated.result,
        right: Scalar::Bit(32),
        result: concatenated.result,
    };
    let both = ops::binary(BinaryOp::Concat, high, low, &concatenated);
    let value = both.and_then(|both| ops::binary(BinaryOp::Shr, both, by, &shifted));
    let Some(value) = value else {
        unreachable!("both operators exist");
    };
    let value = ops::cast(value, concatenated.result, scalar);
    lower.assign(&place, Value::Scalar(value))
}

fn invalidate(lower: &mut Lower<'_>, field: &ir::Expr) -> Result<()> {
    let place = lower.place(field, false)?;
    let Place::Scalar(leaf) = &place else {
        return lower.invalidate(&place);
    };
    match validity(lower, leaf)? {
        Validity::Bit(bit) => lower.primitive("assign", vec![bit, Expr::hex(0, 1)]),
        // The hardware has no bit for a field of a header.
        Validity::Header(_) => {
            lower.primitive(
                "assign",
                vec![leaf.expr.clone(), Expr::hex(0, leaf.scalar.bits())],
            );
        }
    }
    Ok(())
}

fn is_validated(lower: &mut Lower<'_>, field: &ir::Expr) -> Result<Value> {
    let place = lower.place(field, false)?;
    let expr = match &place {
        Place::Scalar(leaf) => match validity(lower, leaf)? {
            Validity::Bit(bit) => Expr::unary("d2b", bit),
            Validity::Header(name) => Expr::unary("d2b", Expr::Field(name, "$valid$".into())),
        },
        place => lower.validity(place)?,
    };
    Ok(Value::Scalar(expr))
}

enum Validity {
    /// A field of metadata has a bit of its own.
    Bit(Expr),
    /// A header's field is valid with the header.
    Header(String),
}

fn validity(lower: &mut Lower<'_>, leaf: &Leaf) -> Result<Validity> {
    let Expr::Field(header, field) = &leaf.expr else {
        return not_supported(lower.span, "the validity of anything but a field or header");
    };
    let key = (header.clone(), field.clone());
    if let Some((header, bit)) = state::of(lower).validity.get(&key) {
        return Ok(Validity::Bit(Expr::Field(header.clone(), bit.clone())));
    }
    if header != SCALARS {
        if state::has_no_validity(header) {
            return not_supported(lower.span, "the validity of this intrinsic metadata");
        }
        return Ok(Validity::Header(header.clone()));
    }
    let name = format!("{field}$valid");
    let bit = match lower.layout.allocate(&name, &Type::Bit(1), lower.span)? {
        Place::Scalar(leaf) => leaf.expr,
        _ => unreachable!("a bit is one field"),
    };
    if let Expr::Field(header, bit) = &bit {
        state::of_mut(lower)
            .validity
            .insert(key, (header.clone(), bit.clone()));
    }
    Ok(Validity::Bit(bit))
}
