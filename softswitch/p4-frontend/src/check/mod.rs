// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The checker: from the syntax tree to the typed and evaluated program.
//!
//! The same code checks and evaluates. Each parser, control, function and action is first elaborated on its own, with its
//! constructor and type parameters left open, only to find errors ([`Checker::dry_run`] throws the result away). When there
//! are none, evaluation starts from `main` and elaborates each instance again, with its arguments put in.
//!
//! In: the tree of `ast/`. Out: the program of `ir/`. Begin with `toplevel.rs` (declarations) and `evaluate.rs` (from
//! `main` on); then `expr.rs` and `stmt.rs`. All methods belong to [`Checker`]; each file has those for one thing:
//!
//! | thing | files |
//! |---|---|
//! | declarations | `toplevel` one after the other; `function`, `control`, `parser` with `object` around them, `table` with `table_actions` and `entries` |
//! | instances | `evaluate` from `main` on; `instantiate` all kinds, `externs` those of externs; `opaque` stand-ins in a dry run |
//! | statements | `stmt`; `loops`, `switch`, `select` with `keyset` |
//! | expressions | `expr`; `operator`, `index`, `member`, `aggregate` |
//! | calls | `call` by name, `method` of an object; `overload` which of several, `arguments` for both; `core_library` demands of core.p4 |
//! | types | `types` as written, `generics` copies and limits, `unify` inference, `convert` casts, `size`, `show` in messages |
//! | values | `constant` whether known and which, `fold` arithmetic |
//! | names | `scope` lookup, `unknown` ones, `names` for the control plane, `place` where the checker is |

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
mod overload;
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
mod unknown;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::ast;
use crate::ir::{self, Type, TypeId, VarId};
use crate::options::Rules;
use crate::span::Span;
use crate::{Diagnostics, Warning};

use place::Place;
use scope::{Entity, Globals};

/// Checks and evaluates a program. `None` when there were errors, all of which are in `diagnostics`.
pub(crate) fn check(
    program: &ast::Program,
    rules: &'static Rules,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Program> {
    let mut checker = Checker::new(rules, diagnostics);
    checker.program(program);
    let Checker { ir, failed, .. } = checker;
    (!failed).then_some(ir)
}

/// The generic declaration and the type arguments that a type is a copy for.
#[derive(Clone)]
struct Origin<'a> {
    decl: &'a ast::Decl,
    args: Vec<Type>,
}

struct Checker<'a, 'd> {
    diagnostics: &'d mut Diagnostics,
    failed: bool,
    rules: &'static Rules,
    ir: ir::Program,

    // Names: scope.rs.
    globals: Globals<'a>,
    /// Position in the program of each declaration of the top level.
    positions: HashMap<*const ast::Decl, usize>,
    /// Only global names declared before this position are visible.
    visible: usize,
    /// Names of typedefs and new types.
    aliases: HashSet<String>,
    locals: Vec<HashMap<String, Entity<'a>>>,
    place: Place,
    /// Messages about names that mean nothing.
    unknown_names: HashSet<String>,

    // Types: generics.rs. The first three have an element for each type in `ir.types`.
    /// The generic declaration that the type is a copy of.
    origins: Vec<Option<Origin<'a>>>,
    /// Number of values without parts in a value of the type.
    leaves: Vec<u64>,
    /// Number of types inside each other in the type.
    type_depths: Vec<usize>,
    /// Copies by name and type arguments.
    copies: HashMap<(String, Vec<Type>), TypeId>,
    /// Types of record expressions that no struct type is known for yet.
    unknown_structs: HashSet<TypeId>,

    // Inference: unify.rs.
    /// The state of each type variable.
    bindings: Vec<unify::TypeVariable>,
    /// `_` may stand for type arguments inside of types: in the parameters of constructors and packages.
    wildcards: bool,

    // Functions and actions: function.rs, control.rs.
    /// Copies by declaration and type arguments.
    functions: HashMap<(usize, Vec<Type>), ir::FunctionId>,
    /// Copies with errors, which are reported once.
    failed_functions: HashSet<(usize, Vec<Type>)>,
    /// Number of functions around that are being copied for a call.
    function_depth: usize,
    /// Copies of top-level actions, by number of the instance and position of the declaration.
    global_actions: HashMap<(usize, usize), ir::ActionId>,

    // Evaluation and dry runs: instantiate.rs, opaque.rs.
    dry: bool,
    /// Stand-ins for constructor parameters in a dry run: known at compile time, with a value that is not known yet.
    opaque: HashSet<VarId>,
    /// Number of bodies of controls and parsers elaborated so far, which is the number of the current instance.
    bodies: usize,
    /// Number of parsers and controls around.
    instance_depth: usize,
    /// Number of packages without a name so far.
    packages: usize,
}

impl<'a, 'd> Checker<'a, 'd> {
    fn new(rules: &'static Rules, diagnostics: &'d mut Diagnostics) -> Self {
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

    fn warning(&mut self, kind: Warning, span: Span, message: impl Into<String>) {
        self.diagnostics.warning(kind, span, message);
    }

    /// Elaborates a declaration only for its errors, and removes all that this adds to the program.
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
