// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 front end: source text to a typed and evaluated program.
//!
//! The [preprocessor](preprocess_to_string) and the lexer make tokens, the parser an [`ast::Program`], the checker an [`ir::Program`].
//!
//! In: a file and options. Out: the program that `ir/` defines, or diagnostics with their places. Begin with
//! `ir/mod.rs`, then `parse/mod.rs` and `check/mod.rs`.
//!
//! Each of these modules imports only those above it, which `docs/tests/test_rust_imports.py` checks; inside them no file
//! imports one that imports it.
//!
//! | module | holds |
//! |---|---|
//! | `span` | places in files |
//! | `limits` | the largest programs |
//! | `suggest` | the name that was meant |
//! | `source` | the text of files |
//! | `warnings` | kinds of warnings, and what is done with each |
//! | `diagnostics` | errors and warnings |
//! | `arch` | the table of architectures: their names, macros and rules |
//! | `options` | options |
//! | `lexer` | text to tokens |
//! | `ast` | the syntax tree |
//! | `ir` | the typed and evaluated program |
//! | `preprocess` | macros and included files |
//! | `parse` | tokens to the syntax tree |
//! | `check` | the syntax tree to the program |
//! | `tna` | the rules of Tofino |
//! | `warn` | warnings about correct programs |

#![forbid(unsafe_code)]
// With the methods that clippy.toml names: no output depends on the order of a hash table.
#![deny(clippy::iter_over_hash_type)]

mod arch;
pub mod ast;
pub mod check;
pub mod diagnostics;
pub mod ir;
mod lexer;
pub mod limits;
mod options;
mod parse;
mod preprocess;
pub mod source;
pub mod span;
pub mod suggest;
mod tna;
mod warn;
mod warnings;

use std::cell::Cell;
use std::path::Path;

pub use arch::Arch;
pub use diagnostics::{Diagnostic, Diagnostics, Failure, Severity};
pub use options::{Options, Standard};
pub use source::SourceMap;
pub use warnings::{Level, Levels, Warning};

/// Passes recurse over the tree; the parser bounds its depth so that this is enough.
const STACK_BYTES: usize = 256 << 20;

/// A program that is syntactically correct.
#[derive(Debug)]
pub struct Parsed {
    pub program: ast::Program,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
}

/// A program that is correct.
#[derive(Debug)]
pub struct Loaded {
    pub program: ir::Program,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
    /// The levels of the options, with what the source itself says about warnings: for the passes of the back end.
    pub levels: Levels,
}

/// Reads and parses the program at `path` with all that it includes.
pub fn parse(path: &Path, options: &Options) -> Result<Parsed, Failure> {
    parse_source(path, None, options)
}

/// As [`parse()`], of a program that is in memory; `path` is its name in diagnostics, and its includes are relative to it.
pub fn parse_text(path: &Path, text: &str, options: &Options) -> Result<Parsed, Failure> {
    parse_source(path, Some(text), options)
}

fn parse_source(path: &Path, text: Option<&str>, options: &Options) -> Result<Parsed, Failure> {
    let (program, sources, warnings) = compile(options, |sources, diagnostics| {
        syntax_tree(path, text, options, sources, diagnostics)
    })?;
    Ok(Parsed {
        program,
        sources,
        warnings,
    })
}

/// Reads, parses, checks and evaluates the program at `path`; then the rules of the target that [`Options::arch`] names.
pub fn load(path: &Path, options: &Options) -> Result<Loaded, Failure> {
    load_source(path, None, options)
}

/// As [`load`], of a program that is in memory; `path` is its name in diagnostics, and its includes are relative to it.
pub fn load_text(path: &Path, text: &str, options: &Options) -> Result<Loaded, Failure> {
    load_source(path, Some(text), options)
}

fn load_source(path: &Path, text: Option<&str>, options: &Options) -> Result<Loaded, Failure> {
    let ((program, levels), sources, warnings) = compile(options, |sources, diagnostics| {
        let tree = syntax_tree(path, text, options, sources, diagnostics)?;
        let rules = options.arch.rules();
        warn::configure(&tree, sources, diagnostics);
        let program = check::check(&tree, rules, diagnostics)?;
        if rules.fits_tofino {
            tna::check(&program, diagnostics);
        }
        warn::warn(&tree, &program, sources, diagnostics);
        Some((program, diagnostics.levels().clone()))
    })?;
    Ok(Loaded {
        program,
        sources,
        warnings,
        levels,
    })
}

fn syntax_tree(
    path: &Path,
    text: Option<&str>,
    options: &Options,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<ast::Program> {
    let tokens = preprocess::preprocess(path, text, options, sources, diagnostics);
    // A file that is missing makes what follows wrong too; only its own error is of use.
    if diagnostics.has_errors() {
        return None;
    }
    let program = parse::parse(tokens, diagnostics);
    (!diagnostics.has_errors()).then_some(program)
}

/// The input of the parser as text: the program after preprocessing (`-E`), with the warnings.
pub fn preprocess_to_string(
    path: &Path,
    options: &Options,
) -> Result<(String, Vec<Diagnostic>), Failure> {
    let (text, _, warnings) = compile(options, |sources, diagnostics| {
        let tokens = preprocess::preprocess(path, None, options, sources, diagnostics);
        Some(preprocess::print::to_text(&tokens, sources))
    })?;
    Ok((text, warnings))
}

thread_local! {
    static HAS_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs `passes` on a stack that is large enough for every program within the [`limits`]. Inside of another call they run in
/// place: a caller of several compilations wraps them in one call and pays for one thread. An error is that of the operating
/// system, which has no room for the thread.
pub fn with_stack<T: Send>(passes: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if HAS_LARGE_STACK.get() {
        return Ok(passes());
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || {
                HAS_LARGE_STACK.set(true);
                passes()
            })?;
        match worker.join() {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Runs `passes` with room on the stack, and turns errors into a [`Failure`].
fn compile<T: Send>(
    options: &Options,
    passes: impl FnOnce(&mut SourceMap, &mut Diagnostics) -> Option<T> + Send,
) -> Result<(T, SourceMap, Vec<Diagnostic>), Failure> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::with_levels(options.warnings.clone());
    if options.std == Standard::P4_14 {
        diagnostics.not_supported(None, options::P4_14);
        return Err(Failure {
            sources,
            diagnostics: diagnostics.into_vec(),
        });
    }
    let result = with_stack(|| passes(&mut sources, &mut diagnostics));
    let result = result.unwrap_or_else(|error| {
        diagnostics.error(None, format!("cannot start a compiler thread: {error}"));
        None
    });
    let failed = diagnostics.has_errors();
    match result {
        Some(result) if !failed => Ok((result, sources, diagnostics.into_vec())),
        _ => Err(Failure {
            sources,
            diagnostics: diagnostics.into_vec(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_made_once() {
        let current = || std::thread::current().id();
        let (outer, inner) = with_stack(|| (current(), with_stack(current).expect("in place")))
            .expect("there is room for a thread");
        assert_ne!(outer, current(), "a test's own stack is small");
        assert_eq!(inner, outer);
    }
}
