// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations, with what stands in them.

use num_bigint::BigInt;

use super::expressions::Expr;
use super::names::Name;
use crate::span::Span;

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
    /// The text as written; for a string its contents without quotes and escapes.
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
