// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The methods of TNA's objects: each goes to the file of its kind.

use quench_p4_frontend::ir::{self, ExternId};

use super::arguments::{index, number, result};
use super::{checksums, copies, hashes, meters, parsing, registers};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::lower::{mask, Lower, Value};

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
            let at = registers::place_of_direct(lower, id)?;
            registers::read(lower, id, at).map(Some)
        }
        ("DirectRegister", "write", [value]) => {
            let at = registers::place_of_direct(lower, id)?;
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
