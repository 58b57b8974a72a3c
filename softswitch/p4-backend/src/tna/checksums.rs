// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksum units. In a parser, a unit is the one's complement sum of all that was added or subtracted (the hardware adds
//! in both cases), and what a program gets is its complement. In a deparser, `update` computes the checksum at once.

use quench_p4_frontend::ir::{self, ExternId, Type};

use super::arguments;
use super::state::{self, Deposit, Unit};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::lower::{ops, BlockKind, Lower, Parts, Value};
use crate::place::{Place, Scalar};

const SUM_BITS: u32 = 16;
const ALL_ONES: u32 = 0xffff;

pub fn call(
    lower: &mut Lower<'_>,
    id: ExternId,
    method: &str,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
    match (lower.block.kind, method, args.as_slice()) {
        (BlockKind::Deparser, "update", [data, zeros_as_ones]) => {
            update(lower, data, zeros_as_ones, call).map(Some)
        }
        (BlockKind::Parser, "add", [data]) => {
            feed(lower, id, "add", call)?;
            add(lower, id, data).map(|()| None)
        }
        (BlockKind::Parser, "subtract", [data]) => {
            feed(lower, id, "subtract", call)?;
            add(lower, id, data).map(|()| None)
        }
        (BlockKind::Parser, "verify", []) => {
            let sum = unit(lower, id)?.sum;
            let is_wrong = Expr::binary("!=", sum, Expr::hex(ALL_ONES, SUM_BITS));
            Ok(Some(Value::Scalar(is_wrong)))
        }
        (BlockKind::Parser, "get", []) => {
            let sum = unit(lower, id)?.sum;
            Ok(Some(Value::Scalar(complement(sum))))
        }
        (BlockKind::Parser, "subtract_all_and_deposit", [residual]) => {
            feed(lower, id, "subtract", call)?;
            deposit(lower, id, residual).map(|()| None)
        }
        _ => not_supported(
            call.span,
            format_args!("Checksum.{method} in {}", lower.block.name),
        ),
    }
}

fn update(
    lower: &mut Lower<'_>,
    data: &ir::Expr,
    zeros_as_ones: &ir::Expr,
    call: &ir::Call,
) -> Result<Value> {
    let input = lower.parts(data, Parts::Fields)?;
    let name = lower
        .objects
        .add_calculation("csum16".to_owned(), input, false, call.span);
    let sum = arguments::result(lower, &call.result, |lower, destination| {
        lower.primitive("hash", vec![destination, Expr::Calculation(name)]);
    })?;
    if arguments::is_omitted(zeros_as_ones) {
        return Ok(sum);
    }
    let (Value::Scalar(sum), ones) = (sum, lower.scalar(zeros_as_ones)?) else {
        unreachable!("a checksum is one number");
    };
    let is_zero = Expr::binary("==", sum.clone(), Expr::hex(0, SUM_BITS));
    let otherwise = sum.clone();
    let ones = ops::and(is_zero, ones);
    Ok(Value::Scalar(match ones {
        Expr::Bool(false) => sum,
        ones => Expr::ternary(ones, Expr::hex(ALL_ONES, SUM_BITS), otherwise),
    }))
}

/// Notes how a unit is fed: the hardware has units of either kind.
fn feed(lower: &mut Lower<'_>, id: ExternId, method: &'static str, call: &ir::Call) -> Result<()> {
    let known = unit(lower, id)?.fed_by;
    if known.is_some_and(|known| known != method) {
        return not_supported(call.span, "both `add` and `subtract` of one checksum unit");
    }
    if let Some(unit) = state::of_mut(lower).checksums.get_mut(&id) {
        unit.fed_by = Some(method);
    }
    Ok(())
}

pub(super) fn unit(lower: &mut Lower<'_>, id: ExternId) -> Result<Unit> {
    if let Some(unit) = state::of(lower).checksums.get(&id) {
        return Ok(unit.clone());
    }
    let unit = Unit {
        sum: field(lower, "checksum_sum", SUM_BITS)?,
        fed_by: None,
        deposits: Vec::new(),
    };
    state::of_mut(lower).checksums.insert(id, unit.clone());
    Ok(unit)
}

pub(super) fn field(lower: &mut Lower<'_>, name: &str, bits: u32) -> Result<Expr> {
    match lower.layout.allocate(name, &Type::Bit(bits), lower.span)? {
        Place::Scalar(leaf) => Ok(leaf.expr),
        _ => unreachable!("a number is one field"),
    }
}

fn complement(sum: Expr) -> Expr {
    Expr::binary("^", sum, Expr::hex(ALL_ONES, SUM_BITS))
}

fn add(lower: &mut Lower<'_>, id: ExternId, data: &ir::Expr) -> Result<()> {
    let input = lower.parts(data, Parts::Fields)?;
    add_fields(lower, id, input)
}

/// The algorithm gives the complement of the sum.
pub(super) fn add_fields(lower: &mut Lower<'_>, id: ExternId, mut input: Vec<Expr>) -> Result<()> {
    let sum = unit(lower, id)?.sum;
    input.insert(0, sum.clone());
    let span = lower.span;
    let name = lower
        .objects
        .add_calculation("csum16".to_owned(), input, false, span);
    lower.primitive("hash", vec![sum.clone(), Expr::Calculation(name)]);
    lower.primitive("assign", vec![sum.clone(), complement(sum)]);
    Ok(())
}

fn deposit(lower: &mut Lower<'_>, id: ExternId, residual: &ir::Expr) -> Result<()> {
    let residual = lower.place(residual, true)?;
    let sum = unit(lower, id)?.sum;
    let active = field(lower, "checksum_deposits", 1)?;
    lower.primitive("assign", vec![active.clone(), Expr::hex(1, 1)]);
    put(lower, &residual, sum)?;
    if let Some(unit) = state::of_mut(lower).checksums.get_mut(&id) {
        unit.deposits.push(Deposit { residual, active });
    }
    Ok(())
}

pub(super) fn put(lower: &mut Lower<'_>, residual: &Place, sum: Expr) -> Result<()> {
    let Place::Scalar(leaf) = residual else {
        return not_supported(lower.span, "a checksum in anything but a field");
    };
    let bits = Scalar::Bit(SUM_BITS);
    let value = ops::cast(complement(sum), bits, leaf.scalar);
    lower.assign(residual, Value::Scalar(value))
}
