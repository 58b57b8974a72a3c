// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The checker: from the syntax tree to the typed and evaluated program.
//!
//! There is one piece of code for both checking and evaluation. Each parser, control, function and action is first
//! elaborated on its own, with its constructor and type parameters left open, only to find errors ([`Checker::dry_run`]
//! throws the result away). When all is well, evaluation starts from `main` and elaborates each instance again, with the
//! arguments put in.
//!
//! In: the tree of `ast.rs`. Out: the program of `ir.rs`. Begin with `toplevel.rs` (declarations) and `evaluate.rs`
//! (from `main` on); then `expr.rs` and `stmt.rs`.

mod aggregate;
mod arguments;
mod call;
mod constant;
mod control;
mod convert;
mod core_library;
mod entries;
mod evaluate;
mod expr;
mod externs;
mod fold;
mod function;
mod generics;
mod index;
mod instantiate;
mod keyset;
mod loops;
mod member;
mod method;
mod names;
mod object;
mod opaque;
mod operator;
mod parser;
mod place;
mod scope;
mod select;
mod show;
mod size;
mod stmt;
mod switch;
mod table;
mod table_actions;
mod toplevel;
mod types;
mod unify;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::ast;
use crate::ir::{self, Type, TypeId, VarId};
use crate::span::Span;
use crate::{Arch, Diagnostics};

use place::Place;
use scope::{Entity, Globals};

/// Checks and evaluates a program. `None` when there were errors, all of which are in `diagnostics`.
pub fn check(
    program: &ast::Program,
    arch: Arch,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Program> {
    let mut checker = Checker::new(arch, diagnostics);
    checker.program(program);
    let Checker { ir, failed, .. } = checker;
    (!failed).then_some(ir)
}

/// Where a copy of a generic type comes from.
#[derive(Clone)]
struct Origin<'a> {
    decl: &'a ast::Decl,
    args: Vec<Type>,
}

struct Checker<'a, 'd> {
    diagnostics: &'d mut Diagnostics,
    failed: bool,
    /// Where architectures differ in what they make of a program.
    arch: Arch,
    ir: ir::Program,

    globals: Globals<'a>,
    /// Place of each declaration of the top level in the program.
    positions: HashMap<*const ast::Decl, usize>,
    /// Names of typedefs and newtypes.
    aliases: HashSet<String>,
    /// Only global names declared before this position are visible.
    visible: usize,
    locals: Vec<HashMap<String, Entity<'a>>>,
    place: Place,

    /// Generic origin of each type in `ir.types`, if it has one.
    origins: Vec<Option<Origin<'a>>>,
    /// How many values without parts each type in `ir.types` has.
    leaves: Vec<u64>,
    /// How many types are in each other in each type in `ir.types`.
    type_depths: Vec<usize>,
    copies: HashMap<(String, Vec<Type>), TypeId>,
    /// Record expressions that have not met their struct type yet.
    unknown_structs: HashSet<TypeId>,

    /// What inference has found for each type variable.
    bindings: Vec<unify::TypeVariable>,
    /// Stand-ins for constructor parameters in a dry run: compile-time known, with a value that is not known yet.
    opaque: HashSet<VarId>,
    dry: bool,
    /// `_` may stand for type arguments inside of types: in the parameters of constructors and packages.
    wildcards: bool,
    functions: HashMap<(usize, Vec<Type>), ir::FunctionId>,
    /// Copies with errors, which are reported once.
    failed_functions: HashSet<(usize, Vec<Type>)>,
    /// Functions around that are copied for a call.
    function_depth: usize,
    /// Copies of top-level actions, by control instance.
    global_actions: HashMap<(usize, usize), ir::ActionId>,
    /// Counts control and parser bodies that were elaborated: the number names the current one.
    bodies: usize,
    /// Parsers and controls around.
    instance_depth: usize,
    /// Counts packages without a name.
    packages: usize,
}

impl<'a, 'd> Checker<'a, 'd> {
    fn new(arch: Arch, diagnostics: &'d mut Diagnostics) -> Self {
        Checker {
            diagnostics,
            failed: false,
            arch,
            ir: ir::Program::default(),
            globals: Globals::default(),
            positions: HashMap::new(),
            aliases: HashSet::new(),
            visible: 0,
            locals: Vec::new(),
            place: Place::default(),
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
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.failed = true;
        self.diagnostics.error(span, message);
        None
    }

    fn error_with_note<T>(
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

    fn not_supported<T>(&mut self, span: Span, what: impl std::fmt::Display) -> Option<T> {
        self.failed = true;
        self.diagnostics.not_supported(span, what);
        None
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.warning(span, message);
    }

    /// Elaborates something only for its errors: what it adds to the program is taken away again.
    fn dry_run<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
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

    fn new_var(
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

    fn var(&self, id: VarId) -> &ir::Var {
        &self.ir.vars[id.index()]
    }
}
