// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: `for`.

use super::{Parsed, Parser};
use crate::ast::{Annotation, Expr, Name, Stmt, StmtKind, Type};

/// `T x in collection` in the head of a `for`.
struct ForInHead {
    annotations: Vec<Annotation>,
    ty: Type,
    variable: Name,
    collection: Expr,
}

impl Parser<'_> {
    pub(super) fn for_statement(&mut self, annotations: Vec<Annotation>) -> Parsed<StmtKind> {
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
}
