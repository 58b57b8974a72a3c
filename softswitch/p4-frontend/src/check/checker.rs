// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What the checker knows while it goes through a program, and how it reports.

use std::collections::{HashMap, HashSet};

use super::entity::{Entity, Globals};
use super::place::Place;
use crate::arch::Rules;
use crate::ast;
use crate::diagnostics::Diagnostics;
use crate::ir::{self, Type, TypeId, VarId};
use crate::span::Span;
use crate::warnings::Warning;

/// The generic declaration and the type arguments that a type is a copy for.
#[derive(Clone)]
pub(super) struct Origin<'a> {
    pub decl: &'a ast::Decl,
    pub args: Vec<Type>,
}

/// A type parameter, or an unknown type argument.
#[derive(Clone, Debug)]
pub(super) struct TypeVariable {
    pub name: String,
    pub bound: Option<Type>,
    /// The parameter of a declaration that is being checked: it equals only itself.
    pub rigid: bool,
}

pub(super) struct Checker<'a, 'd> {
    pub diagnostics: &'d mut Diagnostics,
    pub failed: bool,
    pub rules: &'static Rules,
    pub ir: ir::Program,

    // Names: scope.rs.
    pub globals: Globals<'a>,
    /// Position in the program of each declaration of the top level.
    pub positions: HashMap<*const ast::Decl, usize>,
    /// Only global names declared before this position are visible.
    pub visible: usize,
    /// Names of typedefs and new types.
    pub aliases: HashSet<String>,
    pub locals: Vec<HashMap<String, Entity<'a>>>,
    pub place: Place,
    /// Messages about names that mean nothing.
    pub unknown_names: HashSet<String>,

    // Types: generics.rs. The first three have an element for each type in `ir.types`.
    /// The generic declaration that the type is a copy of.
    pub origins: Vec<Option<Origin<'a>>>,
    /// Number of values without parts in a value of the type.
    pub leaves: Vec<u64>,
    /// Number of types inside each other in the type.
    pub type_depths: Vec<usize>,
    /// Copies by name and type arguments.
    pub copies: HashMap<(String, Vec<Type>), TypeId>,
    /// Types of record expressions that no struct type is known for yet.
    pub unknown_structs: HashSet<TypeId>,

    // Inference: unify.rs.
    /// The state of each type variable.
    pub bindings: Vec<TypeVariable>,
    /// `_` may stand for type arguments inside of types: in the parameters of constructors and packages.
    pub wildcards: bool,

    // Functions and actions: function.rs, control.rs.
    /// Copies by declaration and type arguments.
    pub functions: HashMap<(usize, Vec<Type>), ir::FunctionId>,
    /// Copies with errors, which are reported once.
    pub failed_functions: HashSet<(usize, Vec<Type>)>,
    /// Number of functions around that are being copied for a call.
    pub function_depth: usize,
    /// Copies of top-level actions, by number of the instance and position of the declaration.
    pub global_actions: HashMap<(usize, usize), ir::ActionId>,

    // Evaluation and dry runs: instantiate.rs, opaque.rs.
    pub dry: bool,
    /// Stand-ins for constructor parameters in a dry run: known at compile time, with a value that is not known yet.
    pub opaque: HashSet<VarId>,
    /// Number of bodies of controls and parsers elaborated so far, which is the number of the current instance.
    pub bodies: usize,
    /// Number of parsers and controls around.
    pub instance_depth: usize,
    /// Number of packages without a name so far.
    pub packages: usize,
}

impl<'a, 'd> Checker<'a, 'd> {
    pub fn new(rules: &'static Rules, diagnostics: &'d mut Diagnostics) -> Self {
        Checker {
            diagnostics,
            failed: false,
            rules,
            ir: ir::Program::default(),
            globals: Globals::default(),
            positions: HashMap::new(),
            aliases: HashSet::new(),
            visible: 0,
            locals: Vec::new(),
            place: Place::default(),
            unknown_names: HashSet::new(),
            origins: Vec::new(),
            leaves: Vec::new(),
            type_depths: Vec::new(),
            copies: HashMap::new(),
            unknown_structs: HashSet::new(),
            bindings: Vec::new(),
            opaque: HashSet::new(),
            dry: false,
            wildcards: false,
            functions: HashMap::new(),
            failed_functions: HashSet::new(),
            function_depth: 0,
            global_actions: HashMap::new(),
            bodies: 0,
            instance_depth: 0,
            packages: 0,
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
        let was_dry = std::mem::replace(&mut self.dry, true);
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
        self.opaque.retain(|var| var.index() < vars);
        self.functions.retain(|_, id| id.index() < functions);
        self.global_actions.retain(|_, id| id.index() < actions);
        self.dry = was_dry;
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
