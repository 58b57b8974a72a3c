// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: sizes of types: `minSizeInBits` and its kin.

use super::checker::Checker;
use super::operator::number;
use crate::ast;
use crate::ir::{Expr, Type, TypeDefKind};
use crate::span::Span;

/// Of headers, header unions and stacks, and of all types that have a size.
const METHODS: [&str; 9] = [
    "isValid",
    "setValid",
    "setInvalid",
    "push_front",
    "pop_front",
    "minSizeInBits",
    "maxSizeInBits",
    "minSizeInBytes",
    "maxSizeInBytes",
];

impl Checker<'_, '_> {
    /// `minSizeInBits`, `minSizeInBytes`, `maxSizeInBits` and `maxSizeInBytes`.
    pub(super) fn size_method(
        &mut self,
        ty: &Type,
        method: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let pick: fn((u64, u64)) -> u64 = match method.text.as_str() {
            "minSizeInBits" => |(min, _)| min,
            "minSizeInBytes" => |(min, _)| min.div_ceil(8),
            "maxSizeInBits" => |(_, max)| max,
            "maxSizeInBytes" => |(_, max)| max.div_ceil(8),
            other => {
                let shown = self.show(ty);
                let message = format!("`{shown}` has no method `{other}`");
                return self.unknown(method, message, METHODS);
            }
        };
        self.no_args(method, args)?;
        match self.size_bits(ty) {
            Some(sizes) => Some(number(pick(sizes), Type::InfInt, span)),
            None => {
                let shown = self.show(ty);
                self.error(span, format!("`{shown}` has no size in bits"))
            }
        }
    }

    /// The least and the greatest size; an invalid header counts as a valid one.
    pub(super) fn size_bits(&self, ty: &Type) -> Option<(u64, u64)> {
        let sum = |types: Vec<&Type>| {
            types.into_iter().try_fold((0, 0), |(min, max), ty| {
                let (a, b) = self.size_bits(ty)?;
                Some((min + a, max + b))
            })
        };
        Some(match ty {
            Type::Bool => (1, 1),
            Type::Bit(width) | Type::Int(width) => (u64::from(*width), u64::from(*width)),
            Type::Varbit(width) => (0, u64::from(*width)),
            Type::Stack(element, size) => {
                let (min, max) = self.size_bits(element)?;
                (min * u64::from(*size), max * u64::from(*size))
            }
            Type::Tuple(items) => sum(items.iter().collect())?,
            Type::Named(id) => match &self.ir.types[id.index()].kind {
                TypeDefKind::Struct(fields) | TypeDefKind::Header(fields) => {
                    sum(fields.iter().map(|f| &f.ty).collect())?
                }
                TypeDefKind::HeaderUnion(fields) => {
                    let sizes = fields
                        .iter()
                        .map(|f| self.size_bits(&f.ty))
                        .collect::<Option<Vec<_>>>()?;
                    (
                        sizes.iter().map(|size| size.0).min().unwrap_or(0),
                        sizes.iter().map(|size| size.1).max().unwrap_or(0),
                    )
                }
                TypeDefKind::SerEnum { repr, .. } => self.size_bits(repr)?,
                TypeDefKind::Newtype(inner) => self.size_bits(inner)?,
                TypeDefKind::Enum(_) => return None,
            },
            _ => return None,
        })
    }
}
