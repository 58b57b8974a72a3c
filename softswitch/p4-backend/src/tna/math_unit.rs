// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The tables of math units. For a function that a program names, each row holds the function at the row's number divided
//! by 8, times the factor, in units of a power of two so that the largest takes all 8 bits. (p4c's table for 1/x^2 holds 1/x*x instead, which
//! is constant; hardware that runs such a program would do that.)

use std::ops::RangeInclusive;

use num_traits::ToPrimitive;
use quench_p4_frontend::ir::{self, ExternId};

use super::arguments::optional_argument;
use crate::error::{not_supported, Result};
use crate::json;

/// Rows before this one are only for inputs whose exponent is halved.
const FIRST_ROW: usize = 8;
const FIRST_ROW_OF_ROOTS: usize = 4;
const MIN_SCALE: i32 = -32;
const MAX_SCALE: i32 = 31;
const SHIFTS: RangeInclusive<i64> = -1..=1;
const MAX_BITS: u32 = 32;

pub fn math_unit(ir: &ir::Program, id: ExternId, bitwidth: u32) -> Result<json::MathUnit> {
    let object = &ir.externs[id.index()];
    let number = |name: &str| match optional_argument(ir, id, name) {
        Some(ir::Value::Int(value)) => value.to_i64(),
        _ => None,
    };
    if bitwidth > MAX_BITS {
        return not_supported(
            object.span,
            format_args!("a math unit of {bitwidth} bits: at most {MAX_BITS} are possible"),
        );
    }
    let unit = |invert, shift, scale, table| json::MathUnit {
        name: object.name.clone(),
        id: 0,
        source_info: None,
        invert,
        shift,
        scale,
        table,
        bitwidth,
    };
    if let Some(ir::Value::Aggregate(rows)) = optional_argument(ir, id, "data") {
        let (Some(shift), Some(scale)) = (number("shift"), number("scale")) else {
            return not_supported(object.span, "a math unit without `shift` and `scale`");
        };
        if !SHIFTS.contains(&shift) {
            return not_supported(
                object.span,
                format_args!("a math unit with a shift of {shift}: -1, 0 and 1 are possible"),
            );
        }
        let invert = matches!(
            optional_argument(ir, id, "invert"),
            Some(ir::Value::Bool(true))
        );
        let mut table = [0; 16];
        // The program lists them from row 15 on.
        for (row, value) in table.iter_mut().rev().zip(rows) {
            *row = match value {
                ir::Value::Int(value) => value.to_u8().unwrap_or(0),
                _ => 0,
            };
        }
        return Ok(unit(invert, shift as i32, scale as i32, table));
    }
    let Some(ir::Value::Enum(_, op)) = optional_argument(ir, id, "op") else {
        return not_supported(object.span, "a math unit without a function");
    };
    let real = |name: &str| match optional_argument(ir, id, name) {
        Some(ir::Value::Int(value)) => value.to_f64(),
        _ => None,
    };
    let factor = match (real("factor"), real("A"), real("B")) {
        (Some(factor), ..) => factor,
        (_, Some(_), Some(0.0)) => return not_supported(object.span, "a factor that divides by 0"),
        (_, Some(a), Some(b)) => a / b,
        _ => return not_supported(object.span, "a math unit without a factor"),
    };
    if !(factor > 0.0 && factor.is_finite()) {
        return not_supported(
            object.span,
            "a math unit whose factor is not positive, or no number of double precision",
        );
    }
    let (invert, shift, largest) = match op {
        0 => (false, 0, 1.875),
        1 => (false, 1, 3.515625),
        2 => (false, -1, 1.875f64.sqrt()),
        3 => (true, 0, 1.0),
        4 => (true, 1, 1.0),
        _ => (true, -1, 2f64.sqrt()),
    };
    let function = |x: f64| match op {
        0 => x,
        1 => x * x,
        2 => x.sqrt(),
        3 => 1.0 / x,
        4 => 1.0,
        _ => 1.0 / x.sqrt(),
    };
    let scale = (factor * largest).log2().floor() as i32 - 7;
    let scale = scale.clamp(MIN_SCALE, MAX_SCALE);
    let first = if shift < 0 {
        FIRST_ROW_OF_ROOTS
    } else {
        FIRST_ROW
    };
    let mut table = [0; 16];
    for (row, entry) in table.iter_mut().enumerate().skip(first) {
        let value = function(row as f64 / 8.0) * factor * 2f64.powi(-scale);
        *entry = value.round_ties_even().clamp(0.0, 255.0) as u8;
    }
    Ok(unit(invert, shift, scale, table))
}
