// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: expressions, by precedence.

use super::{height, Parsed, Parser};
use crate::ast::{Argument, BinaryOp, Expr, ExprKind, Type, UnaryOp};
use crate::lexer::TokenKind;
use crate::limits::MAX_HEIGHT;

/// The grammar of an expression depends on the construct around it.
#[derive(Clone, Copy)]
struct Context {
    /// `>` ends it: the width in `bit<W>`.
    before_greater: bool,
    /// The start of a statement, where `<` after a name cannot be "less than".
    statement: bool,
}

const ANYWHERE: Context = Context {
    before_greater: false,
    statement: false,
};

/// Binding strengths; larger binds tighter.
const LOWEST: u8 = 1;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.expression_in(ANYWHERE)
    }

    /// The width in `bit<W>`: the first `>` outside parentheses ends it.
    pub(super) fn expression_before_greater(&mut self) -> Parsed<Expr> {
        self.expression_in(Context {
            before_greater: true,
            ..ANYWHERE
        })
    }

    fn expression_in(&mut self, context: Context) -> Parsed<Expr> {
        let expr = self.nested(|p| p.ternary(context))?;
        if height::fits(&expr, MAX_HEIGHT) {
            return Ok(expr);
        }
        Err(self.error(
            expr.span,
            format!("this expression is more than {MAX_HEIGHT} operations deep"),
        ))
    }

    fn ternary(&mut self, context: Context) -> Parsed<Expr> {
        let condition = self.binary(LOWEST, context)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.nested(|p| p.ternary(context))?;
        let span = condition.span.to(otherwise.span);
        let kind = ExprKind::Ternary {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Ok(Expr { kind, span })
    }

    /// Operators that bind at least as tightly as `strength`.
    fn binary(&mut self, strength: u8, context: Context) -> Parsed<Expr> {
        let mut left = self.unary(context)?;
        let mut length = 0;
        while let Some((op, op_strength, tokens)) = self.binary_operator(context) {
            if op_strength < strength {
                break;
            }
            length += 1;
            self.check_chain(length)?;
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|p| p.binary(op_strength + 1, context))?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
            left = Expr { kind, span };
        }
        Ok(left)
    }

    /// The operator here, how tightly it binds, and how many tokens it is.
    fn binary_operator(&self, context: Context) -> Option<(BinaryOp, u8, usize)> {
        let TokenKind::Punctuation(text) = self.token().kind else {
            return None;
        };
        let next = self.ahead(1);
        let shift_right = text == ">" && next.is(">") && !next.space_before;
        let (op, strength) = match text {
            ">" if context.before_greater => return None,
            ">" if shift_right => return Some((BinaryOp::Shr, 8, 2)),
            "||" => (BinaryOp::Or, 1),
            "&&" => (BinaryOp::And, 2),
            "==" => (BinaryOp::Eq, 3),
            "!=" => (BinaryOp::Ne, 3),
            "<" => (BinaryOp::Lt, 4),
            "<=" => (BinaryOp::Le, 4),
            ">" => (BinaryOp::Gt, 4),
            ">=" => (BinaryOp::Ge, 4),
            "|" => (BinaryOp::BitOr, 5),
            "^" => (BinaryOp::BitXor, 6),
            "&" => (BinaryOp::BitAnd, 7),
            "<<" => (BinaryOp::Shl, 8),
            "+" => (BinaryOp::Add, 9),
            "-" => (BinaryOp::Sub, 9),
            "|+|" => (BinaryOp::AddSat, 9),
            "|-|" => (BinaryOp::SubSat, 9),
            "++" => (BinaryOp::Concat, 9),
            "*" => (BinaryOp::Mul, 10),
            "/" => (BinaryOp::Div, 10),
            "%" => (BinaryOp::Mod, 10),
            _ => return None,
        };
        Some((op, strength, 1))
    }

    fn unary(&mut self, context: Context) -> Parsed<Expr> {
        let op = match self.token().kind {
            TokenKind::Punctuation("!") => UnaryOp::Not,
            TokenKind::Punctuation("~") => UnaryOp::Complement,
            TokenKind::Punctuation("-") => UnaryOp::Negate,
            TokenKind::Punctuation("+") => UnaryOp::Plus,
            _ => {
                let start = self.token().span;
                let Some(ty) = self.cast_type()? else {
                    return self.postfix(context);
                };
                let operand = self.nested(|p| p.unary(context))?;
                let span = start.to(operand.span);
                let kind = ExprKind::Cast(ty, Box::new(operand));
                return Ok(Expr { kind, span });
            }
        };
        let start = self.advance().span;
        let operand = self.nested(|p| p.unary(context))?;
        let span = start.to(operand.span);
        let kind = ExprKind::Unary(op, Box::new(operand));
        Ok(Expr { kind, span })
    }

    fn postfix(&mut self, context: Context) -> Parsed<Expr> {
        let primary = self.primary()?;
        self.suffixes(primary, context)
    }

    /// The start of a statement: an l-value or a call.
    pub(super) fn statement_expression(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            p.postfix(Context {
                statement: true,
                ..ANYWHERE
            })
        })
    }

    /// As [`Parser::statement_expression`], where the type that it starts with was read already.
    pub(super) fn statement_expression_after(&mut self, ty: Type) -> Parsed<Expr> {
        let primary = Expr {
            span: ty.span,
            kind: ExprKind::Type(ty),
        };
        self.suffixes(
            primary,
            Context {
                statement: true,
                ..ANYWHERE
            },
        )
    }

    /// Members, indices, slices and calls.
    fn suffixes(&mut self, mut expr: Expr, context: Context) -> Parsed<Expr> {
        let mut length = 0;
        loop {
            length += 1;
            self.check_chain(length)?;
            let start = expr.span;
            let kind = if self.eat(".") {
                ExprKind::Member(Box::new(expr), self.name("a member's name")?)
            } else if self.eat("[") {
                self.index_or_slice(expr)?
            } else if self.eat("(") {
                let args = self.comma_list(")", false, Self::argument)?;
                ExprKind::Call {
                    callee: Box::new(expr),
                    type_args: Vec::new(),
                    args,
                }
            } else if self.at_punct("<") && (context.statement || self.at_type_in_expression(1)) {
                let type_args = self.type_arguments()?;
                self.expect("(")?;
                let args = self.comma_list(")", false, Self::argument)?;
                ExprKind::Call {
                    callee: Box::new(expr),
                    type_args,
                    args,
                }
            } else if let ExprKind::Type(_) = expr.kind {
                return Err(self.expected("'.' or '(' after a type"));
            } else {
                return Ok(expr);
            };
            expr = Expr {
                kind,
                span: self.span_from(start),
            };
        }
    }

    fn index_or_slice(&mut self, base: Expr) -> Parsed<ExprKind> {
        let first = self.expression()?;
        let (base, first) = (Box::new(base), Box::new(first));
        let kind = if self.eat(":") {
            let lo = Box::new(self.expression()?);
            ExprKind::Slice {
                base,
                hi: first,
                lo,
            }
        } else if self.eat("+:") {
            let width = Box::new(self.expression()?);
            ExprKind::PlusSlice {
                base,
                lo: first,
                width,
            }
        } else {
            ExprKind::Index(base, first)
        };
        self.expect("]")?;
        Ok(kind)
    }

    /// `e`, `name = e`, `_`, `name = _`.
    pub(super) fn argument(&mut self) -> Parsed<Argument> {
        let start = self.token().span;
        let name = if self.is_name_ahead(0) && self.ahead(1).is("=") {
            let name = self.name("a parameter's name")?;
            self.advance();
            Some(name)
        } else {
            None
        };
        let value = if self.eat_word("_") {
            None
        } else {
            Some(self.expression()?)
        };
        Ok(Argument {
            name,
            value,
            span: self.span_from(start),
        })
    }

    /// The `(T)` of a cast, if that is what stands here and not `(T.member + 1)` or `(T<A>(x))`.
    fn cast_type(&mut self) -> Parsed<Option<Type>> {
        let at = self.at;
        if !self.at_punct("(") || self.not_casts.contains(&at) {
            return Ok(None);
        }
        self.advance();
        let is_type = self.at_type();
        let can_be_value = self.is_name_ahead(0) || self.at_punct(".") || self.at_word("error");
        if is_type && !can_be_value {
            let ty = self.type_ref()?;
            self.expect(")")?;
            return Ok(Some(ty));
        }
        let ty = self.attempt(|p| {
            if !is_type {
                return Err(p.expected("a type"));
            }
            let ty = p.type_ref()?;
            p.expect(")")?;
            Ok(ty)
        });
        if ty.is_none() {
            self.at = at;
            self.not_casts.insert(at);
        }
        Ok(ty)
    }
}
