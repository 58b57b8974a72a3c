// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parser's counter: 8 bits with a sign, one in each parser.

use quench_p4_frontend::ir::{self, BinaryOp, Type};

use super::arguments::number;
use super::blocks::gress_of;
use super::state;
use crate::error::{not_supported, Result};
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::lower::ops::{self, Types};
use crate::lower::{BlockKind, Lower, Value};
use crate::place::{Place, Scalar};

const COUNTER: Scalar = Scalar::Int(8);
const BYTE: Scalar = Scalar::Bit(8);

pub fn counter(lower: &mut Lower<'_>, method: &str, call: &ir::Call) -> Result<Option<Value>> {
    if lower.block.kind != BlockKind::Parser {
        return not_supported(
            call.span,
            format_args!("ParserCounter in {}", lower.block.name),
        );
    }
    let place = place(lower)?;
    let Value::Scalar(old) = lower.read(&place) else {
        unreachable!("a counter is one number");
    };
    let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
    let new = match (method, args.as_slice()) {
        ("is_zero", []) => {
            let zero = Expr::binary("==", old, Expr::hex(0, 8));
            return Ok(Some(Value::Scalar(zero)));
        }
        ("is_negative", []) => {
            let negative = Expr::binary("<", old, Expr::hex(0, 8));
            return Ok(Some(Value::Scalar(negative)));
        }
        ("set", [value]) => {
            let bits = lower.layout.scalar(&value.ty, value.span)?.bits();
            ops::cast(number(lower, value)?, Scalar::Bit(bits), COUNTER)
        }
        ("set", [field, max, rotate, mask, add]) => {
            from_field(lower, field, [max, rotate, mask, add])?
        }
        ("increment", [by]) => sum(BinaryOp::Add, old, number(lower, by)?),
        ("decrement", [by]) => sum(BinaryOp::Sub, old, number(lower, by)?),
        _ => return not_supported(call.span, format_args!("ParserCounter.{method}")),
    };
    lower.assign(&place, Value::Scalar(new))?;
    Ok(None)
}

fn place(lower: &mut Lower<'_>) -> Result<Place> {
    let prefix = gress_of(lower.block).prefix;
    if let Some(place) = state::of(lower).counters.get(prefix) {
        return Ok(place.clone());
    }
    let name = format!("{prefix}_parser_counter");
    let place = lower.layout.allocate(&name, &Type::Int(8), lower.span)?;
    state::of_mut(lower).counters.insert(prefix, place.clone());
    Ok(place)
}

fn sum(op: BinaryOp, old: Expr, by: Expr) -> Expr {
    let types = Types {
        left: COUNTER,
        right: BYTE,
        result: COUNTER,
    };
    match ops::binary(op, old, by, &types) {
        Some(value) => value,
        None => unreachable!("sums exist"),
    }
}

/// The field rotated right in 8 bits, masked, plus a constant. One beyond `max` is an error, and so is one that does not fit
/// into 8 bits.
fn from_field(lower: &mut Lower<'_>, field: &ir::Expr, constants: [&ir::Expr; 4]) -> Result<Expr> {
    let source = number(lower, field)?;
    let mut known = Vec::new();
    for constant in constants {
        match lower.scalar(constant)? {
            Expr::Hex { value, .. } => known.push(u32::try_from(value).unwrap_or(0)),
            _ => return not_supported(constant.span, "a value that is known only at run time"),
        }
    }
    let [max, rotate, mask, add] = known[..] else {
        unreachable!("four constants");
    };
    let code = lower.ir.errors.iter().position(|e| e == "CounterRange");
    if let Some(code) = code {
        let in_range = Expr::binary("<=", source.clone(), Expr::hex(max, 8));
        lower.push(StmtKind::Verify(in_range, Expr::hex(code, 32)));
    }
    let rotate = rotate % 8;
    let rotated = match rotate {
        0 => source,
        rotate => {
            let low = Expr::binary(">>", source.clone(), Expr::hex(rotate, 8));
            let high = Expr::binary("<<", source, Expr::hex(8 - rotate, 8));
            Expr::binary("|", low, high)
        }
    };
    let masked = Expr::binary("&", rotated, Expr::hex(ops::mask((mask % 8) + 1), 8));
    Ok(ops::wrap(
        Expr::binary("+", masked, Expr::hex(add, 8)),
        COUNTER,
    ))
}
