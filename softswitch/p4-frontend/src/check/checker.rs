// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The checker's state while it goes through a program, and how it reports.

use std::collections::HashSet;

use super::state::instances::Instances;
use super::state::place::Place;
use super::state::scope::Scope;
use super::state::types::Types;
use crate::arch::Rules;
use crate::ast;
use crate::diagnostics::Diagnostics;
use crate::ir::{self, Type, VarId};
use crate::span::Span;
use crate::warnings::Warning;

pub struct Checker<'a, 'd> {
    pub diagnostics: &'d mut Diagnostics,
    pub failed: bool,
    pub rules: &'static Rules,
    pub ir: ir::Program,
    pub types: Types<'a>,
    pub scope: Scope<'a>,
    pub place: Place,
    pub instances: Instances,
    /// Messages about names that mean nothing.
    pub unknown_names: HashSet<String>,
    /// `_` may stand for type arguments inside of types: in the parameters of constructors and packages.
    pub wildcards: bool,
}

impl<'a, 'd> Checker<'a, 'd> {
    pub fn new(rules: &'static Rules, diagnostics: &'d mut Diagnostics) -> Self {
        Checker {
            diagnostics,
            failed: false,
            rules,
            ir: ir::Program::default(),
            types: Types::default(),
            scope: Scope::default(),
            place: Place::default(),
            instances: Instances::default(),
            unknown_names: HashSet::new(),
            wildcards: false,
        }
    }

    /// Reports an error; the result suits `return self.error(...)` in functions that give an `Option`.
    pub fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.failed = true;
        self.diagnostics.error(span, message);
        None
    }

    pub fn error_with_note<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        note_span: Span,
        note: impl Into<String>,
    ) -> Option<T> {
        self.failed = true;
        self.diagnostics.error(span, message).note(note_span, note);
        None
    }

    pub fn not_supported<T>(&mut self, span: Span, what: impl std::fmt::Display) -> Option<T> {
        self.failed = true;
        self.diagnostics.not_supported(span, what);
        None
    }

    pub fn warning(&mut self, kind: Warning, span: Span, message: impl Into<String>) {
        self.diagnostics.warning(kind, span, message);
    }

    /// Elaborates a declaration only for its errors, and removes all that this adds to the program.
    pub fn dry_run<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was_dry = std::mem::replace(&mut self.instances.dry, true);
        let lengths = (
            self.ir.vars.len(),
            self.ir.functions.len(),
            self.ir.actions.len(),
            self.ir.tables.len(),
            self.ir.value_sets.len(),
            self.ir.externs.len(),
            self.ir.parsers.len(),
            self.ir.controls.len(),
        );
        let result = run(self);
        let (vars, functions, actions, tables, value_sets, externs, parsers, controls) = lengths;
        self.ir.vars.truncate(vars);
        self.ir.functions.truncate(functions);
        self.ir.actions.truncate(actions);
        self.ir.tables.truncate(tables);
        self.ir.value_sets.truncate(value_sets);
        self.ir.externs.truncate(externs);
        self.ir.parsers.truncate(parsers);
        self.ir.controls.truncate(controls);
        self.instances.opaque.retain(|var| var.index() < vars);
        self.instances
            .functions
            .retain(|_, id| id.index() < functions);
        self.instances
            .global_actions
            .retain(|_, id| id.index() < actions);
        self.instances.dry = was_dry;
        result
    }

    pub fn new_var(
        &mut self,
        name: &ast::Name,
        ty: Type,
        kind: ir::VarKind,
        annotations: &[ast::Annotation],
        declared_as: Option<String>,
    ) -> VarId {
        let id = VarId(self.ir.vars.len() as u32);
        self.ir.vars.push(ir::Var {
            name: name.text.clone(),
            ty,
            kind,
            annotations: annotations.to_vec(),
            declared_as,
            span: name.span,
        });
        id
    }

    pub fn var(&self, id: VarId) -> &ir::Var {
        &self.ir.vars[id.index()]
    }
}
