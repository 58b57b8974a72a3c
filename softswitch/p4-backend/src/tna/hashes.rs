// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Hashes. Identity and exclusive or are expressions; the others are calculations of the data plane.

use num_bigint::BigInt;
use quench_p4_frontend::ast::{AnnotationBody, AnnotationTokenKind, ExprKind as Ast};
use quench_p4_frontend::ir::{self, ExternId, Type};

use super::arguments::{self, optional_argument};
use super::state::bits_of;
use crate::error::{not_supported, Result};
use crate::json::{hex, Crc, Expr};
use crate::lower::{ops, Calculation, Lower, Parts, Value};
use crate::place::Scalar;

/// More than the hash units of one stage can read.
const MAX_INPUT_BITS: u32 = 1 << 14;
/// The width of a hash that the data plane computes.
const MAX_RESULT_BITS: u32 = 64;

/// The function that an instance of `Hash` computes.
pub struct Function {
    pub algorithm: &'static str,
    pub crc: Option<Crc>,
    /// Width of the result.
    pub bits: u32,
    /// The width of the words that exclusive or combines.
    word: u32,
}

impl Function {
    pub fn of(lower: &Lower<'_>, id: ExternId) -> Result<Function> {
        let object = &lower.ir.externs[id.index()];
        let bits = match object.type_args.first() {
            Some(ty) => bits_of(lower, ty, object.span)?,
            None => return not_supported(object.span, "a hash without a type"),
        };
        let function = |algorithm, crc, word| Function {
            algorithm,
            crc,
            bits,
            word,
        };
        let crc = |width, coeff: u64, reversed, all_ones: bool| {
            let ones = if all_ones {
                ops::mask(width)
            } else {
                BigInt::ZERO
            };
            let text = |value: &BigInt| hex(value, width);
            let crc = Crc {
                width,
                coeff: text(&coeff.into()),
                reversed,
                msb: false,
                extended: true,
                init: text(&ones),
                xor: text(&ones),
            };
            function("crc", Some(crc), 0)
        };
        let Some(ir::Value::Enum(ty, index)) = optional_argument(lower.ir, id, "algo") else {
            return not_supported(object.span, "a hash without an algorithm");
        };
        let ir::TypeDefKind::Enum(members) = &lower.ir.types[ty.index()].kind else {
            return not_supported(object.span, "this hash algorithm");
        };
        let function = match members[*index as usize].as_str() {
            "IDENTITY" => function("identity", None, 0),
            "RANDOM" => function("random", None, 0),
            "XOR8" => function("xor", None, 8),
            "XOR16" => function("xor", None, 16),
            "XOR32" => function("xor", None, 32),
            "CRC8" => crc(8, 0x07, false, false),
            "CRC16" => crc(16, 0x8005, true, false),
            "CRC32" => crc(32, 0x04c1_1db7, true, true),
            "CRC64" => crc(64, 0x42f0_e1eb_a9ea_3693, false, false),
            "CUSTOM" => {
                let polynomial = arguments::argument(lower.ir, id, "poly")?;
                function("crc", Some(polynomial_of(lower, polynomial)?), 0)
            }
            other => return not_supported(object.span, format_args!("the hash algorithm {other}")),
        };
        // The others are expressions, of any width.
        if matches!(function.algorithm, "crc" | "random") && bits > MAX_RESULT_BITS {
            return not_supported(
                object.span,
                format_args!("a hash of {bits} bits: at most {MAX_RESULT_BITS} are possible"),
            );
        }
        Ok(function)
    }
}

