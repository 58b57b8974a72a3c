// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The syntax tree of a P4-16 program, as the grammar of the language specification gives it: nothing is resolved yet.
//!
//! `parse/` makes the tree, `check/` reads it. Begin with [`Program`] and [`DeclKind`], then [`StmtKind`] and [`ExprKind`].

mod declarations;
mod expressions;
mod statements;
mod tables;

use num_bigint::BigInt;

use crate::span::Span;

pub use declarations::*;
pub use expressions::*;
pub use statements::*;
pub use tables::*;

/// A whole program: the user's file with all that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub decls: Vec<Decl>,
}

/// An identifier where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `a` or `.a`: a name looked up from here, or from the top level.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    pub absolute: bool,
    pub name: Name,
}

/// `@name`, `@name(...)` or `@name[...]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    pub name: Name,
    pub body: AnnotationBody,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// No body at all.
    None,
    /// `(...)`: any tokens with balanced parentheses; what they mean is the annotation's business.
    Unstructured(Vec<AnnotationToken>),
    /// `[a, b]`.
    Expressions(Vec<Expr>),
    /// `[k = v, ...]`.
    KeyValues(Vec<(Name, Expr)>),
}

/// One token of an unstructured annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationToken {
    pub kind: AnnotationTokenKind,
    /// As written; for a string its contents without quotes and escapes.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationTokenKind {
    Identifier,
    Integer(BigInt),
    String,
    Punctuation,
}
