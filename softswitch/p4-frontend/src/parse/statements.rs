// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements, and variables and constants, which may stand among them.

use super::{Parsed, Parser};
use crate::ast::{
    Annotation, BinaryOp, Block, Decl, DeclKind, Expr, ExprKind, Name, Stmt, StmtKind, SwitchCase,
    Type,
};
use crate::lexer::TokenKind;
use crate::span::Span;

/// Statements that a parser state may not have.
const NOT_IN_STATES: [&str; 6] = ["switch", "return", "exit", "for", "break", "continue"];

/// `T x in collection` in the head of a `for`.
struct ForInHead {
    annotations: Vec<Annotation>,
    ty: Type,
    variable: Name,
    collection: Expr,
}

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

    fn assignment_or_call_statement(&mut self) -> Parsed<StmtKind> {
        let starts = self.is_name_ahead(0) || self.at_word("this") || self.at_word("error");
        if !starts && !self.at_punct(".") && !self.at_punct("(") {
            return Err(self.expected("a statement"));
        }
        let expr = self.statement_expression()?;
        self.assignment_or_call(expr)
    }

    fn assignment_or_call(&mut self, expr: Expr) -> Parsed<StmtKind> {
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
    fn inner_statement(&mut self) -> Parsed<Stmt> {
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

    fn for_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StmtKind> {
        self.expect_word("for")?;
        self.expect("(")?;
        self.scopes.enter();
        let kind = match self.for_in_head()? {
            Some(head) => {
                let annotations = annotations.into_iter().chain(head.annotations).collect();
                let (ty, variable, collection) = (head.ty, head.variable, head.collection);
                let body = Box::new(self.inner_statement()?);
                StmtKind::ForIn {
                    annotations,
                    ty: Some(ty),
                    variable,
                    collection,
                    body,
                }
            }
            None => {
                let init = self.for_parts(";", true)?;
                let condition = self.expression()?;
                self.expect(";")?;
                let update = self.for_parts(")", false)?;
                let body = Box::new(self.inner_statement()?);
                StmtKind::For {
                    annotations,
                    init,
                    condition,
                    update,
                    body,
                }
            }
        };
        self.scopes.leave();
        Ok(kind)
    }

    /// `T x in collection)`, if that is what the parentheses hold.
    fn for_in_head(&mut self) -> Parsed<Option<ForInHead>> {
        let head = self.attempt(|p| {
            let annotations = p.annotations()?;
            let ty = p.type_ref()?;
            let name = p.name("a variable")?;
            p.expect_word("in")?;
            Ok((annotations, ty, name))
        });
        let Some((annotations, ty, name)) = head else {
            return Ok(None);
        };
        let collection = self.collection()?;
        self.expect(")")?;
        self.scopes.declare_object(&name.text);
        Ok(Some(ForInHead {
            annotations,
            ty,
            variable: name,
            collection,
        }))
    }

    /// The first or last part of a `for`'s head: statements separated by commas.
    fn for_parts(&mut self, close: &str, declarations: bool) -> Parsed<Vec<Stmt>> {
        self.comma_list(close, false, |p| {
            let start = p.token().span;
            let annotations = if declarations {
                p.annotations()?
            } else {
                Vec::new()
            };
            let kind = if declarations && (p.at_type() || p.at_unknown_type()) {
                let ty = p.type_ref()?;
                if p.at_punct(".") {
                    let expr = p.statement_expression_after(ty)?;
                    p.assignment_or_call(expr)?
                } else {
                    StmtKind::Decl(Box::new(p.variable(annotations, ty, start)?))
                }
            } else {
                p.assignment_or_call_statement()?
            };
            Ok(Stmt {
                kind,
                span: p.span_from(start),
            })
        })
    }

    /// `const T name = value;`
    pub(super) fn constant(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("const")?;
        let ty = self.type_ref()?;
        let name = self.name("the constant's name")?;
        let ty = self.stack_suffixes(ty)?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect(";")?;
        self.scopes.declare_object(&name.text);
        let kind = DeclKind::Const { ty, value };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    /// After its type: `name;`, `name = value;`, or `(args) name;`.
    pub(super) fn variable_or_instance(
        &mut self,
        annotations: Vec<Annotation>,
        ty: Type,
        start: Span,
    ) -> Parsed<Decl> {
        if self.at_punct("(") {
            return self.instance(annotations, ty, start);
        }
        let mut decl = self.variable(annotations, ty, start)?;
        self.expect(";")?;
        decl.span = self.span_from(start);
        Ok(decl)
    }

    fn variable(&mut self, annotations: Vec<Annotation>, ty: Type, start: Span) -> Parsed<Decl> {
        let name = self.name("a name after the type")?;
        let ty = self.stack_suffixes(ty)?;
        let value = if self.eat("=") {
            Some(self.expression()?)
        } else {
            None
        };
        self.scopes.declare_object(&name.text);
        let kind = DeclKind::Variable { ty, value };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    /// After its type: `(args) name;`, or `(args) name = { methods };`.
    pub(super) fn instance(
        &mut self,
        annotations: Vec<Annotation>,
        ty: Type,
        start: Span,
    ) -> Parsed<Decl> {
        self.expect("(")?;
        let args = self.comma_list(")", false, Self::argument)?;
        let name = self.name("the instance's name")?;
        let ty = self.stack_suffixes(ty)?;
        let mut body = Vec::new();
        if self.eat("=") {
            self.expect("{")?;
            self.scopes.enter();
            while !self.eat("}") {
                body.push(self.nested(Self::object_declaration)?);
            }
            self.scopes.leave();
        }
        self.expect(";")?;
        self.scopes.declare_object(&name.text);
        let kind = DeclKind::Instantiation { ty, args, body };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    /// In the braces after an instance: functions that implement abstract methods, and instances that they use.
    fn object_declaration(&mut self) -> Parsed<Decl> {
        let annotations = self.annotations()?;
        let start = self.token().span;
        let ty = self.result_type()?;
        if self.at_punct("(") {
            return self.instance(annotations, ty, start);
        }
        self.function(annotations, ty, start)
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
