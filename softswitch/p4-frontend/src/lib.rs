// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 front end: source text to a typed and evaluated program.
//!
//! [`preprocess`](mod@preprocess) and the lexer make tokens, the parser an [`ast::Program`], the checker an [`ir::Program`].

pub mod ast;
pub mod diagnostics;
pub mod ir;
mod options;
pub mod source;
pub mod span;

pub use diagnostics::{Diagnostic, Diagnostics, Failure, Severity};
pub use options::{Options, Standard};
pub use source::SourceMap;
