// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: which of several declarations of one name a call means.

use crate::ast;
use crate::check::calls::arguments::match_arguments;
use crate::check::checker::Checker;
use crate::diagnostics::plural;
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    /// The only candidate that takes arguments of this number and these names: types decide nothing.
    pub fn overload(
        &mut self,
        candidates: &[(&'a [ast::Parameter], Span)],
        args: &'a [ast::Argument],
        span: Span,
        what: &str,
    ) -> Option<usize> {
        let fitting: Vec<_> = (0..candidates.len())
            .filter(|index| match_arguments(candidates[*index].0, args, span, what).is_ok())
            .collect();
        match (fitting.as_slice(), candidates) {
            ([one], _) => Some(*one),
            ([], []) => self.error(span, format!("`{what}` has no declaration that fits")),
            ([], [(params, _)]) => match match_arguments(params, args, span, what) {
                Err((span, message)) => self.error(span, message),
                Ok(_) => Some(0),
            },
            ([], [(_, first), ..]) => self.error_with_note(
                span,
                format!(
                    "none of the declarations of `{what}` takes these {} argument{}",
                    args.len(),
                    plural(args.len())
                ),
                *first,
                "one of them is here",
            ),
            ([first, ..], _) => {
                let first = candidates[*first].1;
                self.error_with_note(
                    span,
                    format!(
                        "{} declarations of `{what}` fit this call equally well: name the arguments, as in `name = value`",
                        fitting.len()
                    ),
                    first,
                    "one of them is here",
                )
            }
        }
    }
}
