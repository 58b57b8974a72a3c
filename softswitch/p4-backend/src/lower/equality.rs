// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: `==` on values of any type. For BMv2 two invalid headers differ, so headers are compared by validity and
//! fields.

use quench_p4_frontend::ir::Type;
use quench_p4_frontend::Warning;

use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::layout::Class;
use crate::place::{HeaderPlace, Place, Scalar};

impl Lower<'_> {
    pub(crate) fn equal(&mut self, left: Value, right: Value, ty: &Type) -> Result<Expr> {
        if let (Type::InfInt, Value::Scalar(l), Value::Scalar(r)) = (ty, &left, &right) {
            return Ok(Expr::binary("==", l.clone(), r.clone()));
        }
        let left = self.settled(left, ty)?;
        let right = self.settled(right, ty)?;
        match self.layout.class(ty, self.span)? {
            Class::Scalar(Scalar::Varbit(_)) => match (left, right) {
                (Value::Place(Place::Scalar(l)), Value::Place(Place::Scalar(r))) => {
                    self.warnings.push((
                        Warning::Mismatch,
                        self.span,
                        "BMv2 compares varbit values as numbers: zeros in front do not count"
                            .to_owned(),
                    ));
                    Ok(Expr::binary("==", l.expr, r.expr))
                }
                _ => not_supported(self.span, "comparing these values"),
            },
            Class::Scalar(_) => match (left, right) {
                (Value::Scalar(l), Value::Scalar(r)) => Ok(Expr::binary("==", l, r)),
                _ => not_supported(self.span, "comparing these values"),
            },
            Class::Struct(types) => {
                let left = self.members(left)?;
                let right = self.members(right)?;
                let mut all = Vec::new();
                for ((l, r), ty) in left.into_iter().zip(right).zip(&types) {
                    all.push(self.equal(l, r, ty)?);
                }
                Ok(ops::all(all))
            }
            Class::Header(_) => {
                let left = self.header_parts(left)?;
                let right = self.header_parts(right)?;
                self.headers_equal(left, right, ty)
            }
            Class::Union(id) => {
                let count = self.layout.fields(id).len();
                let mut all = Vec::new();
                for index in 0..count {
                    let ty = self.layout.fields(id)[index].ty.clone();
                    let l = self.part(&left, index)?;
                    let r = self.part(&right, index)?;
                    all.push(self.equal(l, r, &ty)?);
                }
                Ok(ops::all(all))
            }
            Class::Stack(element, _, size) => {
                let ty = Type::Named(element);
                let left = self.element_values(&left, size as usize)?;
                let right = self.element_values(&right, size as usize)?;
                let mut all = Vec::new();
                for (l, r) in left.into_iter().zip(right) {
                    all.push(self.equal(l, r, &ty)?);
                }
                Ok(ops::all(all))
            }
        }
    }

    fn members(&self, value: Value) -> Result<Vec<Value>> {
        match value {
            Value::Struct(members) => Ok(members),
            Value::Place(Place::Struct(places)) => {
                Ok(places.iter().map(|p| self.read(p)).collect())
            }
            _ => not_supported(self.span, "comparing these values"),
        }
    }

    /// The elements of a stack.
    fn element_values(&self, value: &Value, size: usize) -> Result<Vec<Value>> {
        match value {
            Value::Place(Place::Stack(stack)) => {
                let elements = self.elements(stack).into_iter();
                Ok(elements.map(Value::Place).collect())
            }
            Value::Invalid => Ok(vec![Value::Invalid; size]),
            _ => not_supported(self.span, "comparing these values"),
        }
    }

    /// Member of a union.
    fn part(&self, value: &Value, index: usize) -> Result<Value> {
        match value {
            Value::Place(Place::Union(union)) => self.union_member(union, index).map(Value::Place),
            Value::Invalid => Ok(Value::Invalid),
            _ => not_supported(self.span, "comparing these values"),
        }
    }

    /// Validity, and the fields when there can be any.
    fn header_parts(&self, value: Value) -> Result<(Expr, Option<Vec<Value>>)> {
        match value {
            Value::Header(fields) => Ok((Expr::Bool(true), Some(fields))),
            Value::Invalid => Ok((Expr::Bool(false), None)),
            Value::Place(Place::Header(header)) => {
                let valid = self.header_validity(&header)?;
                Ok((valid, Some(self.header_fields(&header)?)))
            }
            _ => not_supported(self.span, "comparing these values"),
        }
    }

    pub(crate) fn header_fields(&self, header: &HeaderPlace) -> Result<Vec<Value>> {
        (0..self.layout.fields(header.ty).len())
            .map(|index| {
                let place = self.layout.header_field(header, index, self.span)?;
                Ok(self.read(&place))
            })
            .collect()
    }

    fn headers_equal(
        &mut self,
        (left_valid, left): (Expr, Option<Vec<Value>>),
        (right_valid, right): (Expr, Option<Vec<Value>>),
        ty: &Type,
    ) -> Result<Expr> {
        let neither = ops::and(ops::not(left_valid.clone()), ops::not(right_valid.clone()));
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(neither);
        };
        let Class::Header(id) = self.layout.class(ty, self.span)? else {
            return not_supported(self.span, "comparing these values");
        };
        let mut both = vec![left_valid, right_valid];
        for (index, (l, r)) in left.into_iter().zip(right).enumerate() {
            let ty = self.layout.fields(id)[index].ty.clone();
            both.push(self.equal(l, r, &ty)?);
        }
        Ok(ops::or(neither, ops::all(both)))
    }
}
