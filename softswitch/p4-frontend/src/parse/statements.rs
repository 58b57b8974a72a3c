// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: statements.

use super::{Parsed, Parser};
use crate::ast::{Annotation, BinaryOp, Block, Expr, ExprKind, Stmt, StmtKind, SwitchCase};
use crate::lexer::TokenKind;

/// Statements that a parser state may not have.
const NOT_IN_STATES: [&str; 6] = ["switch", "return", "exit", "for", "break", "continue"];

impl Parser<'_> {
    /// `{ ... }`, after its annotations.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let start = self.expect("{")?;
        self.scopes.enter();
        let statements = self.statements();
        self.scopes.leave();
        self.expect("}")?;
        Ok(Block {
            annotations,
            statements,
            span: self.span_from(start),
        })
    }

    /// Statements up to `}`; those with errors are left out.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        while !(self.at_end() || self.at_punct("}") || self.in_state && self.at_word("transition"))
        {
            let (start, depth, nesting) = (self.at, self.scopes.depth(), self.nesting);
            match self.nested(Self::statement) {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.scopes.leave_to(depth);
                    self.nesting = nesting;
                    self.recover(start);
                    if self.at == start {
                        break;
                    }
                }
            }
        }
        statements
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.token().span;
        let annotations = self.annotations()?;
        let kind = self.annotated_statement(annotations)?;
        Ok(Stmt {
            kind,
            span: self.span_from(start),
        })
    }

    fn annotated_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StmtKind> {
        if self.at_punct("{") {
            return Ok(StmtKind::Block(self.block(annotations)?));
        }
        if self.at_word("const") {
            return Ok(StmtKind::Decl(Box::new(self.constant(annotations)?)));
        }
        if self.at_word("for") && !self.in_state {
            return self.for_statement(annotations);
        }
        if self.at_punct("(") || !(self.at_type() || self.at_unknown_type()) {
            if let Some(annotation) = annotations.first() {
                return Err(self.error(annotation.span, "this statement cannot have annotations"));
            }
            return self.plain_statement();
        }
        let start = self.token().span;
        let ty = self.type_ref()?;
        if self.at_punct(".") {
            let expr = self.statement_expression_after(ty)?;
            let kind = self.assignment_or_call(expr)?;
            self.expect(";")?;
            return Ok(kind);
        }
        let decl = self.variable_or_instance(annotations, ty, start)?;
        Ok(StmtKind::Decl(Box::new(decl)))
    }

    fn plain_statement(&mut self) -> Parsed<StmtKind> {
        let word = self.word_ahead(0).unwrap_or_default().to_owned();
        if self.in_state && NOT_IN_STATES.contains(&word.as_str()) {
            let span = self.token().span;
            return Err(self.error(
                span,
                format!("a parser state cannot have the statement '{word}'"),
            ));
        }
        let kind = match word.as_str() {
            "if" => return self.conditional(),
            "switch" => return self.switch(),
            "return" => {
                self.advance();
                let value = if self.at_punct(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                StmtKind::Return(value)
            }
            "exit" | "break" | "continue" => {
                self.advance();
                match word.as_str() {
                    "exit" => StmtKind::Exit,
                    "break" => StmtKind::Break,
                    _ => StmtKind::Continue,
                }
            }
            "else" => return Err(self.expected("a statement")),
            _ if self.at_punct(";") => StmtKind::Empty,
            _ => self.assignment_or_call_statement()?,
        };
        self.expect(";")?;
        Ok(kind)
    }

    pub(super) fn assignment_or_call_statement(&mut self) -> Parsed<StmtKind> {
        let starts = self.is_name_ahead(0) || self.at_word("this") || self.at_word("error");
        if !starts && !self.at_punct(".") && !self.at_punct("(") {
            return Err(self.expected("a statement"));
        }
        let expr = self.statement_expression()?;
        self.assignment_or_call(expr)
    }

    pub(super) fn assignment_or_call(&mut self, expr: Expr) -> Parsed<StmtKind> {
        if let Some(op) = self.assignment_operator() {
            self.advance();
            if !is_lvalue(&expr) {
                return Err(self.error(expr.span, "this cannot be assigned to"));
            }
            let value = self.expression()?;
            return Ok(StmtKind::Assign {
                target: expr,
                op,
                value,
            });
        }
        match expr.kind {
            ExprKind::Call { callee, .. } if !is_lvalue(&callee) => {
                Err(self.error(callee.span, "a statement cannot call this"))
            }
            ExprKind::Call {
                callee,
                type_args,
                args,
            } => Ok(match callee.kind {
                ExprKind::Member(object, method)
                    if method.text == "apply" && matches!(object.kind, ExprKind::Type(_)) =>
                {
                    let ExprKind::Type(ty) = object.kind else {
                        return Err(self.expected("a type"));
                    };
                    StmtKind::DirectApply { ty, args }
                }
                kind => {
                    let callee = Box::new(Expr {
                        kind,
                        span: callee.span,
                    });
                    let kind = ExprKind::Call {
                        callee,
                        type_args,
                        args,
                    };
                    StmtKind::Call(Expr {
                        kind,
                        span: expr.span,
                    })
                }
            }),
            _ => Err(self.expected("'=' or '('")),
        }
    }

    /// `Some(None)` is `=`.
    fn assignment_operator(&self) -> Option<Option<BinaryOp>> {
        let TokenKind::Punctuation(text) = self.token().kind else {
            return None;
        };
        Some(Some(match text {
            "=" => return Some(None),
            "+=" => BinaryOp::Add,
            "-=" => BinaryOp::Sub,
            "|+|=" => BinaryOp::AddSat,
            "|-|=" => BinaryOp::SubSat,
            "*=" => BinaryOp::Mul,
            "/=" => BinaryOp::Div,
            "%=" => BinaryOp::Mod,
            "<<=" => BinaryOp::Shl,
            ">>=" => BinaryOp::Shr,
            "&=" => BinaryOp::BitAnd,
            "|=" => BinaryOp::BitOr,
            "^=" => BinaryOp::BitXor,
            _ => return None,
        }))
    }

    fn conditional(&mut self) -> Parsed<StmtKind> {
        self.expect_word("if")?;
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let then = Box::new(self.inner_statement()?);
        let otherwise = if self.eat_word("else") {
            Some(Box::new(self.inner_statement()?))
        } else {
            None
        };
        Ok(StmtKind::If {
            condition,
            then,
            otherwise,
        })
    }

    /// The body of `if` and `for`: no declaration.
    pub(super) fn inner_statement(&mut self) -> Parsed<Stmt> {
        let statement = self.nested(Self::statement)?;
        if let StmtKind::Decl(_) = statement.kind {
            return Err(self.error(
                statement.span,
                "a declaration cannot stand here: put it in braces",
            ));
        }
        Ok(statement)
    }

    fn switch(&mut self) -> Parsed<StmtKind> {
        self.expect_word("switch")?;
        self.expect("(")?;
        let on = self.expression()?;
        self.expect(")")?;
        self.expect("{")?;
        let mut cases = Vec::new();
        while !self.eat("}") {
            let start = self.token().span;
            let label = if self.eat_word("default") {
                None
            } else if self.at_punct("{") {
                return Err(self.expected("a label"));
            } else {
                Some(self.expression()?)
            };
            self.expect(":")?;
            let body = if self.at_punct("{") || self.at_punct("@") {
                let annotations = self.annotations()?;
                Some(self.block(annotations)?)
            } else {
                None
            };
            cases.push(SwitchCase {
                label,
                body,
                span: self.span_from(start),
            });
        }
        Ok(StmtKind::Switch { on, cases })
    }
}

/// Names, members, elements and slices.
fn is_lvalue(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Path(_) | ExprKind::This => true,
        ExprKind::Member(base, _) => matches!(base.kind, ExprKind::Type(_)) || is_lvalue(base),
        ExprKind::Index(base, _)
        | ExprKind::Slice { base, .. }
        | ExprKind::PlusSlice { base, .. } => is_lvalue(base),
        _ => false,
    }
}
