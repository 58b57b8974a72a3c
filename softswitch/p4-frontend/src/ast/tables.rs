// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties of tables: keys, lists of actions, entries and all others.

use super::annotations::Annotation;
use super::expressions::{Argument, Expr};
use super::names::{Name, Path};
use crate::span::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct TableProperty {
    pub annotations: Vec<Annotation>,
    pub is_const: bool,
    pub name: Name,
    pub value: PropertyValue,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    Key(Vec<KeyElement>),
    Actions(Vec<ActionRef>),
    Entries(Vec<TableEntry>),
    /// `size = e`, `default_action = f(x)`, `implementation = e`, any other.
    Expr(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyElement {
    pub annotations: Vec<Annotation>,
    pub expr: Expr,
    pub match_kind: Path,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ActionRef {
    pub annotations: Vec<Annotation>,
    pub path: Path,
    /// Arguments bound at compile time: `a(hdr.x)`.
    pub args: Vec<Argument>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableEntry {
    pub annotations: Vec<Annotation>,
    pub is_const: bool,
    pub priority: Option<Expr>,
    pub keyset: Vec<Expr>,
    pub action: ActionRef,
    pub span: Span,
}
