// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: expressions: calls and other effects become statements, and a pure expression remains.

use quench_p4_frontend::ir::{self, BinaryOp, ExprKind, Type, UnaryOp};

use super::ops::{self, Types};
use super::state::{Binding, Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::StmtKind;
use crate::json::Expr;
use crate::layout::Class;
use crate::place::{HeaderPlace, Place, Scalar, UnionAt};

impl Lower<'_> {
    /// An expression of a type that is one number or truth value.
    pub(crate) fn scalar(&mut self, e: &ir::Expr) -> Result<Expr> {
        match self.value(e)? {
            Value::Scalar(expr) => Ok(expr),
            _ => not_supported(e.span, "a composite value where one number is needed"),
        }
    }

    /// Several expressions, left to right. A value is copied where a later expression has effects, which could change it.
    pub(crate) fn values<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e ir::Expr>,
    ) -> Result<Vec<Value>> {
        let exprs: Vec<_> = exprs.into_iter().collect();
        let last_effect = exprs.iter().rposition(|e| e.has_effects()).unwrap_or(0);
        let mut values = Vec::new();
        for (index, e) in exprs.into_iter().enumerate() {
            let value = self.value(e)?;
            values.push(if index < last_effect {
                self.spill(value, &e.ty)?
            } else {
                value
            });
        }
        Ok(values)
    }

    pub(crate) fn value(&mut self, e: &ir::Expr) -> Result<Value> {
        self.count_operation()?;
        if let Some((span, place)) = &self.evaluated {
            if e.span == *span && e.has_effects() {
                return Ok(self.read(place));
            }
        }
        if *self.layout.resolve(&e.ty) == Type::Bit(0) && !e.has_effects() {
            return Ok(Value::Struct(Vec::new()));
        }
        match &e.kind {
            ExprKind::Const(value) => self.constant(value, &e.ty, e),
            ExprKind::Var(var) => match self.binding(*var)? {
                Binding::Place(place) => Ok(self.read(&place)),
                Binding::Value(value) => Ok(value),
            },
            ExprKind::Field(base, index) => self.field(e, base, *index as usize),
            ExprKind::Index(..) | ExprKind::StackNext(_) | ExprKind::StackLast(_) => {
                let place = self.place(e, false)?;
                Ok(self.read(&place))
            }
            ExprKind::StackLastIndex(base) => {
                let Place::Stack(stack) = self.place(base, false)? else {
                    return not_supported(e.span, "`lastIndex` of anything but a stack");
                };
                let last = Expr::unary("last_stack_index", stack.expr());
                Ok(Value::Scalar(ops::wrap(last, Scalar::Bit(32))))
            }
            ExprKind::Slice { base, hi, lo } => {
                Ok(Value::Scalar(ops::slice(self.scalar(base)?, *hi, *lo)))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, e),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e),
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => self.ternary(condition, then, otherwise, e),
            ExprKind::Cast(operand) => self.cast(operand, e),
            ExprKind::Aggregate(items) => {
                let values = self.values(items)?;
                Ok(match self.class(&e.ty, e)? {
                    Some(Class::Header(_)) => Value::Header(values),
                    _ => Value::Struct(values),
                })
            }
            ExprKind::Invalid => Ok(Value::Invalid),
            ExprKind::IsValid(base) => self.is_valid(base),
            ExprKind::Call(call) => match self.call(call)? {
                Some(value) => Ok(value),
                None => not_supported(e.span, "a call without a result as a value"),
            },
            ExprKind::TableHit(table) => self.table_result(*table, true),
            ExprKind::TableMiss(table) => self.table_result(*table, false),
            ExprKind::DontCare => not_supported(e.span, "`_` as a value"),
        }
    }

    /// `None` for the types of values that are not stored, such as lists.
    fn class(&self, ty: &Type, e: &ir::Expr) -> Result<Option<Class>> {
        match self.layout.resolve(ty) {
            Type::List(_) | Type::Unknown | Type::InfInt => Ok(None),
            ty => self.layout.class(ty, e.span).map(Some),
        }
    }

    pub(crate) fn constant(&mut self, value: &ir::Value, ty: &Type, e: &ir::Expr) -> Result<Value> {
        Ok(match value {
            ir::Value::Bool(b) => Value::Scalar(Expr::Bool(*b)),
            ir::Value::Int(_) if *self.layout.resolve(ty) == Type::Bit(0) => {
                Value::Struct(Vec::new())
            }
            ir::Value::Int(value) => {
                let bits = match self.layout.resolve(ty) {
                    Type::InfInt => 0,
                    ty => self.layout.scalar(ty, e.span)?.bits(),
                };
                Value::Scalar(Expr::hex(value.clone(), bits))
            }
            ir::Value::Error(code) => Value::Scalar(Expr::hex(*code, 0)),
            ir::Value::Enum(_, index) => Value::Scalar(Expr::hex(*index, 32)),
            ir::Value::String(text) => Value::Scalar(Expr::String(text.clone())),
            ir::Value::Aggregate(items) => {
                let types = self.member_types(ty, items.len(), e)?;
                let values = items
                    .iter()
                    .zip(&types)
                    .map(|(item, ty)| self.constant(item, ty, e))
                    .collect::<Result<_>>()?;
                match self.class(ty, e)? {
                    Some(Class::Header(_)) => Value::Header(values),
                    _ => Value::Struct(values),
                }
            }
            _ => return not_supported(e.span, "this constant as a value at run time"),
        })
    }

    fn member_types(&self, ty: &Type, count: usize, e: &ir::Expr) -> Result<Vec<Type>> {
        Ok(match self.layout.resolve(ty) {
            Type::List(element) => vec![(**element).clone(); count],
            ty => match self.layout.class(ty, e.span)? {
                Class::Struct(types) => types,
                Class::Header(id) => self
                    .layout
                    .fields(id)
                    .iter()
                    .map(|f| f.ty.clone())
                    .collect(),
                _ => return not_supported(e.span, "this constant as a value at run time"),
            },
        })
    }

    fn field(&mut self, e: &ir::Expr, base: &ir::Expr, index: usize) -> Result<Value> {
        if self.is_place(base) {
            let place = self.place(e, false)?;
            return Ok(self.read(&place));
        }
        match self.value(base)? {
            Value::Struct(mut members) | Value::Header(mut members) => {
                Ok(members.swap_remove(index))
            }
            Value::Place(place) => {
                let member = self.member(&place, index, e)?;
                Ok(self.read(&member))
            }
            Value::Invalid => not_supported(e.span, "a field of an invalid header"),
            Value::Scalar(_) => not_supported(e.span, "a field of a number"),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &ir::Expr, e: &ir::Expr) -> Result<Value> {
        let value = self.scalar(operand)?;
        let scalar = self.layout.scalar(&e.ty, e.span)?;
        Ok(Value::Scalar(ops::unary(op, value, scalar)))
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &ir::Expr,
        right: &ir::Expr,
        e: &ir::Expr,
    ) -> Result<Value> {
        match op {
            BinaryOp::And | BinaryOp::Or if right.has_effects() => {
                return self.short_circuit(op, left, right, e);
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let mut values = self.values([left, right])?.into_iter();
                let (l, r) = (values.next().expect("two"), values.next().expect("two"));
                let ty = match self.layout.resolve(&left.ty) {
                    Type::Unknown | Type::List(_) => &right.ty,
                    _ => &left.ty,
                };
                let equal = self.equal(l, r, ty)?;
                return Ok(Value::Scalar(match (op, equal) {
                    (BinaryOp::Eq, equal) => equal,
                    (_, Expr::Binary("==", l, r)) => Expr::Binary("!=", l, r),
                    (_, equal) => ops::not(equal),
                }));
            }
            _ => {}
        }
        let mut values = self.values([left, right])?.into_iter().map(number);
        let (Some(Some(l)), Some(Some(r))) = (values.next(), values.next()) else {
            return not_supported(e.span, "this operator on composite values");
        };
        if e.ty == Type::InfInt {
            return match ops::fold(op, &l, &r) {
                Some(value) => Ok(Value::Scalar(value)),
                None => not_supported(e.span, "an `int` that is known only at run time"),
            };
        }
        let types = Types {
            left: self.operand_scalar(left)?,
            right: self.operand_scalar(right)?,
            result: self.layout.scalar(&e.ty, e.span)?,
        };
        match ops::binary(op, l, r, &types) {
            Some(expr) => Ok(Value::Scalar(expr)),
            None => not_supported(
                e.span,
                "division and modulo other than of a bit<> value by a positive constant",
            ),
        }
    }

    /// The amount of a shift may be an `int` constant.
    fn operand_scalar(&self, e: &ir::Expr) -> Result<Scalar> {
        match self.layout.resolve(&e.ty) {
            Type::InfInt => Ok(Scalar::Bit(32)),
            ty => self.layout.number(ty, e.span),
        }
    }

    /// The right side runs only when it is needed.
    fn short_circuit(
        &mut self,
        op: BinaryOp,
        left: &ir::Expr,
        right: &ir::Expr,
        e: &ir::Expr,
    ) -> Result<Value> {
        let result = self.temporary(&e.ty)?;
        let left = self.value(left)?;
        self.assign(&result, left)?;
        let Value::Scalar(condition) = self.read(&result) else {
            unreachable!("a truth value is one value");
        };
        let condition = match op {
            BinaryOp::And => condition,
            _ => ops::not(condition),
        };
        let then = self.nested(|lower| {
            let right = lower.value(right)?;
            lower.assign(&result, right)
        })?;
        self.push(StmtKind::If {
            arms: vec![(condition, then)],
            otherwise: Vec::new(),
        });
        Ok(self.read(&result))
    }

    fn ternary(
        &mut self,
        condition: &ir::Expr,
        then: &ir::Expr,
        otherwise: &ir::Expr,
        e: &ir::Expr,
    ) -> Result<Value> {
        let condition = self.scalar(condition)?;
        if let Expr::Bool(known) = condition {
            return self.value(if known { then } else { otherwise });
        }
        let is_scalar = matches!(self.class(&e.ty, e)?, Some(Class::Scalar(s)) if !matches!(s, Scalar::Varbit(_)));
        if is_scalar && !then.has_effects() && !otherwise.has_effects() {
            let then = self.scalar(then)?;
            let otherwise = self.scalar(otherwise)?;
            return Ok(Value::Scalar(Expr::ternary(condition, then, otherwise)));
        }
        let result = self.temporary(&e.ty)?;
        let branch = |e: &ir::Expr, lower: &mut Self| {
            lower.nested(|lower| {
                let value = lower.value(e)?;
                lower.assign(&result, value)
            })
        };
        let then = branch(then, self)?;
        let otherwise = branch(otherwise, self)?;
        self.push(StmtKind::If {
            arms: vec![(condition, then)],
            otherwise,
        });
        Ok(self.read(&result))
    }

    fn cast(&mut self, operand: &ir::Expr, e: &ir::Expr) -> Result<Value> {
        let value = self.value(operand)?;
        match (self.class(&e.ty, e)?, value) {
            (Some(Class::Scalar(to)), Value::Scalar(expr)) => {
                let from = match self.layout.resolve(&operand.ty) {
                    Type::InfInt => to,
                    ty => self.layout.scalar(ty, operand.span)?,
                };
                Ok(Value::Scalar(ops::cast(expr, from, to)))
            }
            (Some(Class::Scalar(to)), Value::Struct(members)) if members.is_empty() => Ok(
                Value::Scalar(ops::cast(Expr::hex(0, 0), Scalar::Bit(0), to)),
            ),
            (Some(Class::Header(_)), Value::Struct(members)) => Ok(Value::Header(members)),
            (_, value) => Ok(value),
        }
    }

    fn is_valid(&mut self, base: &ir::Expr) -> Result<Value> {
        if !self.is_place(base) {
            return match self.value(base)? {
                Value::Header(_) => Ok(Value::Scalar(Expr::Bool(true))),
                Value::Invalid => Ok(Value::Scalar(Expr::Bool(false))),
                Value::Place(place) => self.validity(&place).map(Value::Scalar),
                _ => not_supported(base.span, "isValid() of anything but a header"),
            };
        }
        let place = self.place(base, false)?;
        self.validity(&place).map(Value::Scalar)
    }

    pub(crate) fn validity(&self, place: &Place) -> Result<Expr> {
        match place {
            Place::Header(header) => self.header_validity(header),
            Place::Union(union) => match &union.at {
                UnionAt::Instance(name) => {
                    Ok(Expr::unary("valid_union", Expr::HeaderUnion(name.clone())))
                }
                _ => not_supported(self.span, "isValid() of a union stack's `next` or `last`"),
            },
            Place::Choice(index, places) => self.chosen_validity(index, places),
            _ => not_supported(self.span, "isValid() of anything but a header"),
        }
    }

    pub(crate) fn header_validity(&self, header: &HeaderPlace) -> Result<Expr> {
        match header.expr() {
            Some(Expr::Header(name)) => Ok(Expr::unary("d2b", Expr::Field(name, "$valid$".into()))),
            Some(expr) => Ok(Expr::unary("valid", expr)),
            None => not_supported(self.span, "isValid() of a stack's `next`"),
        }
    }
}

/// The value as one number; the one of no bits is 0.
fn number(value: Value) -> Option<Expr> {
    match value {
        Value::Scalar(expr) => Some(expr),
        Value::Struct(members) if members.is_empty() => Some(Expr::hex(0, 0)),
        _ => None,
    }
}
