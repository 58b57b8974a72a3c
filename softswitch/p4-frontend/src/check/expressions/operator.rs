// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: unary and binary operators.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::ast::{self, BinaryOp, UnaryOp};
use crate::check::checker::Checker;
use crate::check::values::constant::{bits_needed, constant, Known};
use crate::check::values::fold;
use crate::ir::{Expr, ExprKind, Type, Value};
use crate::limits::MAX_WIDTH_BITS;
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    pub fn unary_expr(&mut self, op: UnaryOp, inner: &'a ast::Expr, span: Span) -> Option<Expr> {
        let inner = self.expr(inner, None)?;
        let inner = match self.types.serializable(&inner.ty) {
            Some(repr) => self.convert(inner, &repr)?,
            None => inner,
        };
        let fits = match op {
            UnaryOp::Not => inner.ty == Type::Bool,
            UnaryOp::Complement => matches!(inner.ty, Type::Bit(_) | Type::Int(_)),
            UnaryOp::Negate | UnaryOp::Plus => self.types.is_numeric(&inner.ty),
        };
        if !fits {
            let shown = self.types.show(&inner.ty);
            return self.error(
                span,
                format!("`{}` is not defined for `{shown}`", op.symbol()),
            );
        }
        if let ExprKind::Const(value) = &inner.kind {
            if let Some(value) = fold::unary(op, &inner.ty, value) {
                return Some(constant(value, inner.ty, span));
            }
        }
        if op == UnaryOp::Plus {
            return Some(Expr { span, ..inner });
        }
        let ty = inner.ty.clone();
        Some(Expr {
            kind: ExprKind::Unary(op, Box::new(inner)),
            ty,
            span,
        })
    }

    pub fn binary_expr(
        &mut self,
        op: BinaryOp,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let left_checked = self.expr(left, None);
        let right_checked = self.expr(right, None);
        self.binary(op, left_checked?, right_checked?, span)
    }

    pub fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        match op {
            BinaryOp::And | BinaryOp::Or => self.logical(op, left, right, span),
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op, left, right, span),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, span),
            BinaryOp::Concat => self.concat(left, right, span),
            _ => self.arithmetic(op, left, right, span),
        }
    }

    fn logical(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        for operand in [&left, &right] {
            if operand.ty != Type::Bool {
                return self.undefined(op, &left, &right, span);
            }
        }
        let decides = |operand: &Expr| match operand.kind {
            ExprKind::Const(Value::Bool(value)) => Some(value == (op == BinaryOp::Or)),
            _ => None,
        };
        // The right operand is not evaluated when the left one decides.
        match (decides(&left), decides(&right)) {
            (Some(true), _) => Some(left),
            (Some(false), _) => Some(right),
            (_, Some(true)) if !left.has_effects() => Some(right),
            _ => self.make(op, left, right, Type::Bool, span),
        }
    }

    fn equality(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        match self.common(left, right)? {
            Ok((left, right)) if self.types.comparable(&left.ty) => {
                self.make(op, left, right, Type::Bool, span)
            }
            Ok((left, right)) | Err((left, right)) => {
                let (a, b) = (self.types.show(&left.ty), self.types.show(&right.ty));
                self.error(span, format!("`{a}` and `{b}` cannot be compared"))
            }
        }
    }

    fn shift(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let left = self.enum_to_number(left)?;
        let right = self.enum_to_number(right)?;
        if !self.types.is_numeric(&left.ty) {
            return self.undefined(op, &left, &right, span);
        }
        let amount = match self.value_of(&right) {
            Some(Value::Int(amount)) => Some(amount),
            _ => None,
        };
        match (&right.ty, &amount) {
            (Type::Int(_) | Type::InfInt, Some(amount)) if amount.is_negative() => {
                return self.error(
                    right.span,
                    format!("cannot shift by a negative amount: {amount}"),
                )
            }
            (Type::Int(_), None) => {
                return self.error(right.span, "the amount of a shift cannot be signed")
            }
            (Type::Bit(_) | Type::Int(_) | Type::InfInt, _) => {}
            _ => return self.undefined(op, &left, &right, span),
        }
        if left.ty == Type::InfInt && amount.is_none() && self.known(&right) == Known::RunTime {
            return self.error(
                left.span,
                "the width of the shifted number is not known: cast it",
            );
        }
        if let (Type::Bit(width) | Type::Int(width), Some(amount)) = (&left.ty, &amount) {
            if *amount >= BigInt::from(*width) {
                let shown = self.types.show(&left.ty);
                let message = format!("a value of `{shown}` is shifted by {amount}");
                self.warning(Warning::Overflow, span, message);
            }
        }
        let right = match amount {
            Some(amount) if !matches!(right.ty, Type::Bit(_)) && self.value_of(&left).is_none() => {
                let ty = Type::Bit(bits_needed(&amount).max(8));
                constant(Value::Int(amount), ty, right.span)
            }
            _ => right,
        };
        let ty = left.ty.clone();
        self.make(op, left, right, ty, span)
    }

    fn concat(&mut self, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let left = self.enum_to_number(left)?;
        let right = self.enum_to_number(right)?;
        let ty = match (&left.ty, &right.ty) {
            (Type::Bit(a) | Type::Int(a), Type::Bit(b) | Type::Int(b))
                if a + b > MAX_WIDTH_BITS =>
            {
                return self.error(
                    span,
                    format!(
                        "the result has {} bits: at most {MAX_WIDTH_BITS} are supported",
                        a + b
                    ),
                )
            }
            (Type::Bit(a), Type::Bit(b) | Type::Int(b)) => Type::Bit(a + b),
            (Type::Int(a), Type::Bit(b) | Type::Int(b)) => Type::Int(a + b),
            (Type::String, Type::String) => Type::String,
            _ => return self.undefined(BinaryOp::Concat, &left, &right, span),
        };
        if ty == Type::String && self.known(&left).max(self.known(&right)) == Known::RunTime {
            return self.error(span, "strings can be joined only at compile time");
        }
        self.make(BinaryOp::Concat, left, right, ty, span)
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Option<Expr> {
        let left = self.enum_to_number(left)?;
        let right = self.enum_to_number(right)?;
        if !self.types.is_numeric(&left.ty) || !self.types.is_numeric(&right.ty) {
            return self.undefined(op, &left, &right, span);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            self.check_division(&left, &right, op, span)?;
        }
        let (left, right) = match self.common(left, right)? {
            Ok(pair) => pair,
            Err((left, right)) => return self.undefined(op, &left, &right, span),
        };
        let compares = matches!(
            op,
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
        );
        let saturating = matches!(op, BinaryOp::AddSat | BinaryOp::SubSat);
        if saturating && left.ty == Type::InfInt {
            return self.undefined(op, &left, &right, span);
        }
        let ty = if compares {
            Type::Bool
        } else {
            left.ty.clone()
        };
        self.make(op, left, right, ty, span)
    }

    fn check_division(
        &mut self,
        left: &Expr,
        right: &Expr,
        op: BinaryOp,
        span: Span,
    ) -> Option<()> {
        for operand in [left, right] {
            if let Type::Int(_) = operand.ty {
                return self.undefined(op, left, right, span);
            }
            if let Some(Value::Int(value)) = self.value_of(operand) {
                if value.is_negative() {
                    return self.error(
                        operand.span,
                        "division and modulo are not defined for negative numbers",
                    );
                }
            }
        }
        match self.value_of(right) {
            Some(Value::Int(value)) if value.is_zero() => self.error(span, "division by zero"),
            _ => Some(()),
        }
    }

    fn enum_to_number(&mut self, expr: Expr) -> Option<Expr> {
        match self.types.serializable(&expr.ty) {
            Some(repr) => self.convert(expr, &repr),
            None => Some(expr),
        }
    }

    fn undefined<T>(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> Option<T> {
        let (a, b) = (self.types.show(&left.ty), self.types.show(&right.ty));
        self.error(
            span,
            format!("`{}` is not defined for `{a}` and `{b}`", op.symbol()),
        )
    }

    /// The operation, folded when both operands are known.
    fn make(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        ty: Type,
        span: Span,
    ) -> Option<Expr> {
        if let (Some(a), Some(b)) = (self.value_of(&left), self.value_of(&right)) {
            return match fold::binary(op, &left.ty, &a, &b, &right.ty) {
                Ok(value) => Some(constant(value, ty, span)),
                Err(message) => self.error(span, message),
            };
        }
        Some(Expr {
            kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
            ty,
            span,
        })
    }
}
