// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The checker: from the syntax tree to the typed and evaluated program.
//!
//! The same code checks and evaluates. Each parser, control, function and action is first elaborated on its own, with its
//! constructor and type parameters left open, only to find errors ([`Checker::dry_run`] throws the result away). When there
//! are none, evaluation starts from `main` and elaborates each instance again, with its arguments put in.
//!
//! In: the tree of `ast/`. Out: the program of `ir/`. Begin with `declarations/toplevel.rs` and `instances/evaluate.rs`
//! (from `main` on); then `expressions/expr.rs` and `statements/stmt.rs`.
//!
//! Each part touches what it needs: [`Types`](state::types::Types) answers questions about types and reads nothing else,
//! [`Scope`](state::scope::Scope) knows what names mean, and
//! [`Instances`](state::instances::Instances) counts what evaluation has made. [`Checker`] has all three, the place in the
//! program, and the errors. Its methods are in folders, each of which imports only those above it:
//!
//! | folder | files |
//! |---|---|
//! | `state` | `types` and `scope` with the meanings of `entity`; `place` where the checker is; `instances` |
//! | `names` | `lookup`, `unknown` ones, `control_plane` what controllers see |
//! | `values` | `constant` whether known and which, `fold` arithmetic |
//! | `types` | `kinds` what can be done with a type, `written` ones, `generics` copies and limits, `unify` inference, `convert` casts, `show` in messages |
//! | `calls` | `call` by name, `method` of an object; `overload` which of several, `arguments` for both; `core_library` demands of core.p4, `size` in bits |
//! | `expressions` | `expr`; `operator`, `index`, `member`, `aggregate` |
//! | `statements` | `stmt`; `loops`, `switch`, `select` with `keyset` |
//! | `tables` | `table` with `actions` and `entries` |
//! | `declarations` | `toplevel` one after the other; `function`, `control`, `parser` with `object` around them |
//! | `instances` | `evaluate` from `main` on; `instantiate` all kinds, `externs` those of externs; `opaque` stand-ins in a dry run |

mod calls;
mod checker;
mod declarations;
mod declared;
mod expressions;
mod instances;
mod names;
mod state;
mod statements;
mod tables;
mod types;
mod values;

#[cfg(test)]
mod tests;

use crate::arch::Rules;
use crate::ast;
use crate::diagnostics::Diagnostics;
use crate::ir;

use checker::Checker;

/// Checks and evaluates a program. `None` when there were errors, all of which are in `diagnostics`.
pub(crate) fn check(
    program: &ast::Program,
    rules: &'static Rules,
    diagnostics: &mut Diagnostics,
) -> Option<ir::Program> {
    let mut checker = Checker::new(rules, diagnostics);
    checker.program(program);
    let Checker {
        ir, types, failed, ..
    } = checker;
    (!failed).then_some(ir::Program {
        types: types.defs,
        ..ir
    })
}
