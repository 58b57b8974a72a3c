// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: comparisons that the gateways before tables can do.

use super::blocks::Block;
use super::origins::Origins;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{BinaryOp, Expr, ExprKind, Program, UnaryOp};

pub(super) fn check(
    program: &Program,
    blocks: &[Block],
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) {
    for block in blocks.iter().filter(|block| block.match_action().is_some()) {
        walk(program, block.root, &mut |item, at| {
            if let (Item::Condition(condition), None, None) = (item, at.method_of, at.action_of) {
                check_order(condition, origins, diagnostics);
            }
        });
    }
}

/// Two fields can be compared for equality only, and nothing is computed on the way.
fn check_order(condition: &Expr, origins: &Origins, diagnostics: &mut Diagnostics) {
    let both_run_time = |a, b| origins.is_run_time(a) && origins.is_run_time(b);
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
            check_order(a, origins, diagnostics);
            check_order(b, origins, diagnostics);
        }
        ExprKind::Unary(UnaryOp::Not, inner) => check_order(inner, origins, diagnostics),
        ExprKind::Binary(op, a, b) => match op {
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge if both_run_time(a, b) => {
                diagnostics.error(
                    condition.span,
                    "Tofino orders only a value and a constant: subtract, and look at the sign",
                );
            }
            _ => {
                check_sum(a, origins, diagnostics);
                check_sum(b, origins, diagnostics);
            }
        },
        _ => {}
    }
}

fn check_sum(operand: &Expr, origins: &Origins, diagnostics: &mut Diagnostics) {
    match &operand.kind {
        ExprKind::Cast(inner) | ExprKind::Slice { base: inner, .. } => {
            check_sum(inner, origins, diagnostics);
        }
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::AddSat | BinaryOp::SubSat,
            a,
            b,
        ) if origins.is_run_time(a) || origins.is_run_time(b) => {
            diagnostics.error(
                operand.span,
                "Tofino computes nothing in a condition: do it in an action before",
            );
        }
        _ => {}
    }
}
