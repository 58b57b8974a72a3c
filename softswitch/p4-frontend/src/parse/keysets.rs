// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: key sets of `select` cases and table entries, and ranges.

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind};

impl Parser<'_> {
    /// The key set of a `select` case or table entry: `e`, `(e, e)`, with masks and ranges.
    pub(super) fn keyset(&mut self) -> Parsed<Vec<Expr>> {
        if self.at_punct("(") {
            let tuple = self.attempt(|p| {
                p.advance();
                let keys = p.comma_list(")", false, Self::key)?;
                if keys.is_empty() || !p.at_punct(":") {
                    return Err(p.expected("':'"));
                }
                Ok(keys)
            });
            if let Some(keys) = tuple {
                return Ok(keys);
            }
        }
        Ok(vec![self.key()?])
    }

    fn key(&mut self) -> Parsed<Expr> {
        if self.at_word("default") || self.at_word("_") {
            let span = self.advance().span;
            return Ok(Expr {
                kind: ExprKind::DontCare,
                span,
            });
        }
        let first = self.expression()?;
        let kind: fn(Box<Expr>, Box<Expr>) -> ExprKind = if self.eat("&&&") {
            ExprKind::Mask
        } else if self.eat("..") {
            ExprKind::Range
        } else {
            return Ok(first);
        };
        let second = self.expression()?;
        let span = first.span.to(second.span);
        Ok(Expr {
            kind: kind(Box::new(first), Box::new(second)),
            span,
        })
    }

    /// The collection of `for (x in ...)`.
    pub(super) fn collection(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if !self.eat("..") {
            return Ok(first);
        }
        let last = self.expression()?;
        let span = first.span.to(last.span);
        Ok(Expr {
            kind: ExprKind::Range(Box::new(first), Box::new(last)),
            span,
        })
    }
}
