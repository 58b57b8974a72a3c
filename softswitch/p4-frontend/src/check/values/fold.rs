// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arithmetic on compile-time values; needs no `Checker`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::ast::{BinaryOp, UnaryOp};
use crate::check::values::constant::{mask, wrap};
use crate::ir::{Type, Value};
use crate::limits::MAX_INT_BITS;
use crate::limits::MAX_STRING_BYTES;

/// The result of an operator on constants, or the reason why there is none. `ty` is the type of the (left) operand.
pub fn binary(
    op: BinaryOp,
    ty: &Type,
    left: &Value,
    right: &Value,
    right_ty: &Type,
) -> Result<Value, String> {
    match (op, left, right) {
        (BinaryOp::Eq, _, _) => Ok(Value::Bool(left == right)),
        (BinaryOp::Ne, _, _) => Ok(Value::Bool(left != right)),
        (BinaryOp::And, Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(*a && *b)),
        (BinaryOp::Or, Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(*a || *b)),
        (BinaryOp::Concat, Value::String(a), Value::String(b))
            if a.len() + b.len() > MAX_STRING_BYTES =>
        {
            Err("the string is too long".to_string())
        }
        (BinaryOp::Concat, Value::String(a), Value::String(b)) => {
            Ok(Value::String(format!("{a}{b}")))
        }
        (_, Value::Int(a), Value::Int(b)) => integers(op, ty, a, b, right_ty),
        _ => Err("the operator is not defined for these constants".to_string()),
    }
}

fn integers(
    op: BinaryOp,
    ty: &Type,
    a: &BigInt,
    b: &BigInt,
    right_ty: &Type,
) -> Result<Value, String> {
    let compare = |holds: bool| Ok(Value::Bool(holds));
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::AddSat => saturate(a + b, ty),
        BinaryOp::SubSat => saturate(a - b, ty),
        BinaryOp::Div | BinaryOp::Mod if b.is_zero() => return Err("division by zero".to_string()),
        BinaryOp::Div | BinaryOp::Mod if a.is_negative() || b.is_negative() => {
            return Err("division and modulo are not defined for negative numbers".to_string())
        }
        BinaryOp::Div => a / b,
        BinaryOp::Mod => a.mod_floor(b),
        BinaryOp::Shl | BinaryOp::Shr => shift(op, ty, a, b)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Lt => return compare(a < b),
        BinaryOp::Le => return compare(a <= b),
        BinaryOp::Gt => return compare(a > b),
        BinaryOp::Ge => return compare(a >= b),
        BinaryOp::Concat => {
            let low = width(right_ty);
            let joined = (a << low) | (b & mask(low));
            let total = width(ty) + low;
            return Ok(Value::Int(match ty {
                Type::Int(_) => wrap(joined, &Type::Int(total)),
                _ => wrap(joined, &Type::Bit(total)),
            }));
        }
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or => {
            return Err("the operator is not defined for integers".to_string())
        }
    };
    let value = wrap(value, ty);
    if value.bits() > MAX_INT_BITS {
        return Err(format!(
            "the number has {} bits: that is too large",
            value.bits()
        ));
    }
    Ok(Value::Int(value))
}

fn shift(op: BinaryOp, ty: &Type, a: &BigInt, b: &BigInt) -> Result<BigInt, String> {
    if b.is_negative() {
        return Err(format!("cannot shift by a negative amount: {b}"));
    }
    let amount = match (ty, b.to_u32()) {
        (Type::Bit(width) | Type::Int(width), amount) => amount.unwrap_or(u32::MAX).min(*width),
        (_, Some(amount)) if u64::from(amount) <= MAX_INT_BITS => amount,
        _ => return Err(format!("a shift by {b} bits is too large")),
    };
    // `>>` of a negative number is arithmetic here as in P4.
    Ok(if op == BinaryOp::Shl {
        a << amount
    } else {
        a >> amount
    })
}

fn saturate(value: BigInt, ty: &Type) -> BigInt {
    let (low, high) = match ty {
        Type::Int(width) => (-mask(*width - 1) - 1, mask(*width - 1)),
        _ => (BigInt::zero(), mask(width(ty))),
    };
    value.clamp(low, high)
}

/// Width of a fixed-width type, else 0.
pub fn width(ty: &Type) -> u32 {
    match ty {
        Type::Bit(width) | Type::Int(width) | Type::Varbit(width) => *width,
        _ => 0,
    }
}

pub fn unary(op: UnaryOp, ty: &Type, value: &Value) -> Option<Value> {
    Some(match (op, value) {
        (UnaryOp::Not, Value::Bool(b)) => Value::Bool(!b),
        (UnaryOp::Complement, Value::Int(a)) => Value::Int(wrap(-a - 1, ty)),
        (UnaryOp::Negate, Value::Int(a)) => Value::Int(wrap(-a, ty)),
        (UnaryOp::Plus, Value::Int(a)) => Value::Int(a.clone()),
        _ => return None,
    })
}

/// Bits `hi` to `lo`.
pub fn slice(value: &BigInt, hi: u32, lo: u32) -> BigInt {
    (value >> lo) & mask(hi - lo + 1)
}
