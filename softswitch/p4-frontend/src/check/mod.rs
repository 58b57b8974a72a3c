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
mod checker;
mod constant;
mod control;
mod convert;
mod core_library;
mod entity;
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
    let Checker { ir, failed, .. } = checker;
    (!failed).then_some(ir)
}
