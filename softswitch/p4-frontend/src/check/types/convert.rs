// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: implicit and explicit casts.

use num_traits::{One, Signed, Zero};

use crate::ast;
use crate::check::checker::Checker;
use crate::check::values::constant::{constant, fits, wrap, Known};
use crate::ir::{Expr, ExprKind, Type, Value};
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// An expression of the given type, after implicit casts.
    pub fn typed(&mut self, expr: &'a ast::Expr, ty: &Type) -> Option<Expr> {
        let checked = self.expr(expr, Some(ty))?;
        self.convert(checked, ty)
    }

    /// Casts implicitly; reports an error where the specification allows none.
    pub fn convert(&mut self, expr: Expr, target: &Type) -> Option<Expr> {
        let target = self.resolved(target);
        let span = expr.span;
        let found = self.types.show(&expr.ty);
        match self.implicit(expr, &target)? {
            Ok(expr) => Some(expr),
            Err(_) => {
                let wanted = self.types.show(&target);
                self.error(span, format!("expected `{wanted}`, found `{found}`"))
            }
        }
    }

    /// The inner result is the unchanged expression where there is no implicit cast; `None` where an error was reported.
    pub fn implicit(&mut self, expr: Expr, target: &Type) -> Option<Result<Expr, Expr>> {
        let ty = self.resolved(&expr.ty);
        if ty == *target || matches!(expr.kind, ExprKind::DontCare) {
            return Some(Ok(Expr {
                ty: target.clone(),
                ..expr
            }));
        }
        if let ExprKind::Aggregate(_) = expr.kind {
            if matches!(ty, Type::Tuple(_)) || self.types.is_unknown_struct(&ty) {
                return self.fill(expr, target);
            }
        }
        Some(match (&ty, target) {
            (Type::InfInt, Type::Bit(_) | Type::Int(_)) => Ok(self.narrow(expr, target)),
            (Type::InfInt, Type::Named(_))
                if self.types.is_newtype(target)
                    && matches!(
                        self.types.representation(target),
                        Type::Bit(_) | Type::Int(_)
                    ) =>
            {
                let representation = self.types.representation(target);
                let number = self.narrow(expr, &representation);
                Ok(self.cast_node(number, target))
            }
            (Type::Bit(_) | Type::Int(_), Type::InfInt) if self.known(&expr) != Known::RunTime => {
                Ok(self.cast_node(expr, target))
            }
            (Type::Unknown, Type::Named(_)) if self.types.can_be_invalid(target) => Ok(Expr {
                ty: target.clone(),
                ..expr
            }),
            (Type::Named(_), _) if self.types.serializable(&ty).as_ref() == Some(target) => {
                Ok(self.cast_node(expr, target))
            }
            (Type::Extern(..), Type::Extern(..)) if self.unify(target, &ty) => Ok(Expr {
                ty: ty.clone(),
                ..expr
            }),
            _ if !self.types.is_flexible(&ty) => Err(expr),
            _ => {
                if let ExprKind::Ternary {
                    condition,
                    then,
                    otherwise,
                } = expr.kind
                {
                    let span = expr.span;
                    let then = self.convert(*then, target)?;
                    let otherwise = self.convert(*otherwise, target)?;
                    return Some(Ok(Expr {
                        kind: ExprKind::Ternary {
                            condition,
                            then: Box::new(then),
                            otherwise: Box::new(otherwise),
                        },
                        ty: target.clone(),
                        span,
                    }));
                }
                Err(expr)
            }
        })
    }

    /// `int` to a fixed width.
    fn narrow(&mut self, expr: Expr, target: &Type) -> Expr {
        match &expr.kind {
            ExprKind::Const(Value::Int(value)) => {
                let only_sign = matches!(target, Type::Bit(width)
                    if value.is_negative() && fits(value, &Type::Int((*width).max(1))));
                if !fits(value, target) {
                    let shown = self.types.show(target);
                    let (kind, message) = match only_sign {
                        true => (
                            Warning::Mismatch,
                            format!("{value} is negative, and `{shown}` has no sign: cast it"),
                        ),
                        false => (
                            Warning::Overflow,
                            format!("{value} does not fit in `{shown}`: it is truncated"),
                        ),
                    };
                    self.warning(kind, expr.span, message);
                }
                constant(
                    Value::Int(wrap(value.clone(), target)),
                    target.clone(),
                    expr.span,
                )
            }
            _ => self.cast_node(expr, target),
        }
    }

    fn cast_node(&mut self, expr: Expr, target: &Type) -> Expr {
        let span = expr.span;
        match (&expr.kind, &expr.ty) {
            (ExprKind::Const(Value::Int(value)), _) => {
                let representation = self.types.representation(target);
                let value = match representation {
                    Type::Bool => Value::Bool(!value.is_zero()),
                    ref to => Value::Int(wrap(value.clone(), to)),
                };
                constant(value, target.clone(), span)
            }
            (ExprKind::Const(Value::Bool(value)), _)
                if self.types.representation(target) != Type::Bool =>
            {
                constant(Value::Int(u32::from(*value).into()), target.clone(), span)
            }
            (ExprKind::Const(value), _) => constant(value.clone(), target.clone(), span),
            _ => Expr {
                kind: ExprKind::Cast(Box::new(expr)),
                ty: target.clone(),
                span,
            },
        }
    }

    /// `(T) e`, which stands at `cast_span`.
    pub fn explicit_cast(&mut self, expr: Expr, target: &Type, cast_span: Span) -> Option<Expr> {
        let span = expr.span;
        let from = self.resolved(&expr.ty);
        if let (ExprKind::Const(Value::Int(value)), Type::InfInt, Type::Bit(width)) =
            (&expr.kind, &from, target)
        {
            // The cast says that the bits of a negative number are meant.
            if value.is_negative() && fits(value, &Type::Int((*width).max(1))) {
                return Some(self.cast_node(expr, target));
            }
        }
        let expr = match self.implicit(expr, target)? {
            Ok(expr) => return Some(expr),
            Err(expr) => expr,
        };
        if let (Type::InfInt, Type::Bool) = (&from, target) {
            return match &expr.kind {
                ExprKind::Const(Value::Int(value)) if value.is_zero() || value.is_one() => {
                    Some(self.cast_node(expr, target))
                }
                _ => self.error(span, "only 0 and 1 can be cast from `int` to `bool`"),
            };
        }
        if self.types.castable(&from, target) {
            return Some(self.cast_node(expr, target));
        }
        let (found, wanted) = (self.types.show(&from), self.types.show(target));
        self.error(cast_span, format!("cannot cast `{found}` to `{wanted}`"))
    }
}