fn polynomial_of(lower: &Lower<'_>, id: ExternId) -> Result<Crc> {
    let object = &lower.ir.externs[id.index()];
    let width = match object.type_args.first() {
        Some(ty) => bits_of(lower, ty, object.span)?,
        None => return not_supported(object.span, "a polynomial without a type"),
    };
    if !(8..=64).contains(&width) {
        return not_supported(
            object.span,
            format_args!("a polynomial of {width} bits: from 8 to 64 are possible"),
        );
    }
    let number = |name: &str| match optional_argument(lower.ir, id, name) {
        Some(ir::Value::Int(value)) => {
            Ok(hex(&ops::reduce(value.clone(), Scalar::Bit(width)), width))
        }
        _ => not_supported(object.span, format_args!("a polynomial without `{name}`")),
    };
    let flag = |name: &str| {
        matches!(
            optional_argument(lower.ir, id, name),
            Some(ir::Value::Bool(true))
        )
    };
    Ok(Crc {
        width,
        coeff: number("coeff")?,
        reversed: flag("reversed"),
        msb: flag("msb"),
        extended: flag("extended"),
        init: number("init")?,
        xor: number("xor")?,
    })
}

/// `Hash.get`.
pub fn get(lower: &mut Lower<'_>, id: ExternId, data: &ir::Expr, call: &ir::Call) -> Result<Value> {
    let function = Function::of(lower, id)?;
    match function.algorithm {
        "identity" => {
            let (value, bits) = concatenation(lower, data)?;
            fitted(lower, value, bits, &call.result)
        }
        "xor" => {
            let (value, bits) = concatenation(lower, data)?;
            let (value, bits) = exclusive_or(lower, value, bits, function.word)?;
            fitted(lower, value, bits, &call.result)
        }
        _ => {
            // Copies: a calculation would leave out the fields of invalid headers.
            let input = inputs(lower, id, data)?;
            let name = lower.objects.add(Calculation {
                name: String::new(),
                algorithm: function.algorithm.to_owned(),
                input,
                with_payload: false,
                bits: Some(function.bits),
                crc: function.crc,
                span: call.span,
            });
            arguments::result(lower, &call.result, |lower, destination| {
                lower.primitive("hash", vec![destination, Expr::Calculation(name)]);
            })
        }
    }
}

/// A number of so many bits as a value of another type: its lowest bits, or zeros before it.
fn fitted(lower: &mut Lower<'_>, value: Expr, bits: u32, ty: &Type) -> Result<Value> {
    let scalar = lower.layout.scalar(ty, lower.span)?;
    Ok(Value::Scalar(ops::cast(value, Scalar::Bit(bits), scalar)))
}

/// All single values one after the other, the first in the highest bits; and the width of that.
fn concatenation(lower: &mut Lower<'_>, data: &ir::Expr) -> Result<(Expr, u32)> {
    let parts = lower.parts(data, Parts::Copies)?;
    total_width(lower, &parts)?;
    let mut sized = Vec::new();
    for part in parts {
        let width = width(lower, &part)?;
        sized.push((part, width));
    }
    let join = |(high, a): (Expr, u32), (low, b): (Expr, u32)| {
        let high = Expr::binary("<<", high, Expr::hex(b, 16));
        (Expr::binary("|", high, low), a + b)
    };
    Ok(ops::balanced(sized, &join).unwrap_or_else(|| (Expr::hex(0, 8), 0)))
}

/// Bits of all fields together.
fn total_width(lower: &Lower<'_>, parts: &[Expr]) -> Result<u32> {
    let mut bits = 0u32;
    for part in parts {
        bits = bits.saturating_add(width(lower, part)?);
    }
    if bits > MAX_INPUT_BITS {
        return not_supported(
            lower.span,
            format_args!("a hash over more than {MAX_INPUT_BITS} bits"),
        );
    }
    Ok(bits)
}

fn width(lower: &Lower<'_>, field: &Expr) -> Result<u32> {
    match lower.layout.field_bits(field) {
        Some(bits) => Ok(bits),
        None => not_supported(lower.span, "a value of this type in a hash"),
    }
}

