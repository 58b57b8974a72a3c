// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: values taken apart into single fields: for hashes, checksums, digests and log messages.

use quench_p4_frontend::ir::{self, ExprKind, Type};

use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::layout::Class;
use crate::place::{Place, Scalar};

/// The form in which the single values must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Fields or constants; others are computed into temporaries first.
    Fields,
    /// The same, but nothing can run before: others are refused.
    FieldsOnly,
    /// Copies of their own.
    Copies,
    /// The values themselves.
    Values,
}

impl Lower<'_> {
    /// The algorithm's name, as BMv2 knows it.
    pub(crate) fn algorithm(&self, e: &ir::Expr) -> Result<String> {
        match &e.kind {
            ExprKind::Const(ir::Value::Enum(ty, index)) => match &self.ir.types[ty.index()].kind {
                ir::TypeDefKind::Enum(members) => Ok(members[*index as usize].clone()),
                _ => not_supported(e.span, "this hash algorithm"),
            },
            _ => not_supported(e.span, "a hash algorithm that is chosen at run time"),
        }
    }

    /// All single values in a value, in order.
    pub(crate) fn parts(&mut self, e: &ir::Expr, mode: Parts) -> Result<Vec<Expr>> {
        let mut parts = Vec::new();
        match &e.kind {
            ExprKind::Aggregate(items) => {
                let values = self.values(items)?;
                for (value, item) in values.into_iter().zip(items) {
                    self.add_parts(value, &item.ty, mode, &mut parts)?;
                }
            }
            _ => {
                let value = self.value(e)?;
                self.add_parts(value, &e.ty, mode, &mut parts)?;
            }
        }
        Ok(parts)
    }

    fn add_parts(
        &mut self,
        value: Value,
        ty: &Type,
        mode: Parts,
        parts: &mut Vec<Expr>,
    ) -> Result<()> {
        let value = self.settled(value, ty)?;
        match (self.layout.class(ty, self.span)?, value) {
            (Class::Scalar(scalar), Value::Scalar(expr)) => {
                let part = self.part_of(expr, scalar, ty, mode)?;
                parts.push(part);
            }
            (Class::Scalar(_), Value::Place(Place::Scalar(leaf))) => {
                if mode == Parts::Values || mode == Parts::Copies {
                    return not_supported(self.span, "a varbit value here");
                }
                parts.push(leaf.expr);
            }
            (Class::Struct(types), Value::Struct(values)) => {
                for (value, ty) in values.into_iter().zip(&types) {
                    self.add_parts(value, ty, mode, parts)?;
                }
            }
            (Class::Header(id), Value::Place(Place::Header(header))) => {
                let fields = self.header_fields(&header)?;
                for (value, field) in fields.into_iter().zip(self.layout.fields(id)) {
                    self.add_parts(value, &field.ty, mode, parts)?;
                }
            }
            (Class::Header(id), Value::Header(values)) => {
                for (value, field) in values.into_iter().zip(self.layout.fields(id)) {
                    self.add_parts(value, &field.ty, mode, parts)?;
                }
            }
            (Class::Stack(element, _, _), Value::Place(Place::Stack(stack))) => {
                for place in self.elements(&stack) {
                    let value = self.read(&place);
                    self.add_parts(value, &Type::Named(element), mode, parts)?;
                }
            }
            _ => return not_supported(self.span, "a value of this type here"),
        }
        Ok(())
    }

    fn part_of(&mut self, expr: Expr, scalar: Scalar, ty: &Type, mode: Parts) -> Result<Expr> {
        let data = match scalar {
            Scalar::Bool => ops::data(expr),
            _ => expr,
        };
        match (mode, data) {
            (Parts::Values, data) => Ok(data),
            (Parts::Fields | Parts::FieldsOnly, data @ Expr::Field(..))
                if self.layout.is_field(&data, scalar.bits()) =>
            {
                Ok(data)
            }
            (Parts::Fields | Parts::FieldsOnly, Expr::Hex { value, .. }) => {
                let value = ops::reduce(value, Scalar::Bit(scalar.bits()));
                Ok(Expr::hex(value, scalar.bits()))
            }
            (Parts::FieldsOnly, _) => not_supported(
                self.span,
                "computing in a checksum control; only fields and constants can be listed",
            ),
            (Parts::Fields | Parts::Copies, data) => {
                let place = self.temporary(ty)?;
                let Place::Scalar(leaf) = place else {
                    unreachable!("a scalar has one leaf");
                };
                self.primitive("assign", vec![leaf.expr.clone(), data]);
                Ok(leaf.expr)
            }
        }
    }
}
