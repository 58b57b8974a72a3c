// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: variables, constants and instances.

use super::{Parsed, Parser};
use crate::ast::{Annotation, Decl, DeclKind, Type};
use crate::span::Span;

impl Parser<'_> {
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

    pub(super) fn variable(
        &mut self,
        annotations: Vec<Annotation>,
        ty: Type,
        start: Span,
    ) -> Parsed<Decl> {
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
