// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: sizes of types: `minSizeInBits` and its kin.

use crate::ast;
use crate::check::checker::Checker;
use crate::check::values::constant::number;
use crate::ir::{Expr, Type};
use crate::span::Span;

/// Methods of headers, header unions and stacks, and of all types that have a size.
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
    pub fn size_method(
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
                let shown = self.types.show(ty);
                let message = format!("`{shown}` has no method `{other}`");
                return self.unknown(method, message, METHODS);
            }
        };
        self.no_args(method, args)?;
        match self.types.size_bits(ty) {
            Some(sizes) => Some(number(pick(sizes), Type::InfInt, span)),
            None => {
                let shown = self.types.show(ty);
                self.error(span, format!("`{shown}` has no size in bits"))
            }
        }
    }
}
