// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Registers, and the actions on their cells: a cell is read, the action's body runs on a copy, the copy is written
//! back.

use quench_p4_frontend::ir::{self, Direction, ExternId, Type, VarKind};

use super::state::{self, bits_of, entry_index};
use super::{arguments, cells};
use crate::error::{not_supported, Error, Result};
use crate::json::Expr;
use crate::lower::{ops, Lower, Value};
use crate::place::{Place, Scalar};

/// Width of an index that the data plane keeps.
const LOG_INDEX_BITS: u32 = 32;

/// `Register.read` and `DirectRegister.read`.
pub fn read(lower: &mut Lower<'_>, id: ExternId, index: Expr) -> Result<Value> {
    let ty = element(lower, id)?;
    let cell = read_cell(lower, id, index, &ty)?;
    cells::unpacked(lower, &cell, &ty)
}

/// `Register.write` and `DirectRegister.write`; gives the value.
pub fn write(lower: &mut Lower<'_>, id: ExternId, index: Expr, value: &ir::Expr) -> Result<Value> {
    let ty = element(lower, id)?;
    let value = lower.value(value)?;
    let value = lower.spill(value, &ty)?;
    write_cell(lower, id, index, value.clone(), &ty)?;
    Ok(value)
}

/// `execute` of a register action.
pub fn execute(
    lower: &mut Lower<'_>,
    action: ExternId,
    index: Option<&ir::Expr>,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let register = arguments::argument(lower.ir, action, "reg")?;
    let index = match index {
        Some(index) => match arguments::index(lower, index)? {
            // It is read again for the write; no body changes a field outside of it.
            index @ (Expr::Field(..) | Expr::RuntimeData(_)) => index,
            index => match lower.spill(Value::Scalar(index), &Type::Bit(32))? {
                Value::Scalar(index) => index,
                _ => unreachable!("an index is one number"),
            },
        },
        None => place_of_direct(lower, register)?,
    };
    run(lower, action, register, index, call)
}

/// The index of a direct register's cell: the entry's whose action runs. Outside of tables there is one cell, that of
/// the table without keys which p4c makes of the statement.
pub fn place_of_direct(lower: &mut Lower<'_>, register: ExternId) -> Result<Expr> {
    if lower.in_action {
        return entry_index(lower);
    }
    let alone = &mut state::of_mut(lower).without_table;
    if !alone.contains(&register) {
        alone.push(register);
    }
    Ok(Expr::hex(0, 32))
}

/// `execute_log`: at an index that the data plane advances.
pub fn execute_log(
    lower: &mut Lower<'_>,
    action: ExternId,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let register = arguments::argument(lower.ir, action, "reg")?;
    if !state::of(lower).logs.contains(&register) {
        state::of_mut(lower).logs.push(register);
    }
    let name = lower.ir.externs[register.index()].name.clone();
    let Place::Scalar(index) = lower.temporary(&Type::Bit(LOG_INDEX_BITS))? else {
        unreachable!("an index is one field");
    };
    let parameters = vec![index.expr.clone(), Expr::RegisterArray(name)];
    lower.primitive("next_index", parameters);
    run(lower, action, register, index.expr, call)
}

/// Runs the action's body on a cell of the register.
pub fn run(
    lower: &mut Lower<'_>,
    action: ExternId,
    register: ExternId,
    index: Expr,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let ir = lower.ir;
    let object = &ir.externs[action.index()];
    let Some((_, body)) = object.methods.iter().find(|(name, _)| name == "apply") else {
        return not_supported(call.span, format_args!("{} without `apply`", object.name));
    };
    let body = &ir.functions[body.index()];
    let Some((&value, outputs)) = body.params.split_first() else {
        return not_supported(body.span, "an `apply` without parameters");
    };
    let ty = &ir.vars[value.index()].ty;
    let (wanted, found) = (
        bits_of(lower, ty, object.span)?,
        bits_of(lower, &cell_type(lower, register)?, object.span)?,
    );
    if wanted != found {
        return not_supported(
            object.span,
            format_args!(
                "an action on cells of {wanted} bits of a register with {found} bits a cell"
            ),
        );
    }
    let cell = read_cell(lower, register, index.clone(), ty)?;
    let copy = lower.temporary(ty)?;
    let unpacked = cells::unpacked(lower, &cell, ty)?;
    lower.assign(&copy, unpacked)?;
    let mut places = vec![(value, copy.clone())];
    let mut result = None;
    for &output in outputs {
        let var = &ir.vars[output.index()];
        if var.kind != VarKind::Param(Direction::Out) {
            return not_supported(var.span, "this parameter of `apply`");
        }
        let place = lower.temporary(&var.ty)?;
        set_zero(lower, &place)?;
        result.get_or_insert((place.clone(), var.ty.clone()));
        places.push((output, place));
    }
    lower.inline_on(body, places)?;
    let written = lower.read(&copy);
    write_cell(lower, register, index, written, ty)?;
    match (result, &call.result) {
        (_, Type::Void) => Ok(None),
        (Some((place, _)), _) => Ok(Some(lower.read(&place))),
        // Without an output the unit gives 0.
        (None, ty) => {
            let bits = lower.layout.scalar(ty, call.span)?;
            Ok(Some(Value::Scalar(match bits {
                Scalar::Bool => Expr::Bool(false),
                scalar => Expr::hex(0, scalar.bits()),
            })))
        }
    }
}

