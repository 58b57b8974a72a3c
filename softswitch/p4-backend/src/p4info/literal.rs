// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values in structured annotations: literals, and operators between them, which p4c folds.

use num_bigint::BigInt;
use num_traits::Signed;
use quench_p4_frontend::ast::{BinaryOp, Expr, ExprKind, UnaryOp};

#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Bool(bool),
    Integer(BigInt),
    Text(String),
}

/// The value of an expression; `None` where it is no literal and cannot be folded into one.
pub fn fold(expr: &Expr) -> Option<Literal> {
    match &expr.kind {
        ExprKind::Integer { value, .. } => Some(Literal::Integer(value.clone())),
        _ => operand(expr),
    }
}

/// As [`fold`], without numbers of a fixed width, whose arithmetic would wrap.
fn operand(expr: &Expr) -> Option<Literal> {
    match &expr.kind {
        ExprKind::Bool(value) => Some(Literal::Bool(*value)),
        ExprKind::String(text) => Some(Literal::Text(text.clone())),
        ExprKind::Integer { value, width: None } => Some(Literal::Integer(value.clone())),
        ExprKind::Unary(op, value) => unary(*op, operand(value)?),
        ExprKind::Binary(op, left, right) => binary(*op, operand(left)?, operand(right)?),
        _ => None,
    }
}

fn unary(op: UnaryOp, value: Literal) -> Option<Literal> {
    match (op, value) {
        (UnaryOp::Not, Literal::Bool(value)) => Some(Literal::Bool(!value)),
        (UnaryOp::Negate, Literal::Integer(value)) => Some(Literal::Integer(-value)),
        (UnaryOp::Plus, Literal::Integer(value)) => Some(Literal::Integer(value)),
        _ => None,
    }
}

fn binary(op: BinaryOp, left: Literal, right: Literal) -> Option<Literal> {
    match (op, left, right) {
        (_, Literal::Integer(left), Literal::Integer(right)) => integers(op, &left, &right),
        (BinaryOp::And, Literal::Bool(left), Literal::Bool(right)) => {
            Some(Literal::Bool(left && right))
        }
        (BinaryOp::Or, Literal::Bool(left), Literal::Bool(right)) => {
            Some(Literal::Bool(left || right))
        }
        (BinaryOp::Eq, Literal::Bool(left), Literal::Bool(right)) => {
            Some(Literal::Bool(left == right))
        }
        (BinaryOp::Ne, Literal::Bool(left), Literal::Bool(right)) => {
            Some(Literal::Bool(left != right))
        }
        (BinaryOp::Concat, Literal::Text(left), Literal::Text(right)) => {
            Some(Literal::Text(left + &right))
        }
        _ => None,
    }
}

fn integers(op: BinaryOp, left: &BigInt, right: &BigInt) -> Option<Literal> {
    let can_divide = !left.is_negative() && right.is_positive();
    Some(match op {
        BinaryOp::Add => Literal::Integer(left + right),
        BinaryOp::Sub => Literal::Integer(left - right),
        BinaryOp::Mul => Literal::Integer(left * right),
        BinaryOp::Div if can_divide => Literal::Integer(left / right),
        BinaryOp::Mod if can_divide => Literal::Integer(left % right),
        BinaryOp::Eq => Literal::Bool(left == right),
        BinaryOp::Ne => Literal::Bool(left != right),
        BinaryOp::Lt => Literal::Bool(left < right),
        BinaryOp::Le => Literal::Bool(left <= right),
        BinaryOp::Gt => Literal::Bool(left > right),
        BinaryOp::Ge => Literal::Bool(left >= right),
        _ => return None,
    })
}
