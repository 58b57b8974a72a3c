// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: the innermost expressions: literals, names, parentheses and braces.

use super::literals::parse_integer;
use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Name, Type, TypeKind};
use crate::lexer::{unescape, TokenKind};
use crate::span::Span;
use crate::warnings::Warning;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let token = self.token().clone();
        let start = token.span;
        let kind = match &token.kind {
            TokenKind::Number(text) => return self.integer(text, start),
            TokenKind::String(text) => ExprKind::String(unescape(text)),
            TokenKind::Punctuation("...") => ExprKind::Default,
            TokenKind::Punctuation("{#}") => ExprKind::Invalid,
            TokenKind::Punctuation("{") => return self.braces(),
            TokenKind::Punctuation("(") => return self.parenthesized(),
            TokenKind::Identifier(word) => match &**word {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "this" => ExprKind::This,
                _ => return self.named(),
            },
            TokenKind::Punctuation(".") => return self.named(),
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(Expr { kind, span: start })
    }

    fn integer(&mut self, text: &str, span: Span) -> Parsed<Expr> {
        self.advance();
        let integer = parse_integer(text).map_err(|message| self.error(span, message))?;
        if let (true, Some((bits, _)), false) = (integer.wrapped, integer.width, self.trying) {
            let message = format!(
                "'{text}' does not fit in {bits} bits; its value here is {}",
                integer.value
            );
            self.diagnostics.warning(Warning::Overflow, span, message);
        }
        let kind = ExprKind::Integer {
            value: integer.value,
            width: integer.width,
        };
        Ok(Expr { kind, span })
    }

    /// A name or a type.
    fn named(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let ty = if self.eat_word("error") {
            Some(Type {
                kind: TypeKind::Error,
                span: start,
            })
        } else if self.at_type() && (self.is_name_ahead(0) || self.at_punct(".")) {
            Some(self.named_type()?)
        } else {
            None
        };
        if let Some(ty) = ty {
            return Ok(Expr {
                kind: ExprKind::Type(ty),
                span: self.span_from(start),
            });
        }
        let path = self.path("an expression")?;
        Ok(Expr {
            kind: ExprKind::Path(path),
            span: self.span_from(start),
        })
    }

    fn parenthesized(&mut self) -> Parsed<Expr> {
        let start = self.expect("(")?;
        let mut expr = self.expression()?;
        self.expect(")")?;
        expr.span = self.span_from(start);
        Ok(expr)
    }

    /// `{a, b}`, `{x = a, y = b}`, each possibly with `...` at the end.
    fn braces(&mut self) -> Parsed<Expr> {
        let start = self.expect("{")?;
        let record = self.is_name_ahead(0) && self.ahead(1).is("=");
        let kind = if record {
            let mut fields: Vec<(Name, Expr)> = Vec::new();
            let mut rest = false;
            self.comma_list("}", true, |p| {
                if rest {
                    return Err(p.expected("'}' after '...'"));
                }
                if p.eat("...") {
                    rest = true;
                    return Ok(());
                }
                let name = p.name("a field's name")?;
                p.expect("=")?;
                fields.push((name, p.expression()?));
                Ok(())
            })?;
            ExprKind::Record { fields, rest }
        } else {
            let mut items = self.comma_list("}", true, Self::expression)?;
            let rest = matches!(
                items.last(),
                Some(Expr {
                    kind: ExprKind::Default,
                    ..
                })
            );
            if rest {
                items.pop();
            }
            ExprKind::List { items, rest }
        };
        Ok(Expr {
            kind,
            span: self.span_from(start),
        })
    }
}
