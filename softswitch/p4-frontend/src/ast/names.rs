// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names as they are written.

use crate::span::Span;

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
