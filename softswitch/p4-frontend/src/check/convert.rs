// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: implicit and explicit casts.

use num_traits::{One, Signed, Zero};

use super::checker::Checker;
use super::constant::{constant, fits, wrap, Known};
use crate::ast;
use crate::ir::{Expr, ExprKind, Type, TypeDefKind, Value};
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// An expression of the given type, after implicit casts.
    pub(super) fn typed(&mut self, expr: &'a ast::Expr, ty: &Type) -> Option<Expr> {
        let checked = self.expr(expr, Some(ty))?;
        self.convert(checked, ty)
    }

    /// Casts implicitly; reports an error where the specification allows none.
    pub(super) fn convert(&mut self, expr: Expr, target: &Type) -> Option<Expr> {
        let target = self.resolved(target);
        let span = expr.span;
        let found = self.show(&expr.ty);
        match self.implicit(expr, &target)? {
            Ok(expr) => Some(expr),
            Err(_) => {
                let wanted = self.show(&target);
                self.error(span, format!("expected `{wanted}`, found `{found}`"))
            }
        }
    }

    /// The inner result is the unchanged expression where there is no implicit cast; `None` where an error was reported.
    pub(super) fn implicit(&mut self, expr: Expr, target: &Type) -> Option<Result<Expr, Expr>> {
        let ty = self.resolved(&expr.ty);
        if ty == *target || matches!(expr.kind, ExprKind::DontCare) {
            return Some(Ok(Expr {
                ty: target.clone(),
                ..expr
            }));
        }
        if let ExprKind::Aggregate(_) = expr.kind {
            if matches!(ty, Type::Tuple(_)) || self.is_unknown_struct(&ty) {
                return self.fill(expr, target);
            }
        }
        Some(match (&ty, target) {
            (Type::InfInt, Type::Bit(_) | Type::Int(_)) => Ok(self.narrow(expr, target)),
            (Type::InfInt, Type::Named(_))
                if self.is_newtype(target)
                    && matches!(self.representation(target), Type::Bit(_) | Type::Int(_)) =>
            {
                let representation = self.representation(target);
                let number = self.narrow(expr, &representation);
                Ok(self.cast_node(number, target))
            }
            (Type::Bit(_) | Type::Int(_), Type::InfInt) if self.known(&expr) != Known::RunTime => {
                Ok(self.cast_node(expr, target))
            }
            (Type::Unknown, Type::Named(_)) if self.can_be_invalid(target) => Ok(Expr {
                ty: target.clone(),
                ..expr
            }),
            (Type::Named(_), _) if self.serializable(&ty).as_ref() == Some(target) => {
                Ok(self.cast_node(expr, target))
            }
            (Type::Extern(..), Type::Extern(..)) if self.unify(target, &ty) => Ok(Expr {
                ty: ty.clone(),
                ..expr
            }),
            _ if !self.is_flexible(&ty) => Err(expr),
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

    /// The type of an expression that adapts to the type of its use: a literal without width, a list, a record, `{#}`.
    fn is_flexible(&self, ty: &Type) -> bool {
        matches!(ty, Type::InfInt | Type::Tuple(_) | Type::Unknown) || self.is_unknown_struct(ty)
    }

    fn is_newtype(&self, ty: &Type) -> bool {
        matches!(self.def(ty), Some(TypeDefKind::Newtype(_)))
    }

    pub(super) fn can_be_invalid(&self, ty: &Type) -> bool {
        matches!(
            self.def(ty),
            Some(TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_))
        )
    }

    pub(super) fn is_unknown_struct(&self, ty: &Type) -> bool {
        matches!(ty, Type::Named(id) if self.unknown_structs.contains(id))
    }

    /// The representation of a serializable enum.
    pub(super) fn serializable(&self, ty: &Type) -> Option<Type> {
        match self.def(ty) {
            Some(TypeDefKind::SerEnum { repr, .. }) => Some(repr.clone()),
            _ => None,
        }
    }

    /// `int` to a fixed width.
    fn narrow(&mut self, expr: Expr, target: &Type) -> Expr {
        match &expr.kind {
            ExprKind::Const(Value::Int(value)) => {
                let only_sign = matches!(target, Type::Bit(width)
                    if value.is_negative() && fits(value, &Type::Int((*width).max(1))));
                if !fits(value, target) {
                    let shown = self.show(target);
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
                let representation = self.representation(target);
                let value = match representation {
                    Type::Bool => Value::Bool(!value.is_zero()),
                    ref to => Value::Int(wrap(value.clone(), to)),
                };
                constant(value, target.clone(), span)
            }
            (ExprKind::Const(Value::Bool(value)), _)
                if self.representation(target) != Type::Bool =>
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

    /// The type under newtypes and serializable enums.
    pub(super) fn representation(&self, ty: &Type) -> Type {
        match self.def(ty) {
            Some(TypeDefKind::Newtype(inner)) => self.representation(inner),
            Some(TypeDefKind::SerEnum { repr, .. }) => repr.clone(),
            _ => ty.clone(),
        }
    }

    /// `(T) e`, which stands at `cast_span`.
    pub(super) fn explicit_cast(
        &mut self,
        expr: Expr,
        target: &Type,
        cast_span: Span,
    ) -> Option<Expr> {
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
        if self.castable(&from, target) {
            return Some(self.cast_node(expr, target));
        }
        let (found, wanted) = (self.show(&from), self.show(target));
        self.error(cast_span, format!("cannot cast `{found}` to `{wanted}`"))
    }

    /// Section "Explicit casts" of the specification.
    fn castable(&self, from: &Type, to: &Type) -> bool {
        if from == to {
            return true;
        }
        match (self.def(from), self.def(to)) {
            (_, Some(TypeDefKind::Newtype(inner))) if from == inner => true,
            (Some(TypeDefKind::Newtype(inner)), _) if to == inner => true,
            (_, Some(TypeDefKind::Newtype(inner)))
                if self.is_newtype(inner) || *from == Type::InfInt =>
            {
                self.castable(from, inner)
            }
            (Some(TypeDefKind::Newtype(inner)), _) if self.is_newtype(inner) => {
                self.castable(inner, to)
            }
            (_, Some(TypeDefKind::Newtype(_))) | (Some(TypeDefKind::Newtype(_)), _) => false,
            (_, Some(TypeDefKind::SerEnum { repr, .. })) => self.castable(from, repr),
            (Some(TypeDefKind::SerEnum { repr, .. }), _) => self.castable(repr, to),
            _ => match (from, to) {
                (Type::Bit(1), Type::Bool) | (Type::Bool, Type::Bit(1)) => true,
                (Type::Bit(_), Type::Bit(_)) | (Type::Int(_), Type::Int(_)) => true,
                (Type::Bit(a), Type::Int(b)) | (Type::Int(a), Type::Bit(b)) => a == b,
                (Type::InfInt, Type::Bit(_) | Type::Int(_)) => true,
                (Type::Bit(_) | Type::Int(_), Type::InfInt) => true,
                _ => false,
            },
        }
    }
}
