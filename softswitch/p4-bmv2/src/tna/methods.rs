// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The methods of TNA's objects: each goes to the file of its kind.

use quench_p4_frontend::ir::{self, ExprKind, ExternId, Type};

use super::state::entry_index;
use super::{checksums, copies, hashes, meters, parsing, registers};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::lower::{mask, ops, Lower, Value};
use crate::place::{Place, Scalar};

pub fn call(
    lower: &mut Lower<'_>,
    id: ExternId,
    method: &str,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let ir = lower.ir;
    let object = &ir.externs[id.index()];
    let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
    let type_name = object.type_name.as_str();
    match (type_name, method, args.as_slice()) {
        ("Register", "read", [at]) => {
            let at = index(lower, at)?;
            registers::read(lower, id, at).map(Some)
        }
        ("Register", "write", [at, value]) => {
            let at = index(lower, at)?;
            registers::write(lower, id, at, value).map(Some)
        }
        ("DirectRegister", "read", []) => {
            let at = entry_index(lower)?;
            registers::read(lower, id, at).map(Some)
        }
        ("DirectRegister", "write", [value]) => {
            let at = entry_index(lower)?;
            registers::write(lower, id, at, value).map(Some)
        }
        ("RegisterParam", "read", []) => registers::read(lower, id, Expr::hex(0, 32)).map(Some),
        ("RegisterAction", "execute", [at]) => registers::execute(lower, id, Some(at), call),
        ("RegisterAction", "execute_log", []) => registers::execute_log(lower, id, call),
        ("DirectRegisterAction", "execute", []) => registers::execute(lower, id, None, call),
        ("RegisterAction" | "DirectRegisterAction", "predicate", conditions) => {
            registers::predicate(lower, conditions, call).map(Some)
        }
        ("SelectorAction", "execute", [at]) => meters::selector_action(lower, id, at, call),
        ("MathUnit", "execute", [operand]) => {
            let operand = number(lower, operand)?;
            let unit = Expr::Object("math_unit", object.name.clone());
            result(lower, &call.result, |lower, destination| {
                lower.primitive("math_unit", vec![destination, unit, operand]);
            })
            .map(Some)
        }
        ("Counter" | "DirectCounter" | "Meter" | "DirectMeter", ..) => {
            meters::count_or_execute(lower, id, method, call)
        }
        ("Lpf" | "Wred" | "DirectLpf" | "DirectWred", "execute", [sample, rest @ ..]) => {
            meters::filter(lower, id, sample, rest.first().copied(), call).map(Some)
        }
        ("Random", "get", []) => {
            let bits = lower.layout.scalar(&call.result, call.span)?.bits();
            result(lower, &call.result, |lower, destination| {
                let bounds = [Expr::hex(0, bits), Expr::hex(mask(bits), bits)];
                let parameters = [destination].into_iter().chain(bounds).collect();
                lower.primitive("modify_field_rng_uniform", parameters);
            })
            .map(Some)
        }
        ("Hash", "get", [data]) => hashes::get(lower, id, data, call).map(Some),
        ("Checksum", ..) => checksums::call(lower, id, method, call),
        ("ParserCounter", ..) => parsing::counter(lower, method, call),
        // It only matters where the hardware's input buffer is full.
        ("ParserPriority", "set", [priority]) => lower.value(priority).map(|_| None),
        ("Mirror", "emit", [session]) => copies::mirror(lower, id, session, None),
        ("Mirror", "emit", [session, data]) => copies::mirror(lower, id, session, Some(data)),
        ("Resubmit", "emit", data) => copies::resubmit(lower, id, data.first().copied()),
        ("Digest", "pack", [data]) => copies::digest(lower, id, data),
        _ => not_supported(call.span, format_args!("{type_name}.{method}")),
    }
}

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

/// As [`number`]; an index may be a number without width.
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
