// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Arithmetic on JSON expressions. BMv2 computes with integers of any size, so each result is brought back into its type's
//! range here.

use num_bigint::BigInt;
use num_traits::One;
use quench_p4_frontend::ir::{self, BinaryOp, UnaryOp};

use crate::json::Expr;
use crate::place::Scalar;

pub fn mask(bits: u32) -> BigInt {
    (BigInt::one() << bits) - 1
}

/// Reduces to the type's range, modulo its size.
pub fn wrap(expr: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Bit(w) => Expr::binary("&", expr, Expr::hex(mask(w), w)),
        Scalar::Int(w) => Expr::binary("two_comp_mod", expr, Expr::hex(w, 0)),
        Scalar::Bool | Scalar::Varbit(_) => expr,
    }
}

fn saturate(expr: Expr, scalar: Scalar) -> Expr {
    let op = match scalar {
        Scalar::Int(_) => "sat_cast",
        _ => "usat_cast",
    };
    Expr::binary(op, expr, Expr::hex(scalar.bits(), 0))
}

/// Bits `hi` to `lo` as an unsigned number.
pub fn slice(expr: Expr, hi: u32, lo: u32) -> Expr {
    let shifted = if lo == 0 {
        expr
    } else {
        Expr::binary(">>", expr, Expr::hex(lo, 8))
    };
    wrap(shifted, Scalar::Bit(hi - lo + 1))
}

/// `value` with bits `hi` to `lo` replaced.
pub fn replace_bits(value: Expr, hi: u32, lo: u32, bits: Expr, scalar: Scalar) -> Expr {
    let width = scalar.bits();
    let hole = mask(hi - lo + 1) << lo;
    let kept = Expr::binary("&", value, Expr::hex(mask(width) ^ hole, width));
    let placed = if lo == 0 {
        bits
    } else {
        Expr::binary("<<", bits, Expr::hex(lo, 8))
    };
    let joined = Expr::binary("|", kept, placed);
    match scalar {
        Scalar::Int(_) => wrap(joined, scalar),
        _ => joined,
    }
}

/// `scalar` is the type of the operand and of the result.
pub fn unary(op: UnaryOp, operand: Expr, scalar: Scalar) -> Expr {
    match op {
        UnaryOp::Not => not(operand),
        UnaryOp::Complement => wrap(Expr::unary("~", operand), scalar),
        UnaryOp::Negate => {
            let zero = Expr::hex(0, scalar.bits());
            wrap(Expr::binary("-", zero, operand), scalar)
        }
        UnaryOp::Plus => operand,
    }
}

pub fn not(condition: Expr) -> Expr {
    match condition {
        Expr::Bool(b) => Expr::Bool(!b),
        Expr::Unary("not", inner) => *inner,
        other => Expr::unary("not", other),
    }
}

pub fn and(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::Bool(true), e) | (e, Expr::Bool(true)) => e,
        (Expr::Bool(false), _) | (_, Expr::Bool(false)) => Expr::Bool(false),
        (left, right) => Expr::binary("and", left, right),
    }
}

/// Whether all conditions hold. The tree is balanced, since there can be thousands.
pub fn all(conditions: Vec<Expr>) -> Expr {
    balanced(conditions, &and).unwrap_or(Expr::Bool(true))
}

/// Whether any condition holds; as [`all`].
pub fn any(conditions: Vec<Expr>) -> Expr {
    balanced(conditions, &or).unwrap_or(Expr::Bool(false))
}

/// All items joined, in their order, by a balanced tree: there can be thousands.
pub fn balanced<T>(mut items: Vec<T>, join: &impl Fn(T, T) -> T) -> Option<T> {
    if items.len() < 2 {
        return items.pop();
    }
    let second = items.split_off(items.len() / 2);
    match (balanced(items, join), balanced(second, join)) {
        (Some(first), Some(second)) => Some(join(first, second)),
        (first, second) => first.or(second),
    }
}

pub fn or(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::Bool(false), e) | (e, Expr::Bool(false)) => e,
        (Expr::Bool(true), _) | (_, Expr::Bool(true)) => Expr::Bool(true),
        (left, right) => Expr::binary("or", left, right),
    }
}

/// The types that the result of a binary operator depends on.
pub struct Types {
    pub left: Scalar,
    pub right: Scalar,
    pub result: Scalar,
}

/// Division and modulo of unsigned numbers by a constant; `None` for anything else.
fn divide(op: BinaryOp, left: Expr, right: Expr, types: &Types) -> Option<Expr> {
    if matches!(&left, Expr::Hex { value, .. } if *value == BigInt::ZERO) {
        return Some(left);
    }
    let (Expr::Hex { value, .. }, Scalar::Bit(width)) = (&right, types.left) else {
        return None;
    };
    let power = value.trailing_zeros()?;
    if value.sign() != num_bigint::Sign::Plus {
        return None;
    }
    let is_power = *value == BigInt::one() << power;
    Some(match (op, is_power) {
        (BinaryOp::Div, true) => Expr::binary(">>", left, Expr::hex(power, 16)),
        (_, true) => Expr::binary("&", left, Expr::hex(value - 1, width)),
        (BinaryOp::Div, false) => Expr::binary("/", left, right),
        (_, false) => Expr::binary("%", left, right),
    })
}

