// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The syntax tree of a P4-16 program, as the grammar of the language specification gives it: nothing is resolved yet.
//!
//! `parse/` makes the tree, `check/` reads it. Begin with [`Program`] and [`DeclKind`], then [`StmtKind`] and [`ExprKind`].

mod annotations;
mod declarations;
mod expressions;
mod names;
mod tables;

pub use annotations::*;
pub use declarations::*;
pub use expressions::*;
pub use names::*;
pub use tables::*;

/// A whole program: the user's file with all that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub decls: Vec<Decl>,
}
