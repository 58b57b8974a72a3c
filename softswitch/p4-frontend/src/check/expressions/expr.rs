// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: expressions: one function for each kind, and the common type of two operands.

use crate::ast;
use crate::check::calls::call::Called;
use crate::check::checker::Checker;
use crate::check::state::entity::Entity;
use crate::check::values::constant::{constant, wrap, Known};
use crate::ir::{Expr, ExprKind, Type, Value};
use crate::span::Span;
use crate::warnings::Warning;

impl<'a> Checker<'a, '_> {
    /// Checks an expression. `expected` only helps list, record and default expressions to find their type: the result
    /// need not have it.
    pub fn expr(&mut self, expr: &'a ast::Expr, expected: Option<&Type>) -> Option<Expr> {
        use ast::ExprKind as Ast;
        let expected = expected
            .map(|ty| self.resolved(ty))
            .filter(|ty| !self.types.is_open(ty));
        let expected = expected.as_ref();
        let span = expr.span;
        match &expr.kind {
            Ast::Bool(value) => Some(constant(Value::Bool(*value), Type::Bool, span)),
            Ast::Integer { value, width } => {
                let ty = match width {
                    None => Type::InfInt,
                    Some((0, true)) => {
                        return self.error(
                            span,
                            "`int<0>` is not a type: a signed integer has at least one bit",
                        )
                    }
                    Some((bits, true)) => Type::Int(*bits),
                    Some((bits, false)) => Type::Bit(*bits),
                };
                let wrapped = wrap(value.clone(), &ty);
                if wrapped != *value {
                    let shown = self.types.show(&ty);
                    self.warning(
                        Warning::Overflow,
                        span,
                        format!("{value} does not fit in `{shown}`: it is truncated"),
                    );
                }
                Some(constant(Value::Int(wrapped), ty, span))
            }
            Ast::String(text) => Some(constant(Value::String(text.clone()), Type::String, span)),
            Ast::Path(path) => self.path_expr(path, span),
            Ast::This => match self.place.this.clone() {
                Some(this) => Some(this),
                None => self.error(
                    span,
                    "`this` stands only in the methods of an extern instance",
                ),
            },
            Ast::Type(_) => self.error(span, "a type is not a value"),
            Ast::Member(base, name) => self.member(base, name, span),
            Ast::Index(base, index) => self.index_expr(base, index, span),
            Ast::Slice { base, hi, lo } => self.slice_expr(base, hi, lo, span),
            Ast::PlusSlice { base, lo, width } => self.plus_slice_expr(base, lo, width, span),
            Ast::List { items, rest } => self.list_expr(items, *rest, span, expected),
            Ast::Record { fields, rest } => self.record_expr(fields, *rest, span, expected),
            Ast::Invalid => Some(self.invalid_expr(span, expected)),
            Ast::Default => self.default_expr(span, expected),
            Ast::Unary(op, inner) => self.unary_expr(*op, inner, span),
            Ast::Binary(op, left, right) => self.binary_expr(*op, left, right, span),
            Ast::Ternary {
                condition,
                then,
                otherwise,
            } => self.ternary_expr(condition, then, otherwise, span, expected),
            Ast::Cast(ty, inner) => {
                let target = self.resolve_type(ty)?;
                if matches!(target, Type::Void | Type::Extern(..) | Type::MatchKind) {
                    let shown = self.types.show(&target);
                    return self.error(ty.span, format!("cannot cast to `{shown}`"));
                }
                let inner = self.expr(inner, Some(&target))?;
                let cast = self.explicit_cast(inner, &target, span)?;
                Some(Expr { span, ..cast })
            }
            Ast::Call {
                callee,
                type_args,
                args,
            } => match self.call(callee, type_args, args, span)? {
                Called::Value(value) => Some(value),
                Called::Call(call) if call.result == Type::Void => {
                    self.error(span, "this call gives no value")
                }
                Called::Call(call) => Some(Expr {
                    ty: call.result.clone(),
                    kind: ExprKind::Call(Box::new(call)),
                    span,
                }),
                Called::Table(_) => self.error(
                    span,
                    "the result of `apply()` is used through `.hit`, `.miss` or `.action_run`",
                ),
            },
            Ast::Mask(..) => self.error(
                span,
                "`&&&` stands only in `select` cases and table entries",
            ),
            Ast::Range(..) => self.error(
                span,
                "`..` stands only in `select` cases, table entries and `for`",
            ),
            Ast::DontCare => self.error(
                span,
                "`_` and `default` stand only in key sets and arguments",
            ),
        }
    }

    fn path_expr(&mut self, path: &ast::Path, span: Span) -> Option<Expr> {
        let name = &path.name.text;
        if self.scope.find(path).is_none() && self.ir.match_kinds.contains(name) {
            return Some(constant(
                Value::MatchKind(name.clone()),
                Type::MatchKind,
                span,
            ));
        }
        match self.lookup(path)? {
            Entity::Const(value) => Some(Expr { span, ..value }),
            Entity::Var(id) => Some(Expr {
                kind: ExprKind::Var(id),
                ty: self.var(id).ty.clone(),
                span,
            }),
            other => self.error(
                span,
                format!(
                    "expected a value, but `{}` is {}",
                    path.name.text,
                    other.describe()
                ),
            ),
        }
    }

    fn ternary_expr(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
        expected: Option<&Type>,
    ) -> Option<Expr> {
        let condition = self.typed(condition, &Type::Bool);
        let then = self.expr(then, expected);
        let otherwise = self.expr(otherwise, expected);
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let (then, otherwise) = match self.common(then, otherwise)? {
            Ok(pair) => pair,
            Err((then, otherwise)) => {
                let (a, b) = (self.types.show(&then.ty), self.types.show(&otherwise.ty));
                return self.error(
                    span,
                    format!("the two results of `?:` differ in type: `{a}` and `{b}`"),
                );
            }
        };
        if let ExprKind::Const(Value::Bool(holds)) = condition.kind {
            return Some(if holds { then } else { otherwise });
        }
        let ty = then.ty.clone();
        if ty == Type::InfInt && self.known(&condition) == Known::RunTime && expected.is_none() {
            return self.error(
                span,
                "the width of the result of `?:` is not known: cast one of its operands",
            );
        }
        Some(Expr {
            kind: ExprKind::Ternary {
                condition: Box::new(condition),
                then: Box::new(then),
                otherwise: Box::new(otherwise),
            },
            ty,
            span,
        })
    }

    /// Casts one of two operands implicitly to the type of the other. The inner error gives them back.
    #[allow(clippy::type_complexity)]
    pub fn common(
        &mut self,
        left: Expr,
        right: Expr,
    ) -> Option<Result<(Expr, Expr), (Expr, Expr)>> {
        if left.ty == right.ty {
            return Some(Ok((left, right)));
        }
        let both_lists =
            |e: &Expr| matches!(e.kind, ExprKind::Aggregate(_)) && matches!(e.ty, Type::Tuple(_));
        if both_lists(&left) && both_lists(&right) {
            return self.common_lists(left, right);
        }
        let weak = |c: &Self, e: &Expr| {
            matches!(e.ty, Type::InfInt | Type::Unknown)
                || (matches!(e.kind, ExprKind::Aggregate(_))
                    && (matches!(e.ty, Type::Tuple(_)) || c.types.is_unknown_struct(&e.ty)))
                || c.types.serializable(&e.ty).is_some()
        };
        if weak(self, &right) {
            let ty = left.ty.clone();
            match self.implicit(right, &ty)? {
                Ok(right) => return Some(Ok((left, right))),
                Err(right) => return self.common_left(left, right),
            }
        }
        self.common_left(left, right)
    }

    /// Two list expressions get their common type element by element.
    #[allow(clippy::type_complexity)]
    fn common_lists(
        &mut self,
        left: Expr,
        right: Expr,
    ) -> Option<Result<(Expr, Expr), (Expr, Expr)>> {
        let (ExprKind::Aggregate(a), ExprKind::Aggregate(b)) = (&left.kind, &right.kind) else {
            return Some(Err((left, right)));
        };
        if a.len() != b.len() {
            return Some(Err((left, right)));
        }
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for (a, b) in a.clone().into_iter().zip(b.clone()) {
            match self.common(a, b)? {
                Ok((a, b)) => {
                    lefts.push(a);
                    rights.push(b);
                }
                Err(_) => return Some(Err((left, right))),
            }
        }
        let list = |items: Vec<Expr>, span| Expr {
            ty: Type::Tuple(items.iter().map(|item| item.ty.clone()).collect()),
            kind: ExprKind::Aggregate(items),
            span,
        };
        Some(Ok((list(lefts, left.span), list(rights, right.span))))
    }

    #[allow(clippy::type_complexity)]
    fn common_left(
        &mut self,
        left: Expr,
        right: Expr,
    ) -> Option<Result<(Expr, Expr), (Expr, Expr)>> {
        let ty = right.ty.clone();
        Some(match self.implicit(left, &ty)? {
            Ok(left) => Ok((left, right)),
            Err(left) => match (
                self.types.serializable(&left.ty),
                self.types.serializable(&right.ty),
            ) {
                // The common type of two enums, or of an enum and an `int`, is the representation.
                (Some(repr), other)
                    if right.ty == Type::InfInt || other.as_ref() == Some(&repr) =>
                {
                    Ok((self.convert(left, &repr)?, self.convert(right, &repr)?))
                }
                (None, Some(repr)) if left.ty == Type::InfInt => {
                    Ok((self.convert(left, &repr)?, self.convert(right, &repr)?))
                }
                _ => Err((left, right)),
            },
        })
    }
}
