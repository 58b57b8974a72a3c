// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings about correct programs that hardly mean what they say.
//!
//! In: the syntax tree and the evaluated program. Out: warnings of the kinds of [`Warning`](crate::Warning), none about
//! the built-in files and none where the source says `@noWarn`.
//!
//! | file | what it finds | reads |
//! |---|---|---|
//! | `unused` with `uses`, scopes in `names` | declarations without use, names that hide others | tree |
//! | `states` | parsers that end where the source does not say so, cases and statements after the last | tree |
//! | `tables` | entries and keys of tables without effect | program |
//! | `flow` | values that are read before they are written, fields of invalid headers | program |

mod flow;
mod names;
mod report;
mod states;
mod tables;
mod unused;
mod uses;

#[cfg(test)]
mod tests;

use crate::{ast, ir, Diagnostics, SourceMap};

use report::Report;

pub(crate) fn warn(
    tree: &ast::Program,
    program: &ir::Program,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) {
    let mut report = Report::new(sources, diagnostics);
    unused::check(tree, &mut report);
    states::check(tree, &mut report);
    tables::check(program, &mut report);
    flow::check(program, &mut report);
}
