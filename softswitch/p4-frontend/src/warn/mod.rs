// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings about correct programs that hardly mean what they say.
//!
//! In: the syntax tree and the evaluated program. Out: warnings of the kinds of [`Warning`](crate::warnings::Warning), none about
//! the built-in files.
//!
//! | file | what it finds | reads |
//! |---|---|---|
//! | `annotations` | where the source says `@noWarn`, which all passes of the compiler obey; `@diagnostic` | tree |
//! | `unused` with `uses`, scopes in `names` | declarations without use, uses of what is `@deprecated`, names that hide others | tree |
//! | `states` | parsers that end where the source does not say so, cases and statements after the last | tree |
//! | `tables` | entries and keys of tables without effect | program |
//! | `profiles` | annotations of action profiles without effect | program |
//! | `flow` | values that are read before they are written, fields of invalid headers, arguments that share memory | program |

mod annotations;
mod flow;
mod names;
mod profiles;
mod report;
mod states;
mod tables;
mod unused;
mod uses;

#[cfg(test)]
mod tests;

use crate::diagnostics::Diagnostics;
use crate::source::SourceMap;
use crate::{ast, ir};

use report::Report;

/// Reads what the source says about warnings; before all passes that warn.
pub(crate) fn configure(tree: &ast::Program, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    annotations::check(tree, &mut Report::new(sources, diagnostics));
}

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
    profiles::check(program, &mut report);
    flow::check(program, &mut report);
}
