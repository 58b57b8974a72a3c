// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: values for primitives, and fields for their results.

use quench_p4_frontend::ir::{self, ExprKind, Type};

use super::lowered::Block;
use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::json::Expr;
use crate::place::{Leaf, Place, Scalar};

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
        self.with_destinations(&[target], |lower, mut destinations| {
            primitive(lower, destinations.pop().expect("one for the target"));
        })
    }

    /// [`Self::with_destination`] for a primitive that writes several fields, in their order.
    pub(crate) fn with_destinations(
        &mut self,
        targets: &[&ir::Expr],
        primitive: impl FnOnce(&mut Self, Vec<Expr>),
    ) -> Result<()> {
        let mut wanted = Vec::new();
        for target in targets {
            wanted.push(self.destination(target)?);
        }
        if wanted.iter().all(Destination::is_direct) {
            primitive(self, wanted.into_iter().map(|to| to.leaf.expr).collect());
            return Ok(());
        }
        // Results go to their places in the order of the arguments, so all of them wait in temporaries.
        let mut temporaries = Vec::new();
        for to in &wanted {
            let Place::Scalar(temporary) = self.temporary(&Type::Bit(to.scalar().bits()))? else {
                unreachable!("bits are one field");
            };
            temporaries.push(temporary.expr);
        }
        primitive(self, temporaries.clone());
        for (to, temporary) in wanted.into_iter().zip(temporaries) {
            let raw = Scalar::Bit(to.scalar().bits());
            let value = ops::cast(temporary, raw, to.scalar());
            self.assign(&Place::Scalar(to.leaf), Value::Scalar(value))?;
        }
        Ok(())
    }

    fn destination(&mut self, target: &ir::Expr) -> Result<Destination> {
        let is_wanted = !matches!(target.kind, ExprKind::DontCare);
        let place = match is_wanted {
            true => self.place(target, true)?,
            false => self.temporary(&target.ty)?,
        };
        match place {
            Place::Scalar(leaf) => Ok(Destination { leaf, is_wanted }),
            _ => not_supported(target.span, "a composite value as the result"),
        }
    }
}

/// The place of a result.
struct Destination {
    leaf: Leaf,
    /// False for `_`.
    is_wanted: bool,
}

impl Destination {
    /// Whether a primitive can write there.
    fn is_direct(&self) -> bool {
        let Leaf {
            expr,
            scalar,
            slice,
        } = &self.leaf;
        !self.is_wanted
            || matches!(
                (expr, scalar, slice),
                (Expr::Field(..), Scalar::Bit(_), None)
            )
    }

    fn scalar(&self) -> Scalar {
        match self.leaf.slice {
            Some((hi, lo)) => Scalar::Bit(hi - lo + 1),
            None => self.leaf.scalar,
        }
    }
}