/// `None` for the operators that BMv2 has no operation for.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, types: &Types) -> Option<Expr> {
    let result = types.result;
    Some(match op {
        BinaryOp::Add => wrap(Expr::binary("+", left, right), result),
        BinaryOp::Sub => wrap(Expr::binary("-", left, right), result),
        BinaryOp::Mul => wrap(Expr::binary("*", left, right), result),
        BinaryOp::AddSat => saturate(Expr::binary("+", left, right), result),
        BinaryOp::SubSat => saturate(Expr::binary("-", left, right), result),
        BinaryOp::Shl => wrap(Expr::binary("<<", left, shift_amount(right, types)), result),
        BinaryOp::Shr => Expr::binary(">>", left, shift_amount(right, types)),
        BinaryOp::BitAnd => Expr::binary("&", left, right),
        BinaryOp::BitOr => Expr::binary("|", left, right),
        BinaryOp::BitXor => Expr::binary("^", left, right),
        BinaryOp::And => and(left, right),
        BinaryOp::Or => or(left, right),
        BinaryOp::Eq => Expr::binary("==", left, right),
        BinaryOp::Ne => Expr::binary("!=", left, right),
        BinaryOp::Lt => Expr::binary("<", left, right),
        BinaryOp::Le => Expr::binary("<=", left, right),
        BinaryOp::Gt => Expr::binary(">", left, right),
        BinaryOp::Ge => Expr::binary(">=", left, right),
        BinaryOp::Concat => {
            let width = types.right.bits();
            let low = match types.right {
                Scalar::Int(_) => wrap(right, Scalar::Bit(width)),
                _ => right,
            };
            let high = Expr::binary("<<", left, Expr::hex(width, 16));
            wrap_if_signed(Expr::binary("|", high, low), result)
        }
        BinaryOp::Div | BinaryOp::Mod => return divide(op, left, right, types),
    })
}

/// Arithmetic of integers of any size; `None` for values that are known only at run time, and for other operators.
pub fn fold(op: BinaryOp, left: &Expr, right: &Expr) -> Option<Expr> {
    let (Expr::Hex { value: left, .. }, Expr::Hex { value: right, .. }) = (left, right) else {
        return None;
    };
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        _ => return None,
    };
    Some(Expr::hex(value, 0))
}

fn wrap_if_signed(expr: Expr, scalar: Scalar) -> Expr {
    match scalar {
        Scalar::Int(_) => wrap(expr, scalar),
        _ => expr,
    }
}

/// A shift by the width or more leaves nothing, or only the sign. BMv2 would allocate as many bits as the amount says, so a
/// wide amount is limited to the width first.
fn shift_amount(amount: Expr, types: &Types) -> Expr {
    let width = types.left.bits();
    match amount {
        Expr::Hex { value, .. } => Expr::hex(value.min(width.into()), 16),
        amount if types.right.bits() <= 8 => amount,
        amount => Expr::ternary(
            Expr::binary("<", amount.clone(), Expr::hex(width, 32)),
            amount,
            Expr::hex(width, 32),
        ),
    }
}

pub fn cast(expr: Expr, from: Scalar, to: Scalar) -> Expr {
    match (from, to) {
        (Scalar::Bool, Scalar::Bool) => expr,
        (Scalar::Bool, _) => wrap_if_signed(data(expr), to),
        (_, Scalar::Bool) => Expr::binary("!=", expr, Expr::hex(0, from.bits())),
        (Scalar::Bit(from), Scalar::Bit(to)) if from <= to => expr,
        (Scalar::Bit(from), Scalar::Int(to)) if from < to => expr,
        (Scalar::Int(from), Scalar::Int(to)) if from <= to => expr,
        _ => match expr {
            Expr::Hex { value, .. } => Expr::hex(reduce(value, to), to.bits()),
            expr => wrap(expr, to),
        },
    }
}

/// A constant modulo its type's size.
pub fn reduce(value: BigInt, scalar: Scalar) -> BigInt {
    let bits = scalar.bits();
    let low = value & mask(bits);
    match scalar {
        Scalar::Int(_) if low >= (BigInt::one() << (bits - 1)) => low - (BigInt::one() << bits),
        _ => low,
    }
}

/// A truth value as a number.
pub fn data(condition: Expr) -> Expr {
    match condition {
        Expr::Bool(b) => Expr::hex(u8::from(b), 1),
        Expr::Unary("d2b", inner) => *inner,
        other => Expr::unary("b2d", other),
    }
}

/// A compile-time constant as an unsigned number of `bits` bits.
pub fn constant_bits(value: &ir::Value, bits: u32) -> Option<BigInt> {
    Some(match value {
        ir::Value::Bool(b) => BigInt::from(u8::from(*b)),
        ir::Value::Int(value) => reduce(value.clone(), Scalar::Bit(bits)),
        ir::Value::Error(code) => BigInt::from(*code),
        ir::Value::Enum(_, index) => BigInt::from(*index),
        _ => return None,
    })
}
