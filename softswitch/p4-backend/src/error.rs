// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of programs that cannot be compiled for BMv2.

use std::fmt::Display;

use quench_p4_frontend::span::Span;
use quench_p4_frontend::Warning;

/// One error with its place; becomes a diagnostic of the front end.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    pub message: String,
    pub span: Span,
}

pub type Result<T> = std::result::Result<T, Error>;

/// Kind, place and message of each.
pub type Warnings = Vec<(Warning, Span, String)>;

impl Error {
    pub fn new(span: Span, message: impl Display) -> Error {
        Error {
            message: message.to_string(),
            span,
        }
    }

    /// `None` for an error without a place in a file.
    pub fn place(&self) -> Option<Span> {
        (self.span != Span::default()).then_some(self.span)
    }
}

/// The error for correct P4 that BMv2 cannot run, or that this compiler has no code for.
pub fn not_supported<T>(span: Span, what: impl Display) -> Result<T> {
    Err(Error::new(span, format!("not supported: {what}")))
}