/// The number cut into words from its highest bit on, with zeros behind it, and all words combined.
fn exclusive_or(lower: &mut Lower<'_>, value: Expr, bits: u32, word: u32) -> Result<(Expr, u32)> {
    let padding = bits.next_multiple_of(word) - bits;
    let whole = bits + padding;
    let padded = match padding {
        0 => value,
        padding => Expr::binary("<<", value, Expr::hex(padding, 16)),
    };
    let Value::Scalar(copy) = lower.spill(Value::Scalar(padded), &Type::Bit(whole.max(word)))?
    else {
        unreachable!("a number is one value");
    };
    let words = (0..whole / word).map(|number| {
        let low = number * word;
        ops::slice(copy.clone(), low + word - 1, low)
    });
    let all = ops::balanced(words.collect(), &|a, b| Expr::binary("^", a, b));
    Ok((all.unwrap_or_else(|| Expr::hex(0, word)), word))
}

/// Copies of the fields, with zeros before them up to whole bytes. Where the hash is symmetric in two of them, the
/// smaller one comes in the place of the first.
fn inputs(lower: &mut Lower<'_>, id: ExternId, data: &ir::Expr) -> Result<Vec<Expr>> {
    let mut parts = lower.parts(data, Parts::Copies)?;
    let pairs = symmetric_pairs(lower, id, data)?;
    for (first, second) in pairs {
        let (a, b) = (parts[first].clone(), parts[second].clone());
        let in_order = Expr::binary("<", a.clone(), b.clone());
        let bits = width(lower, &a)?.max(width(lower, &b)?);
        let sorted = [(a.clone(), b.clone()), (b, a)];
        for (at, (then, otherwise)) in [first, second].into_iter().zip(sorted) {
            let value = Expr::ternary(in_order.clone(), then, otherwise);
            match lower.spill(Value::Scalar(value), &Type::Bit(bits))? {
                Value::Scalar(copy) => parts[at] = copy,
                _ => unreachable!("a number is one value"),
            }
        }
    }
    let bits = total_width(lower, &parts)?;
    if bits % 8 != 0 {
        parts.insert(0, Expr::hex(0, 8 - bits % 8));
    }
    Ok(parts)
}

/// Positions in the data of the fields that `@symmetric("a", "b")` names.
fn symmetric_pairs(
    lower: &Lower<'_>,
    id: ExternId,
    data: &ir::Expr,
) -> Result<Vec<(usize, usize)>> {
    let object = &lower.ir.externs[id.index()];
    let mut pairs = Vec::new();
    let named = object
        .annotations
        .iter()
        .filter(|a| a.name.text == "symmetric");
    for found in named {
        let texts: Vec<&str> = match &found.body {
            AnnotationBody::Unstructured(tokens) => tokens
                .iter()
                .filter(|t| t.kind == AnnotationTokenKind::String)
                .map(|t| t.text.as_str())
                .collect(),
            AnnotationBody::Expressions(items) => items
                .iter()
                .filter_map(|e| match &e.kind {
                    Ast::String(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let ir::ExprKind::Aggregate(items) = &data.kind else {
            return not_supported(found.span, "@symmetric with anything but a list of fields");
        };
        let position = |text: &str| {
            let text = text.rsplit('.').next().unwrap_or(text);
            items
                .iter()
                .position(|item| member_name(lower, item) == Some(text))
        };
        match texts[..] {
            [first, second] => match (position(first), position(second)) {
                (Some(first), Some(second)) => pairs.push((first, second)),
                _ => {
                    return not_supported(
                        found.span,
                        "@symmetric with fields that the hash does not have",
                    )
                }
            },
            _ => return not_supported(found.span, "@symmetric with anything but two names"),
        }
    }
    Ok(pairs)
}

/// The last part of the name that the expression is.
fn member_name<'a>(lower: &Lower<'a>, e: &ir::Expr) -> Option<&'a str> {
    match &e.kind {
        ir::ExprKind::Field(base, index) => match lower.layout.resolve(&base.ty) {
            Type::Named(id) => {
                let field = lower.layout.fields(*id).get(*index as usize)?;
                Some(&field.name)
            }
            _ => None,
        },
        ir::ExprKind::Var(id) => Some(&lower.ir.vars[id.index()].name),
        _ => None,
    }
}