/// The conditions that hold, as one of four bits.
pub fn predicate(
    lower: &mut Lower<'_>,
    conditions: &[&ir::Expr],
    call: &ir::Call,
) -> Result<Value> {
    let mut number = Expr::hex(0, 2);
    for (index, condition) in conditions.iter().enumerate() {
        if arguments::is_omitted(condition) {
            continue;
        }
        let holds = ops::data(lower.scalar(condition)?);
        let bit = match index {
            0 => holds,
            _ => Expr::binary("<<", holds, Expr::hex(index, 8)),
        };
        number = Expr::binary("|", number, bit);
    }
    let one_of_four = Expr::binary("<<", Expr::hex(1, 4), number);
    let result = lower.layout.scalar(&call.result, call.span)?;
    Ok(Value::Scalar(ops::cast(
        one_of_four,
        Scalar::Bit(4),
        result,
    )))
}

/// Zero in all numbers of a place.
fn set_zero(lower: &mut Lower<'_>, place: &Place) -> Result<()> {
    let mut leaves = Vec::new();
    place.for_each(&mut |part| {
        if let Place::Scalar(leaf) = part {
            leaves.push((leaf.expr.clone(), leaf.scalar.bits()));
        }
    });
    for (field, bits) in leaves {
        lower.primitive("assign", vec![field, Expr::hex(0, bits)]);
    }
    Ok(())
}

/// The type of a register's elements.
pub fn element(lower: &Lower<'_>, register: ExternId) -> Result<Type> {
    let object = &lower.ir.externs[register.index()];
    match object.type_args.first() {
        Some(ty) => Ok(ty.clone()),
        None => not_supported(object.span, "a register without a type"),
    }
}

/// The same as [`element`], but a selector's register has one bit a member.
fn cell_type(lower: &Lower<'_>, register: ExternId) -> Result<Type> {
    let object = &lower.ir.externs[register.index()];
    match object.type_name.as_str() {
        "ActionSelector" => Ok(Type::Bit(1)),
        _ => element(lower, register),
    }
}

/// The name of the array; a selector without a register of its own gets one.
pub fn array_name(object: &ir::ExternInstance) -> String {
    match object.type_name.as_str() {
        "ActionSelector" => format!("{}$up", object.name),
        _ => object.name.clone(),
    }
}

fn read_cell(lower: &mut Lower<'_>, id: ExternId, index: Expr, ty: &Type) -> Result<Expr> {
    let array = array_name(&lower.ir.externs[id.index()]);
    let bits = bits_of(lower, ty, lower.span)?;
    let Place::Scalar(cell) = lower.temporary(&Type::Bit(bits))? else {
        return Err(Error::new(lower.span, "a register of values without bits"));
    };
    let parameters = vec![cell.expr.clone(), Expr::RegisterArray(array), index];
    lower.primitive("register_read", parameters);
    Ok(cell.expr)
}

fn write_cell(
    lower: &mut Lower<'_>,
    id: ExternId,
    index: Expr,
    value: Value,
    ty: &Type,
) -> Result<()> {
    let array = array_name(&lower.ir.externs[id.index()]);
    let cell = cells::packed(lower, value, ty)?;
    lower.primitive(
        "register_write",
        vec![Expr::RegisterArray(array), index, cell],
    );
    Ok(())
}
