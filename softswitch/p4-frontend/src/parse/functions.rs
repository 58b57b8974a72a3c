// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: extern objects, functions and actions.

use super::{Parsed, Parser};
use crate::ast::{Annotation, Decl, DeclKind, Method, Name, Prototype, Type};
use crate::span::Span;

impl Parser<'_> {
    /// `None` of a declaration that only announces the object.
    pub(super) fn external(&mut self, annotations: Vec<Annotation>) -> Parsed<Option<Decl>> {
        let start = self.expect_word("extern")?;
        if self.is_name_ahead(0) && self.ahead(1).is(";") {
            let name = self.name("the extern's name")?;
            self.advance();
            self.scopes.declare_type(&name.text);
            return Ok(None);
        }
        if self.at_extern_object() {
            return self.extern_object(annotations, start).map(Some);
        }
        let result = self.result_type()?;
        let prototype = self.prototype(Some(result))?;
        self.scopes.leave();
        self.expect(";")?;
        let name = prototype.name.clone();
        let kind = DeclKind::ExternFunction(prototype);
        Ok(Some(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        }))
    }

    /// `name {` or `name<T> {` comes next, and not a function's result.
    fn at_extern_object(&self) -> bool {
        if !self.is_name_ahead(0) {
            return false;
        }
        let mut n = 1;
        if self.ahead(1).is("<") {
            while !self.ahead(n).is(">") {
                let in_list =
                    self.ahead(n).is("<") || self.ahead(n).is(",") || self.is_name_ahead(n);
                if !in_list {
                    return false;
                }
                n += 1;
            }
            n += 1;
        }
        self.ahead(n).is("{")
    }

    fn extern_object(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        let name = self.name("the extern's name")?;
        self.scopes.declare_type(&name.text);
        self.scopes.enter();
        let type_params = self.type_parameters()?;
        self.expect("{")?;
        let mut methods = Vec::new();
        while !self.at_end() && !self.at_punct("}") {
            let (start, depth, nesting) = (self.at, self.scopes.depth(), self.nesting);
            match self.method(&name) {
                Ok(method) => methods.push(method),
                Err(_) => {
                    self.nesting = nesting;
                    self.scopes.leave_to(depth);
                    self.recover(start);
                    if self.at == start {
                        break;
                    }
                }
            }
        }
        self.scopes.leave();
        self.expect("}")?;
        let kind = DeclKind::Extern {
            type_params,
            methods,
        };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    fn method(&mut self, object: &Name) -> Parsed<Method> {
        let annotations = self.annotations()?;
        let is_abstract = self.eat_word("abstract");
        let is_constructor = self.is_name_ahead(0) && self.ahead(1).is("(");
        let result = if is_constructor {
            None
        } else {
            Some(self.result_type()?)
        };
        let prototype = self.prototype(result)?;
        self.scopes.leave();
        if is_constructor && prototype.name.text != object.text {
            let message = format!(
                "a constructor of '{}' has that name; a method needs a result type",
                object.text
            );
            return Err(self.error(prototype.name.span, message));
        }
        if is_constructor && is_abstract {
            return Err(self.error(prototype.name.span, "a constructor cannot be abstract"));
        }
        self.expect(";")?;
        Ok(Method {
            annotations,
            is_abstract,
            prototype,
        })
    }

    /// `name<T>(parameters)` after the result type. The name is declared; a scope is left open.
    fn prototype(&mut self, result: Option<Type>) -> Parsed<Prototype> {
        let name = self.name("the function's name")?;
        if result.is_some() {
            self.scopes.declare_object(&name.text);
        }
        self.scopes.enter();
        let type_params = self.type_parameters()?;
        let params = self.parameters()?;
        Ok(Prototype {
            name,
            type_params,
            result,
            params,
        })
    }

    /// After its result type: `name<T>(parameters) { ... }`.
    pub(super) fn function(
        &mut self,
        annotations: Vec<Annotation>,
        result: Type,
        start: Span,
    ) -> Parsed<Decl> {
        let prototype = self.prototype(Some(result))?;
        let body = self.block(Vec::new())?;
        self.scopes.leave();
        let name = prototype.name.clone();
        let kind = DeclKind::Function { prototype, body };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    pub(super) fn action(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("action")?;
        let name = self.name("the action's name")?;
        self.scopes.declare_object(&name.text);
        self.scopes.enter();
        let params = self.parameters()?;
        let body = self.block(Vec::new())?;
        self.scopes.leave();
        let kind = DeclKind::Action { params, body };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }
}
