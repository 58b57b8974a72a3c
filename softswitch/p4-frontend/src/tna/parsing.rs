// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rule: parsers copy fields and constants; they do not compute.

use super::blocks::{Block, Kind, Root};
use super::origins::Origins;
use super::walk::{walk, Item};
use crate::diagnostics::Diagnostics;
use crate::ir::{BinaryOp, Callee, Expr, ExprKind, ParserId, Program, StmtKind, VarKind};
use crate::warnings::Warning;

pub(super) fn check(
    program: &Program,
    blocks: &[Block],
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) {
    for block in blocks.iter().filter(|block| block.kind == Kind::Parser) {
        walk(program, block.root, &mut |item, _| {
            let Item::Call(call) = item else {
                return;
            };
            if let Callee::ExternFunction { name, .. } = &call.callee {
                if name == "verify" {
                    diagnostics.warning(
                        Warning::Ignore,
                        call.span,
                        "`verify` does nothing: Tofino has none",
                    );
                }
            }
        });
        if let Root::Parser(id) = block.root {
            check_assignments(program, id, origins, diagnostics);
        }
    }
}

/// Looks only at parameters: a variable may be the length of a field or of a step, which the parser can work out.
fn check_assignments(
    program: &Program,
    id: ParserId,
    origins: &Origins,
    diagnostics: &mut Diagnostics,
) {
    for state in &program.parsers[id.index()].states {
        for statement in &state.body {
            let StmtKind::Assign(target, value) = &statement.kind else {
                continue;
            };
            let is_param = |id| matches!(program.vars[id as usize].kind, VarKind::Param(_));
            if root(target).is_some_and(is_param) && computes(value, origins) {
                diagnostics.error(
                    value.span,
                    "Tofino's parser cannot compute: it copies fields and constants",
                );
            }
        }
    }
}

fn root(target: &Expr) -> Option<u32> {
    match &target.kind {
        ExprKind::Var(id) => Some(id.0),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Slice { base, .. } => {
            root(base)
        }
        ExprKind::StackNext(base) | ExprKind::StackLast(base) => root(base),
        _ => None,
    }
}

fn computes(value: &Expr, origins: &Origins) -> bool {
    match &value.kind {
        ExprKind::Binary(op, a, b) => {
            matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::AddSat | BinaryOp::SubSat | BinaryOp::Mul
            ) && (origins.is_run_time(a) || origins.is_run_time(b))
        }
        ExprKind::Cast(inner) => computes(inner, origins),
        _ => false,
    }
}
