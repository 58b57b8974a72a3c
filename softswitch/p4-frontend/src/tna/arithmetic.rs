// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: which factors, divisors and shifts Tofino computes with.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::blocks::Block;
use super::origins::Origins;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{BinaryOp, Expr, ExprKind, Program, Value};
use crate::span::Span;

pub(super) fn check(
    program: &Program,
    blocks: &[Block],
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) {
    for block in blocks {
        walk(program, block.root, &mut |item, _| {
            let Item::Expr(expr) = item else {
                return;
            };
            if let ExprKind::Binary(op, left, right) = &expr.kind {
                let problem = match op {
                    BinaryOp::Mul => multiplication(origins, left, right),
                    BinaryOp::Div => division(origins, right, "divide"),
                    BinaryOp::Mod => division(origins, right, "take a remainder"),
                    BinaryOp::Shl | BinaryOp::Shr => shift(origins, right),
                    _ => None,
                };
                if let Some((span, problem)) = problem {
                    diagnostics.error(span, problem);
                }
            }
        });
    }
}

fn multiplication(origins: &Origins, left: &Expr, right: &Expr) -> Option<(Span, String)> {
    let run_time = |expr| origins.is_run_time(expr);
    let span = left.span.to(right.span);
    if run_time(left) && run_time(right) {
        let why = "Tofino cannot multiply two values known only at run time";
        return Some((span, why.to_string()));
    }
    let factor = number(left).or_else(|| number(right))?;
    (!is_power_of_two(factor) && (run_time(left) || run_time(right))).then(|| {
        let why = format!("Tofino multiplies only by powers of two, not by {factor}");
        (span, why)
    })
}

fn division(origins: &Origins, right: &Expr, what: &str) -> Option<(Span, String)> {
    if origins.is_run_time(right) {
        return Some((
            right.span,
            format!("Tofino cannot {what} by a value known only at run time"),
        ));
    }
    let divisor = number(right)?;
    (!is_power_of_two(divisor)).then(|| {
        let why = format!("Tofino can {what} only by powers of two, not by {divisor}");
        (right.span, why)
    })
}

fn shift(origins: &Origins, right: &Expr) -> Option<(Span, String)> {
    origins.is_run_time(right).then(|| {
        let why = "Tofino shifts only by amounts known at compile time";
        (right.span, why.to_string())
    })
}

fn number(expr: &Expr) -> Option<&BigInt> {
    match &expr.kind {
        ExprKind::Const(Value::Int(value)) => Some(value),
        ExprKind::Cast(inner) => number(inner),
        _ => None,
    }
}

/// 0 too: nothing is left of the operation then.
fn is_power_of_two(value: &BigInt) -> bool {
    let magnitude = value.abs();
    (&magnitude & (&magnitude - BigInt::one()).max(BigInt::ZERO)) == BigInt::ZERO
}
