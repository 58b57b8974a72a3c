// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counters, meters and filters. A direct one has a cell for each entry of its table, and the entry's number is the index.

use quench_p4_frontend::ir::{self, ExternId};

use super::arguments::{self, is_omitted, result};
use super::registers;
use super::state::entry_index;
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::lower::{Lower, Value};

/// `count` of counters and `execute` of meters, whose arguments have names since most can be left out.
pub fn count_or_execute(
    lower: &mut Lower<'_>,
    id: ExternId,
    method: &str,
    call: &ir::Call,
) -> Result<Option<Value>> {
    let object = &lower.ir.externs[id.index()];
    let name = object.name.clone();
    let mut index = None;
    let mut colour = None;
    let mut adjustment = None;
    for arg in call.args.iter().filter(|arg| !is_omitted(&arg.expr)) {
        let value = Some(arguments::index(lower, &arg.expr)?);
        match arg.name.as_str() {
            "index" => index = value,
            "color" => colour = value,
            "adjust_byte_count" => adjustment = value,
            _ => return not_supported(call.span, format_args!("the argument {}", arg.name)),
        }
    }
    let index = match index {
        Some(index) => index,
        None => entry_index(lower)?,
    };
    match method {
        "count" => {
            let mut parameters = vec![Expr::CounterArray(name), index];
            parameters.extend(adjustment);
            lower.primitive("count", parameters);
            Ok(None)
        }
        "execute" => result(lower, &call.result, |lower, destination| {
            let mut parameters = vec![Expr::MeterArray(name), index, destination];
            if let (None, Some(_)) = (&colour, &adjustment) {
                // A green packet is metered as one without a colour.
                parameters.push(Expr::hex(0, 8));
            }
            parameters.extend(colour);
            parameters.extend(adjustment);
            lower.primitive("execute_meter", parameters);
        })
        .map(Some),
        _ => not_supported(
            call.span,
            format_args!("this method of {}", object.type_name),
        ),
    }
}

/// `execute` of low-pass filters and of WRED.
pub fn filter(
    lower: &mut Lower<'_>,
    id: ExternId,
    sample: &ir::Expr,
    index: Option<&ir::Expr>,
    call: &ir::Call,
) -> Result<Value> {
    let object = &lower.ir.externs[id.index()];
    let op = match object.type_name.as_str() {
        "Lpf" | "DirectLpf" => "lpf",
        _ => "wred",
    };
    let sample = arguments::number(lower, sample)?;
    let index = match index {
        Some(index) => arguments::index(lower, index)?,
        None => entry_index(lower)?,
    };
    let array = Expr::Object("filter_array", object.name.clone());
    result(lower, &call.result, |lower, destination| {
        lower.primitive(op, vec![destination, array, sample, index]);
    })
}

/// Changes the bit that says whether a member of a selector is up.
pub fn selector_action(
    lower: &mut Lower<'_>,
    id: ExternId,
    index: &ir::Expr,
    call: &ir::Call,
) -> Result<Option<Value>> {
    if is_omitted(index) {
        return not_supported(call.span, "SelectorAction.execute without an index");
    }
    let selector = arguments::argument(lower.ir, id, "sel")?;
    let register = match arguments::optional_argument(lower.ir, selector, "reg") {
        Some(ir::Value::Extern(register)) => *register,
        _ => selector,
    };
    let index = arguments::index(lower, index)?;
    registers::run(lower, id, register, index, call)
}
