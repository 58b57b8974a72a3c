// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: values for primitives, and fields for their results.

use quench_p4_frontend::ir::{self, ExprKind, Type};

use super::lowered::Block;
use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::place::{Place, Scalar};

impl Lower<'_> {
    /// Refuses a call outside of these blocks.
    pub(crate) fn only_in(&self, call: &ir::Call, name: &str, blocks: &[Block]) -> Result<()> {
        if blocks.contains(&self.block) {
            return Ok(());
        }
        not_supported(call.span, format_args!("{name} in {}", self.block.name))
    }

    /// Numbers for a primitive, evaluated left to right.
    pub(crate) fn data_values(&mut self, exprs: &[&ir::Expr]) -> Result<Vec<Expr>> {
        self.values(exprs.iter().copied())?
            .into_iter()
            .zip(exprs)
            .map(|(value, e)| match value {
                Value::Scalar(expr) if *self.layout.resolve(&e.ty) == Type::Bool => {
                    Ok(ops::data(expr))
                }
                Value::Scalar(expr) => Ok(expr),
                _ => not_supported(e.span, "a composite value where one number is needed"),
            })
            .collect()
    }

    /// Runs a primitive that writes an unsigned field, and brings the result to where it is wanted.
    pub(crate) fn with_destination(
        &mut self,
        target: &ir::Expr,
        primitive: impl FnOnce(&mut Self, Expr),
    ) -> Result<()> {
        if let ExprKind::DontCare = target.kind {
            if let Place::Scalar(leaf) = self.temporary(&target.ty)? {
                primitive(self, leaf.expr);
            }
            return Ok(());
        }
        let place = self.place(target, true)?;
        let Place::Scalar(leaf) = &place else {
            return not_supported(target.span, "a composite value as the result");
        };
        if let (Expr::Field(..), Scalar::Bit(_), None) = (&leaf.expr, leaf.scalar, leaf.slice) {
            primitive(self, leaf.expr.clone());
            return Ok(());
        }
        let scalar = match leaf.slice {
            Some((hi, lo)) => Scalar::Bit(hi - lo + 1),
            None => leaf.scalar,
        };
        let raw = Scalar::Bit(scalar.bits());
        let Place::Scalar(temporary) = self.temporary(&Type::Bit(scalar.bits()))? else {
            unreachable!("bits are one field");
        };
        primitive(self, temporary.expr.clone());
        let value = ops::cast(temporary.expr, raw, scalar);
        self.assign(&place, Value::Scalar(value))
    }
}
