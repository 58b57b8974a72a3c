// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Parser`: parsers and controls with their local declarations, states and transitions.

use super::{Parsed, Parser, Reported};
use crate::ast::{
    Annotation, Decl, DeclKind, Name, Parameter, SelectCase, Signature, State, Transition,
};
use crate::span::Span;

impl Parser<'_> {
    /// A parser, or a parser type when `;` follows.
    pub(super) fn parser(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("parser")?;
        let (name, signature) = self.container_head("the parser's name")?;
        let kind = if self.eat(";") {
            DeclKind::ParserType(signature)
        } else {
            self.parser_body(&name, signature)?
        };
        Ok(self.container(annotations, kind, name, start))
    }

    /// A control, or a control type when `;` follows.
    pub(super) fn control(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("control")?;
        let (name, signature) = self.container_head("the control's name")?;
        let kind = if self.eat(";") {
            DeclKind::ControlType(signature)
        } else {
            self.control_body(signature)?
        };
        Ok(self.container(annotations, kind, name, start))
    }

    /// Ends the declaration that began with [`Self::container_head`].
    fn container(
        &mut self,
        annotations: Vec<Annotation>,
        kind: DeclKind,
        name: Name,
        start: Span,
    ) -> Decl {
        self.scopes.leave();
        Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        }
    }

    fn parser_body(&mut self, name: &Name, signature: Signature) -> Parsed<DeclKind> {
        let constructor_params = self.constructor_parameters()?;
        self.expect("{")?;
        let mut locals = Vec::new();
        let mut states = Vec::new();
        let errors_before = self.diagnostics.error_count();
        self.elements(|p| {
            let annotations = p.annotations()?;
            if p.at_word("state") {
                states.push(p.state(annotations)?);
                return Ok(true);
            }
            if !states.is_empty() {
                return Err(p.expected("'state' or '}'"));
            }
            locals.push(p.parser_local(annotations)?);
            Ok(true)
        });
        self.expect("}")?;
        // A state with an error is left out.
        if states.is_empty() && self.diagnostics.error_count() == errors_before {
            self.error(name.span, "a parser has at least one state");
        }
        Ok(DeclKind::Parser {
            signature,
            constructor_params,
            locals,
            states,
        })
    }

    fn control_body(&mut self, signature: Signature) -> Parsed<DeclKind> {
        let constructor_params = self.constructor_parameters()?;
        self.expect("{")?;
        let mut locals = Vec::new();
        let errors_before = self.diagnostics.error_count();
        self.elements(|p| {
            if p.at_word("apply") && (p.ahead(1).is("{") || p.ahead(1).is("@")) {
                return Ok(false);
            }
            let annotations = p.annotations()?;
            locals.push(p.control_local(annotations)?);
            Ok(true)
        });
        // The part with the errors may have been the `apply` block.
        if self.at_punct("}") && self.diagnostics.error_count() > errors_before {
            self.advance();
            return Err(Reported);
        }
        self.expect_word("apply")?;
        let annotations = self.annotations()?;
        let body = self.block(annotations)?;
        self.expect("}")?;
        Ok(DeclKind::Control {
            signature,
            constructor_params,
            locals,
            body,
        })
    }

    fn constructor_parameters(&mut self) -> Parsed<Vec<Parameter>> {
        if self.at_punct("(") {
            self.parameters()
        } else {
            Ok(Vec::new())
        }
    }

    /// Elements up to `}` or until one says that it was the last; those with errors are left out.
    pub(super) fn elements(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<bool>) {
        while !self.at_end() && !self.at_punct("}") {
            let (start, depth, nesting) = (self.at, self.scopes.depth(), self.nesting);
            match element(self) {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => {
                    self.scopes.leave_to(depth);
                    self.nesting = nesting;
                    self.in_state = false;
                    self.recover(start);
                    if self.at == start {
                        return;
                    }
                }
            }
        }
    }

    fn parser_local(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        match self.word_ahead(0) {
            Some("const") => self.constant(annotations),
            Some("value_set") => self.value_set(annotations),
            _ => self.typed_local(
                annotations,
                "a state, variable, constant, value_set or instance",
            ),
        }
    }

    fn control_local(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        match self.word_ahead(0) {
            Some("const") => self.constant(annotations),
            Some("action") => self.action(annotations),
            Some("table") => self.table(annotations),
            _ => self.typed_local(
                annotations,
                "an action, table, variable, constant, instance or 'apply'",
            ),
        }
    }

    fn typed_local(&mut self, annotations: Vec<Annotation>, what: &str) -> Parsed<Decl> {
        let start = self.token().span;
        let unknown_instance =
            self.is_name_ahead(0) && (self.ahead(1).is("(") || self.ahead(1).is("<"));
        if !self.at_type() && !self.at_unknown_type() && !unknown_instance {
            return Err(self.expected(what));
        }
        let ty = self.type_ref()?;
        self.variable_or_instance(annotations, ty, start)
    }

    /// `value_set<T>(size) name;`
    fn value_set(&mut self, annotations: Vec<Annotation>) -> Parsed<Decl> {
        let start = self.expect_word("value_set")?;
        self.expect("<")?;
        let ty = self.type_ref()?;
        self.expect(">")?;
        self.expect("(")?;
        let size = self.expression()?;
        self.expect(")")?;
        let name = self.name("the value set's name")?;
        self.expect(";")?;
        self.scopes.declare_object(&name.text);
        let kind = DeclKind::ValueSet { ty, size };
        Ok(Decl {
            annotations,
            kind,
            name,
            span: self.span_from(start),
        })
    }

    fn state(&mut self, annotations: Vec<Annotation>) -> Parsed<State> {
        let start = self.expect_word("state")?;
        let name = self.name("the state's name")?;
        self.expect("{")?;
        self.scopes.enter();
        self.in_state = true;
        let statements = self.statements();
        self.in_state = false;
        let transition = self.transition();
        self.scopes.leave();
        let transition = transition?;
        self.expect("}")?;
        let span = self.span_from(start);
        Ok(State {
            annotations,
            name,
            statements,
            transition,
            span,
        })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        if !self.eat_word("transition") {
            return Ok(Transition::None);
        }
        if !self.at_word("select") {
            let name = self.name("a state or 'select'")?;
            self.expect(";")?;
            return Ok(Transition::To(name));
        }
        let start = self.advance().span;
        self.expect("(")?;
        let keys = self.comma_list(")", false, Self::expression)?;
        self.expect("{")?;
        let mut cases = Vec::new();
        self.elements(|p| {
            let start = p.token().span;
            let keyset = p.keyset()?;
            p.expect(":")?;
            let state = p.name("a state")?;
            p.expect(";")?;
            cases.push(SelectCase {
                keyset,
                state,
                span: p.span_from(start),
            });
            Ok(true)
        });
        self.expect("}")?;
        let span = self.span_from(start);
        Ok(Transition::Select { keys, cases, span })
    }
}
