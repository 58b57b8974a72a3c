// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: values known at compile time: whether an expression is one, and which.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::ast;
use crate::check::checker::Checker;
use crate::ir::{Direction, Expr, ExprKind, Type, TypeDefKind, Value, VarKind};
use crate::span::Span;

/// The time at which the value of an expression is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    Now,
    /// At compile time, but not here: it depends on a constructor argument that a dry run does not have, or on a
    /// parameter without direction.
    Later,
    RunTime,
}

impl<'a> Checker<'a, '_> {
    pub fn known(&self, expr: &Expr) -> Known {
        match &expr.kind {
            ExprKind::Const(_) => Known::Now,
            ExprKind::Var(id)
                if self.instances.opaque.contains(id)
                    || self.var(*id).kind == VarKind::Param(Direction::None) =>
            {
                Known::Later
            }
            ExprKind::Invalid => Known::Later,
            ExprKind::Aggregate(items) => items
                .iter()
                .map(|item| self.known(item))
                .max()
                .unwrap_or(Known::Now),
            ExprKind::Field(base, _) | ExprKind::Cast(base) | ExprKind::Unary(_, base) => {
                self.known(base).max(Known::Later)
            }
            ExprKind::Slice { base, .. } => self.known(base).max(Known::Later),
            ExprKind::Binary(_, left, right) => {
                self.known(left).max(self.known(right)).max(Known::Later)
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => self
                .known(condition)
                .max(self.known(then))
                .max(self.known(otherwise))
                .max(Known::Later),
            _ => Known::RunTime,
        }
    }

    /// The value of an expression that is known now.
    pub fn value_of(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Const(value) => Some(value.clone()),
            ExprKind::Aggregate(items) => items
                .iter()
                .map(|item| self.value_of(item))
                .collect::<Option<Vec<_>>>()
                .map(Value::Aggregate),
            _ => None,
        }
    }

    /// Checks that an expression is known at compile time, and gives it with its value put in where that is known now.
    pub fn compile_time(&mut self, expr: Expr, what: &str) -> Option<Expr> {
        match self.known(&expr) {
            Known::RunTime => {
                self.error(expr.span, format!("{what} must be known at compile time"))
            }
            Known::Later => Some(expr),
            Known::Now => match self.value_of(&expr) {
                Some(value) => Some(constant(value, expr.ty, expr.span)),
                None => Some(expr),
            },
        }
    }

    /// An expression of the given type that must be known at compile time; the value is `None` only in a dry run.
    pub fn typed_value(
        &mut self,
        expr: &'a ast::Expr,
        ty: &Type,
        what: &str,
    ) -> Option<Option<Value>> {
        let checked = self.typed(expr, ty)?;
        self.known_value(checked, what)
    }

    pub fn known_value(&mut self, expr: Expr, what: &str) -> Option<Option<Value>> {
        let span = expr.span;
        let expr = self.compile_time(expr, what)?;
        match self.value_of(&expr) {
            Some(value) => Some(Some(value)),
            None if self.instances.dry => Some(None),
            None => self.not_supported(
                span,
                format!("{what} that is an invalid header or a parameter without direction"),
            ),
        }
    }

    /// The default value of a type, for `...` and `= ...`; `None` where there is none.
    pub fn default_value(&self, ty: &Type, span: Span) -> Option<Expr> {
        let of_fields = |types: &mut dyn Iterator<Item = &Type>| {
            types
                .map(|ty| self.default_value(ty, span))
                .collect::<Option<Vec<_>>>()
                .map(ExprKind::Aggregate)
        };
        let kind = match ty {
            Type::Bool => ExprKind::Const(Value::Bool(false)),
            Type::Bit(_) | Type::Int(_) | Type::InfInt => {
                ExprKind::Const(Value::Int(BigInt::zero()))
            }
            Type::String => ExprKind::Const(Value::String(String::new())),
            Type::Error => ExprKind::Const(Value::Error(0)),
            Type::Tuple(items) => of_fields(&mut items.iter())?,
            Type::Stack(element, size) if !self.types.is_header_stack(ty) => {
                of_fields(&mut std::iter::repeat_n(&**element, *size as usize))?
            }
            Type::Stack(..) => ExprKind::Invalid,
            Type::Named(id) => match &self.types.defs[id.index()].kind {
                TypeDefKind::Struct(fields) => of_fields(&mut fields.iter().map(|f| &f.ty))?,
                TypeDefKind::Header(_) | TypeDefKind::HeaderUnion(_) => ExprKind::Invalid,
                TypeDefKind::Enum(_) => ExprKind::Const(Value::Enum(*id, 0)),
                TypeDefKind::SerEnum { .. } => ExprKind::Const(Value::Int(BigInt::zero())),
                TypeDefKind::Newtype(inner) => self.default_value(inner, span)?.kind,
            },
            _ => return None,
        };
        Some(Expr {
            kind,
            ty: ty.clone(),
            span,
        })
    }
}

pub fn constant(value: Value, ty: Type, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Const(value),
        ty,
        span,
    }
}

/// Reduces a number to the width and sign of a type.
pub fn wrap(value: BigInt, ty: &Type) -> BigInt {
    match ty {
        Type::Bit(width) => value & mask(*width),
        Type::Int(width) => {
            let low: BigInt = value & mask(*width);
            if low.bit(u64::from(*width) - 1) {
                low - (BigInt::one() << *width)
            } else {
                low
            }
        }
        _ => value,
    }
}

pub fn mask(width: u32) -> BigInt {
    (BigInt::one() << width) - 1
}

/// Whether a number can be written in a type without loss.
pub fn fits(value: &BigInt, ty: &Type) -> bool {
    wrap(value.clone(), ty) == *value
}

/// The bits that a non-negative number needs, at least one.
pub fn bits_needed(value: &BigInt) -> u32 {
    (value.abs().bits() as u32).max(1)
}

/// An `int` constant of the given type.
pub fn number(value: impl Into<BigInt>, ty: Type, span: Span) -> Expr {
    constant(Value::Int(value.into()), ty, span)
}
